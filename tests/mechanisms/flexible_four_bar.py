"""A four-bar of three thin strips with a weight at the coupler's end, as a description and as an Exudyn model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import gough
from gough.robot import loads

WEIGHT = 9.81
GROUND = np.array([0.4, 0.0])
"""The rocker's pivot; the crank's is the origin."""
MATERIAL = {"E": 70e9, "density": 2700.0}
WIDTH = 0.02
PARTS = ("crank", "coupler", "rocker")


@dataclass(frozen=True)
class FourBar:
    """Lengths of crank, coupler and rocker (m), the crank's angle at home (rad), the side on which the coupler meets the
    rocker, the strips' thickness (m), the weight's mass (kg), and damping over stiffness (s)."""

    lengths: tuple[float, float, float]
    angle: float
    side: int
    height: float
    mass: float
    beta: float = 0.0

    @property
    def pins(self) -> tuple[np.ndarray, np.ndarray]:
        """Where crank and coupler, coupler and rocker meet when nothing is bent."""
        crank, coupler, rocker = self.lengths
        B = crank * np.array([np.cos(self.angle), np.sin(self.angle)])
        reach = np.hypot(*(GROUND - B))
        u = (GROUND - B) / reach
        foot = (coupler**2 - rocker**2 + reach**2) / (2 * reach)
        return B, B + foot * u + self.side * np.sqrt(coupler**2 - foot**2) * np.array([-u[1], u[0]])

    @property
    def ends(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Where each strip begins and ends."""
        B, C = self.pins
        return {"crank": (np.zeros(2), B), "coupler": (B, C), "rocker": (GROUND, C)}

    def model(self, bodies: int, elements: int, stiffening: str = "auto", weight: float = WEIGHT) -> gough.Model:
        """The library's model: every strip cut into bodies that are welded end to end, of elements each."""
        text = self._text(bodies, elements, stiffening)
        return gough.build(loads(text.replace(f"gravity: [0, -{WEIGHT}, 0]", f"gravity: [0, -{weight}, 0]")))

    def _text(self, bodies: int, elements: int, stiffening: str) -> str:
        made, joints = [], []
        angles = {name: float(np.arctan2(*(b - a)[::-1])) for name, (a, b) in self.ends.items()}
        angles["coupler"] -= angles["crank"]
        for name, whole in zip(PARTS, self.lengths, strict=True):
            length = whole / bodies
            for k in range(1, bodies + 1):
                made.append(
                    f"""
  - name: {name}{k}
    frames: {{tip: {{position: [{length}, 0, 0]}}, middle: {{position: [{length if bodies > 1 else length / 2}, 0, 0]}}}}
    flexible:
      beam:
        {{length: {length}, elements: {elements}, plane: true, section: {{rectangle: {{y: {self.height}, z: {WIDTH}}}}},
         material: {{E: {MATERIAL["E"]}, nu: 0.3, density: {MATERIAL["density"]}}}}}
      modes: {{kind: nodal}}
      stiffening: {stiffening}
      damping: {{rayleigh: {{alpha: 0, beta: {self.beta}}}}}"""
                )
                before = f"{name}{k - 1}" if k > 1 else "world"
                place = f"[{length}, 0, 0]" if k > 1 else "[0, 0, 0]"
                if k == 1 and name == "coupler":
                    before, place = f"crank{bodies}", f"[{self.lengths[0] / bodies}, 0, 0]"
                if k == 1 and name == "rocker":
                    place = f"[{GROUND[0]}, {GROUND[1]}, 0]"
                kind = f"name: {name}, type: revolute" if k == 1 else f"name: {name}_weld{k}, type: fixed"
                drive = ", drive: {}" if (name, k) == ("crank", 1) else ""
                joints.append(
                    f"\n  - {{{kind}, parent: {before}, child: {name}{k}, pose: {{position: {place}}}{drive}}}"
                )
        tip, far = (f"[{self.lengths[k] / bodies}, 0, 0]" for k in (1, 2))
        return f"""
format: 1
name: four_bar
gravity: [0, -{WEIGHT}, 0]
bodies:{"".join(made)}
  - {{name: weight, mass: {self.mass}}}
joints:{"".join(joints)}
  - {{name: hold, type: fixed, parent: coupler{bodies}, child: weight, pose: {{position: {tip}}}}}
loops:
  - name: pin
    type: revolute
    first: {{body: coupler{bodies}, pose: {{position: {tip}}}}}
    second: {{body: rocker{bodies}, pose: {{position: {far}}}}}
velocities: drives
home: {{joints: {{crank: {angles["crank"]}, coupler: {angles["coupler"]}, rocker: {angles["rocker"]}}}}}
"""

    def exudyn(self, elements: int, locked: bool) -> tuple[Any, dict[str, Any]]:
        """Exudyn's model with elements a strip, and the nodes at the pins and in the coupler's middle."""
        from reference.peers.exudyn import ExudynPlane

        plane = ExudynPlane(WEIGHT)
        rows, nodes = self._strips(plane, elements)
        plane.pin_nodes(rows["crank"].nodes[0])
        if locked:
            plane.lock_start(rows["crank"], self.pins[0] / self.lengths[0])
        return plane, nodes

    def led_in_exudyn(self, elements: int, turn: Callable[[float], float], rate: Callable[[float], float]) -> Any:
        """(Exudyn's model without weight whose crank is clamped to a hub that is turned from home, its nodes)."""
        from reference.peers.exudyn import ExudynPlane

        plane = ExudynPlane()
        rows, nodes = self._strips(plane, elements)
        hub = plane.hub(np.zeros(2), self.angle, turn, rate)
        plane.join(plane.at(hub, 0.0), plane.at(rows["crank"], "start"), turns=False)
        return plane, nodes

    def _strips(self, plane: Any, elements: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """(beams by name, all pinned but for the crank at the origin; the nodes that are looked at)."""
        from reference.peers.exudyn import Strip

        strip = Strip(self.height, WIDTH, beta=self.beta, **MATERIAL)
        rows = {name: plane.beam(a, b, strip, elements) for name, (a, b) in self.ends.items()}
        crank, coupler, rocker = (rows[name].nodes for name in PARTS)
        plane.pin_nodes(rocker[0])
        plane.pin_nodes(coupler[0], crank[-1])
        plane.pin_nodes(coupler[-1], rocker[-1])
        plane.pin_nodes(coupler[-1], plane.point_mass(self.pins[1], self.mass))
        return rows, {"elbow": crank[-1], "tip": coupler[-1], "middle": coupler[elements // 2]}


def swing(model: gough.Model, bodies: int, times: np.ndarray, rtol: float) -> dict[str, np.ndarray]:
    """Positions (t, 2) of the pins and of the coupler's middle, released at rest at home, drive free."""
    nq, motion = model.layout.nq, model.function("joint_motion")
    for function in (motion, model.function("forward_dynamics")):
        function.compile()

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        q, v = np.split(np.ascontiguousarray(y.T), [nq], axis=1)
        acceleration = model.forward_dynamics(q, v, np.zeros((len(q), 1))).vdot
        u = motion.values(q=q, v=v, vdot=acceleration, parameters=model.parameters)["u"]
        return np.concatenate([u, acceleration], axis=1).T

    start = np.concatenate([model.home, np.zeros(model.layout.nv)])
    # Radau: axial vibrations of the strips are fast, damped and of no interest.
    run = solve_ivp(slope, times[[0, -1]], start, "Radau", times, vectorized=True, rtol=rtol, atol=1e-2 * rtol)
    q = run.y[:nq].T
    assert np.max(model.closure_error(q)) < 1e-8  # the loop is integrated, not closed again
    frames = {
        "elbow": f"crank{bodies}.tip",
        "tip": f"coupler{bodies}.tip",
        "middle": f"coupler{max(bodies // 2, 1)}.middle",
    }
    return {key: model.frame_pose(q, frame)[0][:, :2] for key, frame in frames.items()}


def bow(run: dict[str, np.ndarray]) -> np.ndarray:
    """How far (t,) m the coupler's middle is off the line between its ends."""
    chord, off = run["tip"] - run["elbow"], run["middle"] - run["elbow"]
    return (chord[:, 0] * off[:, 1] - chord[:, 1] * off[:, 0]) / np.hypot(*chord.T)
