"""Exact motion of every body of a robot, in 4x4 matrices by automatic differentiation: independent of the library.

X is the pose of a body, P its pseudo-inertia (4x4 second moments of mass). The wrench that a body's motion needs,
about the world's origin, is the antisymmetric part of Xdd P X^T and its last column (see `needed_wrench`).
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from reference.energies import masses
from reference.energies.lagrange import Reference


class Motions:
    """Poses, velocities and accelerations (4x4) of the platform and of all tree bodies along a motion."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        tree: Any = reference.tree
        xd, xdd = ca.SX.sym("xd", tree.layout.nx), ca.SX.sym("xdd", tree.layout.nx)
        outputs = []
        for X in (tree.platform, *tree.carried):
            flat = ca.reshape(X, 16, 1)
            rate = ca.jtimes(flat, tree.x, xd)
            second = ca.jtimes(rate, tree.x, xd) + ca.jtimes(flat, tree.x, xdd)
            outputs += [flat, rate, second]
        zero = ca.SX.zeros(tree.layout.nx)
        outputs = [ca.densify(ca.substitute(e, tree.x, zero)) for e in outputs]
        self._function = ca.Function("motions", [tree.q, xd, xdd], outputs)

    def at(self, q: Any, v: Any, acceleration: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """(X, Xd, Xdd) of the platform, then of the bodies in the order of their joints."""
        xd, xdd = self.reference.rates(q, v), self.reference.accelerations(q, v, acceleration)
        flat = [np.asarray(e.full()).reshape(4, 4, order="F") for e in self._function(q, xd, xdd)]
        return [(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3)]


def needed_wrench(P: np.ndarray, X: np.ndarray, Xdd: np.ndarray, gravity: Any) -> np.ndarray:
    """(force, moment about the world's origin), world axes, that a body needs besides gravity: Newton and Euler."""
    D = (Xdd - acceleration_of_gravity(gravity)) @ P @ X.T  # integral of (a - g) x^T dm
    return np.array([*D[:3, 3], D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])


def acceleration_of_gravity(gravity: Any) -> np.ndarray:
    """The matrix that adds g to the acceleration of every point."""
    G = np.zeros((4, 4))
    G[:3, 3] = gravity
    return G


def to_world_origin(wrench: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A wrench (f, m) about `point` moved to the world's origin, world axes."""
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(point, wrench[:3])])


def pseudo_inertia(body: Any) -> np.ndarray:
    """Second moments of mass (4, 4) of a described body."""
    return np.asarray(masses.pseudo_inertia(body))
