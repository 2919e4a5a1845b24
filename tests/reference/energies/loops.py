"""Loops of any mechanism: friction as generalised forces, and the wrench a loop's joint passes to its second body.

A wrench follows from virtual power: the second side alone is given a small twist (dp, dt) at its origin in world axes;
multipliers times the closures' change, and friction against the relative spin, are the power of that wrench.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from . import homogeneous as hom
from .joints import closure
from .losses import acts, spin
from .tree import Tree


def _axes(loop: Any, X1: ca.SX, X2: ca.SX) -> ca.SX:
    """Directions (n, 3), world axes, in which a loop's joint turns with friction."""
    if loop.type == "spherical":
        return ca.SX.eye(3)
    if loop.type == "universal":
        a1, a2 = np.asarray(loop.axes, float)
        return ca.horzcat(ca.mtimes(X1[:3, :3], a1), ca.mtimes(X2[:3, :3], a2)).T
    if loop.type == "revolute":
        return ca.mtimes(X1[:3, :3], ca.DM(hom.unit(loop.axis if loop.axis is not None else (0, 0, 1)))).T
    raise NotImplementedError(f"friction in a {loop.type} loop")


def _friction(loop: Any, X1: ca.SX, X2: ca.SX, w: ca.SX) -> ca.SX:
    """Moment (3,) of friction on the second body for the spin w of the first relative to the second.

    The rates r about the axes E are those with w = E^T r, and the moment that of the power f(r) . r.
    """
    laws = loop.friction if isinstance(loop.friction, tuple) else (loop.friction,)
    if not any(map(acts, laws)):
        return ca.SX.zeros(3)
    E = _axes(loop, X1, X2)
    to_rates = ca.mtimes(ca.inv(ca.mtimes(E, E.T)), E)
    r = ca.mtimes(to_rates, w)
    if loop.type == "spherical":
        return ca.mtimes(to_rates.T, _opposed(laws[0], r, ca.dot(r, r)))
    own = laws if len(laws) > 1 else laws * r.numel()
    return ca.mtimes(to_rates.T, ca.vertcat(*(_opposed(f, r[k], r[k] ** 2) for k, f in enumerate(own))))


def _opposed(law: Any, r: ca.SX, square: ca.SX) -> ca.SX:
    """Force against rates r, Coulomb's along r by the root of `square`."""
    if not acts(law):
        return 0 * r
    size = square + (law.smoothing or 0.0) ** 2
    return (law.viscous or 0.0) * r + (law.coulomb or 0.0) * r / ca.sqrt(size + (size == 0))


def friction_forces(tree: Tree, xd: ca.SX, x: ca.SX | None = None) -> tuple[ca.SX, ca.SX]:
    """Generalised forces (nx, loops) and moments on the second bodies (3, loops) of the friction in each loop.

    x: the coordinates whose rates are xd, default those of the tree.
    """
    x = tree.x if x is None else x
    forces, moments = [ca.SX.zeros(xd.numel(), 0)], [ca.SX.zeros(3, 0)]
    for loop, X1, X2 in zip(tree.loops, tree.first_side, tree.second_side, strict=True):
        w = spin(X1, x, xd) - spin(X2, x, xd)
        m = _friction(loop, X1, X2, w)
        forces.append(-ca.mtimes(ca.jacobian(w, xd).T, m))
        moments.append(m)
    return ca.horzcat(*forces), ca.horzcat(*moments)


def wrench_maps(tree: Tree) -> list[ca.SX]:
    """(6, rows) of each loop: wrench of the first body on the second, at the second's origin, per multiplier."""
    out = []
    for loop, X1, X2 in zip(tree.loops, tree.first_side, tree.second_side, strict=True):
        d = ca.SX.sym("d", 6)
        R = ca.mtimes(hom.from_quaternion(ca.vertcat(1, d[3:] / 2)), X2[:3, :3])
        moved = hom.homogeneous(R, X2[:3, 3] + d[:3])
        J = ca.jacobian(closure(loop, X1, moved), d)
        out.append(ca.substitute(J, d, ca.SX.zeros(6)).T)
    return out
