"""Parts of runs, and runs one after the other."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.simulation.given import is_number
from gough.simulation.results.recorded import Recorded, lock_array

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
REFERENCE = "reference"
"""Recorded where a run had a motion to follow; one of two runs may have none."""

ROUNDING = 1e-12
"""Times that meet agree to this part of them."""
SAME = 1e-8
"""States that meet agree to this, relative to 1 and to their size."""


def between(run: "Run", start: float | None, end: float | None) -> "Run":
    """See `Run.between`."""
    for name, given in (("start", start), ("end", end)):
        if given is not None and not is_number(given):
            raise UsageError(f"between: {name}={given!r}; give a time in s, or None")
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
    if not runs:
        raise UsageError("concatenate: give a list of runs, at least one")
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
