"""Forces of a run as arrows: where they act, which way and how large; in a scene, with one arrow of a round number of newtons
as their legend; and the mesh of arrows.

Drive forces   at the origin of the driven link, along the drive's axis, as they push that link; torques along the axis too,
               right-handed.
Reactions      the force of the wrench through every joint, at the origin of the joint's body: that of the antecedent on the
               body; of a cut joint at the cut point: that of the leg on the platform (see `dynamics.reactions`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.reactions import joint_links
from gough.simulation.results.run import Run
from gough.structure import WORLD, Mechanism
from gough.viewer.drawing.figure import Figure

Array = np.ndarray


@dataclass(frozen=True)
class Arrows:
    """Some arrows at one time. points (n, 3): where they act (m); vectors (n, 3): in `unit`, world axes."""

    points: Array
    vectors: Array
    unit: str

    def segments(self, metres: float) -> Array:
        """Start and end of each arrow (n, 2, 3), `metres` long a unit."""
        return np.stack([self.points, self.points + metres * self.vectors], axis=1)


class ForceArrows:
    """The arrows of a run. drives: which have a force ("N") and which a torque ("N m")."""

    def __init__(self, run: Run) -> None:
        self.run = run
        mechanism = run.model.mechanism
        self._drive_links = np.array([d.link for d in mechanism.drives], dtype=int)
        self._axes = np.array([drive_axis(mechanism, i) for i in self._drive_links]).reshape(-1, 3)
        self._pushes = np.array([d.unit == "N" for d in mechanism.drives], dtype=bool)
        self._joint_links = np.array(joint_links(mechanism), dtype=int)
        self._cuts = [cut_point(mechanism, k, run.design) for k in range(len(mechanism.cuts))]
        names = [mechanism.links[i].joint for i in self._joint_links] + [c.name for c in mechanism.cuts]
        self._reaction_channels = [f"{name}.reaction" for name in names]

    @property
    def has_forces(self) -> bool:
        """Whether a drive pushes."""
        return bool(self._pushes.any())

    @property
    def has_torques(self) -> bool:
        """Whether a drive turns."""
        return bool((~self._pushes).any())

    def drives(self, time: float, position: Array, rotation: Array, torques: bool) -> Arrows:
        """Forces (or torques) of the drives at a time, links at position (links, 3) and rotation (links, 3, 3)."""
        at = self._pushes != torques
        links, axes = self._drive_links[at], self._axes[at]
        along = np.einsum("nij,nj->ni", rotation[links], axes)
        vectors = along * self._sampled(self.run.tau, time)[at, None]
        return Arrows(position[links], np.nan_to_num(vectors), "N m" if torques else "N")

    def reactions(self, time: float, position: Array, rotation: Array) -> Arrows:
        """Forces through all joints at a time; the first call computes those of the whole run."""
        forces = self._sampled(self.reaction_forces(), time).reshape(-1, 3)
        n = len(self._joint_links)
        here = np.einsum("nij,nj->ni", rotation[self._joint_links], forces[:n])
        cut_points = [p if link == WORLD else position[link] + rotation[link] @ p for link, p in self._cuts]
        points = np.concatenate([position[self._joint_links], np.array(cut_points).reshape(-1, 3)])
        return Arrows(points, np.nan_to_num(np.concatenate([here, forces[n:]])), "N")

    def reaction_forces(self) -> Array:
        """Of all joints, then cuts (n, 3 · joints): those of joints in body axes, those of cuts in world axes."""
        return self.run.cached(
            "reaction forces",
            lambda: (
                np.concatenate([self.run[name][:, :3] for name in self._reaction_channels], axis=1)
                if self._reaction_channels
                else np.zeros((len(self.run), 0))
            ),
        )

    def largest(self, kind: str) -> float:
        """The largest arrow of a kind over the run: "force", "torque" (of drives) or "reaction"; 0.0 for none."""
        if kind == "reaction":
            found = self.reaction_forces().reshape(len(self.run), -1, 3)
            return _largest(np.linalg.norm(found, axis=2))
        return _largest(np.abs(self.run.tau[:, self._pushes == (kind == "force")]))

    def _sampled(self, values: Array, time: float) -> Array:
        """values (n, k) at a time: straight between stored states, or held from the one before."""
        stored = self.run.time
        i = max(int(np.searchsorted(stored, time, side="right")) - 1, 0)
        if i + 1 >= len(stored) or time <= stored[i] or self.run.tau_held:
            return values[i]
        s = (time - stored[i]) / (stored[i + 1] - stored[i])
        return (1 - s) * values[i] + s * values[i + 1]


def drive_axis(mechanism: Mechanism, link: int) -> Array:
    """Axis (3,) of a link's motion in its own axes, as described."""
    moved = mechanism.links[link]
    return moved.sign * moved.to_user[:, moved.axis]


def cut_point(mechanism: Mechanism, cut: int, parameters: Array) -> tuple[int, Array]:
    """(link, point (3,) in its axes as described) where the reaction of a cut joint acts; WORLD: in the world."""
    joint = mechanism.cuts[cut]
    point = np.asarray(Numbers(mechanism, parameters).placement(joint.on_second)[1], dtype=float)
    axes = np.eye(3) if joint.second == WORLD else mechanism.links[joint.second].to_user
    return joint.second, axes @ point


