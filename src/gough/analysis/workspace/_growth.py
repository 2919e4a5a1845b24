"""Samples of mechanisms that are led (Newton): from coarse to fine, every point from the nearest one that is reached.

A point near one that is reached takes few iterations and keeps its assembly; points far from everything that is reached
are never tried, so what is reported is connected with home as far as the coarser grid can tell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.analysis.grids import MapSamples, home_coordinates, known_coordinates, make_samples
from gough.analysis.workspace.states import Settings, Surveyor, Verdict, empty
from gough.errors import Status, UsageError
from gough.kinematics.leading import NamedCoordinates, natural_coordinates
from gough.model import Model

FIRST = {1: 17, 2: 11, 3: 9}
"""Points an axis of the first grid, by the number of axes; with more axes 5."""
LARGEST = 30_000
"""Most points of the finest grid that samples start from; at most as many as there are samples."""
TOO_FAR = 1.01
"""Samples further than this many cells (in some coordinate) from every reached point are not tried."""
ROUNDS = 3
"""How often the first grid is tried again from its neighbours."""
NOT_CONNECTED = "not connected with home"


@dataclass(frozen=True)
class Seeds:
    """Reached points of a grid (scaled by its cells) and their q, from the nearest of which samples are led."""

    surveyor: Surveyor
    low: np.ndarray
    cell: np.ndarray
    q: np.ndarray
    tree: Any

    def survey(self, x: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """As `Surveyor.survey`, but samples far from everything reached are not tried."""
        out, q = empty(len(x)), np.full((len(x), self.surveyor.model.layout.nq), np.nan)
        close, nearest = self.nearest(x)
        if len(close):
            found, q[close] = self.surveyor.survey(x[close], self.q[nearest])
            for name in out:
                out[name][close] = found[name]
        left = np.ones(len(x), dtype=bool)
        left[close] = False
        out["status"][left] = Status.OUT_OF_REACH
        out["place"][left] = self.surveyor.places(NOT_CONNECTED)
        out["verdict"][left] = Verdict.UNREACHED
        return out, q

    def nearest(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(samples near enough to a reached point, that point)."""
        if self.tree is None:
            return np.zeros(0, int), np.zeros(0, int)
        scaled = (x - self.low) / self.cell
        distance, nearest = self.tree.query(scaled, p=np.inf)
        close = np.flatnonzero(distance <= TOO_FAR)
        return close, nearest[close]


def seeds(surveyor: Surveyor) -> Seeds:
    """Starts for the samples of a surveyor: grids over its ranges, each twice as fine as the one before."""
    axes = surveyor.samples.axes
    wanted = max(a.points for a in axes) if surveyor.samples.is_grid else np.inf
    points = FIRST.get(len(axes), 5)
    grid = _grid(surveyor.samples, points)
    made = _first(replace_samples(surveyor, grid))
    while (2 * points - 1) ** len(axes) <= min(LARGEST, surveyor.samples.count) and 2 * points - 1 < wanted:
        points = 2 * points - 1
        grid = _grid(surveyor.samples, points)
        x = grid.coordinates()
        made = _seeds_at(replace_samples(surveyor, grid), x, *made.survey(x))
    return replace(made, surveyor=surveyor)


def replace_samples(surveyor: Surveyor, samples: MapSamples) -> Surveyor:
    """The surveyor for other samples of the same coordinates; only the assembly matters there, no orientations."""
    return Surveyor(surveyor.model, samples, surveyor.settings)


def grid_survey(surveyor: Surveyor) -> dict[str, np.ndarray]:
    """The arrays of a small grid, whichever way its states are found."""
    x = surveyor.samples.coordinates()
    return (seeds(surveyor) if surveyor.led else surveyor).survey(x)[0]


def _grid(samples: MapSamples, points: int) -> MapSamples:
    axes = tuple(replace(a, points=points) for a in samples.axes)
    return MapSamples(axes, points ** len(axes), samples.fixed)


def _first(surveyor: Surveyor) -> Seeds:
    """The first grid: all points led from home, then what is left from neighbours that were reached."""
    x = surveyor.samples.coordinates()
    found, q = surveyor.survey(x)
    made = _seeds_at(surveyor, x, found, q)
    for _ in range(ROUNDS):
        left = np.flatnonzero(~_as_home(found))
        close, nearest = made.nearest(x[left])
        if not len(close):
            break
        again, again_q = surveyor.survey(x[left[close]], made.q[nearest])
        better = _as_home(again)
        if not better.any():
            break
        q[left[close][better]] = again_q[better]
        for name, values in found.items():
            values[left[close][better]] = again[name][better]
        made = _seeds_at(surveyor, x, found, q)
    return made


def _as_home(found: dict[str, np.ndarray]) -> np.ndarray:
    """Samples that are assembled, with no loop turned over compared with home."""
    return (found["status"] == Status.OK) & (found["mode"] == 0)


def _seeds_at(surveyor: Surveyor, x: np.ndarray, found: dict[str, np.ndarray], q: np.ndarray) -> Seeds:
    """Seeds at those of the points x that are assembled as home is, and at home."""
    from scipy.spatial import KDTree

    axes, model = surveyor.samples.axes, surveyor.model
    low, cell = np.array([a.low for a in axes]), np.array([a.spacing for a in axes])
    good = _as_home(found)
    points, q = (x[good] - low) / cell, q[good]
    at_home = home_coordinates(model)
    here = all(abs(at_home[name] - value) < 1e-9 for name, value in surveyor.samples.fixed.items())
    if here:
        points = np.concatenate([points, [(np.array([at_home[a.name] for a in axes]) - low) / cell]])
        q = np.concatenate([q, model.home[None]])
    return Seeds(surveyor, low, cell, q, KDTree(points) if len(points) else None)


# Ranges of a map where none are given: around home, as far as the robot reaches.

POINTS = {1: 401, 2: 101, 3: 31}
"""Points an axis of a default grid, by the number of axes."""
PROBE = {1: 65, 2: 21, 3: 13}
WIDEST = 8.0
"""A robot that still reaches at this many sizes from home is taken as unbounded: its map shows one size around home."""


def default_names(model: Model, fixed: Mapping[str, float]) -> list[str]:
    """Positions of the platform that are free, else the first independent coordinates, at most three."""
    names = ["x", "y", "z"] if model.geometry.by_legs else natural_coordinates(model)[: model.mobility]
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
    sizes = NamedCoordinates(
        model, names
    ).sizes  # those of spindles are more than a radian, and they go as far as slides
    lengths = np.array([units[n] == "m" for n in names]) | (sizes > 1.0)
    widest = np.where(lengths, 2.0 * sizes, np.pi)
    low, high = (np.array([home[n] for n in names]) + sign * widest for sign in (-1.0, 1.0))
    if lengths.any():
        low, high = _fit_ranges(model, names, fixed, settings, low, high, lengths, sizes)
    points = () if random else (POINTS[len(names)],)
    return {n: (_round(a, b, a), _round(a, b, b), *points) for n, a, b in zip(names, low, high, strict=True)}


def _fit_ranges(
    model: Model, names: list[str], fixed, settings: Settings, low, high, lengths, sizes
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
            if ((high - low) / sizes)[lengths].max() >= 2.0 * WIDEST:
                return np.where(lengths, centre - sizes, low), np.where(lengths, centre + sizes, high)
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
