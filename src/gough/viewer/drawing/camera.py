"""From where a robot is looked at."""

import numpy as np

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
