"""What every joint of a mechanism with flexible bodies transmits, by virtual power (see `energies.joint_reactions`).

Mass points follow the small motions d of the joints below them; elastic coordinates, and so strain and damping, do not.
"""

from __future__ import annotations

import casadi as ca

from reference.energies.joint_reactions import JointReactions

from .lagrange import FlexibleReference, mass_moment, mass_points, moments
from .tree import FlexibleTree


class FlexibleJointReactions(JointReactions):
    """Joint reactions of a reference with flexible bodies."""

    tree: FlexibleTree

    def __init__(self, reference: FlexibleReference) -> None:
        super().__init__(reference)

    def _kinetic(self) -> ca.SX:
        T = super()._kinetic()
        for name, data in self.tree.flexible.items():
            Y, c = mass_points(self.tree, name, data)
            Yd = self._rate(Y)
            T += ca.trace(ca.mtimes([Yd, moments(data, c), Yd.T])) / 2
        return T

    def _potential(self) -> ca.SX:
        V, gravity = super()._potential(), ca.DM(list(self.tree.robot.gravity))
        for name, data in self.tree.flexible.items():
            V -= ca.dot(gravity, mass_moment(self.tree, name, data))
        return V

    def _rate(self, columns: ca.SX) -> ca.SX:
        flat = ca.reshape(columns, columns.numel(), 1)
        return ca.reshape(ca.jtimes(flat, self.y, self.yd), *columns.shape)
