"""Lagrange's equations of the first kind for any described mechanism, by automatic differentiation of energies.

In local coordinates x of the cut tree (see `tree`):

    d/dt dT/dxd - dT/dx + dV/dx = Q + G^T lambda + B tau + sum A_f^T wrench_f,     Phi(x) = 0,  G = dPhi/dx

T and V are sums over bodies of 4x4 pseudo-inertias (see `masses`), drives' rotors and springs; Q is dissipation by
virtual power; A_f xd is the twist of a loaded frame. Velocities v are any names that fix the motion: xd = N v.
Closures may be redundant: everything is solved by least squares on all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from . import homogeneous as hom
from . import losses
from .couplings import relations
from .kinematics import RANK, Kinematics, array
from .loops import friction_forces, wrench_maps
from .tree import Tree

Wrench = Any
"""(6,) at the platform's origin in world axes, {frame: (6,)} at named frames, or None."""


class Terms(NamedTuple):
    """Numbers of the equations of motion at a state; n = nx local coordinates, m closures."""

    xd: np.ndarray  # (n,) rates
    M: np.ndarray  # (n, n) tree mass matrix
    h: np.ndarray  # (n,) velocity terms and potential forces, left-hand side
    Q: np.ndarray  # (n,) joint friction and dampers
    Q_loop: np.ndarray  # (n, loops) friction of each loop
    G: np.ndarray  # (m, n)
    gamma: np.ndarray  # (m,) second derivative of the closures without xdd
    E: np.ndarray  # (nv, n) v = E xd
    e0: np.ndarray  # (nv,) vdot = E xdd + e0


