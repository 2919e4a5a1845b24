"""Rotations of any scalar; angles in rad, matrices take child components to parent components."""

import math
from typing import Any

import numpy as np

from gough.scalar import VariedNumber, atan2, cos, select, sin, sqrt
from gough.spatial._vector import vector

QUARTER_TURN_TOLERANCE = 1e-12
"""A number this close to a multiple of 90° is that multiple: its sine and cosine are exactly 0 or ±1."""
STEEP = 1e-3
"""Cosine of a pitch below which yaw and roll are not read from entries of their own."""
LEADING = 0.618
"""Of the four squares of twice a unit quaternion's entries one is 1 at least: one above this is large enough to divide by. Below
1, so that two that are equal, as those of quarter turns, are not chosen from by rounding."""


def exact_sincos(angle: Any) -> tuple[Any, Any]:
    """(sin, cos); exact at multiples of 90° when the angle is a plain number."""
    if isinstance(angle, float | int) and not isinstance(angle, VariedNumber):
        quarter = round(angle / (math.pi / 2))
        if abs(angle - quarter * (math.pi / 2)) <= QUARTER_TURN_TOLERANCE * max(1.0, abs(angle)):
            return [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarter % 4]
    return sin(angle), cos(angle)


def about_axis(axis: int, angle: Any) -> np.ndarray:
    """Rotation (3, 3) by `angle` about coordinate axis 0, 1 or 2."""
    s, c = exact_sincos(angle)
    return from_sincos(axis, s, c)


def from_sincos(axis: int, s: Any, c: Any) -> np.ndarray:
    """Rotation about a coordinate axis from the angle's sine and cosine."""
    out = np.full((3, 3), 0.0, dtype=object)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[axis, axis] = 1.0
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


def rpy_zyx(angles: Any) -> np.ndarray:
    """R = Rz(yaw) Ry(pitch) Rx(roll) from (yaw, pitch, roll) [Lopes, eq. 4], [Pedrammehr 2012, Appendix 1]."""
    yaw, pitch, roll = angles
    return about_axis(2, yaw) @ about_axis(1, pitch) @ about_axis(0, roll)


def bryant_xyz(angles: Any) -> np.ndarray:
    """R = Rx(a) Ry(b) Rz(c) [Fried, eqs. 1, 46]."""
    a, b, c = angles
    return about_axis(0, a) @ about_axis(1, b) @ about_axis(2, c)


def rpy_zyx_angles(rotation: np.ndarray) -> tuple[float, float, float]:
    """(yaw, pitch, roll) of a matrix of numbers; roll = 0 where yaw and roll turn about one axis."""
    r = np.asarray(rotation, dtype=float)
    horizontal = math.hypot(r[0, 0], r[1, 0])
    pitch = math.atan2(-r[2, 0], horizontal)
    if horizontal < 1e-9:
        return math.atan2(-r[0, 1], r[1, 1]), pitch, 0.0
    yaw = math.atan2(r[1, 0], r[0, 0])
    return yaw, pitch, _steep_roll(r, yaw) if horizontal < STEEP else math.atan2(r[2, 1], r[2, 2])


def level_rpy_zyx_angles(r: np.ndarray) -> tuple[Any, Any, Any]:
    """`rpy_zyx_angles` of a matrix of numbers that may follow variables, but for r[2, 0]: the pitch is the same for all their
    values, and so is the way to the other two."""
    _, pitch, _ = rpy_zyx_angles(r)
    if cos(pitch) < 1e-9:
        return atan2(-r[0, 1], r[1, 1]), pitch, 0.0
    yaw = atan2(r[1, 0], r[0, 0])
    return yaw, pitch, _steep_roll(r, yaw) if cos(pitch) < STEEP else atan2(r[2, 1], r[2, 2])


def _steep_roll(r: np.ndarray, yaw: Any) -> Any:
    """The roll beside a yaw that is known badly, because yaw and roll nearly turn about one axis: what is left by that yaw."""
    s, c = sin(yaw), cos(yaw)
    return atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])


