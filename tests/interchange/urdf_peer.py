"""Pinocchio reads the URDF file itself; its tree is closed here by the loops that a test writes down a second time.

Rows at velocity level J u = 0 with their drift from Pinocchio's own frames; u follows the independent rates by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from gough.joints import ALL

WORLD_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
KINDS = {"spherical": 0, "revolute": 2, "fixed": 3}
"""Loops, and how many directions they hold beside the point."""


@dataclass(frozen=True)
class Tied:
    """Two frames of links: names, places (position, rotation) in them, type, axis in the first frame."""

    first: str
    second: str
    kind: str = "fixed"
    at_first: tuple[Any, Any] = ((0, 0, 0), np.eye(3))
    at_second: tuple[Any, Any] = ((0, 0, 0), np.eye(3))
    axis: tuple[float, float, float] = (0, 0, 1)


@dataclass
class UrdfPeer:
    """Closed-loop dynamics of a URDF file on Pinocchio's tree. free: whether the root floats."""

    file: Path | str
    loops: Sequence[Tied] = ()
    couplings: Sequence[Mapping[str, float]] = ()
    gravity: tuple[float, float, float] = (0, 0, -9.81)
    losses: bool = True
    model: Any = None
    data: Any = field(init=False)

    def __post_init__(self) -> None:
        if self.model is None:
            self.model = pin.buildModelFromUrdf(str(self.file))
        self.model.gravity.linear = np.array(self.gravity, float)
        self.data = self.model.createData()

    def places(self, joint: str) -> tuple[slice, slice]:
        """Of a joint's coordinates and rates."""
        own = self.model.joints[self.model.getJointId(joint)]
        return slice(own.idx_q, own.idx_q + own.nq), slice(own.idx_v, own.idx_v + own.nv)

    def configuration(self, values: Mapping[str, Sequence[float]]) -> np.ndarray:
        """From coordinates of joints as a description has them (quaternions w first)."""
        q = pin.neutral(self.model)
        for joint, x in values.items():
            if not self.model.existJointName(joint):
                continue
            where = self.places(joint)[0]
            x = list(x)
            if len(x) in (4, 7):
                x = [*x[:-4], *x[-3:], x[-4]]
            if where.stop - where.start == 2 and len(x) == 1:
                x = [np.cos(x[0]), np.sin(x[0])]
            q[where] = x
        return q

    def _frame(self, name: str, at: tuple[Any, Any]) -> tuple[int, Any]:
        place = pin.SE3(np.array(at[1], float), np.array(at[0], float))
        frame = self.model.frames[self.model.getFrameId(name)]
        return frame.parentJoint, frame.placement * place

    def _motion(self, joint: int, X: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """(Jacobian (6, nv), classical drift (6,), pose) of a frame on a joint, world axes."""
        M = self.data.oMi[joint] * X
        J = np.zeros((6, self.model.nv))
        drift = np.zeros(6)
        if joint:
            J6 = pin.getJointJacobian(self.model, self.data, joint, WORLD_ALIGNED)
            r = M.translation - self.data.oMi[joint].translation
            J[3:], J[:3] = J6[3:], J6[:3] - pin.skew(r) @ J6[3:]
            v = pin.getVelocity(self.model, self.data, joint, WORLD_ALIGNED)
            a = pin.getClassicalAcceleration(self.model, self.data, joint, WORLD_ALIGNED)
            drift[3:] = a.angular
            drift[:3] = a.linear + np.cross(a.angular, r) + np.cross(v.angular, np.cross(v.angular, r))
        return J, drift, M

    def closures(self, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(J (rows, nv), J̇u, how far the loops are open) at a state."""
        pin.forwardKinematics(self.model, self.data, q, u, np.zeros(self.model.nv))
        pin.computeJointJacobians(self.model, self.data, q)
        rows, drifts, gap = [np.zeros((0, self.model.nv))], [np.zeros(0)], 0.0
        for loop in self.loops:
            (J1, a1, M1), (J2, a2, M2) = (
                self._motion(*self._frame(name, at))
                for name, at in ((loop.first, loop.at_first), (loop.second, loop.at_second))
            )
            gap = max(gap, float(np.linalg.norm(M1.translation - M2.translation)))
            if loop.kind == "fixed":
                gap = max(gap, float(np.linalg.norm(M1.rotation - M2.rotation)))
            held = np.eye(3)[:, : KINDS[loop.kind]]
            if loop.kind == "revolute":
                gap = max(gap, float(np.linalg.norm((M1.rotation - M2.rotation) @ loop.axis)))
                held = np.linalg.svd((M1.rotation @ loop.axis)[None])[2][1:].T
            J, drift = J1 - J2, a1 - a2
            own = held.T @ drift[3:]
            if loop.kind == "revolute" and len(u):  # the held directions turn with the first body: h · (w1 - w2) = 0
                w1 = J1[3:] @ u
                own = own + np.array([np.cross(w1, h) @ (J[3:] @ u) for h in held.T])
            rows += [J[:3], held.T @ J[3:]]
            drifts += [drift[:3], own]
        for coupling in self.couplings:
            row = np.zeros((1, self.model.nv))
            for joint, value in coupling.items():
                row[0, self.places(joint)[1]] = value
            rows.append(row)
            drifts.append(np.zeros(1))
        return np.vstack(rows), np.concatenate(drifts), gap

    def written_rates(self, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(B, Ḃ u) of Pinocchio's rates B u; a free body's linear ones are along the parent's axes in u, along its own there."""
        B, drift = np.eye(self.model.nv), np.zeros(self.model.nv)
        for joint in list(self.model.joints)[1:]:
            if joint.shortname() == "JointModelFreeFlyer":
                linear, turning = joint.idx_v + np.arange(3), joint.idx_v + np.arange(3, 6)
                R = pin.Quaternion(q[joint.idx_q + 3 : joint.idx_q + 7]).toRotationMatrix()
                B[np.ix_(linear, linear)] = R.T
                drift[linear] = -np.cross(u[turning], R.T @ u[linear])
        return B, drift

    def follow(self, q: np.ndarray, index: Sequence[int], v: np.ndarray, same: float = 1e-11) -> tuple[np.ndarray, ...]:
        """(N with u = N v, u, drift g with u̇ = N v̇ + g, how far the loops are open) of Pinocchio's rates; index: of v; same:
        below which relative size rows say nothing new."""
        B, _ = self.written_rates(q, np.zeros(self.model.nv))
        J, _, gap = self.closures(q, np.zeros(self.model.nv))
        rest = [k for k in range(self.model.nv) if k not in index]
        N = np.zeros((self.model.nv, len(index)))
        N[list(index)] = np.eye(len(index))
        if rest:
            N[rest] = -np.linalg.lstsq((J @ B)[:, rest], (J @ B)[:, list(index)], rcond=same)[0]
        _, moved = self.written_rates(q, N @ v)
        _, drift, _ = self.closures(q, B @ N @ v)
        g = np.zeros(self.model.nv)
        if rest:
            g[rest] = -np.linalg.lstsq((J @ B)[:, rest], drift + J @ moved, rcond=same)[0]
        return B @ N, B @ N @ v, B @ g + moved, np.array(gap)

    def equations(
        self, q: np.ndarray, index: Sequence[int], v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M, h, N) of M v̇ + h = Nᵀ τ."""
        N, u, g, gap = self.follow(q, index, v)
        assert gap < 1e-9, f"the loops are open by {gap}"
        upper = np.triu(pin.crba(self.model, self.model.createData(), q))
        M = upper + np.triu(upper, 1).T
        h = pin.rnea(self.model, self.model.createData(), q, u, np.zeros(self.model.nv)).copy()
        if self.losses:
            h = h + self.model.damping * u + self.model.friction * np.sign(u)
        return N.T @ M @ N, N.T @ (h + M @ g), N


def largest_difference(model: Any, peer: UrdfPeer, states: int = 4, seed: int = 5, spread: float = 0.3) -> float:
    """Of M, h, forward and inverse dynamics of a model and its peer, relative, at random closed states."""
    rng = np.random.default_rng(seed)
    old = model.robot.source.get("renamed joints", {})
    names = {joint.name: old.get(joint.name, joint.name) for joint in model.robot.joints}
    joints = {joint.name: joint.type for joint in model.robot.joints}
    qs = _states(model, states, rng, spread)
    worst = 0.0
    for q in qs:
        values = _values(model, q, joints)
        q_pin = peer.configuration({names[name]: x for name, x in values.items()})
        index = [_place(peer, name, names) for name in model.layout.v_names]
        v = rng.normal(size=len(index))
        M, h, N = peer.equations(q_pin, index, v)
        S = N[[_place(peer, name, names) for name in model.layout.drive_names]].T
        tau = rng.normal(size=S.shape[1]) * (1.0 + np.abs(h).max())
        vdot = np.linalg.solve(M, S @ tau - h)
        worst = max(worst, _off(model.mass_matrix(q), M), _off(model.bias_force(q, v), h, np.abs(M).max()))
        worst = max(worst, _off(model.drive_map(q), S), _off(model.forward_dynamics(q, v, tau).vdot, vdot))
        if S.shape[1] >= model.mobility and model.mobility == len(index) and S.shape[1] == len(index):
            a = rng.normal(size=len(index))
            expected = np.linalg.solve(S, M @ a + h)
            worst = max(worst, _off(model.inverse_dynamics(q, v, a).tau, expected))
    return worst


def _off(ours: np.ndarray, theirs: np.ndarray, least: float = 1e-9) -> float:
    return float(np.abs(np.asarray(ours) - theirs).max() / max(np.abs(theirs).max(initial=0.0), least))


def _states(model: Any, count: int, rng: np.random.Generator, spread: float) -> list[np.ndarray]:
    around = model.sampled_states["q"]
    return [model.home, *around[rng.permutation(len(around))[:count]]]


def _values(model: Any, q: np.ndarray, joints: Mapping[str, str]) -> dict[str, list[float]]:
    at = dict(zip(model.layout.q_names, q.tolist(), strict=True))
    own = {name: [name + c.suffix for c in ALL[kind].coordinates] for name, kind in joints.items() if kind != "fixed"}
    return {name: [at[c] for c in called] for name, called in own.items() if all(c in at for c in called)}


def _place(peer: UrdfPeer, rate: str, names: Mapping[str, str]) -> int:
    """Of a rate of the model in u; several of a ball are called _wx, _wy, _wz."""
    if rate in names:
        return peer.places(names[rate])[1].start
    joint, _, part = rate.rpartition("_")
    order = (
        ("x", "y", "z", "wx", "wy", "wz")
        if peer.places(names[joint])[1].stop - peer.places(names[joint])[1].start == 6
        else ("wx", "wy", "wz")
    )
    return peer.places(names[joint])[1].start + order.index(part)
