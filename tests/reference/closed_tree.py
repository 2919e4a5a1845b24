"""What the peers have in common: closing another library's tree, its friction and springs, and the reduced equations.

A peer supplies the tree (mass matrix, velocity and gravity terms, body kinematics); here the loops are closed by the
velocity-level rows of `cuts`. Tree velocities nu have the places of `tree.Layout` (orientations: local
angular velocity).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .cuts import Side, cut_rows, friction_force, opposing
from .tree import Layout


class Unsupported(NotImplementedError):
    """The peer has no such element; the robot is exempt from comparisons with it."""


class ClosedTree(ABC):
    """Closed-loop dynamics of a description on another library's tree; methods as in `lagrange.Reference`."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.layout = Layout.of(robot)
        for leg in robot.legs:
            for joint in leg.chain:
                if joint.body.telescopic is not None:
                    raise Unsupported(f"{leg.name}.{joint.body.name}: telescopic inertia depends on a joint coordinate")
        self.B = np.zeros((self.layout.nx, len(self.layout.drives)))
        for k, p in enumerate(self.layout.drives):
            self.B[p.x, k] = 1.0

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
        """Body frame ("world", "platform", "leg.body") at the current state."""

    # -- closing ------------------------------------------------------------------------------------------------

    def _sides(self, i: int) -> tuple[Side, Side]:
        leg = self.robot.legs[i]
        last = self.side(f"{leg.name}.{leg.chain[-1].body.name}").at(leg.cut.on_leg.position, leg.cut.on_leg.rotation())
        return last, self.side("platform").at(leg.on_platform.position, leg.on_platform.rotation())

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Closures and platform twist: K nu = (0, v), K nudot + drift = (0, acceleration)."""
        parts = [cut_rows(leg.cut, *self._sides(i)) for i, leg in enumerate(self.robot.legs)]
        P = self.side("platform")
        parts.append((np.vstack([P.Jp, P.Jr]), np.concatenate([P.a, P.alpha])))
        return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _solve(self, right: np.ndarray, K: np.ndarray) -> np.ndarray:
        found, _, rank, _ = np.linalg.lstsq(K, right, rcond=1e-12)
        if rank < self.layout.nx:
            raise ValueError(f"tree rates not determined by the platform: rank {rank} of {self.layout.nx}")
        return found

    def _tangent(self, K: np.ndarray) -> np.ndarray:
        return self._solve(np.vstack([np.zeros((len(K) - 6, 6)), np.eye(6)]), K)

    def _move(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(nu, N, K, drift) at the state; leaves the tree evaluated there."""
        q = np.asarray(q, float)
        self.set_state(q, np.zeros(self.layout.nx))
        N = self._tangent(self._rows()[0])
        nu = N @ np.asarray(v, float)
        self.set_state(q, nu)
        K, drift = self._rows()
        return nu, N, K, drift

    def _extra(self, q: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Generalised force (nv,) of friction, joint springs and point-to-point springs."""
        force = np.zeros(self.layout.nx)
        for p in self.layout.places:
            joint, r = p.joint, nu[p.x]
            if joint.drive is not None:
                force[p.x] += opposing(joint.drive, r, together=False)
            if joint.friction is not None and joint.type != "free":
                force[p.x] += opposing(joint.friction, r, together=joint.type == "spherical")
            if joint.spring is not None:
                k = joint.spring
                force[p.x] += (k.preload or 0.0) - (k.damping or 0.0) * r
                force[p.x] -= (k.stiffness or 0.0) * (q[p.q] - (k.rest or 0.0))
        for i, leg in enumerate(self.robot.legs):
            force += friction_force(leg.cut, *self._sides(i))
        for s in self.robot.springs:
            start, end = (self.side(self._body(e.body)).at(e.position) for e in (s.from_, s.to))
            d = end.p - start.p
            length = np.linalg.norm(d)
            J = (d / length) @ (end.Jp - start.Jp)
            tension = (s.stiffness or 0.0) * (length - (s.rest_length or 0.0)) + (s.preload or 0.0)
            force -= J * (tension + (s.damping or 0.0) * (J @ nu))
        return force

    def _body(self, name: str) -> str:
        return "platform" if name == self.robot.platform.name else name

    def _reduced(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M, bias, S) in the platform twist."""
        nu, N, K, drift = self._move(q, v)
        M = self.tree_mass()
        load = M @ self._solve(-drift, K) + self.tree_bias() - self._extra(np.asarray(q, float), nu)
        return N.T @ M @ N, N.T @ load, N.T @ self.B

    # -- dynamics -----------------------------------------------------------------------------------------------

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (6, 6) in the platform twist."""
        return self._reduced(q, np.zeros(6))[0]

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """(6,) with M vdot + bias = S tau + wrench."""
        return self._reduced(q, v)[1]

    def drive_map(self, q: Any) -> np.ndarray:
        """S (6, drives)."""
        return self._reduced(q, np.zeros(6))[2]

    def inverse(self, q: Any, v: Any, acceleration: Any, wrench: Any = 0.0) -> np.ndarray:
        """Drive forces (drives,); least-norm when drives are redundant."""
        M, bias, S = self._reduced(q, v)
        return np.linalg.lstsq(S, M @ np.asarray(acceleration, float) + bias - wrench, rcond=None)[0]

    def forward(self, q: Any, v: Any, tau: Any, wrench: Any = 0.0) -> np.ndarray:
        """Platform acceleration (6,), by one symmetric-indefinite solve for tree accelerations and multipliers."""
        q = np.asarray(q, float)
        nu, _, K, drift = self._move(q, v)
        G, gamma, A, a0 = K[:-6], drift[:-6], K[-6:], drift[-6:]
        push = self.B @ np.asarray(tau, float) + A.T @ np.broadcast_to(wrench, 6)
        push += self._extra(q, nu) - self.tree_bias()
        m = len(G)
        kkt = np.block([[self.tree_mass(), G.T], [G, np.zeros((m, m))]])
        nudot = np.linalg.lstsq(kkt, np.concatenate([push, -gamma]), rcond=1e-14)[0][: self.layout.nx]
        return A @ nudot + a0

    def closure_error(self, q: Any) -> float:
        """Largest distance between the two sides of a cut with coincident origins, or length error [m]."""
        self.set_state(np.asarray(q, float), np.zeros(self.layout.nx))
        worst = 0.0
        for i, leg in enumerate(self.robot.legs):
            L, P = self._sides(i)
            gap = float(np.linalg.norm(P.p - L.p))
            if leg.cut.type in ("spherical", "universal", "revolute", "fixed"):
                worst = max(worst, gap)
            elif leg.cut.type == "constant_length":
                worst = max(worst, abs(gap - leg.cut.length))
        return worst
