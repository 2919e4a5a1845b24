"""Curves over time for the page and for files: which there are, in one panel a kind and unit, two runs in the same panels, what
was wanted, shown and commanded beside what is; with fewer points where they are long, and no peak lost.
"""

from dataclasses import dataclass

import numpy as np

from gough.simulation.results.plot import DEFAULT, PlotPanel, panels, shorten_column
from gough.simulation.results.run import Run
from gough.viewer._beside import SideCurve, beside, off_columns, off_names

Array = np.ndarray

COLOURS = ("#1f77b4", "#e07b1a", "#2a9d5c", "#c0504d", "#8a63b0", "#8c6d5a", "#d069b0", "#7a7a7a", "#a8a423")
PALE = "80"
"""Opacity, as a colour's last two digits."""
LINES = 9
"""Curves of a panel; of more the largest."""
ORDER = (
    "pose", "angles", "tracking", "twist", "drives.position", "drives.rate", "drives.force", "drives.power", "elastic",
    "elastic.rate", "energies", "power", "joints", "joints.rate", "acceleration", "closure_error",
)  # fmt: skip
"""Channels that are offered first."""
SMALL, LARGE = 0.02, 1e5
"""An axis that spans less, or reaches further, counts in another power of ten."""
LEFT_OUT = ("t", "tau", "q", "v", "status", "reference", "command")
"""Channels that others show already."""


@dataclass(frozen=True)
class PlottedCurve:
    """One line: values (n,) over time (n,), in the unit of its panel. run: 0 or 1, which run it is of. role: "" of what is;
    "reference", "command" or a sensor's name of what is drawn beside the curve of that name."""

    name: str
    run: int
    time: Array
    values: Array
    role: str = ""


@dataclass(frozen=True)
class CurvePanel:
    """Curves in one unit. more: how many were left out, those that stay smallest."""

    title: str
    unit: str
    curves: tuple[PlottedCurve, ...]
    more: int = 0

    @property
    def label(self) -> str:
        """Title with unit."""
        return f"{self.title} ({self.unit})"


def offered_channels(runs: tuple[Run, ...]) -> tuple[str, ...]:
    """Names of channels that can be drawn, the usual ones first; and of what sensors are off by."""
    named = list(dict.fromkeys(c.name for run in runs for c in run.channels()))
    off = list(dict.fromkeys(name for run in runs for name in off_names(run)))
    first = [name for name in ORDER if name in named]
    return (*first, *off, *(n for n in named if n not in first and n not in LEFT_OUT))


def usual_channels(run: Run) -> tuple[str, ...]:
    """Channels drawn at first: where it is, how far off, what sensors are off by, what the drives give, how it bends."""
    wanted = [
        "pose" if "pose" in run else "drives.position",
        *(["tracking"] if "tracking" in run else []),
        *off_names(run)[:1],
        "drives.force",
        *(["elastic"] if "elastic" in run else [] if "tracking" in run else ["energies"]),
    ]
    known = (*(c.name for c in run.channels()), *off_names(run))
    return tuple(name for name in wanted if name in known) or tuple(n for n in DEFAULT if n in run)[:3]


def curve_panels(runs: tuple[Run, ...], name: str) -> tuple[CurvePanel, ...]:
    """The panels of a channel or column, in every run that has it; curves of the second run follow those of the first. What is
    drawn beside a curve stands before it."""
    found: dict[tuple[str, str], list[PlottedCurve]] = {}
    kept: dict[tuple[str, str], list[str]] = {}
    more: dict[tuple[str, str], int] = {}
    for number, run in enumerate(runs):
        around = _beside_columns(run, name)
        for panel in _panels_of(run, name):
            key = (panel.title or panel.columns[0], panel.unit)
            if key not in kept:
                kept[key] = _largest_columns(panel)
                more[key] = len(panel.columns) - len(kept[key])
            columns = [c for c in kept[key] if c in panel.columns]
            if not columns:
                columns = _largest_columns(panel)
            own = [PlottedCurve(c, number, run.time, panel.values[:, panel.columns.index(c)]) for c in columns]
            other = [PlottedCurve(c, number, run.time, b.values, b.role) for c in columns for b in around.get(c, ())]
            found.setdefault(key, []).extend([*other, *own])
    return tuple(CurvePanel(title, unit, tuple(c), more[title, unit]) for (title, unit), c in found.items())


def _panels_of(run: Run, name: str) -> list[PlotPanel]:
    if name in off_names(run):
        columns = off_columns(run, name)
        title = f"{name.rpartition('.')[0]}: shown less true"
        out = []
        for unit in dict.fromkeys(unit for unit, _ in columns.values()):
            own = {column: values for column, (of, values) in columns.items() if of == unit}
            out.append(PlotPanel(title, unit, tuple(own), np.stack(list(own.values()), axis=1)))
        return out
    found = panels(run, (name,)) if name in run else []
    some = [panel for panel in found if panel.values.any()] if name == "tracking" else []
    return some or found  # nothing is said of turns where there are none


