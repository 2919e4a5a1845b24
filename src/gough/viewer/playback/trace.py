"""The path of a point over a run."""

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
