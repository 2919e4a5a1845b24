"""The path of a point in a scene, and the point on it."""

from typing import Any

import numpy as np

from gough.simulation.results.run import Run
from gough.viewer.playback.trace import drawn_path, path

COLOUR = (46, 120, 190)
WIDTH = 2.0
"""Of the line, pixels."""
POINT = 0.009
"""Radius of the moving point, in robot sizes."""


class TraceScene:
    """The trace of a frame of one run under a root of a scene."""

    def __init__(self, scene: Any, run: Run, frame: str, root: str, size: float, colour: tuple[int, int, int]) -> None:
        self.points = path(run, frame)
        self.time = run.time
        self._nodes: list[Any] = []
        lines = drawn_path(self.points)
        if len(lines):
            points = lines.astype(np.float32)
            node = scene.add_line_segments(
                f"{root}/path", points, colors=colour, thickness=WIDTH, thickness_units="screen"
            )
            self._nodes.append(node)
        self._point = scene.add_icosphere(f"{root}/point", radius=POINT * size, color=colour, subdivisions=2)
        self._nodes.append(self._point)

    def show(self, time: float) -> None:
        """Move the point to a time (s)."""
        at = self.points[0] if len(self.time) == 1 else self._at(time)
        if np.isfinite(at).all():
            self._point.position = at

    def _at(self, time: float) -> np.ndarray:
        i = int(np.clip(np.searchsorted(self.time, time, side="right") - 1, 0, len(self.time) - 1))
        if i + 1 >= len(self.time) or time <= self.time[i]:
            return self.points[i]
        s = (time - self.time[i]) / (self.time[i + 1] - self.time[i])
        return (1 - s) * self.points[i] + s * self.points[i + 1]

    def remove(self) -> None:
        """Take it out of the scene."""
        for node in self._nodes:
            node.remove()
        self._nodes = []
