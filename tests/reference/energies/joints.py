"""Joints and cuts of every type in CasADi SX: the motion of a carried body, and the closure equations of a cut.

Coordinates are the library's configuration q (parameters here) moved by local coordinates x, all zero at q itself:
scalar coordinates q + x, orientation of a tree joint h (1, x/2) (turned in the carried body's axes).
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from . import homogeneous as hom

SIZES = {  # joint type: (entries of q, entries of x)
    "fixed": (0, 0),
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "universal": (2, 2),
    "cylindrical": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "helical": (1, 1),
    "ball_screw": (1, 1),
    "free": (7, 6),
}


def joint_motion(joint: Any, q: ca.SX, x: ca.SX) -> ca.SX:
    """4x4 motion of the carried body relative to the joint frame.

    Orders: universal (first, second angle); cylindrical (angle, displacement) about and along the axis;
    planar (two displacements, angle): along x and y of the joint frame and about z; free (position, quaternion).
    """
    kind = joint.type
    if kind == "fixed":
        return ca.SX.eye(4)
    if kind in ("spherical", "free"):
        k = 0 if kind == "spherical" else 3
        h = hom.quaternion_product(q[k:], ca.vertcat(1, x[k:] / 2))
        return hom.homogeneous(hom.from_quaternion(h), (q[:3] + x[:3]) if k else ca.SX.zeros(3))
    s = q + x
    if kind == "universal":
        first, second = np.asarray(joint.axes, float)
        return hom.turned(ca.mtimes(hom.about_axis(first, s[0]), hom.about_axis(second, s[1])))
    axis = hom.unit(joint.axis if joint.axis is not None else (0, 0, 1))
    if kind == "revolute":
        return hom.turned(hom.about_axis(axis, s[0]))
    if kind == "prismatic":
        return hom.shifted(ca.DM(axis) * s[0])
    if kind == "helical":
        return hom.homogeneous(hom.about_axis(axis, s[0]), ca.DM(axis) * (joint.lead / (2 * np.pi) * s[0]))
    if kind == "ball_screw":
        return hom.shifted(ca.DM(axis) * (joint.lead / (2 * np.pi) * s[0]))
    if kind == "cylindrical":
        return hom.homogeneous(hom.about_axis(axis, s[0]), ca.DM(axis) * s[1])
    if kind == "planar":
        if not np.allclose(axis, (0, 0, 1), atol=1e-12):
            raise NotImplementedError("planar joint with a normal other than z of its joint frame")
        return hom.homogeneous(hom.about_axis(axis, s[2]), ca.vertcat(s[0], s[1], 0))
    raise NotImplementedError(f"joint type {kind!r}")


def closure(cut: Any, XL: ca.SX, XP: ca.SX) -> ca.SX:
    """Position-level closure equations of one cut: first side XL, second side XP; zero when closed.

    The first three rows of a cut with coincident origins are p_P - p_L in world axes, so their multipliers are the
    force on the second body.
    """
    RL, RP, d = XL[:3, :3], XP[:3, :3], XP[:3, 3] - XL[:3, 3]
    kind = cut.type
    if kind == "spherical":
        return d
    if kind == "constant_length":
        return ca.norm_2(d) - cut.length
    if kind == "universal":
        a1, a2 = np.asarray(cut.axes, float)
        between = 0.0 if cut.angle is None else np.cos(cut.angle)
        return ca.vertcat(d, ca.dot(ca.mtimes(RL, a1), ca.mtimes(RP, a2)) - between)
    triad = ca.vertcat(*(ca.dot(RL[:, i], RP[:, (i + 1) % 3]) for i in range(3)))
    if kind == "fixed":
        return ca.vertcat(d, triad)
    axis = hom.unit(cut.axis if cut.axis is not None else (0, 0, 1))
    t = [ca.mtimes(RL, ca.DM(n)) for n in hom.normals(axis)]
    aligned = ca.vertcat(*(ca.dot(n, ca.mtimes(RP, ca.DM(axis))) for n in t))
    on_axis = ca.vertcat(*(ca.dot(n, d) for n in t))
    if kind == "revolute_spherical":
        return ca.vertcat(ca.dot(ca.mtimes(RL, ca.DM(axis)), d), ca.sqrt(ca.dot(on_axis, on_axis)) - cut.length)
    if kind == "revolute":
        return ca.vertcat(d, aligned)
    if kind == "cylindrical":
        return ca.vertcat(on_axis, aligned)
    if kind == "prismatic":
        return ca.vertcat(on_axis, triad)
    if kind == "planar":
        return ca.vertcat(ca.dot(ca.mtimes(RL, ca.DM(axis)), d), aligned)
    raise NotImplementedError(f"cut type {kind!r}")
