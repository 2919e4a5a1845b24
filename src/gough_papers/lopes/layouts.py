"""[Lopes, section 4] in the four layouts that its text leaves open: forces, and how far the simplified model is off.

φ_B of Table 2 is taken on both sides of three axes, as (89)–(90) take φ_P; they may lie at 0, 120, 240 deg or half a turn
from there; (89)–(90) leave the same choice for the platform's points. A link goes to the nearest of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough_papers.along import run_along
from gough_papers.reproduction import changed_model
from gough_papers.section import Grid

LAYOUTS = ((0, 60), (60, 0), (0, 0), (60, 60))
"""Angles (deg) of the first axis of the base's pairs and of the first platform point; the gallery's first."""
ROBOTS = ("lopes", "lopes_simplified")
PATH = "lopes_p1p2p1"
DURATIONS, NAMED = (2.0, 0.5), 2.0
"""s, one way; that of the path as it is named."""
SAMPLES = 201


@dataclass(frozen=True)
class OpenLayout:
    """base, platform: as in `LAYOUTS`. low, high: of the complete model's forces (N) in 2 s. off: largest difference of the
    models over the largest force, for each duration."""

    base: int
    platform: int
    low: float
    high: float
    off: tuple[float, float]


def points(base: int, platform: int) -> tuple[np.ndarray, np.ndarray]:
    """Base and platform points (6, 3), m."""
    below = np.radians([base + turn + side for turn in (0, 120, 240) for side in (-15, 15)])
    above = np.radians([platform + turn for turn in (0, 120, 240)])
    nearest = above[np.argmax(np.cos(below[:, None] - above), axis=1)]
    return _ring(1.5, below), _ring(0.75, nearest)


def _ring(radius: float, angle: np.ndarray) -> np.ndarray:
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)


def measure_layout(base: int, platform: int) -> OpenLayout:
    """Both models along P1 → P2 → P1."""
    models = [changed_model(robot, lambda data: _place(data, *points(base, platform))) for robot in ROBOTS]
    off, low, high = [], 0.0, 0.0
    for T in DURATIONS:
        f, g = (run_along(model, PATH, T / NAMED, SAMPLES).tau for model in models)
        off.append(float(np.abs(f - g).max() / np.abs(f).max()))
        if T == NAMED:
            low, high = float(f.min()), float(f.max())
    return OpenLayout(base, platform, low, high, (off[0], off[1]))


def _place(data: Any, base: np.ndarray, platform: np.ndarray) -> None:
    """Points of the legs, and joints of home, with the links above their actuators."""
    L, height = 1.837, data["home"]["pose"]["position"][2]
    joints = {}
    for k, leg in enumerate(data["legs"]):
        leg["base"]["position"], leg["on_platform"]["position"] = base[k].tolist(), platform[k].tolist()
        x, y, _ = platform[k] - base[k]
        z = np.sqrt(L**2 - x**2 - y**2)
        joints[f"leg{k}.slide"] = float(height - z)
        joints[f"leg{k}.elbow"] = [float(np.arctan2(-y, z)), float(np.arcsin(x / L))]
    data["home"]["joints"] = joints


def layouts_grid(found: list[OpenLayout]) -> Grid:
    """A row a layout."""
    head = ("base pairs about", "platform points at", "forces in 2 s, N", "difference in 2 s", "in 0.5 s")
    rows = []
    for x in found:
        degrees = (", ".join(f"{first + turn}" for turn in (0, 120, 240)) + " deg" for first in (x.base, x.platform))
        rows.append((*degrees, f"{x.low:.2f} … {x.high:.2f}", *(f"{100 * share:.1f} %" for share in x.off)))
    title = (
        "Layouts that the text leaves open, the one used here first; difference: of the models, over the largest force"
    )
    return Grid(head, tuple(rows), head[2:], title)
