"""[Fried, Figs. 3–9]: the tool's way, velocity and acceleration, and the active joints', on an assumed trajectory."""

from typing import Any

import numpy as np

from gough_papers.fried.joints import Joints
from gough_papers.report.canvas import COLORS, below, canvas, curves, labelled

AXES = ("x", "y", "z")
LEGS = tuple(f"leg {k + 1}" for k in range(6))


def draw_path(j: Joints) -> Any:
    """Fig. 3: the way in space, and over time."""
    figure = canvas(9.5, 3.9)
    ax = figure.add_subplot(1, 2, 1, projection="3d")
    p = j.states.pose[:, :3]
    ax.plot(p[:, 1], p[:, 2], p[:, 0], color=COLORS[0], linewidth=1.8)
    ax.set_xlabel("y (m)")
    ax.set_ylabel("z (m)")
    ax.set_zlabel("x (m), up")
    ax.locator_params(nbins=5)
    ax.set_title("Way of the platform", fontsize=10.5)
    flat = figure.add_subplot(1, 2, 2)
    curves(flat, j.states.t, p - p[0], AXES)
    labelled(flat, "From its first place", "displacement (m)")
    flat.legend(frameon=False, loc="lower right")
    return figure


def draw_cartesian(t: np.ndarray, values: np.ndarray, title: str, unit: str) -> Any:
    """Figs. 4 and 5."""
    figure = canvas(8.6, 3.5)
    ax = figure.subplots()
    curves(ax, t, values, AXES)
    labelled(ax, title, unit)
    below(figure, ax, 3)
    return figure


def draw_joints(t: np.ndarray, values: np.ndarray, title: str, unit: str) -> Any:
    """Figs. 6 to 9."""
    figure = canvas(9.2, 3.8)
    ax = figure.subplots()
    curves(ax, t, values, LEGS)
    labelled(ax, title, unit)
    below(figure, ax)
    return figure
