"""Curves over time for the page and for files: which there are, in one panel a kind and unit, two runs in the same panels."""

from dataclasses import dataclass

import numpy as np

from gough.simulation.results.plot import DEFAULT, PlotPanel, panels
from gough.simulation.results.run import Run

Array = np.ndarray

COLOURS = ("#1f77b4", "#e07b1a", "#2a9d5c", "#c0504d", "#8a63b0", "#8c6d5a", "#d069b0", "#7a7a7a", "#a8a423")
LINES = 9
"""Curves of a panel; of more the largest."""
ORDER = (
    "pose", "angles", "twist", "drives.position", "drives.rate", "drives.force", "drives.power", "elastic", "elastic.rate",
    "energies", "power", "joints", "joints.rate", "acceleration", "closure_error",
)  # fmt: skip
"""Channels that are offered first."""
SMALL, LARGE = 0.02, 1e5
"""An axis that spans less, or reaches further, counts in another power of ten."""
LEFT_OUT = ("t", "tau", "q", "v", "status")
"""Channels that others show already."""


@dataclass(frozen=True)
class Curve:
    """One line: values (n,) over time (n,), in the unit of its panel. run: 0 or 1, which run it is of."""

    name: str
    run: int
    time: Array
    values: Array


@dataclass(frozen=True)
class CurvePanel:
    """Curves in one unit. more: how many were left out, those that stay smallest."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    more: int = 0

    @property
    def label(self) -> str:
        """Title with unit."""
        return f"{self.title} ({self.unit})"


def offered(runs: tuple[Run, ...]) -> tuple[str, ...]:
    """Names of channels that can be drawn, the usual ones first."""
    named = list(dict.fromkeys(c.name for run in runs for c in run.channels()))
    first = [name for name in ORDER if name in named]
    return (*first, *(n for n in named if n not in first and n not in LEFT_OUT))


def usual(run: Run) -> tuple[str, ...]:
    """Channels drawn at first: where it is, what the drives give, how it bends."""
    wanted = [
        "pose" if "pose" in run else "drives.position",
        "drives.force",
        "elastic" if "elastic" in run else "energies",
    ]
    return tuple(name for name in wanted if name in run) or tuple(n for n in DEFAULT if n in run)[:3]


def curve_panels(runs: tuple[Run, ...], name: str) -> tuple[CurvePanel, ...]:
    """The panels of a channel or column, in every run that has it; curves of the second run follow those of the first."""
    found: dict[tuple[str, str], list[Curve]] = {}
    kept: dict[tuple[str, str], list[str]] = {}
    more: dict[tuple[str, str], int] = {}
    for number, run in enumerate(runs):
        if name not in run:
            continue
        for panel in panels(run, (name,)):
            key = (panel.title or panel.columns[0], panel.unit)
            if key not in kept:
                kept[key] = _largest_columns(panel)
                more[key] = len(panel.columns) - len(kept[key])
            columns = [c for c in kept[key] if c in panel.columns]
            if not columns:
                columns = _largest_columns(panel)
            found.setdefault(key, []).extend(
                Curve(c, number, run.time, panel.values[:, panel.columns.index(c)]) for c in columns
            )
    return tuple(CurvePanel(title, unit, tuple(c), more[title, unit]) for (title, unit), c in found.items())


def _largest_columns(panel: PlotPanel) -> list[str]:
    if len(panel.columns) <= LINES:
        return list(panel.columns)
    size = np.nanmax(np.abs(np.where(np.isfinite(panel.values), panel.values, 0.0)), axis=0)
    chosen = sorted(np.argsort(-size, kind="stable")[:LINES].tolist())
    return [panel.columns[i] for i in chosen]


def value_at(curve: Curve, time: float) -> float:
    """The value at a time (s): of the last stored state at or before it; NaN outside the run."""
    if time < curve.time[0] or time > curve.time[-1]:
        return float("nan")
    return float(curve.values[max(int(np.searchsorted(curve.time, time, side="right")) - 1, 0)])


def curve_colours(panel: CurvePanel) -> list[str]:
    """A colour for each curve; the same name has the same colour in both runs."""
    names = list(dict.fromkeys(c.name for c in panel.curves))
    return [COLOURS[names.index(c.name) % len(COLOURS)] for c in panel.curves]


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
