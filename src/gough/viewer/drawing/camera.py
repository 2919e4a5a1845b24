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
    away = view_direction("3/4", up)
    middle = bounds.mean(axis=0)
    return Camera(middle + fitting_distance(box_corners(bounds) - middle, up, away, aspect) * away, middle, up)


def box_corners(bounds: Array) -> Array:
    """Corners (8, 3) of a box between lowest and highest coordinates (2, 3)."""
    return np.array([[bounds[i][0], bounds[j][1], bounds[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def fitting_distance(corners: Array, up: Array, away: Array, aspect: float) -> float:
    """How far (m) in the unit direction `away` from the origin a camera stands that looks there and sees all corners (n, 3);
    aspect: width over height."""
    right = np.cross(up, away)
    right = right / np.linalg.norm(right)
    over = np.cross(away, right)
    tall = np.tan(FIELD_OF_VIEW / 2)
    near = corners @ away
    wanted = np.maximum(np.abs(corners @ right) / (tall * aspect), np.abs(corners @ over) / tall) + near
    return 1.04 * max(float(wanted.max()), 1e-6)
