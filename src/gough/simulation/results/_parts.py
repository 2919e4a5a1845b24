"""Runs from runs: parts of them, one after the other, and two beside each other: differences channel by channel, where they are
largest and when.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.simulation.results._recorded import Recorded, lock_array, quaternions
from gough.simulation.results.tracking import REFERENCE
from gough.spatial.poses import pose_difference
from gough.structure.layout import POSE_NAMES
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
ROUNDING = 1e-12
"""Times that meet agree to this part of them."""
SAME = 1e-8
"""States that meet agree to this, relative to 1 and to their size."""
DEFAULT = ("pose", "twist", "drives.position", "drives.rate", "drives.force", "elastic", "joints", "v")
"""Channels that are compared where both runs have them."""


def between(run: "Run", start: float | None, end: float | None) -> "Run":
    """See `Run.between`."""
    first = run.time[0] if start is None else start
    last = run.time[-1] if end is None else end
    near = ROUNDING * max(abs(first), abs(last))
    rows = np.flatnonzero((run.time >= first - near) & (run.time <= last + near))
    if not len(rows):
        raise UsageError(
            f"no state is stored from {first:g} s to {last:g} s; the run has {run.time[0]:g} … {run.time[-1]:g} s"
            ", and resample(times) gives states between stored ones"
        )
    events = [e for e in run.info.events if first - near <= e[0] <= last + near]
    return select_states(run, rows).described(events=events)


def select_states(run: "Run", rows: Array) -> "Run":
    """The run with these of its states; what was computed from all of them is computed anew."""

    def take(x: Array | None) -> Array | None:
        return None if x is None else lock_array(x[rows])

    kept = {name: replace(r, values=lock_array(r.values[rows])) for name, r in _own(run).items()}
    return replace(
        run,
        **{name: take(getattr(run, name)) for name in ("time", "q", "v", "tau", "given_acceleration", "given_status")},
        wrench={frame: lock_array(w[rows]) for frame, w in run.wrench.items()},
        recorded=kept,
        _cache={},
    )


def concatenate(runs: "list[Run]", shift: bool) -> "Run":
    """See `Run.concatenate`."""
    done = runs[0]
    for number, nxt in enumerate(runs[1:], start=1):
        _demand_alike(done, nxt, number)
        if shift:
            later = done.time[-1] - nxt.time[0]
            nxt = replace(nxt, time=lock_array(nxt.time + later), _cache={})
            nxt = nxt.described(events=[event.later(later) for event in nxt.info.events])
        done = _joined(done, nxt, number)
    return done


def _demand_alike(first: "Run", second: "Run", number: int) -> None:
    if first.robot.digest != second.robot.digest or first.layout != second.layout:
        raise UsageError(f"concatenate: run {number} is of another robot ({second.robot.name}, not {first.robot.name})")
    a, b = first.parameters, second.parameters
    if (a is None) != (b is None) or (a is not None and b is not None and (a != b).any()):
        raise UsageError(f"concatenate: run {number} is of another design (parameters)")
    if first.tau_held != second.tau_held:
        raise UsageError(f"concatenate: run {number} has another tau_held")
    # a run without a motion to follow has no reference
    if (set(_own(first)) ^ set(_own(second))) - {REFERENCE} or set(first.wrench) != set(second.wrench):
        raise UsageError(f"concatenate: run {number} has other recorded channels or wrenches")


def _joined(first: "Run", second: "Run", number: int) -> "Run":
    gap = second.time[0] - first.time[-1]
    if abs(gap) > ROUNDING * max(abs(first.time[-1]), abs(second.time[-1])):
        raise UsageError(
            f"concatenate: run {number} starts at {second.time[0]:g} s, {'before' if gap < 0 else 'after'} the end of the one "
            f"before at {first.time[-1]:g} s; shift=True moves it"
        )
    second = replace(second, time=lock_array(np.append(first.time[-1], second.time[1:])), _cache={})
    meet = [(a[-1], b[0]) for a, b in ((first.q, second.q), (first.v, second.v))]
    if any((np.abs(a - b) > SAME * (1 + np.abs(a))).any() for a, b in meet):
        raise UsageError(f"concatenate: run {number} starts in another state than the one before ends with")
    same = all((x[-1] == y[0]).all() for x, y in zip(_stored(first), _stored(second), strict=True))
    start = 1 if same else 0  # else the forces jump: both are kept
    rest = select_states(second, np.arange(start, len(second))) if start < len(second) else None
    if rest is None:
        return first

    def put(a: Array, b: Array) -> Array:
        return lock_array(np.concatenate([a, b]))

    joined: dict[str, Array | None] = {
        name: put(getattr(first, name), getattr(rest, name)) for name in ("time", "q", "v", "tau")
    }
    for name in ("given_acceleration", "given_status"):
        a, b = getattr(first, name), getattr(rest, name)
        if a is not None and b is not None:
            joined[name] = put(a, b)
        elif name == "given_status" and (a is not None or b is not None):
            joined[name] = put(first.status, rest.status)
        else:
            joined[name] = None
    recorded = {}
    for name, r in _own(first).items():  # works go on from where they were
        if name not in rest.recorded:
            continue
        offset = r.values[-1] - second.recorded[name].values[0] if name.startswith("work.") else 0.0
        recorded[name] = replace(r, values=put(r.values, rest.recorded[name].values + offset))
    wrench = {frame: put(w, rest.wrench[frame]) for frame, w in first.wrench.items()}
    done = replace(first, **joined, recorded=recorded, wrench=wrench, _cache={})
    still = np.diff(done.time) == 0  # of several jumps at once the first state and the last
    done = select_states(done, np.flatnonzero(~(np.append(still, False) & np.append(False, still))))
    a, b = first.info, second.info
    return done.described(
        stopped=b.stopped,
        ended=b.ended,
        events=[*a.events, *b.events],
        **{name: _summed(getattr(a, name), getattr(b, name)) for name in ("computing_s", "compile_s")},
        error_estimate=_largest(a.error_estimate, b.error_estimate),
    )


def _own(run: "Run") -> dict[str, Recorded]:
    """What was recorded while the run was made."""
    return {name: r for name, r in run.recorded.items() if not r.derived}


def _stored(run: "Run") -> list[Array]:
    return [run.tau, *run.wrench.values()]


def _summed(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def _largest(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)


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
