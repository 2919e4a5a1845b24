"""Euler angles as numbers, batches on leading axes; sequences by name: rpy_zyx (yaw pitch roll), bryant_xyz (a b c)."""

import numpy as np

from gough.errors import UsageError
from gough.spatial.poses import quaternion_product, rotation_of_quaternion

EULER_AXES = {"rpy_zyx": (2, 1, 0), "bryant_xyz": (0, 1, 2)}
"""The axes of the sequences, in the order of their angles."""


def about_axes(axis: int, angle: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of turns by angles (...) about a coordinate axis."""
    q = np.zeros((*np.shape(angle), 4))
    q[..., 0], q[..., 1 + axis] = np.cos(0.5 * angle), np.sin(0.5 * angle)
    return q


def quaternion_of_euler(sequence: str, angles: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4) of angles (..., 3), rad."""
    first, second, third = (about_axes(axis, angles[..., k]) for k, axis in enumerate(EULER_AXES[sequence]))
    return quaternion_product(quaternion_product(first, second), third)


def euler_angles(sequence: str, q: np.ndarray) -> np.ndarray:
    """Angles (..., 3), rad, of unit quaternions (..., 4); the second within a quarter turn, the others within half a turn."""
    R = rotation_of_quaternion(q)
    if sequence == "rpy_zyx":
        angles = [
            np.arctan2(R[..., 1, 0], R[..., 0, 0]),
            np.arctan2(-R[..., 2, 0], np.hypot(R[..., 0, 0], R[..., 1, 0])),
            np.arctan2(R[..., 2, 1], R[..., 2, 2]),
        ]
    else:
        angles = [
            np.arctan2(-R[..., 1, 2], R[..., 2, 2]),
            np.arctan2(R[..., 0, 2], np.hypot(R[..., 0, 0], R[..., 0, 1])),
            np.arctan2(-R[..., 0, 1], R[..., 0, 0]),
        ]
    return np.stack(angles, axis=-1)


def euler_matrix(sequence: str, angles: np.ndarray) -> np.ndarray:
    """E (..., 3, 3) with ω = E · (rates of the angles (..., 3)), world axes."""
    first, second, third = EULER_AXES[sequence]
    r1 = rotation_of_quaternion(about_axes(first, angles[..., 0]))
    r2 = r1 @ rotation_of_quaternion(about_axes(second, angles[..., 1]))
    e = np.broadcast_to(np.eye(3)[first], r1.shape[:-1])
    return np.stack([e, r1[..., :, second], r2[..., :, third]], axis=-1)


def check_sequence(sequence: str) -> None:
    """Refuse coordinates that have no such name."""
    if sequence not in EULER_AXES:
        raise UsageError(f"coordinates={sequence!r}; use one of {', '.join(EULER_AXES)}")


def coordinates_of(q: np.ndarray, sequence: str) -> np.ndarray:
    """Coordinates x (..., 6): position and the angles of the sequence (rad) of configurations or poses q (..., ≥ 7)."""
    check_sequence(sequence)
    return np.concatenate([q[..., :3], euler_angles(sequence, q[..., 3:7])], axis=-1)
