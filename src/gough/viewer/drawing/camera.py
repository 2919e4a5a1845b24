"""From where a robot is looked at: named views, and a camera that has everything in its picture."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

FIELD_OF_VIEW = np.deg2rad(38.0)
VIEWS = {"3/4": (1.1, -1.6, 0.9), "Front": (0.0, -1.0, 0.0), "Side": (1.0, 0.0, 0.0), "Top": (0.0, -1e-3, 1.0)}
"""Directions from the robot to the camera where z is up."""


def upright(up: np.ndarray) -> np.ndarray:
    """The smallest rotation (3, 3) that takes z to `up` (unit)."""
    z = np.array([0.0, 0.0, 1.0])
    if up @ z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    v = np.cross(z, up)
    V = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + V + V @ V / (1.0 + up @ z)


def view_direction(view: str, up: np.ndarray) -> np.ndarray:
    """Unit direction (3,) from the robot to the camera of a named view."""
    away = upright(up) @ np.array(VIEWS[view])
    return away / np.linalg.norm(away)


@dataclass(frozen=True)
class Camera:
    """position, look_at, up (3,) in the world, m; field_of_view: vertical, rad."""

    position: Array
    look_at: Array
    up: Array
    field_of_view: float = FIELD_OF_VIEW

    @property
    def wxyz(self) -> Array:
        """Its axes as a quaternion: z forwards, y downwards."""
        from viser import transforms

        forwards = self.look_at - self.position
        forwards = forwards / np.linalg.norm(forwards)
        right = np.cross(forwards, self.up)
        right = right / np.linalg.norm(right)
        axes = np.stack([right, np.cross(forwards, right), forwards], axis=1)
        return np.asarray(transforms.SO3.from_matrix(axes).wxyz)


def camera_for(bounds: Array, up: Array, aspect: float) -> Camera:
    """A view of all within bounds (2, 3), three quarters from the front; up (3,), aspect: width over height."""
    up = np.asarray(up, dtype=float)
    up = up / np.linalg.norm(up) if np.linalg.norm(up) > 0 else np.array([0.0, 0.0, 1.0])
    middle, half = bounds.mean(axis=0), (bounds[1] - bounds[0]) / 2
    away = view_direction("3/4", up)
    right = np.cross(up, away)
    right = right / np.linalg.norm(right)
    over = np.cross(away, right)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    tall = np.tan(FIELD_OF_VIEW / 2)
    near = corners @ away
    wanted = np.maximum(np.abs(corners @ right) / (tall * aspect), np.abs(corners @ over) / tall) + near
    distance = 1.04 * max(float(wanted.max()), 1e-6)
    return Camera(middle + distance * away, middle, up)
