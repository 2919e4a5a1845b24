"""The path of a point over a run: which frames leave one, its line in a scene, and the point that moves on it."""

from typing import Any

import numpy as np

from gough.simulation.results.run import Run

Array = np.ndarray

POINTS = 3000
"""Points of a drawn path."""


def traced_frames(run: Run) -> tuple[str, ...]:
    """Names of what can leave a trace: the platform first, then frames on bodies, then bodies."""
    mechanism = run.model.mechanism
    names = list(mechanism.frames)
    bodies = {link.name for link in mechanism.links}
    platform = mechanism.links[0].name if run.layout.n_pose else None
    first = [n for n in names if n == platform]
    own = [n for n in names if n not in bodies]
    return tuple(dict.fromkeys([*first, *own, *names]))


def first_trace(run: Run) -> str | None:
    """The frame that leaves a trace unless told otherwise."""
    names = traced_frames(run)
    return names[0] if names else None


def path(run: Run, frame: str) -> Array:
    """Positions (n, 3) of a frame's origin at all stored states, m; NaN where it is not known."""
    return run[f"{frame}.pose"][:, :3]


def drawn_path(points: Array, most: int = POINTS) -> Array:
    """Pieces of line (m, 2, 3) through points (n, 3), fewer where the path is long; gaps where points are not finite.

    Points are left out where the path goes straight on: each kept stretch is as long as the others."""
    p = points[np.isfinite(points).all(axis=1)]
    if len(p) < 2:
        return np.zeros((0, 2, 3))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    if len(p) > most:
        wanted = np.linspace(0.0, way[-1], most)
        p = p[np.unique(np.clip(np.searchsorted(way, wanted), 0, len(p) - 1))]
    lines = np.stack([p[:-1], p[1:]], axis=1)
    return lines[np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > 0]


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
