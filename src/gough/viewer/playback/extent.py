"""How much room a robot needs over a run."""

from typing import Any

import numpy as np

from gough.viewer.drawing.figure import Figure

Array = np.ndarray

SAMPLES = 400
"""States of a run that are looked at."""


def extent(figure: Figure, q: Any = None) -> Array:
    """(2, 3): lowest and highest coordinates (m) of what is drawn at home, or at configurations (n, nq)."""
    bounds = np.asarray(figure.bounds(), dtype=float)
    if q is None:
        return bounds
    home = figure.place(figure.model.home).position
    spare = bounds[0] - home.min(axis=0), bounds[1] - home.max(axis=0)  # drawn beyond the links' origins
    some = q[np.unique(np.linspace(0, len(q) - 1, min(len(q), SAMPLES)).astype(int))]
    placed = figure.place(some).position.reshape(-1, 3)
    placed = placed[np.isfinite(placed).all(axis=1)]
    return np.stack([placed.min(axis=0) + spare[0], placed.max(axis=0) + spare[1]])
