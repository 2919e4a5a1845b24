"""A mechanism as bare facts in world axes, where all joints stand at zero, and its dynamics by MuJoCo without any tree.

Every body is a free body of MuJoCo (mass matrix, bias and Jacobians from there); joints are rows between them
(`cuts`), so no file format, no tree and no frame of gough enters. A body's own frame is the world's at zero: what
a model says of it is the displacement from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from reference.peers.cuts import Side, cut_rows

WORLD = "world"


@dataclass(frozen=True)
class BodyFact:
    mass: float
    center: np.ndarray
    inertia: np.ndarray
    """About the mass centre, world axes at zero."""


@dataclass(frozen=True)
class JointFact:
    type: str
    parent: str
    child: str
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    axis2: np.ndarray | None = None
    lead: float = 0.0
    viscous: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True)
class Facts:
    bodies: Mapping[str, BodyFact]
    joints: Mapping[str, JointFact]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    couplings: tuple[Mapping[str, float], ...] = ()

    def with_joint(self, name: str, **changes: Any) -> Facts:
        return replace(self, joints={**self.joints, name: replace(self.joints[name], **changes)})


class FreeBodies:
    """Constrained dynamics of facts in the velocities v of a model; states are displacements of bodies."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        spec = mujoco.MjSpec()
        spec.option.gravity = list(facts.gravity)
        for name, body in facts.bodies.items():
            made = spec.worldbody.add_body(name=name)
            made.add_freejoint(name=name)
            made.explicitinertial = True
            # off its centre while compiled: MuJoCo keeps only the diagonal of what then looks like a ball
            made.mass, made.ipos = max(body.mass, 1e-3), [0.1, 0.2, 0.3]
            made.fullinertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
        self.model = spec.compile()
        for name, body in facts.bodies.items():
            i = self.model.body(name).id
            moments, axes = np.linalg.eigh(body.inertia)
            axes = axes * np.sign(np.linalg.det(axes))
            self.model.body_mass[i], self.model.body_inertia[i] = body.mass, moments
            self.model.body_ipos[i] = body.center
            self.model.body_iquat[i] = np.roll(Rotation.from_matrix(axes).as_quat(), 1)
        self.model.body_sameframe[:] = 0
        self.model.body_simple[:] = 0
        self.model.dof_simplenum[:] = 0
        self.data = mujoco.MjData(self.model)
        self.nv = self.model.nv

    def set_state(self, places: Mapping[str, np.ndarray], nu: np.ndarray | None = None) -> None:
        """places: {body: 4x4 displacement from zero}."""
        for name, X in places.items():
            at = int(self.model.joint(name).qposadr[0])
            self.data.qpos[at : at + 3] = X[:3, 3]
            self.data.qpos[at + 3 : at + 7] = np.roll(Rotation.from_matrix(X[:3, :3]).as_quat(), 1)
        self.data.qvel[:] = 0.0 if nu is None else nu
        self.data.qacc[:] = 0.0
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    def side(self, body: str, anchor: Any = (0, 0, 0), R: Any = None) -> Side:
        model, data = self.model, self.data
        i = 0 if body == WORLD else model.body(body).id
        Jp, Jr, Dp, Dr = (np.zeros((3, model.nv)) for _ in range(4))
        p, nu = data.xpos[i].copy(), data.qvel
        mujoco.mj_jac(model, data, Jp, Jr, p, i)
        mujoco.mj_jacDot(model, data, Dp, Dr, p, i)
        own = Side(p, data.xmat[i].reshape(3, 3).copy(), Jp, Jr, Jp @ nu, Jr @ nu, Dp @ nu, Dr @ nu)
        return own.at(anchor, np.eye(3) if R is None else R)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(G, gamma): G nu = 0, G nudot + gamma = 0."""
        parts: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros((0, self.nv)), np.zeros(0))]
        for name, j in self.facts.joints.items():
            if j.type == "free":
                continue
            first, second = self.side(j.parent, j.anchor), self.side(j.child, j.anchor)
            kind = "cylindrical" if j.type == "helical" else j.type
            parts.append(cut_rows(_Cut(kind, j.axis, j.axis2), first, second))
            if j.type == "helical":
                turn, slide = self.rate(name), self.rate(name, slides=True)
                h = j.lead / (2 * np.pi)
                parts.append(((slide[0] - h * turn[0])[None], np.array([slide[1] - h * turn[1]])))
        for coupling in self.facts.couplings:
            found = [(c, self.rate(name)) for name, c in coupling.items()]
            row = np.asarray(sum(c * r[0] for c, r in found))
            parts.append((row[None], np.array([float(sum(c * r[1] for c, r in found))])))
        return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def rate(self, name: str, slides: bool = False) -> tuple[np.ndarray, float]:
        """(row, drift) of a joint's coordinate: child against parent, about or along the axis."""
        j = self.facts.joints[name]
        first, second = self.side(j.parent, j.anchor), self.side(j.child, j.anchor)
        axis = first.R @ j.axis
        axis_dot = np.cross(first.w, axis)
        if j.type != "prismatic" and not slides:
            return axis @ (second.Jr - first.Jr), float(
                axis @ (second.alpha - first.alpha) + axis_dot @ (second.w - first.w)
            )
        # x = axis·(p2 - p1), carried by the first side
        d, dd = second.p - first.p, second.v - first.v
        row = axis @ (second.Jp - first.Jp) + np.cross(axis, d) @ first.Jr
        axis_2 = np.cross(first.alpha, axis) + np.cross(first.w, axis_dot)
        drift = axis @ (second.a - first.a) + 2 * axis_dot @ dd + axis_2 @ d
        return row, float(drift)

    def independent(self, names: tuple[str, ...], frames: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(E, e0): v = E nu, vdot = E nudot + e0, of joints' coordinates and of free joints' rates (body `frames` at zero)."""
        rows, drifts = [], []
        for name in names:
            if name in self.facts.joints:
                row, drift = self.rate(name)
            else:
                joint, _, part = name.rpartition("_")
                body = self.facts.joints[joint].child
                X = frames[body]
                side = self.side(body, X[:3, 3], X[:3, :3])
                k = "xyz".index(part[-1])
                if part[0] == "w":
                    e, base = side.R[:, k], self.side(self.facts.joints[joint].parent)
                    row = e @ (side.Jr - base.Jr)
                    drift = float(e @ (side.alpha - base.alpha) + np.cross(side.w, e) @ (side.w - base.w))
                else:
                    row, drift = side.Jp[k], float(side.a[k])
            rows.append(row)
            drifts.append(drift)
        return np.array(rows), np.array(drifts)

    def passive(self, q: Mapping[str, float]) -> np.ndarray:
        """Generalised force of dampers and springs; q: coordinates of joints."""
        force = np.zeros(self.nv)
        for name, j in self.facts.joints.items():
            if j.viscous or j.stiffness:
                row = self.rate(name)[0]
                force -= row * (j.viscous * (row @ self.data.qvel) + j.stiffness * (q.get(name, 0.0) - j.rest))
        return force

    def mass(self) -> np.ndarray:
        M = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        for name, j in self.facts.joints.items():
            if j.armature:
                row = self.rate(name)[0]
                M = M + j.armature * np.outer(row, row)
        return M

    def bias(self) -> np.ndarray:
        out = np.zeros(self.nv)
        mujoco.mj_rne(self.model, self.data, 0, out)
        for name, j in self.facts.joints.items():
            if j.armature:
                row, drift = self.rate(name)
                out = out + row * j.armature * drift
        return out

    def reduced(
        self,
        places: Mapping[str, np.ndarray],
        names: tuple[str, ...],
        v: np.ndarray,
        drives: tuple[str, ...],
        q: Mapping[str, float],
        frames: Mapping[str, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M, h, S) in the velocities v."""
        self.set_state(places)
        G, E = self.rows()[0], self.independent(names, frames)[0]
        A = np.vstack([G, E])
        right = np.vstack([np.zeros((len(G), len(E))), np.eye(len(E))])
        N, _, rank, _ = np.linalg.lstsq(A, right, rcond=1e-10)
        assert rank == self.nv, f"velocities {names} leave {self.nv - rank} rates open"
        assert np.abs(A @ N - right).max() < 1e-9, "the constraints forbid the velocities"
        self.set_state(places, N @ v)
        gamma, e0 = self.rows()[1], self.independent(names, frames)[1]
        drift = np.linalg.lstsq(A, np.concatenate([-gamma, -e0]), rcond=1e-12)[0]
        M = self.mass()
        h = N.T @ (M @ drift + self.bias() - self.passive(q))
        S = N.T @ np.array([self.rate(d)[0] for d in drives]).reshape(-1, self.nv).T
        return N.T @ M @ N, h, S

    def gap(self, places: Mapping[str, np.ndarray]) -> float:
        """Largest distance of anchors of joints that hold a point, m."""
        worst = 0.0
        for j in self.facts.joints.values():
            if j.type in ("revolute", "universal", "spherical", "fixed"):
                ends = [places.get(b, np.eye(4)) @ np.append(j.anchor, 1.0) for b in (j.parent, j.child)]
                worst = max(worst, float(np.linalg.norm(ends[0] - ends[1])))
        return worst


@dataclass(frozen=True)
class _Cut:
    type: str
    axis: Any
    axis2: Any

    @property
    def axes(self) -> Any:
        return (self.axis, self.axis2)


def largest_difference(
    model: Any,
    facts: Facts,
    frames: Mapping[str, np.ndarray],
    states: int = 4,
    called: Mapping[str, str] | None = None,
    gap: float = 1e-8,
) -> float:
    """Largest relative difference of M, h, S between a model and its facts over random states around home.

    frames: {body: its frame in the file, 4x4 at zero}; called: {name in the facts: name in the model}; gap: m by which
    joints of the facts may stand open.
    """
    called = called or {}
    back: dict[str, str] = {new: old for old, new in called.items()}
    peer = FreeBodies(facts)
    rng = np.random.default_rng(7)
    names: tuple[str, ...] = model.layout.v_names
    drives: tuple[str, ...] = model.layout.drive_names
    known = {body.name: body for body in model.robot.bodies}
    worst, q_all = 0.0, model.sampled_states["q"]
    for q in q_all[np.linspace(0, len(q_all) - 1, states).astype(int)]:
        v = rng.normal(size=model.layout.nv)
        places = {}
        for body in facts.bodies:
            name = called.get(body, body)
            frame = f"{name}.origin" if "origin" in known[name].frames else name
            X = np.eye(4)
            X[:3, 3], X[:3, :3] = model.frame_pose(q, frame)
            places[body] = X @ np.linalg.inv(frames[body])
        assert peer.gap(places) < gap, peer.gap(places)
        joints = {back.get(n, n): float(q[k]) for k, n in enumerate(tuple[str, ...](model.layout.q_names))}
        own = tuple(back.get(n, n) for n in names)
        M, h, S = peer.reduced(places, own, v, tuple(back.get(d, d) for d in drives), joints, frames)
        for mine, theirs in (
            (model.mass_matrix(q), M),
            (model.bias_force(q, v), h),
            (model.drive_map(q), S),
        ):
            if np.size(theirs):
                size = max(np.abs(theirs).max(), np.abs(M).max() if theirs is h else 1e-12)
                worst = max(worst, float(np.abs(mine - theirs).max() / size))
    return worst
