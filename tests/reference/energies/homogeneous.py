"""Rotations and 4x4 homogeneous matrices on CasADi SX or floats, written for the references alone.

A rotation is made from a quaternion (w, x, y, z) of any length: R = I + 2 (w [u] + [u]^2) / (w^2 + u.u).
Local coordinates x of an orientation multiply the quaternion by (1, x/2), which is smooth at x = 0.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np


def hat(u: Any) -> ca.SX:
    """Cross-product matrix of `u`: hat(u) w = u x w, shape (3, 3)."""
    return ca.vertcat(
        ca.horzcat(0, -u[2], u[1]),
        ca.horzcat(u[2], 0, -u[0]),
        ca.horzcat(-u[1], u[0], 0),
    )


def vee(S: Any) -> ca.SX:
    """Vector of the antisymmetric part of a (3, 3) matrix."""
    return ca.vertcat(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2


def from_quaternion(h: Any) -> ca.SX:
    """Rotation (3, 3) of a quaternion (w, x, y, z) of any non-zero length."""
    U = hat(h[1:4])
    return ca.SX.eye(3) + 2 * (h[0] * U + ca.mtimes(U, U)) / ca.dot(h, h)


def quaternion_product(a: Any, b: Any) -> ca.SX:
    """Hamilton product a b of two quaternions (w, x, y, z)."""
    return ca.vertcat(
        a[0] * b[0] - ca.dot(a[1:4], b[1:4]),
        a[0] * b[1:4] + b[0] * a[1:4] + ca.cross(a[1:4], b[1:4]),
    )


def about_axis(axis: Any, angle: Any) -> ca.SX:
    """Rotation (3, 3) by `angle` [rad] about the constant unit 3-vector `axis`."""
    n = ca.SX(unit(axis))
    U = hat(n)
    return ca.SX.eye(3) + ca.sin(angle) * U + (1 - ca.cos(angle)) * ca.mtimes(U, U)


def homogeneous(R: Any, p: Any) -> ca.SX:
    """4x4 matrix of the pose (R, p)."""
    return ca.vertcat(ca.horzcat(R, p), ca.DM([[0, 0, 0, 1]]))


def of_pose(pose: Any) -> ca.SX:
    """4x4 matrix of a description's `Pose`: constant numbers."""
    return homogeneous(ca.SX(ca.DM(np.asarray(pose.rotation(), float))), ca.SX(ca.DM(list(pose.position))))


def turned(R: Any) -> ca.SX:
    """4x4 matrix of a pure rotation."""
    return homogeneous(R, ca.SX.zeros(3))


def shifted(p: Any) -> ca.SX:
    """4x4 matrix of a pure translation."""
    return homogeneous(ca.SX.eye(3), p)


def unit(axis: Any) -> np.ndarray:
    """`axis` as a float vector of length one."""
    a = np.asarray(axis, float)
    return a / np.linalg.norm(a)


def normals(axis: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that complete `axis` to a right-handed orthonormal triad (t1, t2, axis)."""
    a = unit(axis)
    seed = np.eye(3)[int(np.argmin(np.abs(a)))]
    t1 = unit(np.cross(seed, a))
    return t1, np.cross(a, t1)


def quaternion_of(R: Any) -> np.ndarray:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix, by the eigenvector of its 4x4 form."""
    R = np.asarray(R, float)
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    h = np.linalg.eigh(K)[1][:, -1]
    return h if h[0] >= 0 else -h
