"""The animation of [Briot 2014]: DualEMPS round the square, its path of P behind it."""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.report.animation import MOST_FRAMES, Polyline, View, animation
from gough_papers.report.canvas import COLORS
from gough_papers.report.skeleton import link_positions

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

LEGS = (
    ("slider1", "link13", "link14", "link16", "link17"),
    ("slider2", "link23", "link24"),
)
RAIL = 0.3
"""m: how long the slides are drawn."""


def moving(run: "Run") -> str:
    """HTML."""
    wanted = np.linspace(run.time[0], run.time[-1], MOST_FRAMES)
    rows = np.searchsorted(run.time, wanted).clip(0, len(run) - 1)
    at = link_positions(run.model, run.q[rows])
    pin = run["link14.pin.pose"][rows, :3]
    points, lines = [], []
    for k, names in enumerate(LEGS):
        rail = at[names[0]][0] * np.array([1.0, 1.0, 0.0])
        first = len(points)
        points += [np.tile(rail + [0, 0, z], (len(rows), 1)) for z in (-0.05, RAIL)]
        lines.append(Polyline((first, first + 1), "#aaaaaa", 5.0))
        first = len(points)
        points += [at[name] for name in names] + ([pin] if k else [])
        lines.append(Polyline(tuple(range(first, len(points))), COLORS[k], 3.0))
        lines.append(Polyline((first, first), "#333333", 7.0))
    trace = lines[1].points[-1]
    caption = "Round the square in joint space; grey: the path of P."
    return animation(run.time[rows], np.stack(points, axis=1), lines, caption, View(turn=0.0, above=0.0), trace)
