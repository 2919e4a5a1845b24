"""Ranges of a map where none are given: around home, as far as the robot reaches."""

from collections.abc import Mapping

import numpy as np

from gough.analysis.grids import home_coordinates, known_coordinates, make_samples
from gough.analysis.workspace_growth import grid_survey
from gough.analysis.workspace_states import Settings, Surveyor, Verdict
from gough.compilation import Model
from gough.compilation.leading import natural_coordinates
from gough.errors import UsageError

POINTS = {1: 401, 2: 101, 3: 31}
"""Points an axis of a default grid, by the number of axes."""
PROBE = {1: 65, 2: 21, 3: 13}
WIDEST = 8.0
"""A robot that still reaches at this many sizes from home is taken as unbounded: its map shows one size around home."""


def default_names(model: Model, fixed: Mapping[str, float]) -> list[str]:
    """Positions of the platform that are free, else the first independent coordinates, at most three."""
    names = ["x", "y", "z"] if model.geometry.by_legs else natural_coordinates(model)
    known = [n for n in names if n in known_coordinates(model) and n not in fixed]
    positions = [n for n in known if n in ("x", "y", "z")]
    if not model.mobility:
        raise UsageError(f"{model.robot.name} has no rigid freedom: there is nothing to map; see natural_frequencies")
    if not known:
        raise UsageError("every independent coordinate is fixed; give ranges, or fix fewer")
    return positions or known[:3]


def default_ranges(model: Model, fixed: Mapping[str, float], settings: Settings, random: bool) -> dict[str, tuple]:
    """{name: (low, high, points)}; angles go once around, lengths to the edge of what is reachable."""
    names = default_names(model, fixed)
    home, units = home_coordinates(model), known_coordinates(model)
    low = np.array([home[n] - (np.pi if units[n] == "rad" else 2.0 * model.size) for n in names])
    high = np.array([home[n] + (np.pi if units[n] == "rad" else 2.0 * model.size) for n in names])
    lengths = np.array([units[n] == "m" for n in names])
    if lengths.any():
        low, high = _fitted(model, names, fixed, settings, low, high, lengths)
    points = () if random else (POINTS[len(names)],)
    return {n: (_round(a, b, a), _round(a, b, b), *points) for n, a, b in zip(names, low, high, strict=True)}


def _fitted(
    model: Model, names: list[str], fixed, settings: Settings, low, high, lengths
) -> tuple[np.ndarray, np.ndarray]:
    """Widen while the border is reached, then narrow to what is reached and one cell more, twice."""
    centre, narrowed = 0.5 * (low + high), 0
    while narrowed < 2:
        reached, cell = _reached_box(model, names, fixed, settings, low, high)
        if reached is None:
            return np.where(lengths, 0.5 * (low + centre), low), np.where(lengths, 0.5 * (high + centre), high)
        below, above = lengths & (reached[0] < low + 0.5 * cell), lengths & (reached[1] > high - 0.5 * cell)
        if narrowed:  # a tip between the points of the wider grid
            low, high = np.where(below, low - 2 * cell, low), np.where(above, high + 2 * cell, high)
        elif (below | above).any():
            if (high - low)[lengths].max() >= 2.0 * WIDEST * model.size:
                return np.where(lengths, centre - model.size, low), np.where(lengths, centre + model.size, high)
            wider = below | above
            low = np.where(wider, centre - 2.0 * (centre - low), low)
            high = np.where(wider, centre + 2.0 * (high - centre), high)
            continue
        margin = cell * (1.0 + 0.5 * narrowed)
        low = np.where(lengths & ~below, reached[0] - margin, low)
        high = np.where(lengths & ~above, reached[1] + margin, high)
        narrowed += 1
    return low, high


def _reached_box(model: Model, names: list[str], fixed, settings: Settings, low, high):
    """((lowest, highest) reached values (axes,) or None, cells (axes,)) of a coarse grid."""
    points = PROBE[len(names)]
    ranges = {n: (a, b, points) for n, a, b in zip(names, low, high, strict=True)}
    samples = make_samples(model, ranges, fixed, None, 0)
    found = grid_survey(Surveyor(model, samples, settings))
    x = samples.coordinates()[found["verdict"] <= Verdict.SINGULAR]
    return (x.min(axis=0), x.max(axis=0)) if len(x) else None, (high - low) / (points - 1)


def _round(low: float, high: float, value: float) -> float:
    """Bounds with few digits: a hundredth of the range."""
    step = 10.0 ** np.floor(np.log10(high - low) - 1.5)
    return float(np.round(np.round(value / step) * step, 12))
