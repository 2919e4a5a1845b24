"""Dissipation of a robot description as generalised forces, from virtual power.

A friction or damper acts against rates r that are linear in xd: its generalised force is -(dr/dxd)^T f(r).
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from . import homogeneous as hom
from .tree import Tree


def _law(friction: Any, r: ca.SX) -> ca.SX:
    """Force that opposes the rates r: each axis on its own."""
    s = friction.smoothing or 0.0
    shape = r / ca.sqrt(r * r + s * s) if s > 0 else ca.sign(r)
    return (friction.viscous or 0.0) * r + (friction.coulomb or 0.0) * shape


def _isotropic(friction: Any, w: ca.SX) -> ca.SX:
    """Moment that opposes the relative angular velocity w of a ball."""
    s = friction.smoothing or 0.0
    n2 = ca.dot(w, w) + s * s
    return ((friction.viscous or 0.0) + (friction.coulomb or 0.0) / ca.sqrt(n2 + (n2 == 0))) * w


def each(joint: Any, key: str, parts: int) -> list[Any]:
    """A joint's friction, spring or armature for each of its freedoms: a list has an entry for each."""
    written = getattr(joint, key)
    return list(written) if isinstance(written, tuple) else [written] * parts


PARTS = {"universal": 2, "cylindrical": 2, "planar": 3, "free": 4}


def acts(friction: Any) -> bool:
    """Whether a friction (or None) has a force at all."""
    return friction is not None and bool((friction.viscous or 0.0) or (friction.coulomb or 0.0))


def spin(X: ca.SX, x: ca.SX, xd: ca.SX) -> ca.SX:
    """Angular velocity in world axes of the frame X(x), from its rotation's time derivative."""
    R = X[:3, :3]
    return hom.vee(ca.mtimes(ca.reshape(ca.jtimes(ca.reshape(R, 9, 1), x, xd), 3, 3), R.T))


def joint_forces(tree: Tree, xd: ca.SX) -> ca.SX:
    """Generalised force (nx) of friction in drives and passive joints, and of joint dampers."""
    force = ca.SX.zeros(tree.layout.nx)
    for p in tree.layout.places:
        joint, r = p.joint, xd[p.x]
        if joint.drive is not None:
            force[p.x] -= _law(joint.drive, r)
        if joint.type == "fixed":
            continue
        parts = PARTS.get(joint.type, 1)
        where = [p.x] if parts == 1 else [slice(p.x.start + k, p.x.start + k + 1) for k in range(parts)]
        if joint.type == "free":
            where[-1] = slice(p.x.start + 3, p.x.stop)
        for at, friction, spring in zip(
            where, each(joint, "friction", parts), each(joint, "spring", parts), strict=True
        ):
            ball = joint.type == "spherical" or (joint.type == "free" and at is where[-1])
            if spring is not None:
                force[at] -= damper(tree, joint, p, at, spring, xd[at])
            if acts(friction):  # of a ball at x = 0, xd is the relative angular velocity in the carried axes
                force[at] -= (_isotropic if ball else _law)(friction, xd[at])
    return force


def damper(tree: Any, joint: Any, p: Any, at: slice, spring: Any, r: ca.SX) -> ca.SX:
    """Force of a joint's damper; a one-sided spring's is none where it is slack, and never pushes."""
    if not spring.tension_only:
        return (spring.damping or 0.0) * r
    k = at.start - p.x.start
    x = tree.q[p.q.start + k] + tree.x[at]
    elastic = ca.jacobian(characteristic(spring, x, spring.rest), tree.x[at])
    return damped(spring, x, spring.rest, elastic, r) - elastic


def damped(spring: Any, x: ca.SX, rest: float, elastic: ca.SX, r: ca.SX) -> ca.SX:
    """Elastic force and damper together."""
    if not spring.tension_only:
        return elastic + spring.damping * r
    w = spring.rounding
    share = x > rest if w == 0 else ca.fmin(ca.fmax((x - rest) / w + 0.5, 0), 1)
    return ca.fmax(elastic + spring.damping * share * r, 0)


def characteristic(spring: Any, x: ca.SX, rest: float) -> ca.SX:
    """Energy over x of a spring, without preload: integrals of its pieces one after the other."""
    if spring.table is not None:
        return _under_curve(np.array(spring.table, float), x)
    terms = [0.0, spring.stiffness or 0.0] if spring.polynomial is None else list(spring.polynomial)
    s = x - (rest or 0.0)
    if not spring.tension_only:
        return sum((c * s ** (i + 1) / (i + 1) for i, c in enumerate(terms)), ca.SX(0))
    w, up = spring.rounding, ca.fmax(s, 0)
    if w == 0:
        return sum((c * up ** (i + 1) / (i + 1) for i, c in enumerate(terms)), ca.SX(0))
    t = ca.fmin(ca.fmax(s + w / 2, 0), w)
    corner = t**3 / (6 * w) + ca.if_else(s > w / 2, s**2 / 2 - w**2 / 8, 0)
    return terms[1] * corner + sum((c * up ** (i + 3) / (i + 3) for i, c in enumerate(terms[2:])), ca.SX(0))


def _under_curve(points: np.ndarray, x: ca.SX) -> ca.SX:
    """Integral from the first point on of SciPy's monotone curve, ends straight with the slopes of the outer chords."""
    at, f = points.T
    slopes = PchipInterpolator(at, f).derivative()(at) if len(at) > 2 else np.zeros(2)
    slopes[0], slopes[-1] = (f[1] - f[0]) / (at[1] - at[0]), (f[-1] - f[-2]) / (at[-1] - at[-2])
    curve = CubicHermiteSpline(at, f, slopes)
    low, high = ca.fmin(x - at[0], 0), ca.fmax(x - at[-1], 0)
    total = f[0] * low + slopes[0] * low**2 / 2 + f[-1] * high + slopes[-1] * high**2 / 2
    for k in range(len(at) - 1):
        t = ca.fmin(ca.fmax(x - at[k], 0), at[k + 1] - at[k])
        total += sum(curve.c[3 - i, k] * t ** (i + 1) / (i + 1) for i in range(4))
    return total


def spring_lengths(tree: Tree) -> list[ca.SX]:
    """Lengths of the point-to-point springs."""
    ends = (
        (tree.point(s.from_.body, s.from_.position), tree.point(s.to.body, s.to.position)) for s in tree.robot.springs
    )
    apart = [ca.sumsqr(end - start) for start, end in ends]
    return [ca.sqrt(d + s.clearance**2) for d, s in zip(apart, tree.robot.springs, strict=True)]


def damper_forces(tree: Tree, xd: ca.SX) -> ca.SX:
    """Generalised force (nx) of the dampers of point-to-point springs."""
    force = ca.SX.zeros(tree.layout.nx)
    for s, length in zip(tree.robot.springs, spring_lengths(tree), strict=True):
        if s.damping:
            J = ca.jacobian(length, tree.x)
            along = ca.SX.sym("along")
            elastic = ca.substitute(ca.gradient(characteristic(s, along, s.rest_length), along), along, length)
            force -= J.T * (damped(s, length, s.rest_length, elastic, ca.mtimes(J, xd)) - elastic)
    return force
