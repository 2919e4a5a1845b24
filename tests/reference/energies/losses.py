"""Dissipation of a robot description as generalised forces, from virtual power.

A friction or damper acts against rates r that are linear in xd: its generalised force is -(dr/dxd)^T f(r).
"""

from __future__ import annotations

from typing import Any

import casadi as ca

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
        if joint.spring is not None:
            force[p.x] -= (joint.spring.damping or 0.0) * r
        if not acts(joint.friction):
            continue
        if joint.type == "spherical":  # at x = 0, xd is the relative angular velocity in the carried axes
            force[p.x] -= _isotropic(joint.friction, r)
        elif joint.type == "free":
            raise NotImplementedError("friction in a free joint")
        else:
            force[p.x] -= _law(joint.friction, r)
    return force


def spring_lengths(tree: Tree) -> list[ca.SX]:
    """Lengths of the point-to-point springs."""
    ends = (
        (tree.point(s.from_.body, s.from_.position), tree.point(s.to.body, s.to.position)) for s in tree.robot.springs
    )
    return [ca.norm_2(end - start) for start, end in ends]


def damper_forces(tree: Tree, xd: ca.SX) -> ca.SX:
    """Generalised force (nx) of the dampers of point-to-point springs."""
    force = ca.SX.zeros(tree.layout.nx)
    for s, length in zip(tree.robot.springs, spring_lengths(tree), strict=True):
        if s.damping:
            J = ca.jacobian(length, tree.x)
            force -= J.T * (s.damping * ca.mtimes(J, xd))
    return force
