"""Poses as arrays of numbers: exponential steps, differences, conversions; batches on leading axes."""

import numpy as np

from gough.arguments import numbers, take
from gough.errors import UsageError
from gough.spatial import quaternion_wxyz_from_rotation


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton product (..., 4), wxyz."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    W, X, Y, Z = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * W - x * X - y * Y - z * Z,
            w * X + x * W + y * Z - z * Y,
            w * Y - x * Z + y * W + z * X,
            w * Z + x * Y - y * X + z * W,
        ],
        axis=-1,
    )


def quaternion_of_rotation_vector(phi: np.ndarray) -> np.ndarray:
    """Unit quaternion (..., 4) of a rotation vector (..., 3), rad."""
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    half = 0.5 * angle
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * phi], axis=-1)


def unit_quaternions(q: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of unit length."""
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def angle_about(R: np.ndarray, axis: np.ndarray) -> float:
    """Angle (rad) of a rotation (3, 3) about a unit axis (3,)."""
    spin = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(0.5 * spin @ axis, 0.5 * (np.trace(R) - 1.0)))


def points_on_circle(angle: np.ndarray) -> np.ndarray:
    """(cos, sin) (n, 2) of angles (n, 1)."""
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)


def integrate_pose(pose: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Pose (..., 7) moved by a step (..., 6): translation and rotation vector, world axes."""
    position = pose[..., :3] + step[..., :3]
    q = quaternion_product(quaternion_of_rotation_vector(step[..., 3:]), pose[..., 3:])
    return np.concatenate([position, q / np.linalg.norm(q, axis=-1, keepdims=True)], axis=-1)


def rotation_of_quaternion(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4), wxyz."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(r, axis=-1) for r in rows], axis=-2)


def pose_difference(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Step (..., 6) that takes pose `start` to pose `end` (inverse of `integrate_pose`)."""
    conjugate = start[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0])
    phi = rotation_vector(quaternion_product(end[..., 3:], conjugate))
    return np.concatenate([end[..., :3] - start[..., :3], phi], axis=-1)


def compose_poses(frame: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Pose (..., 7) in the world of one that is given in a frame (..., 7)."""
    position = frame[..., :3] + np.einsum("...ij,...j->...i", rotation_of_quaternion(frame[..., 3:]), pose[..., :3])
    return np.concatenate([position, quaternion_product(frame[..., 3:], pose[..., 3:])], axis=-1)


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """Rotation vector (..., 3) of unit quaternions (..., 4), at most π long."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return np.where(sine > 1e-12, angle / np.where(sine > 0, sine, 1.0), 2.0) * q[..., 1:]


def rotation_vector_matrix(phi: np.ndarray) -> np.ndarray:
    """J (..., 3, 3) with φ̇ = J ω, ω in the axes of the turned body: 1 + ½ [φ] + c [φ]²."""
    angle = np.linalg.norm(phi, axis=-1)[..., None, None]
    near = angle < 1e-3
    safe = np.where(near, 1.0, angle)
    c = np.where(near, 1.0 / 12.0 + angle**2 / 720.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe)))
    x, y, z = np.moveaxis(phi, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([np.stack(r, axis=-1) for r in [[zero, -z, y], [z, zero, -x], [-y, x, zero]]], axis=-2)
    return np.eye(3) + 0.5 * cross + c * (cross @ cross)


def common_axes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes of a pose's position and rotation, broadcast together."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise UsageError(f"pose=(position, rotation): leading axes {shapes} do not broadcast") from None


def pose_array(pose: object) -> np.ndarray:
    """Pose (..., 7) x y z qw qx qy qz from such an array, a pair (position, rotation matrix or quaternion wxyz), or an
    object with `position` and `rotation()`."""
    if callable(getattr(pose, "rotation", None)) and hasattr(pose, "position"):
        return np.concatenate([np.asarray(pose.position, float), quaternion_wxyz_from_rotation(pose.rotation())])  # type: ignore[attr-defined]
    if isinstance(pose, tuple) and len(pose) == 2:
        position, rotation = (take(name, numbers, x) for name, x in zip(("position", "rotation"), pose, strict=True))
        if rotation.shape[-2:] == (3, 3):
            _check_rotation(rotation)
            rotation = quaternion_wxyz_from_rotation(rotation)
        if position.shape[-1:] != (3,) or rotation.shape[-1:] != (4,):
            raise UsageError(
                "pose=(position, rotation): position (..., 3) with a rotation (..., 3, 3) or quaternion (..., 4)"
            )
        batch = common_axes(position.shape[:-1], rotation.shape[:-1])
        return np.concatenate([np.broadcast_to(position, (*batch, 3)), np.broadcast_to(rotation, (*batch, 4))], axis=-1)
    array = take("pose", numbers, pose)
    if array.shape[-1:] != (7,):
        raise UsageError(
            f"pose has shape {array.shape}; give (..., 7) as x y z qw qx qy qz, or a pair (position, rotation)"
        )
    return array


def _check_rotation(rotation: np.ndarray) -> None:
    finite = np.isfinite(rotation).all()
    error = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max() if finite and rotation.size else 0.0
    if error > 1e-6 or (finite and rotation.size and (np.linalg.det(rotation) < 0).any()):
        raise UsageError(f"pose: the rotation matrix is not orthonormal and right-handed (error {error:.2g})")


def quaternion_towards(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(quaternions wxyz (..., 4) that turn z towards end - start, lengths (...))."""
    d = np.asarray(end) - np.asarray(start)
    length = np.linalg.norm(d, axis=-1)
    z = d / np.where(length > 0, length, 1.0)[..., None]
    w = 1.0 + z[..., 2]
    flipped = w < 1e-9  # straight down: half a turn about x
    q = np.stack([w, -z[..., 1], z[..., 0], np.zeros_like(w)], axis=-1)
    q[flipped] = (0.0, 1.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=-1, keepdims=True), length
