"""What every joint of a tree transmits, by virtual power: each joint is loosened by six small motions d.

The wrench of the antecedent on the carried body is the force that belongs to d in Lagrange's equations,

    W = d/dt dT/ddd - dT/dd + dV/dd - (loops, dampers, external wrenches),     at d = 0, all the time,

drive, friction and spring of the joint itself included, as they act through it. Rotors do not know d, nor do elastic
coordinates, and so strain and damping of flexible bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from . import losses
from .kinematics import array
from .lagrange import Reference, Wrench, kinetic_energy, spring_energy, weight_energy
from .loops import friction_forces


class JointReactions:
    """Joint reactions of a reference; joints in the order of its layout (a free joint of the platform left out)."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.tree = reference.tree_type(reference.robot, loose=True)
        tree, nx, nd = self.tree, reference.layout.nx, self.tree.d.numel()
        self.names = [p.placed.name for p in reference.layout.places]
        self.y = ca.vertcat(tree.x, tree.d)
        self.xd, self.xdd, self.dd = (ca.SX.sym(n, k) for n, k in (("xd", nx), ("xdd", nx), ("dd", nd)))
        self.yd = ca.vertcat(self.xd, self.dd)
        still = ca.SX.zeros(nd)
        T = kinetic_energy(tree, self.y, self.yd)
        V = weight_energy(tree) + spring_energy(tree)  # springs in joints do not know d
        p = ca.gradient(T, self.dd)
        along, faster = ca.vertcat(self.xd, still), ca.vertcat(self.xdd, still)
        force = ca.jtimes(p, self.y, along) + ca.jtimes(p, self.yd, faster)
        force += ca.gradient(V, tree.d) - ca.gradient(T, tree.d) - self._dissipated()
        phi = ca.vertcat(ca.SX.zeros(0, 1), *tree.closures())
        inputs = [tree.q, self.xd, self.xdd]
        self._inertial = self._at_zero("inertial", inputs, [force])
        self._closure = self._at_zero("closure", [tree.q], [ca.jacobian(phi, tree.d)])
        self._frames: dict[str, ca.Function] = {}

    def _at_zero(self, name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> ca.Function:
        away = ca.vertcat(self.y, self.dd)
        return ca.Function(
            name, inputs, [ca.densify(ca.substitute(ca.SX(e), away, ca.SX.zeros(away.numel()))) for e in outputs]
        )

    def _dissipated(self) -> ca.SX:
        """Forces on d of loops' friction and of point-to-point dampers."""
        tree: Any = self.tree
        loops = friction_forces(tree, self.yd, self.y)[0]
        force = ca.sum2(loops)[self.xd.numel() :] if loops.shape[1] else ca.SX.zeros(tree.d.numel())
        for s, length in zip(tree.robot.springs, losses.spring_lengths(tree), strict=True):
            if s.damping:
                rate = ca.jtimes(length, self.y, self.yd)
                along = ca.SX.sym("along")
                energy = losses.characteristic(s, along, s.rest_length)
                elastic = ca.substitute(ca.gradient(energy, along), along, length)
                push = losses.damped(s, length, s.rest_length, elastic, rate) - elastic
                force -= push * ca.jacobian(length, tree.d).T
        return force

    def _external(self, q: Any, wrench: Wrench) -> np.ndarray:
        """Forces on d of external wrenches."""
        if wrench is None:
            return np.zeros(self.tree.d.numel())
        loads = wrench if isinstance(wrench, Mapping) else {"": np.broadcast_to(wrench, 6)}
        total = np.zeros(self.tree.d.numel())
        for name, w in loads.items():
            if name not in self._frames:
                X: Any = self.tree.frame(name) if name else self.tree.platform
                twist = ca.vertcat(ca.jtimes(X[:3, 3], self.y, self.yd), losses.spin(X, self.y, self.yd))
                self._frames[name] = self._at_zero("frame", [self.tree.q], [ca.jacobian(twist, self.dd)])
            total += array(self._frames[name](q)).T @ np.asarray(w, float)
        return total

    def wrenches(self, q: Any, v: Any, acceleration: Any, tau: Any, wrench: Wrench = None) -> np.ndarray:
        """(joints, 6) wrench of the antecedent on the carried body at its origin, in its axes.

        Goes with the loops' `reactions`; where closures are redundant `open_wrenches` may be added, with the same
        factors as to the loops' `open_reactions`.
        """
        reference = self.reference
        xd, xdd = reference.rates(q, v), reference.accelerations(q, v, acceleration)
        force = array(self._inertial(q, xd, xdd)).ravel() - self._external(q, wrench)
        force -= array(self._closure(q)).T @ reference.multipliers(q, v, acceleration, tau, wrench)
        return force.reshape(-1, 6)

    def open_wrenches(self, q: Any) -> np.ndarray:
        """(joints, 6, k) joint wrenches in balance with the loops' `open_reactions`."""
        idle = self.reference.idle(q)
        return -(array(self._closure(q)).T @ idle).reshape(len(self.names), 6, idle.shape[1])