def varied_quaternion_wxyz(r: np.ndarray) -> tuple[Any, Any, Any, Any]:
    """A unit quaternion (w, x, y, z) of a matrix of numbers that may follow variables: right for all their values.

    4 w (w, x, y, z), 4 x (w, x, y, z), … are sums of entries; the first of them whose leading square 4 w² = 1 + tr R, … is above
    LEADING is scaled. Where another one takes over, the sign may change, the rotation does not.
    """
    (a, b, c), (d, e, f), (g, h, i) = r
    w, x, y, z = 1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i
    wx, wy, wz, xy, xz, yz = h - f, c - g, d - b, d + b, c + g, h + f
    rows = [(w, w, wx, wy, wz), (x, wx, x, xy, xz), (y, wy, xy, y, yz), (z, wz, xz, yz, z)]
    chosen: tuple[Any, ...] = rows[-1]
    for row in reversed(rows[:-1]):
        chosen = tuple(select(row[0] - LEADING, new, old) for new, old in zip(row, chosen, strict=True))
    scale = 0.5 / sqrt(chosen[0])
    return scale * chosen[1], scale * chosen[2], scale * chosen[3], scale * chosen[4]


def rotation_from_quaternion_wxyz(q: Any) -> np.ndarray:
    """Rotation (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    x2, y2, z2 = 2.0 * x, 2.0 * y, 2.0 * z
    xx, xy, xz, yy, yz, zz = x2 * x, x2 * y, x2 * z, y2 * y, y2 * z, z2 * z
    wx, wy, wz = x2 * w, y2 * w, z2 * w
    return np.array(
        [
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ],
        dtype=object,
    )


def quaternion_rate_wxyz(q: Any, omega: Any) -> np.ndarray:
    """Time derivative (4,) of the quaternion of a frame with angular velocity `omega`, world axes."""
    w, x, y, z = q
    a, b, c = (0.5 * k for k in omega)
    return np.array(
        [-a * x - b * y - c * z, a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x], dtype=object
    )


def quaternion_wxyz_from_rotation(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), w >= 0, of rotation matrices (..., 3, 3) of numbers."""
    r = np.asarray(rotation, dtype=float)
    m00, m11, m22 = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    # Four candidates, each scaled by its own leading component; the largest is the accurate one.
    w = np.stack(
        [1 + m00 + m11 + m22, r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1
    )
    x = np.stack([w[..., 1], 1 + m00 - m11 - m22, r[..., 0, 1] + r[..., 1, 0], r[..., 0, 2] + r[..., 2, 0]], -1)
    y = np.stack([w[..., 2], x[..., 2], 1 - m00 + m11 - m22, r[..., 1, 2] + r[..., 2, 1]], -1)
    z = np.stack([w[..., 3], x[..., 3], y[..., 3], 1 - m00 - m11 + m22], -1)
    candidates = np.stack([w, x, y, z], axis=-2)
    leading = np.stack([w[..., 0], x[..., 1], y[..., 2], z[..., 3]], axis=-1)
    best = np.argmax(leading, axis=-1)
    q = np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.sqrt((q * q).sum(-1, keepdims=True))
    return np.copysign(1.0, q[..., :1]) * q


def rates_from_euler(sequence: str, angles: Any) -> np.ndarray:
    """Matrix (3, 3) with ω (world) = matrix @ rates for "rpy_zyx" [Lopes, eqs. 8–9] or "bryant_xyz" angles [Fried, eq. 51]."""
    if sequence == "rpy_zyx":
        first, second, third = (2, 1, 0)
    elif sequence == "bryant_xyz":
        first, second, third = (0, 1, 2)
    else:
        raise ValueError(f"unknown Euler sequence {sequence!r}; use 'rpy_zyx' or 'bryant_xyz'")
    r1 = about_axis(first, angles[0])
    r2 = r1 @ about_axis(second, angles[1])
    columns = [np.eye(3)[first], r1[:, second], r2[:, third]]
    return np.array([vector(*c) for c in columns], dtype=object).T
