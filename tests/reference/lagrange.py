"""Lagrange's equations of the first kind for a robot description, by automatic differentiation of energies.

In local coordinates x of the cut tree (see `tree`):

    d/dt dT/dxd - dT/dx + dV/dx = Q + G^T lambda + B tau + A^T wrench,     Phi(x) = 0,  G = dPhi/dx

T and V are sums over bodies of 4x4 pseudo-inertias (see `masses`), drives' rotors and springs; Q is dissipation by
virtual power (see `losses`); A xd is the platform's twist (v, w) at its origin in world axes. Everything is
differentiated exactly by CasADi and evaluated at x = 0; numbers are then solved with NumPy.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from . import losses, masses
from .tree import Tree, closure


class Terms(NamedTuple):
    """Numbers of the equations of motion at a state; n = nx local coordinates, m closures."""

    M: np.ndarray  # (n, n) tree mass matrix
    h: np.ndarray  # (n,) velocity terms and potential forces, left-hand side
    Q: np.ndarray  # (n,) joint friction and dampers
    Q_cut: np.ndarray  # (n, legs) friction of each cut
    G: np.ndarray  # (m, n)
    gamma: np.ndarray  # (m,) second derivative of the closures without xdd
    A: np.ndarray  # (6, n) platform twist = A xd
    a0: np.ndarray  # (6,) platform acceleration = A xdd + a0


class Reference:
    """Slow, exact model of a robot description. q, v, acceleration, tau and wrench as in the library."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.tree = Tree(robot)
        self.layout = self.tree.layout
        self.n_drives = len(self.layout.drives)
        self.B = np.zeros((self.layout.nx, self.n_drives))
        for k, p in enumerate(self.layout.drives):
            self.B[p.x, k] = 1.0
        self._build()

    # -- building -----------------------------------------------------------------------------------------------

    def _build(self) -> None:
        tree, x = self.tree, self.tree.x
        xd = ca.SX.sym("xd", self.layout.nx)
        T, V = self._kinetic(xd), self._potential()
        momentum = ca.gradient(T, xd)
        M = ca.jacobian(momentum, xd)
        h = ca.jtimes(momentum, x, xd) - ca.gradient(T, x) + ca.gradient(V, x)
        sides = zip(self.robot.legs, tree.leg_side, tree.platform_side, strict=True)
        phis = [closure(leg.cut, XL, XP) for leg, XL, XP in sides]
        rows = np.cumsum([0, *(p.numel() for p in phis)])
        self.rows = [slice(int(a), int(b)) for a, b in pairwise(rows)]
        phi = ca.vertcat(*phis)
        G = ca.jacobian(phi, x)
        gamma = ca.jtimes(ca.jtimes(phi, x, xd), x, xd)
        Q = losses.joint_forces(tree, xd) + losses.damper_forces(tree, xd)
        Q_cut = losses.cut_forces(tree, xd)
        twist = ca.vertcat(ca.jtimes(tree.platform[:3, 3], x, xd), losses.spin(tree.platform, x, xd))
        A, a0 = ca.jacobian(twist, xd), ca.jtimes(twist, x, xd)

        def at_zero(name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> ca.Function:
            zero = ca.SX.zeros(self.layout.nx)
            return ca.Function(name, inputs, [ca.densify(ca.substitute(ca.SX(e), x, zero)) for e in outputs])

        self._terms = at_zero("terms", [tree.q, xd], [M, h, Q, Q_cut, G, gamma, A, a0])
        self._closure = at_zero("closure", [tree.q], [phi, G])
        self._energies = at_zero("energies", [tree.q, xd], [T, V])
        self._cut_poses = at_zero("cut_poses", [tree.q], [*tree.leg_side, *tree.platform_side])
        self._body_poses = at_zero("body_poses", [tree.q], tree.carried)

    def _kinetic(self, xd: ca.SX) -> ca.SX:
        tree = self.tree
        T = _moving_energy(tree.platform, masses.pseudo_inertia(self.robot.platform.body), tree.x, xd)
        for p, X in zip(self.layout.places, tree.carried, strict=True):
            P = ca.SX(ca.DM(masses.pseudo_inertia(p.joint.body)))
            powers = masses.telescopic_moments(p.joint.body)
            if powers is not None:
                other = self._leg_joint(p.leg, p.joint.body.telescopic.joint)
                s = tree.q[other.q] + tree.x[other.x]
                P[:3, :3] += sum(ca.DM(C) * s**k for k, C in enumerate(powers))
            T += _moving_energy(X, P, tree.x, xd)
            if p.joint.drive is not None:
                reflected = (p.joint.drive.gear or 0.0) ** 2 * (p.joint.drive.rotor_inertia or 0.0)
                T += reflected * ca.sumsqr(xd[p.x]) / 2
        return T

    def _potential(self) -> ca.SX:
        tree = self.tree
        g = ca.DM([*self.robot.gravity, 0])
        bodies = [(tree.platform, self.robot.platform.body)]
        bodies += [(X, p.joint.body) for p, X in zip(self.layout.places, tree.carried, strict=True)]
        V = ca.SX(0)
        for X, body in bodies:
            V -= ca.dot(g, ca.mtimes(X, ca.DM(masses.pseudo_inertia(body)[:, 3])))
        for p in self.layout.places:
            spring = p.joint.spring
            if spring is not None:
                s = tree.q[p.q] + tree.x[p.x]
                V += (spring.stiffness or 0.0) * (s - (spring.rest or 0.0)) ** 2 / 2 - (spring.preload or 0.0) * s
        for spring, length in zip(self.robot.springs, losses.spring_lengths(tree), strict=True):
            V += (spring.stiffness or 0.0) * (length - (spring.rest_length or 0.0)) ** 2 / 2
            V += (spring.preload or 0.0) * length
        return V

    def _leg_joint(self, leg: int, name: str) -> Any:
        return next(p for p in self.layout.places if p.leg == leg and p.joint.name == name)

    # -- geometry -----------------------------------------------------------------------------------------------

    def closure(self, q: Any) -> np.ndarray:
        """Position-level residual of all cuts at q, shape (m,): metres and direction cosines."""
        return _array(self._closure(q)[0]).ravel()

    def closure_jacobian(self, q: Any) -> np.ndarray:
        """Derivative of the closures by the local coordinates, shape (m, nx)."""
        return _array(self._closure(q)[1])

    def cut_points(self, q: Any) -> np.ndarray:
        """World positions of the cuts on the platform, shape (legs, 3) [m]."""
        poses = self._cut_poses(q)
        return np.array([_array(X)[:3, 3] for X in poses[len(self.robot.legs) :]])

    def body_poses(self, q: Any) -> list[np.ndarray]:
        """4x4 world poses of the tree's bodies, in the order of the joints that carry them."""
        poses = self._body_poses(q)
        return [_array(X) for X in (poses if isinstance(poses, (tuple, list)) else [poses])]

    def assemble(self, q: Any, tolerance: float = 1e-13, steps: int = 30) -> np.ndarray:
        """q with its joints moved by Newton until the closures hold for its pose; raises if they do not."""
        q = np.array(q, float)
        for _ in range(steps):
            phi, G = map(_array, self._closure(q))
            x = np.zeros(self.layout.nx)
            x[6:] = np.linalg.lstsq(G[:, 6:], -phi.ravel(), rcond=1e-12)[0]
            biggest = np.max(np.abs(x), initial=0.0)
            q = self.layout.retract(q, x * min(1.0, 0.5 / max(biggest, 1e-300)))
            if biggest < tolerance * 10:
                break
        error = np.max(np.abs(self.closure(q)), initial=0.0)
        if error > max(tolerance, 1e-12):
            raise ValueError(f"not assembled: closure error {error:.1e}")
        return q

    def tangent(self, q: Any) -> np.ndarray:
        """Rates of the tree's joints for a unit platform twist, shape (nx - 6, 6)."""
        return self._tangent(self.terms(q, None))[6:]

    def rates(self, q: Any, v: Any) -> np.ndarray:
        """Rates xd of all tree coordinates, platform first, for the platform twist v."""
        return self._tangent(self.terms(q, None)) @ np.asarray(v, float)

    def condition(self, q: Any) -> float:
        """Largest condition number, lengths scaled to the robot's size, of the leg closures and of the drive map."""
        G = self.closure_jacobian(q)
        points = self.cut_points(q)
        size = float(np.mean(np.linalg.norm(points - points.mean(0), axis=1))) or 1.0
        column = np.array([size if t else 1.0 for t in self._turns()])
        worst = 0.0
        for i, leg in enumerate(self.robot.legs):
            block = G[self.rows[i]][:, self.layout.leg_x(i)] / column[self.layout.leg_x(i)]
            if leg.cut.type in ("universal", "revolute", "fixed"):
                block = np.vstack([block[:3], block[3:] * size])
            if block.size:
                worst = max(worst, float(np.linalg.cond(block)))
        S = self.drive_map(q)
        return max(worst, float(np.linalg.cond(S / np.array([1, 1, 1, size, size, size])[:, None])))

    def _turns(self) -> list[bool]:
        """Whether each local coordinate is an angle."""
        out = [False] * 3 + [True] * 3
        kinds = {
            "revolute": [True],
            "prismatic": [False],
            "universal": [True] * 2,
            "cylindrical": [True, False],
            "planar": [False, False, True],
            "spherical": [True] * 3,
            "free": [False] * 3 + [True] * 3,
            "fixed": [],
        }
        for p in self.layout.places:
            out += kinds[p.joint.type]
        return out

    # -- dynamics -----------------------------------------------------------------------------------------------

    def terms(self, q: Any, v: Any | None) -> Terms:
        """All terms at q with the platform twist v (None: at rest)."""
        xd = np.zeros(self.layout.nx) if v is None else self.rates(q, v)
        values = [_array(e) for e in self._terms(q, xd)]
        return Terms(*(e.ravel() if i in (1, 2, 5, 7) else e for i, e in enumerate(values)))

    def _tangent(self, t: Terms) -> np.ndarray:
        """N (nx, 6): xd = N v satisfies the closures and A xd = v."""
        K = np.vstack([t.G, t.A])
        right = np.vstack([np.zeros((len(t.G), 6)), np.eye(6)])
        N, _, rank, _ = np.linalg.lstsq(K, right, rcond=1e-12)
        if rank < self.layout.nx:
            raise ValueError(f"joint rates are not determined by the platform twist: rank {rank} of {self.layout.nx}")
        if np.max(np.abs(K @ N - right)) > 1e-8:
            raise ValueError("the closures do not allow an arbitrary platform twist")
        return N

    def _acceleration(self, t: Terms, acceleration: Any) -> np.ndarray:
        """Tree accelerations xdd for a platform acceleration (classical, world axes)."""
        right = np.concatenate([-t.gamma, np.asarray(acceleration, float) - t.a0])
        return np.linalg.lstsq(np.vstack([t.G, t.A]), right, rcond=1e-12)[0]

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (6, 6) in the platform twist."""
        t = self.terms(q, None)
        N = self._tangent(t)
        return N.T @ t.M @ N

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """(6,) with M vdot + bias = S tau + wrench: velocity terms, gravity, friction, springs, dampers."""
        t = self.terms(q, v)
        return self._tangent(t).T @ self._load(t, np.zeros(6))

    def drive_map(self, q: Any) -> np.ndarray:
        """S (6, drives): generalised force on the platform twist of unit drive forces."""
        return self._tangent(self.terms(q, None)).T @ self.B

    def inverse(self, q: Any, v: Any, acceleration: Any, wrench: Any = 0.0) -> np.ndarray:
        """Drive forces tau (drives,) in leg order; least-norm when drives are redundant."""
        t = self.terms(q, v)
        N = self._tangent(t)
        need = N.T @ self._load(t, acceleration) - np.broadcast_to(wrench, 6)
        return np.linalg.lstsq(N.T @ self.B, need, rcond=None)[0]

    def forward(self, q: Any, v: Any, tau: Any, wrench: Any = 0.0) -> np.ndarray:
        """Platform acceleration (6,), classical, world axes."""
        t = self.terms(q, v)
        N = self._tangent(t)
        push = N.T @ (self.B @ np.asarray(tau, float)) + np.broadcast_to(wrench, 6)
        return np.linalg.solve(N.T @ t.M @ N, push - N.T @ self._load(t, np.zeros(6)))

    def multipliers(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Any = 0.0) -> np.ndarray:
        """Multipliers of all closures (m,) for a motion and its drive forces; raises if they do not balance."""
        t = self.terms(q, v)
        need = self._load(t, acceleration) - self.B @ np.asarray(tau, float) - t.A.T @ np.broadcast_to(wrench, 6)
        found = np.linalg.lstsq(t.G.T, need, rcond=1e-12)[0]
        left = np.max(np.abs(t.G.T @ found - need)) / max(1.0, np.max(np.abs(need)))
        if left > 1e-8:
            raise ValueError(f"the drive forces do not give this acceleration (relative residual {left:.1e})")
        return found

    def reactions(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Any = 0.0) -> np.ndarray:
        """(legs, 6) force and moment on the platform from each leg, at the cut's platform origin, world axes.

        Constraint and cut friction together.
        """
        t = self.terms(q, v)
        multipliers = self.multipliers(q, v, acceleration, tau, wrench)
        arm = self.cut_points(q) - np.asarray(q, float)[:3]
        out = np.zeros((len(self.robot.legs), 6))
        for i, rows in enumerate(self.rows):
            on_x = t.G[rows].T @ multipliers[rows] + t.Q_cut[:, i]
            at_origin = np.linalg.solve(t.A[:, :6].T, on_x[:6])
            out[i, :3] = at_origin[:3]
            out[i, 3:] = at_origin[3:] - np.cross(arm[i], at_origin[:3])
        return out

    def energies(self, q: Any, v: Any) -> tuple[float, float]:
        """(kinetic, potential) energy [J], springs and rotors included."""
        T, V = self._energies(q, self.rates(q, v))
        return float(T), float(V)

    def drive_rates(self, q: Any, v: Any) -> np.ndarray:
        """Rates of the drives (drives,) for the platform twist v."""
        return self.B.T @ self.rates(q, v)

    def dissipation(self, q: Any, v: Any) -> float:
        """Power lost in friction and dampers [W], positive."""
        t = self.terms(q, v)
        return -float(self.rates(q, v) @ (t.Q + t.Q_cut.sum(1)))

    def _load(self, t: Terms, acceleration: Any) -> np.ndarray:
        """Generalised force (nx,) that drives, wrench and closures must supply."""
        return t.M @ self._acceleration(t, acceleration) + t.h - t.Q - t.Q_cut.sum(1)


def _moving_energy(X: ca.SX, P: Any, x: ca.SX, xd: ca.SX) -> ca.SX:
    """Kinetic energy tr(Xdot P Xdot^T) / 2 of a pseudo-inertia P carried by X(x)."""
    Xd = ca.reshape(ca.jtimes(ca.reshape(X[:3, :], 12, 1), x, xd), 3, 4)
    return ca.trace(ca.mtimes([Xd, P, Xd.T])) / 2


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.full(), float)
