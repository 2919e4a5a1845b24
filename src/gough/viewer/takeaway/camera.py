"""From where a picture is taken, so that everything is in it."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

DIRECTION = (1.1, -1.6, 0.9)
"""From the robot to the camera where z is up."""
FIELD_OF_VIEW = np.deg2rad(38.0)


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
    away = turned_up(np.array(DIRECTION), up)
    away = away / np.linalg.norm(away)
    right = np.cross(up, away)
    right = right / np.linalg.norm(right)
    over = np.cross(away, right)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    tall = np.tan(FIELD_OF_VIEW / 2)
    near = corners @ away
    wanted = np.maximum(np.abs(corners @ right) / (tall * aspect), np.abs(corners @ over) / tall) + near
    distance = 1.04 * max(float(wanted.max()), 1e-6)
    return Camera(middle + distance * away, middle, up)


def turned_up(direction: Array, up: Array) -> Array:
    """A direction said for z up, for another way up."""
    z = np.array([0.0, 0.0, 1.0])
    if np.allclose(up, z):
        return direction
    if np.allclose(up, -z):
        return direction * [1, -1, -1]
    axis = np.cross(z, up)
    c, k = float(z @ up), axis
    return direction + np.cross(k, direction) + np.cross(k, np.cross(k, direction)) / (1 + c)
