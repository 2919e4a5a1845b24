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

ORDER = {"cylindrical": "ts", "planar": "sst", "prismatic": "s"}
"""Freedoms of joints that slide, in the order of their friction: t turns, s slides."""


def _axes(loop: Any, X1: ca.SX, X2: ca.SX) -> ca.SX:
    """Directions (n, 3), world axes, in which a loop's joint turns with friction."""
    if loop.type == "spherical":
        return ca.SX.eye(3)
    if loop.type == "universal":
        a1, a2 = np.asarray(loop.axes, float)
        return ca.horzcat(ca.mtimes(X1[:3, :3], a1), ca.mtimes(X2[:3, :3], a2)).T
    if loop.type in ("revolute", "cylindrical", "planar"):
        return ca.mtimes(X1[:3, :3], ca.DM(hom.unit(loop.axis if loop.axis is not None else (0, 0, 1)))).T
    if loop.type == "prismatic":
        return ca.SX.zeros(0, 3)
    raise NotImplementedError(f"friction in a {loop.type} loop")


def slides(loop: Any) -> list[np.ndarray]:
    """Directions of the first side's frame in which a loop's joint slides."""
    axis = hom.unit(loop.axis) if loop.axis is not None else np.array([0.0, 0.0, 1.0])
    if loop.type != "planar":
        return [axis] if loop.type in ("cylindrical", "prismatic") else []
    upright = np.argmax(np.abs(axis)) if np.abs(axis).max() == 1.0 else None
    return list(hom.normals(axis)) if upright is None else [np.eye(3)[(upright + k) % 3] for k in (1, 2)]


def _laws(loop: Any) -> tuple[list[Any], list[Any]]:
    """Frictions of the turns and of the slides of a loop's joint, one for each."""
    order = ORDER.get(loop.type, "tt" if loop.type == "universal" else "t")
    written = loop.friction if isinstance(loop.friction, tuple) else (loop.friction,) * len(order)
    both = list(zip(order, written, strict=True))
    return [f for kind, f in both if kind == "t"], [f for kind, f in both if kind == "s"]


def _friction(loop: Any, X1: ca.SX, X2: ca.SX, w: ca.SX) -> ca.SX:
    """Moment (3,) of friction on the second body for the spin w of the first relative to the second.

    The rates r about the axes E are those with w = E^T r, and the moment that of the power f(r) . r.
    """
    laws = _laws(loop)[0]
    if not any(map(acts, laws)):
        return ca.SX.zeros(3)
    E = _axes(loop, X1, X2)
    to_rates = ca.mtimes(ca.inv(ca.mtimes(E, E.T)), E)
    r = ca.mtimes(to_rates, w)
    if loop.type == "spherical":
        return ca.mtimes(to_rates.T, _opposed(laws[0], r, ca.dot(r, r)))
    return ca.mtimes(to_rates.T, ca.vertcat(*(_opposed(f, r[k], r[k] ** 2) for k, f in enumerate(laws))))


def _opposed(law: Any, r: ca.SX, square: ca.SX) -> ca.SX:
    """Force against rates r, Coulomb's along r by the root of `square`."""
    if not acts(law):
        return 0 * r
    size = square + (law.smoothing or 0.0) ** 2
    return (law.viscous or 0.0) * r + (law.coulomb or 0.0) * r / ca.sqrt(size + (size == 0))


def friction_forces(tree: Tree, xd: ca.SX, x: ca.SX | None = None) -> tuple[ca.SX, ca.SX]:
    """Generalised forces (nx, loops) and wrenches on the second bodies (6, loops) of the friction in each loop.

    x: the coordinates whose rates are xd, default those of the tree. What slides is a coordinate, a length along an axis of the
    first side; its rate is its time derivative, and its generalised force follows from its gradient.
    """
    x = tree.x if x is None else x
    forces, wrenches = [ca.SX.zeros(xd.numel(), 0)], [ca.SX.zeros(6, 0)]
    for loop, X1, X2 in zip(tree.loops, tree.first_side, tree.second_side, strict=True):
        w = spin(X1, x, xd) - spin(X2, x, xd)
        m = _friction(loop, X1, X2, w)
        force, push = -ca.mtimes(ca.jacobian(w, xd).T, m), ca.SX.zeros(3)
        for direction, law in zip(slides(loop), _laws(loop)[1], strict=True):
            if acts(law):
                a = ca.mtimes(X1[:3, :3], ca.DM(direction))
                length = ca.dot(a, X2[:3, 3] - X1[:3, 3])
                rate = ca.jtimes(length, x, xd)
                against = _opposed(law, rate, rate * rate)
                force -= ca.gradient(length, x) * against
                push -= a * against
        forces.append(force)
        wrenches.append(ca.vertcat(push, m))
    return ca.horzcat(*forces), ca.horzcat(*wrenches)


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
