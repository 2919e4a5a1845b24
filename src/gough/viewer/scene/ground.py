"""What a robot stands on: a discreet grid below it, and which way is up."""

from typing import Any

import numpy as np

from gough.spatial import quaternion_wxyz_from_rotation
from gough.viewer.drawing.camera import upright
from gough.viewer.drawing.figure import Figure
from gough.viewer.scene.palette import GRID, GRID_SECTION


def add_ground(scene: Any, figure: Figure, name: str = "/ground") -> Any:
    """A grid just below the lowest point drawn at home, across the up direction; returns its node."""
    low, high = figure.bounds()
    corners = np.array([[a, b, c] for a in (low[0], high[0]) for b in (low[1], high[1]) for c in (low[2], high[2])])
    up = figure.up
    level = float((corners @ up).min()) - 0.012 * figure.size
    middle = (low + high) / 2
    at = middle + (level - middle @ up) * up
    cell = nice_length(figure.size / 8)
    return scene.add_grid(
        name,
        width=12 * figure.size,
        height=12 * figure.size,
        cell_size=cell,
        section_size=5 * cell,
        cell_color=GRID,
        section_color=GRID_SECTION,
        cell_thickness=0.6,
        section_thickness=1.0,
        fade_distance=5.0 * figure.size,
        fade_strength=1.5,
        fade_from="origin",
        shadow_opacity=0.16,
        position=at,
        wxyz=quaternion_wxyz_from_rotation(upright(up)),
    )


def nice_length(length: float) -> float:
    """1, 2 or 5 times a power of ten (m), not above `length` by more than rounding."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(k for k in (1, 2, 5) if k * power <= length * (1 + 1e-9)))
