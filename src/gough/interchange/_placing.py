"""Placements of what files write: angles, quaternions, one frame seen from another; right angles are freed of rounding."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from gough.interchange.foreign import Placement

ROUNDING = 1e-15


def place_rpy(position: Iterable[float], roll: float, pitch: float, yaw: float) -> Placement:
    """Rz(yaw) Ry(pitch) Rx(roll) at a position."""
    (cr, sr), (cp, sp), (cy, sy) = (_circle(angle) for angle in (roll, pitch, yaw))
    rotation = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    small = max(abs(roll), abs(pitch), abs(yaw)) <= 2 * math.pi
    words = {"rpy_zyx": (yaw, pitch, roll)} if small and (roll or pitch or yaw) else None
    return Placement(three(position), rotation + 0.0, words)


def place_quaternion(position: Iterable[float], wxyz: Sequence[float]) -> Placement:
    """The rotation of a quaternion of any length but 0, at a position."""
    w, x, y, z = np.asarray(wxyz, dtype=float) / math.hypot(*wxyz)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return clean_placement(Placement(three(position), rotation))


def clean_placement(at: Placement) -> Placement:
    """The same without what rounding left at 0 and 1."""
    R = at.rotation.copy()
    for near in (-1.0, 0.0, 1.0):
        R[np.abs(R - near) <= ROUNDING] = near
    x = np.asarray(at.position, dtype=float)
    return Placement(three(np.where(np.abs(x) <= ROUNDING, 0.0, x)), R, at.words)


def relative_placement(frame: Placement, seen_from: Placement) -> Placement:
    """A frame in another one, both given in the same axes."""
    return clean_placement(frame.after(seen_from.inverse()))


def unit_axis(x: Iterable[float]) -> tuple[float, float, float] | None:
    """A direction of length 1, without rounding at 0; None where there is none."""
    axis = np.array(list(x), dtype=float)
    length = float(np.linalg.norm(axis))
    if not math.isfinite(length) or length < 1e-9:
        return None
    axis = axis / length
    axis[np.abs(axis) <= ROUNDING] = 0.0
    return three(axis / np.linalg.norm(axis))


def three(x: Iterable[float]) -> tuple[float, float, float]:
    """Three plain numbers; no negative zeros."""
    a, b, c = (float(v) + 0.0 for v in x)
    return (a, b, c)


def _circle(angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return (0.0 if abs(c) <= ROUNDING else c), (0.0 if abs(s) <= ROUNDING else s)