def _largest(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def arrow_scale(largest: float, size: float, part: float = 0.3) -> float:
    """Metres a unit so that the largest arrow has this part of the robot's size (m)."""
    return part * size / largest if largest > 0 else 0.0


def round_below(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not larger."""
    if not value > 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(m * power for m in (5, 2, 1) if m * power <= value * (1 + 1e-12)))


COLOURS = {"force": (214, 110, 20), "torque": (140, 84, 172), "reaction": (24, 122, 168)}
"""Drive forces, drive torques, reactions."""
NAMES = {"force": "drive force", "torque": "drive torque", "reaction": "reaction"}
RADIUS = 0.006
"""Of shafts, in robot sizes."""


@dataclass(frozen=True)
class Scales:
    """Metres a newton and metres a newton metre."""

    force: float
    torque: float

    def of(self, kind: str) -> float:
        """Of "force", "torque" or "reaction"."""
        return self.torque if kind == "torque" else self.force


def scales(found: tuple[ForceArrows, ...], size: float, reactions: bool, factor: float) -> Scales:
    """So that the largest arrow of all runs has about a third of the robot's size (m), times a factor."""
    kinds = ("force", "reaction") if reactions else ("force",)
    force = max((f.largest(kind) for f in found for kind in kinds), default=0.0)
    torque = max((f.largest("torque") for f in found), default=0.0)
    return Scales(factor * arrow_scale(force, size), factor * arrow_scale(torque, size))


class ForceScene:
    """The arrows of one run under a root of a scene. Nothing is drawn until kinds are switched on."""

    def __init__(self, scene: Any, figure: Figure, arrows: ForceArrows, root: str) -> None:
        self.scene, self.figure, self.arrows, self.root = scene, figure, arrows, root
        self.scales = Scales(0.0, 0.0)
        self._nodes: dict[str, Any] = {}
        self._kinds: set[str] = set()

    def switch(self, kinds: set[str]) -> None:
        """Draw these kinds of arrows and no others."""
        for kind in set(self._nodes) - kinds:
            self._nodes.pop(kind).remove()
        self._kinds = set(kinds)

    def show(self, time: float, q: np.ndarray) -> None:
        """The arrows at a time (s) and configuration (nq,)."""
        if not self._kinds:
            return
        placed = self.figure.place(q)
        for kind in self._kinds:
            if kind == "reaction":
                found = self.arrows.reactions(time, placed.position, placed.rotation)
            else:
                found = self.arrows.drives(time, placed.position, placed.rotation, torques=kind == "torque")
            self._draw(kind, arrow_vertices(found.segments(self.scales.of(kind)), RADIUS * self.figure.size))

    def _draw(self, kind: str, vertices: np.ndarray) -> None:
        if not len(vertices):
            return
        node = self._nodes.get(kind)
        if node is None:
            faces = arrow_faces(len(vertices) // VERTICES)
            name = f"{self.root}/{kind}"
            self._nodes[kind] = self.scene.add_mesh_simple(name, vertices, faces, color=COLOURS[kind])
        else:
            node.vertices = vertices

    def remove(self) -> None:
        """Take all out of the scene."""
        self.switch(set())


def reference(scale: Scales, kinds: set[str], size: float) -> dict[str, tuple[float, str]]:
    """{"force" or "torque": (round number, unit)} of arrows about a fifth of the robot's size (m) long."""
    out = {}
    if kinds & {"force", "reaction"} and scale.force > 0:
        out["force"] = (round_below(0.22 * size / scale.force), "N")
    if "torque" in kinds and scale.torque > 0:
        out["torque"] = (round_below(0.22 * size / scale.torque), "N m")
    return out


# Arrows as one mesh: short ones keep their shape and shrink as a whole, so that a small force looks small.


SIDES = 10
HEAD_WIDTH, HEAD_LENGTH, MOST_HEAD = 2.4, 5.0, 0.45
"""Of the head: radius and length in shaft radii, and the largest part of an arrow that it may be."""
VERTICES = 3 * SIDES + 2


def arrow_faces(count: int) -> Array:
    """Triangles (count · f, 3) of so many arrows."""
    k = np.arange(SIDES)
    n = (k + 1) % SIDES
    tail, tip = 3 * SIDES, 3 * SIDES + 1
    rings = [(r + k, r + n, r + SIDES + n, r + SIDES + k) for r in (0, SIDES)]
    quads = [np.stack(t, axis=1) for a, b, c, d in rings for t in ((a, b, c), (a, c, d))]
    end, point = (
        np.stack([np.full(SIDES, tail), n, k], axis=1),
        np.stack([2 * SIDES + k, 2 * SIDES + n, np.full(SIDES, tip)], 1),
    )
    one = np.concatenate([*quads, end, point])
    return (one[None] + VERTICES * np.arange(count)[:, None, None]).reshape(-1, 3).astype(np.uint32)


def arrow_vertices(segments: Array, radius: float) -> Array:
    """Vertices (n · VERTICES, 3) of arrows from segments[:, 0] to segments[:, 1] (n, 2, 3), shafts of a radius (m).

    An arrow whose head would be too long for it is thinner; one of no length is a point."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(along, axis=1)
    unit = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 0)
    size = np.minimum(radius, MOST_HEAD * length / HEAD_LENGTH)
    helper = np.where(np.abs(unit[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    a = np.cross(unit, helper)
    norm = np.linalg.norm(a, axis=1, keepdims=True)
    a = np.divide(a, norm, out=np.zeros_like(a), where=norm > 0)
    b = np.cross(unit, a)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = a[:, None] * np.cos(angle)[:, None] + b[:, None] * np.sin(angle)[:, None]
    base = start + unit * (length - HEAD_LENGTH * size)[:, None]
    shaft, head = size[:, None, None] * ring, HEAD_WIDTH * size[:, None, None] * ring
    tips = np.stack([start, segments[:, 1]], axis=1)
    out = np.concatenate([start[:, None] + shaft, base[:, None] + shaft, base[:, None] + head, tips], axis=1)
    return out.reshape(-1, 3).astype(np.float32)