class Reference(Kinematics):
    """Slow, exact model of any robot description. q, v, acceleration, tau and wrench as in the library."""

    def __init__(self, robot: Any, velocities: Any = None) -> None:
        super().__init__(robot, velocities)
        tree: Any = self.tree
        q, x, xd = tree.q, tree.x, self._xd
        gravity = weight_energy(self.tree)
        T, V = self._kinetic(), gravity + self._springs()
        momentum = ca.gradient(T, xd)
        M = ca.jacobian(momentum, xd)
        h = ca.jtimes(momentum, x, xd) - ca.gradient(T, x) + ca.gradient(V, x)
        Q = self._lost()
        Q_loop, rubbed = friction_forces(self.tree, xd)
        self._dynamic = self._at_zero("dynamic", [q, xd], [M, h, Q, Q_loop])
        self._energies = self._at_zero("energies", [q, xd], [T, V])
        self._weight = self._at_zero("weight", [q], [ca.gradient(gravity, x)])
        self._bodies = self._at_zero("bodies", [q], tree.carried)
        self._loop_wrenches = self._at_zero("loop_wrenches", [q, xd], [rubbed, *wrench_maps(self.tree)])
        weights = [getattr(p.joint.drive, "weight", None) or 1.0 for p in self.layout.drives]
        self.weights = np.array(weights, float)

    # -- energies -----------------------------------------------------------------------------------------------

    def _kinetic(self) -> ca.SX:
        T = kinetic_energy(self.tree, self.tree.x, self._xd)
        for p in self.layout.drives:
            reflected = (p.joint.drive.gear or 0.0) ** 2 * (p.joint.drive.rotor_inertia or 0.0)
            T += reflected * ca.sumsqr(self._xd[p.x]) / 2
        for p in self.layout.places:
            parts = losses.PARTS.get(p.joint.type, 1)
            for k, own in enumerate(losses.each(p.joint, "armature", parts) if p.joint.type != "fixed" else []):
                last = k == parts - 1
                T += (own or 0.0) * ca.sumsqr(self._xd[p.x][k : None if last else k + 1]) / 2
        return T

    def _springs(self) -> ca.SX:
        tree: Any = self.tree
        V = ca.SX(0)
        for p in self.layout.places:
            parts = losses.PARTS.get(p.joint.type, 1)
            for k, spring in enumerate(losses.each(p.joint, "spring", parts)):
                if spring is None:
                    continue
                if p.joint.type == "spherical" or (p.joint.type == "free" and k == 3):
                    V += spring.stiffness * turned_energy(tree.q[p.q][k:], tree.x[p.x][k:], spring)
                    continue
                s = tree.q[p.q][k] + tree.x[p.x][k]
                V += losses.characteristic(spring, s, spring.rest) - (spring.preload or 0.0) * s
        return V + spring_energy(tree)

    def _lost(self) -> ca.SX:
        """Generalised force (nx) of friction and dampers, loops left out."""
        tree: Any = self.tree
        return losses.joint_forces(tree, self._xd) + losses.damper_forces(tree, self._xd)

    # -- motion -------------------------------------------------------------------------------------------------

    def body_poses(self, q: Any) -> dict[str, np.ndarray]:
        """4x4 world poses of the bodies that joints carry, by name."""
        poses = self._bodies(q)
        values = poses if isinstance(poses, (tuple, list)) else [poses]
        return {p.placed.body_name: array(X) for p, X in zip(self.layout.places, values, strict=True)}

    def terms(self, q: Any, v: Any | None) -> Terms:
        """All terms at q with the velocities v (None: at rest)."""
        xd = np.zeros(self.layout.nx) if v is None else self.rates(q, v)
        M, h, Q, Q_loop = (array(e) for e in self._dynamic(q, xd))
        G, gamma, A, a0 = (array(e) for e in self._moving(q, xd))
        E, e0 = self._selection(self.velocities, A, a0.ravel())
        return Terms(xd, M, h.ravel(), Q.ravel(), Q_loop, G, gamma.ravel(), E, e0)

    def tangent(self, q: Any) -> np.ndarray:
        """N (nx, nv): xd = N v satisfies the closures; raises if v does not fix the motion or is not free."""
        G, _, A, a0 = (array(e) for e in self._moving(q, np.zeros(self.layout.nx)))
        return _solved(G, self._selection(self.velocities, A, a0.ravel())[0])

    def rates(self, q: Any, v: Any) -> np.ndarray:
        """Rates xd (nx,) of all tree coordinates, platform first, for the velocities v."""
        return self.tangent(q) @ np.asarray(v, float)

    def configuration_rates(self, q: Any, v: Any) -> np.ndarray:
        """Time derivative of q (nq,)."""
        return self.layout.configuration_rates(q, self.rates(q, v))

    def drive_rates(self, q: Any, v: Any) -> np.ndarray:
        """Rates of the drives (drives,)."""
        return self.B.T @ self.rates(q, v)

    def twist(self, q: Any, v: Any, frame: str | None = None) -> np.ndarray:
        """Twist (6,) of the platform or a named frame at its origin, world axes."""
        xd = self.rates(q, v)
        return self.frame_rows(q, xd, frame)[0] @ xd

    def accelerations(self, q: Any, v: Any, acceleration: Any) -> np.ndarray:
        """Tree accelerations xdd (nx,) for vdot = acceleration."""
        return self._accelerations(self.terms(q, v), acceleration)

    @staticmethod
    def _accelerations(t: Terms, acceleration: Any) -> np.ndarray:
        right = np.concatenate([-t.gamma, np.broadcast_to(acceleration, len(t.e0)) - t.e0])
        return np.linalg.lstsq(np.vstack([t.G, t.E]), right, rcond=1e-12)[0]

    # -- dynamics -----------------------------------------------------------------------------------------------

    def _load(self, t: Terms, acceleration: Any) -> np.ndarray:
        """Generalised force (nx,) that drives, wrenches and closures must supply."""
        return t.M @ self._accelerations(t, acceleration) + t.h - t.Q - t.Q_loop.sum(1)

    def _external(self, q: Any, xd: np.ndarray, wrench: Wrench) -> np.ndarray:
        """Generalised force (nx,) of external wrenches."""
        if wrench is None:
            return np.zeros(self.layout.nx)
        if isinstance(wrench, Mapping):
            parts = [self.frame_rows(q, xd, f)[0].T @ np.asarray(w, float) for f, w in wrench.items()]
            return np.sum(parts, axis=0) if parts else np.zeros(self.layout.nx)
        return self.frame_rows(q, xd)[0].T @ np.broadcast_to(wrench, 6)

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (nv, nv)."""
        N = self.tangent(q)
        return N.T @ self.terms(q, None).M @ N

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """(nv,) with M vdot + bias = S tau + external: velocity terms, gravity, friction, springs, dampers."""
        return self.tangent(q).T @ self._load(self.terms(q, v), 0.0)

    def gravity(self, q: Any) -> np.ndarray:
        """(nv,) the part of bias at rest that gravity causes, springs not."""
        return self.tangent(q).T @ array(self._weight(q)).ravel()

    def drive_map(self, q: Any) -> np.ndarray:
        """S (nv, drives): generalised force on v of unit drive forces; drive rates are S^T v."""
        return self.tangent(q).T @ self.B

    def external(self, q: Any, wrench: Wrench) -> np.ndarray:
        """(nv,) generalised force on v of external wrenches."""
        return self.tangent(q).T @ self._external(q, np.zeros(self.layout.nx), wrench)

    def inverse(self, q: Any, v: Any, acceleration: Any, wrench: Wrench = None) -> np.ndarray:
        """Drive forces (drives,) with the least sum of weight tau^2; raises if drives cannot give the motion."""
        t = self.terms(q, v)
        need = self.tangent(q).T @ (self._load(t, acceleration) - self._external(q, t.xd, wrench))
        return least_weighted(self.drive_map(q), need, self.weights)

    def forward(self, q: Any, v: Any, tau: Any, wrench: Wrench = None) -> np.ndarray:
        """vdot (nv,)."""
        t, N = self.terms(q, v), self.tangent(q)
        push = self.B @ np.asarray(tau, float) + self._external(q, t.xd, wrench) - self._load(t, 0.0)
        return np.linalg.solve(N.T @ t.M @ N, N.T @ push)

    def energies(self, q: Any, v: Any) -> tuple[float, float]:
        """(kinetic, potential) energy [J], springs and rotors included."""
        T, V = self._energies(q, self.rates(q, v))
        return float(T), float(V)

    def dissipation(self, q: Any, v: Any) -> float:
        """Power lost in friction and dampers [W], positive."""
        t = self.terms(q, v)
        return -float(t.xd @ (t.Q + t.Q_loop.sum(1)))

    def multipliers(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Wrench = None) -> np.ndarray:
        """Multipliers of all closures (m,), of least norm where redundant; raises if the forces do not balance."""
        t = self.terms(q, v)
        need = self._load(t, acceleration) - self.B @ np.asarray(tau, float) - self._external(q, t.xd, wrench)
        found = np.linalg.lstsq(t.G.T, need, rcond=RANK)[0]
        left = np.max(np.abs(t.G.T @ found - need)) / max(1.0, np.max(np.abs(need)))
        if left > 1e-8:
            raise ValueError(f"the drive forces do not give this acceleration (relative residual {left:.1e})")
        return found

    def coupling_forces(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Wrench = None) -> np.ndarray:
        """(couplings, nx) force of each along the coordinates."""
        found, G = self.multipliers(q, v, acceleration, tau, wrench), self.closure_jacobian(q)
        first = len(G) - len(relations(self.robot, self.layout.q_names))
        return G[first:] * found[first:, None]

    def reactions(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Wrench = None) -> np.ndarray:
        """(loops, 6) wrench of the first body on the second, at the second side's origin, world axes.

        Constraint and friction together. Where closures are redundant this is one of many solutions, and any
        combination of `open_reactions` may be added.
        """
        multipliers = self.multipliers(q, v, acceleration, tau, wrench)
        rubbed, maps = self._maps(q, self.rates(q, v))
        out = np.zeros((len(maps), 6))
        for i, W in enumerate(maps):
            out[i] = W @ multipliers[self.rows[i]] + rubbed[:, i]
        return out

    def open_reactions(self, q: Any) -> np.ndarray:
        """(loops, 6, k) loop wrenches in balance with each other, which redundant closures leave open."""
        idle = self.idle(q)
        _, maps = self._maps(q, np.zeros(self.layout.nx))
        return np.array([W @ idle[self.rows[i]] for i, W in enumerate(maps)]).reshape(len(maps), 6, idle.shape[1])

    def determined(self, q: Any) -> np.ndarray:
        """(loops,) whether each loop's reaction follows from the equations of rigid bodies."""
        return np.abs(self.open_reactions(q)).max((1, 2), initial=0.0) < 1e-7

    def _maps(self, q: Any, xd: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        found = self._loop_wrenches(q, xd)
        rubbed, *maps = (array(e) for e in (found if isinstance(found, (tuple, list)) else [found]))
        return rubbed, maps


def kinetic_energy(tree: Tree, x: ca.SX, xd: ca.SX) -> ca.SX:
    """tr(Yd P Yd^T) / 2 over all bodies, for coordinates x with rates xd; rotors left out."""
    T = ca.SX(0)
    for Y, P in tree.moving_masses():
        Yd = ca.reshape(ca.jtimes(ca.reshape(Y, Y.numel(), 1), x, xd), *Y.shape)
        T += ca.trace(ca.mtimes([Yd, P, Yd.T])) / 2
    return T


def turned_energy(q: ca.SX, x: ca.SX, spring: Any) -> ca.SX:
    """Half the square of the angle from an orientation of rest, by the trace and the skew part of the rotation matrix."""
    R = hom.from_quaternion(hom.quaternion_product(q, ca.vertcat(1, x / 2)))
    rest = hom.from_quaternion(ca.DM(spring.rest_quaternion_wxyz or (1, 0, 0, 0)))
    D = ca.mtimes(rest.T, R)
    return ca.atan2(ca.norm_2(hom.vee(D)), (ca.trace(D) - 1) / 2) ** 2 / 2


def weight_energy(tree: Tree) -> ca.SX:
    """Potential energy of all bodies in gravity, of each what acts of its weight."""
    g, parts = ca.DM(list(tree.robot.gravity)), zip(tree.moving_masses(), tree.weight_shares(), strict=True)
    return -sum((share * ca.dot(g, ca.mtimes(Y, P[:, 3])) for (Y, P), share in parts), ca.SX(0))


def spring_energy(tree: Tree) -> ca.SX:
    """Potential energy of the springs between points."""
    V = ca.SX(0)
    for spring, length in zip(tree.robot.springs, losses.spring_lengths(tree), strict=True):
        V += losses.characteristic(spring, length, spring.rest_length) + (spring.preload or 0.0) * length
    return V


def _solved(G: np.ndarray, E: np.ndarray) -> np.ndarray:
    """N with G N = 0, E N = 1."""
    nv, nx = E.shape
    K, right = np.vstack([G, E]), np.vstack([np.zeros((len(G), nv)), np.eye(nv)])
    N, _, rank, _ = np.linalg.lstsq(K, right, rcond=1e-10)
    if rank < nx:
        raise ValueError(f"the velocities do not fix the motion: rank {rank} of {nx}")
    if np.max(np.abs(K @ N - right), initial=0.0) > 1e-8:
        raise ValueError("the closures do not leave these velocities free")
    return N


def least_weighted(S: np.ndarray, need: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """tau with S tau = need and the least sum of weights tau^2; raises if there is none."""
    root = np.sqrt(weights)
    tau = np.linalg.lstsq(S / root, need, rcond=1e-10)[0] / root
    left = np.max(np.abs(S @ tau - need), initial=0.0) / max(1.0, np.max(np.abs(need), initial=0.0))
    if left > 1e-8:
        raise ValueError(f"the drives cannot give this motion (relative residual {left:.1e})")
    return tau