def _beside_columns(run: Run, name: str) -> dict[str, list[SideCurve]]:
    """What is drawn beside the columns of a panel, as they are called there."""
    if name not in run:
        return {}
    channel = run.channel(name)
    found = beside(run, channel.name)
    if run[name].ndim == 1 and not channel.single:  # one column of it
        mine = next((entry for entry in channel.entries if name in (entry, f"{channel.name}.{entry}")), "")
        return {name: found[mine]} if mine in found else {}
    return {shorten_column(entry, name): values for entry, values in found.items()}


def _largest_columns(panel: PlotPanel) -> list[str]:
    if len(panel.columns) <= LINES:
        return list(panel.columns)
    size = np.nanmax(np.abs(np.where(np.isfinite(panel.values), panel.values, 0.0)), axis=0)
    chosen = sorted(np.argsort(-size, kind="stable")[:LINES].tolist())
    return [panel.columns[i] for i in chosen]


def value_at(curve: PlottedCurve, time: float) -> float:
    """The value at a time (s): of the last stored state at or before it; NaN outside the run."""
    if time < curve.time[0] or time > curve.time[-1]:
        return float("nan")
    return float(curve.values[max(int(np.searchsorted(curve.time, time, side="right")) - 1, 0)])


def curve_colours(panel: CurvePanel) -> list[str]:
    """A colour for each curve; the same name has the same colour in both runs, and paler in what is drawn beside it."""
    names = list(dict.fromkeys(c.name for c in panel.curves))
    return [COLOURS[names.index(c.name) % len(COLOURS)] + (PALE if c.role else "") for c in panel.curves]


def axis_power(panel: CurvePanel) -> int:
    """The power of ten (…, -6, -3, 0, 3, …) that an axis counts in: its ticks have three decimals and should all differ."""
    low, high = value_range(panel)
    span, size = high - low, max(abs(low), abs(high))
    if span < SMALL:
        return 3 * int(np.floor(np.log10(span / SMALL) / 3))
    return 3 * int(np.floor(np.log10(size) / 3)) if size >= LARGE else 0


def value_range(panel: CurvePanel) -> tuple[float, float]:
    """Of the values, with some room; of a constant one too."""
    values = [c.values[np.isfinite(c.values)] for c in panel.curves]
    found = [(float(v.min()), float(v.max())) for v in values if len(v)]
    low, high = (min(a for a, _ in found), max(b for _, b in found)) if found else (0.0, 1.0)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


# Long curves for a small screen: fewer points, no peak lost.


def thin_curves(time: Array, values: Array, points: int = 600) -> tuple[Array, Array]:
    """Curves (n, k) over time (n,) with at most about `points` points (m,), (m, k).

    Every stretch of samples gives two points, in which each curve has its smallest and largest value in the order in which it
    takes them: peaks stay in height, and in place to half a stretch. Ends stay as they are. NaN: no value; a stretch of
    nothing else stays NaN. Short curves come back as they are.
    """
    n = len(time)
    buckets = max(points // 2 - 1, 1)
    if n <= max(points, 4):
        return time, values
    edges = 1 + np.unique(np.linspace(0, n - 2, buckets + 1).astype(int))  # ends are apart
    first, last = edges[:-1], edges[1:] - 1
    filled_low = np.where(np.isnan(values), np.inf, values)
    filled_high = np.where(np.isnan(values), -np.inf, values)
    low = np.minimum.reduceat(filled_low[: n - 1], first, axis=0)
    high = np.maximum.reduceat(filled_high[: n - 1], first, axis=0)
    which = np.repeat(np.arange(len(first)), last - first + 1)
    inside = slice(1, n - 1)
    low_at = _first_place(filled_low[inside] == low[which], which, len(first))
    high_at = _first_place(filled_high[inside] == high[which], which, len(first))
    empty = ~np.isfinite(low) & ~np.isfinite(high)
    low, high = np.where(empty, np.nan, low), np.where(empty, np.nan, high)
    falls = high_at < low_at
    out = np.empty((2 * len(first) + 2, values.shape[1]))
    out[0], out[-1] = values[0], values[-1]
    out[1:-1:2] = np.where(falls, high, low)
    out[2:-1:2] = np.where(falls, low, high)
    at = np.empty(len(out))
    at[0], at[-1] = time[0], time[-1]
    at[1:-1:2], at[2:-1:2] = time[first], time[last]
    return at, out


def _first_place(found: Array, which: Array, count: int) -> Array:
    """Row (count, k) in which each bucket first has a mark, of marks (n, k) in buckets `which` (n,)."""
    rows = np.arange(len(found))
    out = np.full((count, found.shape[1]), len(found))
    for k in range(found.shape[1]):
        marked = rows[found[:, k]]
        np.minimum.at(out[:, k], which[marked], marked)
    return out


def samples_within(time: Array, start: float, end: float) -> slice:
    """The samples from start to end (s), with one beyond each."""
    a = int(np.searchsorted(time, start, side="left"))
    b = int(np.searchsorted(time, end, side="right"))
    return slice(max(a - 1, 0), min(b + 1, len(time)))
