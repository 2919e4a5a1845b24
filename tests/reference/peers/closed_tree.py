"""What the peers of any mechanism have in common: closing another library's tree, and the reduced equations.

A peer supplies the tree (mass matrix, velocity and gravity terms, body kinematics) in its own velocities nu; here the
loops are closed by the velocity-level rows of `cuts`. A platform that is a body of the tree is that body: no extra
frame. Forward dynamics solves for tree accelerations and multipliers at once, on an orthonormal set of closures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.spatial.transform import Rotation

from gough.robot import tree as view
from reference.energies.couplings import relations
from reference.energies.tree import TWIST, Layout, Place

from .cuts import Side, cut_rows, friction_force, opposing

INDEPENDENT = 1e-9


class Unsupported(NotImplementedError):
    """The peer has no such element; the robot is exempt from comparisons with it."""


class ClosedTree(ABC):
    """Closed-loop dynamics of any description on another library's tree; methods as in `Reference`."""

    nv: int
    """Velocities of the peer's tree."""
    dofs: dict[str, np.ndarray]
    """Places of each joint's rates in nu, by the joint's full name, in the order of the description."""

    def __init__(self, robot: Any, velocities: Sequence[str]) -> None:
        self.robot, self.velocities = robot, tuple(velocities)
        self.layout = Layout.of(robot)
        self.loops: tuple[Any, ...] = view.placed_loops(robot)
        self.bodies = view.bodies(robot)
        for name, body in self.bodies.items():
            if body.telescopic is not None:
                raise Unsupported(f"{name}: telescopic inertia depends on a joint coordinate")

    def drive_matrix(self) -> np.ndarray:
        """B (nv, drives) of the tree."""
        B = np.zeros((self.nv, len(self.layout.drives)))
        for k, p in enumerate(self.layout.drives):
            B[self.dofs[p.placed.name], k] = 1.0
        return B

    def reflected(self, place: Place) -> np.ndarray:
        """What a joint's rates accelerate by themselves: its armature, and its drive's rotor on the joint's side."""
        drive, written = place.joint.drive, place.joint.armature
        rotor = 0.0 if drive is None else (drive.gear or 0.0) ** 2 * (drive.rotor_inertia or 0.0)
        own = np.array([x or 0.0 for x in written]) if isinstance(written, tuple) else written
        return own + rotor + np.zeros(len(self.dofs[place.placed.name]))

    # -- what a peer supplies -----------------------------------------------------------------------------------

    @abstractmethod
    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Evaluate the tree at the library's configuration q and tree velocities nu."""

    @abstractmethod
    def tree_mass(self) -> np.ndarray:
        """(nv, nv) mass matrix, rotor inertias included."""

    @abstractmethod
    def tree_bias(self) -> np.ndarray:
        """(nv,) velocity and gravity terms, left-hand side."""

    @abstractmethod
    def side(self, body: str) -> Side:
        """Body frame ("world" or a full name) at the current state."""

    def couplings(self) -> list[np.ndarray]:
        """Rows (nv,) that vanish on the tree's velocities: a screw that the peer has as a hinge and a slide."""
        return []

    # -- closing ------------------------------------------------------------------------------------------------

    def _sides(self, loop: Any) -> tuple[Side, Side]:
        out = []
        for body, base, own in (
            (loop.first, loop.first_base, loop.first_pose),
            (loop.second, loop.second_base, loop.second_pose),
        ):
            side = self.side(body)
            for pose in (base, own):
                if pose is not None:
                    side = side.at(pose.position, pose.rotation())
            out.append(side)
        return out[0], out[1]

    def _frame(self, name: str | None) -> Side:
        """A named frame, None the platform."""
        platform = self.layout.platform
        if name is None or name == "platform":
            return self.side(str(platform))
        if name in self.bodies:
            return self.side(name)
        body, _, key = name.rpartition(".")
        pose = self.bodies[body or str(platform)].frames[key]
        return self.side(body or str(platform)).at(pose.position, pose.rotation())

    def _closures(self) -> tuple[np.ndarray, np.ndarray]:
        parts = [(np.zeros((0, self.nv)), np.zeros(0))]
        parts += [cut_rows(loop, *self._sides(loop)) for loop in self.loops]
        parts += [(row[None], np.zeros(1)) for row in (*self.couplings(), *self._related())]
        return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _related(self) -> list[np.ndarray]:
        """Rows of the described couplings."""
        names, out = self.layout.x_names, []
        for relation in relations(self.robot, self.layout.q_names):
            row = np.zeros(self.nv)
            for name, c in relation.coefficients.items():
                at = names.index(name)
                p = next(p for p in self.layout.places if p.x.start <= at < p.x.stop)
                row[self.dofs[p.placed.name][at - p.x.start]] = c
            out.append(row)
        return out

    def _selection(self) -> tuple[np.ndarray, np.ndarray]:
        """(E, e0): v = E nu, vdot = E nudot + e0."""
        E, e0 = np.zeros((len(self.velocities), self.nv)), np.zeros(len(self.velocities))
        twist = self._frame(None) if self.layout.platform is not None else None
        names = {p.placed.name: p for p in self.layout.places}
        for i, name in enumerate(self.velocities):
            if twist is not None and name in TWIST:
                k = TWIST.index(name)
                E[i] = np.vstack([twist.Jp, twist.Jr])[k]
                e0[i] = np.concatenate([twist.a, twist.alpha])[k]
                continue
            at = self.layout.x_names.index(name)
            p = next(p for p in names.values() if p.x.start <= at < p.x.stop)
            E[i, self.dofs[p.placed.name][at - p.x.start]] = 1.0
        return E, e0

    def _move(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """(nu, N) at the state; leaves the tree evaluated there."""
        q = np.asarray(q, float)
        self.set_state(q, np.zeros(self.nv))
        G, E = self._closures()[0], self._selection()[0]
        right = np.vstack([np.zeros((len(G), len(E))), np.eye(len(E))])
        N, _, rank, _ = np.linalg.lstsq(np.vstack([G, E]), right, rcond=1e-10)
        if rank < self.nv:
            raise ValueError(f"tree rates not determined by the velocities: rank {rank} of {self.nv}")
        nu = N @ np.broadcast_to(np.asarray(v, float), len(E))
        self.set_state(q, nu)
        return nu, N

    def _passive(self, q: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Generalised force (nv,) of friction, joint springs and point-to-point springs."""
        force = np.zeros(self.nv)
        for p in self.layout.places:
            joint, at = p.joint, self.dofs[p.placed.name]
            r = nu[at]
            if joint.drive is not None:
                force[at] += opposing(joint.drive, r, together=False)
            n = 1 if joint.type == "spherical" else len(at)
            listed = isinstance(joint.friction, tuple)
            for k, friction in enumerate(joint.friction if listed else [joint.friction]):
                if friction is not None and joint.type != "free":
                    own = slice(k, k + 1) if listed and n > 1 else slice(None)
                    force[at[own]] += opposing(friction, r[own], together=joint.type == "spherical")
            if joint.spring is not None and joint.type == "spherical":
                force[at] -= joint.spring.damping * r + joint.spring.stiffness * turned_from(joint.spring, q[p.q])
            elif joint.spring is not None:
                for k, spring in enumerate(joint.spring if isinstance(joint.spring, tuple) else [joint.spring]):
                    if spring is not None:
                        x, speed = float(q[p.q.start + k]), float(r[k])
                        force[at[k]] += (spring.preload or 0.0) - tension(spring, x, speed, spring.rest)
        for loop in self.loops:
            if loop.friction is not None:
                force += friction_force(loop, *self._sides(loop))
        for s in self.robot.springs:
            start, end = (
                self._frame(None if e.body == "platform" else e.body) if e.body != "world" else self.side("world")
                for e in (s.from_, s.to)
            )
            start, end = start.at(s.from_.position), end.at(s.to.position)
            d = end.p - start.p
            length = np.sqrt(d @ d + s.clearance**2)
            J = (d / length) @ (end.Jp - start.Jp)
            force -= J * (tension(s, length, J @ nu, s.rest_length) + (s.preload or 0.0))
        return force

    def _external(self, wrench: Any) -> np.ndarray:
        if wrench is None:
            return np.zeros(self.nv)
        loads = wrench if isinstance(wrench, Mapping) else {None: np.broadcast_to(wrench, 6)}
        total = np.zeros(self.nv)
        for name, w in loads.items():
            side = self._frame(name)
            total += side.Jp.T @ np.asarray(w)[:3] + side.Jr.T @ np.asarray(w)[3:]
        return total

    def _balance(self, q: Any, v: Any, acceleration: Any) -> tuple[np.ndarray, np.ndarray]:
        """(N, generalised force (nv,) that drives, wrenches and closures must supply)."""
        nu, N = self._move(q, v)
        G, gamma = self._closures()
        E, e0 = self._selection()
        right = np.concatenate([-gamma, np.broadcast_to(acceleration, len(e0)) - e0])
        nudot = np.linalg.lstsq(np.vstack([G, E]), right, rcond=1e-12)[0]
        return N, self.tree_mass() @ nudot + self.tree_bias() - self._passive(np.asarray(q, float), nu)

    # -- dynamics -----------------------------------------------------------------------------------------------

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (nv, nv)."""
        N = self._move(q, 0.0)[1]
        return N.T @ self.tree_mass() @ N

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """(nv,) with M vdot + bias = S tau + external."""
        N, load = self._balance(q, v, 0.0)
        return N.T @ load

    def drive_map(self, q: Any) -> np.ndarray:
        """S (nv, drives)."""
        return self._move(q, 0.0)[1].T @ self.drive_matrix()

    def inverse(self, q: Any, v: Any, acceleration: Any, wrench: Any = None) -> np.ndarray:
        """Drive forces (drives,) of least weighted norm, from the conditions of the minimum."""
        N, load = self._balance(q, v, acceleration)
        need, S = N.T @ (load - self._external(wrench)), N.T @ self.drive_matrix()
        W = np.diag([getattr(p.joint.drive, "weight", None) or 1.0 for p in self.layout.drives])
        if S.shape[0] == S.shape[1]:
            return np.linalg.solve(S, need)
        n = len(S)
        if n > S.shape[1]:  # some freedoms are idle: drives that give the motion, which must be possible
            return np.linalg.lstsq(S, need, rcond=None)[0]
        lagrange = np.block([[W, S.T], [S, np.zeros((n, n))]])
        return np.linalg.solve(lagrange, np.concatenate([np.zeros(len(W)), need]))[: len(W)]

    def forward(self, q: Any, v: Any, tau: Any, wrench: Any = None) -> np.ndarray:
        """vdot (nv,) by one solve for tree accelerations and multipliers."""
        q = np.asarray(q, float)
        nu, _ = self._move(q, v)
        G, gamma = self._closures()
        E, e0 = self._selection()
        push = self.drive_matrix() @ np.asarray(tau, float) + self._external(wrench)
        push += self._passive(q, nu) - self.tree_bias()
        U, s, Vt = np.linalg.svd(G, full_matrices=False)
        r = int(np.sum(s > INDEPENDENT * s[0])) if len(s) else 0
        H, drift = Vt[:r], (U[:, :r].T @ gamma) / s[:r]
        kkt = np.block([[self.tree_mass(), H.T], [H, np.zeros((r, r))]])
        return E @ np.linalg.solve(kkt, np.concatenate([push, -drift]))[: self.nv] + e0

    def reactions(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Any = None) -> np.ndarray:
        """(loops, 6) wrench of first on second at the second's origin, world axes; least norm where redundant."""
        _, load = self._balance(q, v, acceleration)
        G, _ = self._closures()
        need = load - self.drive_matrix() @ np.asarray(tau, float) - self._external(wrench)
        multipliers = np.linalg.lstsq(G.T, need, rcond=INDEPENDENT)[0]
        out, start = np.zeros((len(self.loops), 6)), 0
        six = np.eye(6)
        for i, loop in enumerate(self.loops):
            first, second = self._sides(loop)
            still = Side(first.p, first.R, six[:3] * 0, six[3:] * 0, first.v, first.w, first.a, first.alpha)
            loose = Side(second.p, second.R, six[:3], six[3:], second.v, second.w, second.a, second.alpha)
            rows = cut_rows(loop, still, loose)[0]
            out[i] = rows.T @ multipliers[start : start + len(rows)]
            if loop.friction is not None:
                out[i] += friction_force(loop, still, loose)
            start += len(rows)
        return out

    def closure_error(self, q: Any) -> float:
        """Largest distance between the two sides of a loop with coincident origins, or length error [m]."""
        self.set_state(np.asarray(q, float), np.zeros(self.nv))
        worst = 0.0
        for loop in self.loops:
            first, second = self._sides(loop)
            gap = float(np.linalg.norm(second.p - first.p))
            if loop.type in ("spherical", "universal", "revolute", "fixed"):
                worst = max(worst, gap)
            elif loop.type == "constant_length":
                worst = max(worst, abs(gap - loop.length))
        return worst


def turned_from(spring: Any, q: np.ndarray) -> np.ndarray:
    """Rotation vector, body axes, from a spring's rest to an orientation, by SciPy."""
    rest = np.array(spring.rest_quaternion_wxyz or (1, 0, 0, 0))
    return (Rotation.from_quat(np.roll(rest, -1)).inv() * Rotation.from_quat(np.roll(q, -1))).as_rotvec()


def tension(spring: Any, x: float, rate: float, rest: float) -> float:
    """What a spring and its damper do against growing x, without preload; one-sided ones never push."""
    if spring.table is not None:
        at, f = np.array(spring.table, float).T
        slopes = PchipInterpolator(at, f).derivative()(at)
        slopes[0], slopes[-1] = (np.diff(f) / np.diff(at))[[0, -1]]
        end = at[0] if x < at[0] else at[-1] if x > at[-1] else x
        beyond = (slopes[0] if x < at[0] else slopes[-1]) * (x - end)
        return float(CubicHermiteSpline(at, f, slopes)(end)) + beyond + spring.damping * rate
    terms = [0.0, spring.stiffness or 0.0] if spring.polynomial is None else list(spring.polynomial)
    s = x - (rest or 0.0)
    if not spring.tension_only:
        return float(np.polyval(terms[::-1], s)) + (spring.damping or 0.0) * rate
    w = spring.rounding
    share = float(s > 0) if w == 0 else min(max(s / w + 0.5, 0.0), 1.0)
    ramp = max(s, 0.0) if w == 0 or abs(s) > w / 2 else (s + w / 2) ** 2 / (2 * w)
    above = max(s, 0.0)
    return max(terms[1] * ramp + float(np.polyval([*terms[:1:-1], 0, 0], above)) + spring.damping * share * rate, 0.0)
