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
from .tree import FlexibleTree


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
