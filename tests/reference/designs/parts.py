"""One robot twice: with a flexible body that is rigid parts on springs, and with those parts on joints with springs.

Shapes that only shift parts are exact however large, and so is a frame that turns about one axis: both robots are the
same mechanism, of which rigid-body libraries know the second.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from gough.robot import loads
from reference.flexible.points import MassPoints, flexible_robot

from .drawing import Data, Draw, pose

PARTS = 3


class SlidingParts(MassPoints):
    """Rigid parts on springs, written as a flexible body: exactly a mechanism with joints.

    Part k of the points (part 0 is the body itself) slides along directions[k - 1] with a coordinate of its own. Frames at
    a point go with the part of the nearest mass point, except at `hinge`: there they turn about `axis` by the last
    coordinate. stiffness, damping (m,) of the coordinates.
    """

    def __init__(
        self,
        mass: np.ndarray,
        position: np.ndarray,
        part: np.ndarray,
        directions: np.ndarray,
        hinge: np.ndarray,
        axis: np.ndarray,
        stiffness: Any,
        damping: Any,
    ) -> None:
        self.mass, self.position, self.part, self.hinge, self.axis = mass, position, part, hinge, axis
        self.K, self.D = np.diag(stiffness), np.diag(damping)
        self.labels = tuple(f"e{k + 1}" for k in range(len(self.K)))
        self._columns = np.zeros((len(directions) + 1, 3, len(self.K)))
        for k, along in enumerate(directions):
            self._columns[k + 1, :, k] = along

    @property
    def shape(self) -> np.ndarray:
        """Phi (g, 3, m) at the mass points."""
        return self._columns[self.part]

    @property
    def second(self) -> np.ndarray | None:
        """None: the motion is linear in the coordinates."""
        return None

    def at(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The fields at a point."""
        turning = np.zeros((3, len(self.K)))
        if not np.any(p):  # the joint carries part 0
            return np.zeros_like(turning), turning, None
        if np.allclose(p, self.hinge):
            turning[:, -1] = self.axis
            return np.zeros_like(turning), turning, None
        nearest = int(np.argmin(np.linalg.norm(self.position - np.asarray(p), axis=1)))
        return self.shape[nearest], turning, None


class Pair(NamedTuple):
    """The same robot in two forms; names of the flexible one's velocities and coordinates by those of the jointed one."""

    flexible: Any
    jointed: Any
    renamed: dict[str, str]
    frames: dict[str, str]


def sliding_pair(seed: int) -> Pair:
    """An arm that turns on the world; on its parts a finger (turns), a hand (slides), a spring and a named frame."""
    draw = Draw([903, seed])
    g = 4 * PARTS
    part = np.repeat(np.arange(PARTS), 4)
    centers = np.array([draw.vector(0.3) for _ in range(PARTS)])
    position = centers[part] + np.array([draw.vector(0.08) for _ in range(g)])
    mass = draw.rng.uniform(0.2, 0.8, g)
    directions = np.array([draw.direction() for _ in range(PARTS - 1)])
    hinge, axis = draw.vector(0.3), draw.direction()
    stiffness, damping = draw.rng.uniform(200, 900, PARTS), draw.rng.uniform(1, 5, PARTS)
    body = SlidingParts(mass, position, part, directions, hinge, axis, stiffness, damping)
    marks = position[[0, 4, 8]]  # a point of each part
    frame = pose(marks[2], draw.rotation())
    children = {
        "finger": ("revolute", marks[1], draw.rotation(), draw.direction()),
        "hand": ("prismatic", hinge, draw.rotation(), draw.direction()),
    }
    drives = {name: draw.drive(1.0) for name in ("arm", *children)}
    bodies = {name: draw.body(f"{name}_link", 1.0, 0.1) for name in children}
    base = {"parent": "world", "type": "revolute", "pose": pose(draw.vector(0.2), draw.rotation())}
    arm: Data = base | {"name": "arm", "child": "beam", "axis": draw.direction().tolist(), "drive": drives["arm"]}
    common = {"format": 1, "gravity": (draw.rotation(0.6) @ [0, 0, -9.81]).tolist(), "velocities": "drives"}
    anchor, slack = draw.vector(0.5).tolist(), draw.between(0.1, 0.4)

    def robot(name: str, on: dict[str, str], shift: np.ndarray, own: list[Data], joints: list[Data]) -> Any:
        """on: body that each child, the frame and the spring stand on; shift: of the hand's seat in it."""
        held: list[Data] = []
        for key, (kind, at, R, along) in children.items():
            seat = pose(at - (shift if key == "hand" else 0), R)
            joint = {"name": key, "type": kind, "parent": on[key], "child": f"{key}_link", "pose": seat}
            held.append(joint | {"axis": along.tolist(), "drive": drives[key]})
        for entry in own:
            if entry["name"] == on["frame"]:
                entry["frames"] = {"mark": frame}
        ends = {
            "from": {"body": "world", "position": anchor},
            "to": {"body": on["spring"], "position": marks[1].tolist()},
        }
        spring = {"name": "s", "stiffness": 60.0, "damping": 3.0, "rest_length": slack} | ends
        data = common | {"name": name, "bodies": [*own, *bodies.values()], "joints": [arm, *joints, *held]}
        return loads(json.dumps(data | {"springs": [spring]}), file=f"<{name}>")

    bent = robot("bent", dict.fromkeys(("finger", "hand", "frame", "spring"), "beam"), np.zeros(3), [_part("beam")], [])
    own = [_part("beam", mass[part == 0], position[part == 0])]
    joints: list[Data] = []
    for k in range(1, PARTS):
        own.append(_part(f"part{k}", mass[part == k], position[part == k]))
        joints.append(
            _elastic(f"slide{k}", "prismatic", f"part{k}", np.zeros(3), directions[k - 1], stiffness, damping, k)
        )
    own.append(_part("turned"))
    joints.append(_elastic("turn", "revolute", "turned", hinge, axis, stiffness, damping, PARTS))
    on = {"finger": "part1", "hand": "turned", "frame": "part2", "spring": "part1"}
    jointed = robot("jointed", on, hinge, own, joints)
    renamed = {f"slide{k}": f"beam.e{k}" for k in range(1, PARTS)} | {"turn": f"beam.e{PARTS}"}
    return Pair(flexible_robot(bent, {"beam": body}), jointed, renamed, {"part2.mark": "beam.mark"})


def _elastic(
    name: str, kind: str, child: str, at: np.ndarray, axis: np.ndarray, stiffness: Any, damping: Any, k: int
) -> Data:
    """A joint of the beam with the spring of coordinate k (from 1)."""
    spring = {"stiffness": float(stiffness[k - 1]), "damping": float(damping[k - 1])}
    joint = {"name": name, "type": kind, "parent": "beam", "child": child, "pose": pose(at)}
    return joint | {"axis": axis.tolist(), "spring": spring}


def _part(name: str, mass: Any = (), position: Any = ()) -> Data:
    """A rigid body of mass points."""
    if not len(mass):
        return {"name": name, "mass": 0.0}
    m = float(np.sum(mass))
    center = mass @ position / m
    r = position - center
    I = np.einsum("g,gi,gj->ij", mass, r, r)
    I = np.trace(I) * np.eye(3) - I
    keys = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))
    inertia = {"about": "center_of_mass"} | {key: float(I[i, j]) for key, i, j in keys}
    return {"name": name, "mass": m, "center_of_mass": center.tolist(), "inertia": inertia}
