"""Two runs beside each other: differences channel by channel, where they are largest and when."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.parts import select_states
from gough.simulation.results.recorded import quaternions
from gough.spatial.poses import pose_difference
from gough.structure.layout import POSE_NAMES
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray

DEFAULT = ("pose", "twist", "drives.position", "drives.rate", "drives.force", "elastic", "joints", "v")
"""Channels that are compared where both runs have them."""


@dataclass(frozen=True)
class Difference:
    """One quantity: largest |other - run| with the column and the time (s) of it, in `unit`; range: of the first run's values,
    the largest over the columns in that unit; root_mean_square over all columns and times."""

    name: str
    unit: str
    largest: float
    column: str
    time: float
    range: float
    root_mean_square: float

    @property
    def relative(self) -> float:
        """largest / range; infinite where the first run does not move but the other does."""
        if self.range == 0.0:
            return 0.0 if self.largest == 0.0 else float("inf")
        return self.largest / self.range


@dataclass(frozen=True)
class Comparison:
    """Differences by name and unit; `values` {channel: (n, k)} at `time` (n,). Poses are compared as position (m) and rotation
    vector (rad), quaternions of joints by the nearer sign."""

    time: Array
    differences: tuple[Difference, ...]
    values: Mapping[str, Array] = field(repr=False)

    def __getitem__(self, name: str) -> Difference:
        """The largest difference of a channel, or of "channel [unit]" where it has several units."""
        found = [d for d in self.differences if d.name == name or f"{d.name} [{d.unit}]" == name]
        if not found:
            told = ", ".join(f"{d.name} [{d.unit}]" for d in self.differences)
            raise UsageError(f"{name!r} was not compared; there are {told}")
        if len(found) > 1:
            told = ", ".join(f"'{d.name} [{d.unit}]'" for d in found)
            raise UsageError(f"{name!r} has several units: ask for {told}")
        return found[0]

    @property
    def worst(self) -> Difference:
        """The largest difference relative to its range."""
        return max(self.differences, key=lambda d: d.relative)

    def __str__(self) -> str:
        rows = [("channel", "largest", "unit", "column", "at t (s)", "relative")]
        for d in self.differences:
            rows.append((d.name, f"{d.largest:.3g}", d.unit, d.column, f"{d.time:.6g}", f"{d.relative:.2g}"))
        widths = [max(len(row[k]) for row in rows) for k in range(6)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)

    __repr__ = short_repr


def compare(run: "Run", other: "Run", channels: Iterable[str] | None) -> Comparison:
    """See `Run.compare`. The runs may be of different robots (rigid and flexible): columns are matched by their names. Times
    are those of `run` that both have; `other` is resampled unless its times are the same."""
    start, end = max(run.time[0], other.time[0]), min(run.time[-1], other.time[-1])
    if start > end:
        raise UsageError(
            f"compare: the runs have no time in common ({run.time[0]:g} … {run.time[-1]:g} s and "
            f"{other.time[0]:g} … {other.time[-1]:g} s)"
        )
    if not (np.shape(run.time) == np.shape(other.time) and (run.time == other.time).all()):
        run = run.between(start, end)
        run = run if (np.diff(run.time) > 0).all() else _after_jumps(run)
        other = other.resample(run.time)
    wanted = tuple(n for n in DEFAULT if n in run and n in other) if channels is None else tuple(channels)
    if not wanted:
        raise UsageError("compare: the runs have no channel in common; name some")
    values: dict[str, Array] = {}
    rows: list[Difference] = []
    for name in wanted:
        columns, units, base, change = _difference(run, other, name)
        values[name] = change
        for unit in dict.fromkeys(units):
            at = [i for i, u in enumerate(units) if u == unit]
            rows.append(_row(name, unit, [columns[i] for i in at], run.time, base[:, at], change[:, at]))
    return Comparison(run.time, tuple(rows), values)


def _after_jumps(run: "Run") -> "Run":
    return select_states(run, np.flatnonzero(np.append(np.diff(run.time) > 0, True)))


def _difference(run: "Run", other: "Run", name: str) -> tuple[list[str], list[str], Array, Array]:
    """(columns, units, values of the first, second - first), columns that both have."""
    mine, theirs = run.channel(name), other.channel(name)
    if name not in (mine.name, theirs.name):  # a single column
        return [name], [run.unit(name)], run[name][:, None], (other[name] - run[name])[:, None]
    a, b = _columns(run, name), _columns(other, name)
    if mine.entries == theirs.entries and len(mine.entries) == 7 and mine.entries[-1].endswith(POSE_NAMES[-1]):
        stems = [e.removesuffix(POSE_NAMES[0]) for e in mine.entries[:1]]
        columns = [*mine.entries[:3], *(f"{stems[0]}{r}" for r in ("rx", "ry", "rz"))]
        base = np.concatenate([a[:, :3], pose_difference(a[:1], a)[:, 3:]], axis=1)
        return columns, ["m"] * 3 + ["rad"] * 3, base, pose_difference(a, b)
    common = [e for e in mine.entries if e in theirs.entries]
    if not common:
        raise UsageError(f"compare: {name} of the two runs has no column in common")
    a = a[:, [mine.entries.index(e) for e in common]]
    b = b[:, [theirs.entries.index(e) for e in common]].copy()
    for k in quaternions(tuple(common)):
        flipped = (a[:, k : k + 4] * b[:, k : k + 4]).sum(axis=1) < 0
        b[flipped, k : k + 4] *= -1
    return common, [mine.units[mine.entries.index(e)] for e in common], a, b - a


def _columns(run: "Run", name: str) -> Array:
    x = run[name]
    return x[:, None] if x.ndim == 1 else x


def _row(name: str, unit: str, columns: list[str], time: Array, base: Array, change: Array) -> Difference:
    size = np.abs(change)
    if not np.isfinite(size).any():
        return Difference(name, unit, float("nan"), columns[0], float("nan"), float("nan"), float("nan"))
    row, column = np.unravel_index(int(np.nanargmax(size)), size.shape)
    finite = np.isfinite(base).any(axis=0)
    spread = np.nanmax(base[:, finite], axis=0) - np.nanmin(base[:, finite], axis=0) if finite.any() else np.zeros(1)
    mean = float(np.sqrt(np.nanmean(change**2)))
    return Difference(
        name, unit, float(size[row, column]), columns[column], float(time[row]), float(spread.max()), mean
    )
