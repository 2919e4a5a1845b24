"""Lagrange's equations of any mechanism with flexible bodies, by automatic differentiation of energies.

Mass point g of a flexible body with pose X = (R, p) stands at y_g = X (x_g + Phi_g e + e^T Psi_g e / 2):

    T = sum m_g |yd_g|^2 / 2,     V = -sum m_g gravity . y_g + e^T K e / 2,

and damping is the force -D ed. A body with `rigid_motion` leaves out those products of velocities that Psi makes with Phi and
with itself. Points are linear in few columns: y_g = Y c_g with Y = [R, p, e_k R ..., e_k e_l R / 2 ...] and
c_g = (x_g, 1, Phi_gk ..., Psi_gkl ...), so that T = tr(Yd P Yd^T) / 2 with P = sum m c c^T, as for rigid bodies.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from reference.energies.kinematics import Kinematics, array
from reference.energies.lagrange import Reference, Wrench

from .points import rigid_robot
from .tree import FlexibleData, FlexibleTree


class FlexibleReference(Reference):
    """Slow, exact model of a robot with flexible bodies. q and v as in the library: elastic rates stand last in v.

    velocities: names of v, with elastic rates or (then all are added) without, or as for rigid bodies.
    """

    tree_type = FlexibleTree
    tree: FlexibleTree

    def choose(self, velocities: Any) -> tuple[str, ...]:
        """Names of v: as given, or chosen as for rigid bodies; all elastic rates are added where none is named."""
        names = velocities
        if velocities is None or isinstance(velocities, str):
            names = Kinematics(rigid_robot(self.robot), velocities).velocities
        bent = self.elastic_names
        return tuple(names) if any(n in bent for n in names) else (*names, *bent)

    @property
    def elastic_names(self) -> list[str]:
        """Names of all elastic coordinates."""
        return self.tree.layout.elastic_names

    @property
    def elastic(self) -> np.ndarray:
        """(nv,) which velocities are elastic rates."""
        return np.array([name in self.elastic_names for name in self.velocities], bool)

    def assemble(self, q: Any, fixed: Any = (), tolerance: float = 1e-13, steps: int = 60) -> np.ndarray:
        """As for rigid bodies, with the elastic coordinates kept whose rates are velocities."""
        kept = [name for name in self.elastic_names if name in self.velocities]
        return super().assemble(q, [*fixed, *kept], tolerance, steps)

    def frame_pose(self, q: Any, frame: str) -> np.ndarray:
        """World pose (4, 4) of a named frame."""
        return array(self._at_zero("pose", [self.tree.q], [self.tree.frame(frame)])(q))

    # -- energies -----------------------------------------------------------------------------------------------

    def _kinetic(self) -> ca.SX:
        T = super()._kinetic()
        for name, data in self.tree.flexible.items():
            Y, c = mass_points(self.tree, name, data)
            Yd = self._rate(Y)
            T += ca.trace(ca.mtimes([Yd, moments(data, c), Yd.T])) / 2
        return T

    def _gravity(self) -> ca.SX:
        V, gravity = super()._gravity(), ca.DM(list(self.robot.gravity))
        for name, data in self.tree.flexible.items():
            V -= ca.dot(gravity, mass_moment(self.tree, name, data))
        return V

    def _springs(self) -> ca.SX:
        V = super()._springs()
        for name, data in self.tree.flexible.items():
            e = self.tree.coordinates(name)
            V += ca.mtimes([e.T, ca.DM(data.K), e]) / 2
        return V

    def _lost(self) -> ca.SX:
        Q = super()._lost()
        for name, data in self.tree.flexible.items():
            here = self.tree.layout.elastic[name][1]
            Q[here] -= ca.mtimes(ca.DM(data.D), self._xd[here])
        return Q

    def _rate(self, columns: ca.SX) -> ca.SX:
        flat = ca.reshape(columns, columns.numel(), 1)
        return ca.reshape(ca.jtimes(flat, self.tree.x, self._xd), *columns.shape)

    # -- dynamics -----------------------------------------------------------------------------------------------

    def inverse_elastic(
        self, q: Any, v: Any, acceleration: Any, wrench: Wrench = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(tau (drives,), eddot) for the acceleration of the velocities that are no elastic rates.

        Of all solutions that with the least sum of weight tau^2, by the conditions of the minimum.
        """
        bent, n = self.elastic, self.n_drives
        full = np.zeros(len(bent))
        full[~bent] = acceleration
        S, M = self.drive_map(q), self.mass_matrix(q)
        need = M @ full + self.bias(q, v) - self.external(q, wrench)
        A = np.hstack([S, -M[:, bent]])
        weight = np.diag(np.concatenate([self.weights, np.zeros(bent.sum())]))
        if A.shape[0] == A.shape[1]:
            found = np.linalg.solve(A, need)
        else:
            system = np.block([[weight, A.T], [A, np.zeros((len(A), len(A)))]])
            found = np.linalg.solve(system, np.concatenate([np.zeros(A.shape[1]), need]))[: A.shape[1]]
        return found[:n], found[n:]


def mass_points(tree: FlexibleTree, name: str, data: FlexibleData) -> tuple[ca.SX, np.ndarray]:
    """(Y (3, columns), c (g, columns)): mass points are Y c_g."""
    X, e, g = tree.body[name], tree.coordinates(name), len(data.mass)
    m = e.numel()
    Y = [X[:3, :], *(e[k] * X[:3, :3] for k in range(m))]
    c = [data.position, np.ones((g, 1)), data.shape.transpose(0, 2, 1).reshape(g, -1)]
    if data.second is not None:
        pairs = [(k, n) for k in range(m) for n in range(k, m) if np.any(data.second[:, :, k, n])]
        Y += [e[k] * e[n] / (2 if k == n else 1) * X[:3, :3] for k, n in pairs]
        c += [data.second[:, :, k, n] for k, n in pairs]
    return ca.horzcat(*Y), np.hstack(c)


def mass_moment(tree: FlexibleTree, name: str, data: FlexibleData) -> ca.SX:
    """Sum of mass times world position (3) of the points of a body."""
    Y, c = mass_points(tree, name, data)
    return ca.mtimes(Y, ca.DM(data.mass @ c))


def moments(data: FlexibleData, c: np.ndarray) -> ca.DM:
    """sum m c c^T over points, for columns of `mass_points`."""
    P = c.T @ (data.mass[:, None] * c)
    if data.rigid_motion:
        undeformed, first = 4, 4 + 3 * len(data.labels)
        P[undeformed:, first:] = 0.0
        P[first:, undeformed:] = 0.0
    return ca.DM(P)
