"""Channels of all runs of an ensemble at once: between which values they lie, and how far runs missed their motion.

Runs of one design stand one after the other as one long run whose channels are computed in one go; runs of designs of their own
are asked one by one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arguments import floats
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.ensembles._plan import SIGNALS
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import Tracking, recorded_reference, told_motion, tracking
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import Ensemble

Array = np.ndarray
OF_TIME = ("t", "acceleration", "energies", "power", "drives.power", "wrench", "reference", "tracking")
"""Channels that runs one after the other do not tell: they follow from times, loads and works of each."""

MISSED = 0.01
"""Of the largest distance from the motion: what stored states may miss before a warning says so."""


@dataclass(frozen=True, eq=False)
class Band:
    """Between which values runs lie at every stored time. percent (n,): shares of the runs; values (n, m, columns): below which
    these shares lie; columns, units: of the channel; runs (m,): how many there are at every time."""

    time: Array
    percent: Array
    values: Array
    columns: tuple[str, ...]
    units: tuple[str, ...]
    runs: Array

    __repr__ = short_repr


def band_of(found: "Ensemble", channel: str, percent: Sequence[float]) -> Band:
    """See `Ensemble.band`."""
    shares = floats("percent", percent)
    if shares.ndim != 1 or not len(shares) or not ((shares >= 0) & (shares <= 100)).all():
        raise UsageError(f"percent={percent!r}: give numbers between 0 and 100")
    many, (columns, units) = channel_of(found, channel)
    there = np.asarray(np.isfinite(many).all(axis=2))
    with np.errstate(all="ignore"):
        values = np.array([_percentiles(many[there[:, k], k], shares) for k in range(many.shape[1])])
    return Band(found.time, shares, values.transpose(1, 0, 2), columns, units, there.sum(axis=0))


def _percentiles(x: Array, shares: Array) -> Array:
    return np.percentile(x, shares, axis=0) if len(x) else np.full((len(shares), x.shape[1]), np.nan)


def channel_of(found: "Ensemble", name: str) -> tuple[Array, tuple[tuple[str, ...], tuple[str, ...]]]:
    """((runs, m, columns) of a channel, NaN where a run had ended, (columns, their units))."""
    out, told = None, ((), ())
    for rows, good, run in _runs(found, name in OF_TIME):
        x, about = np.asarray(run[name]), run.channel(name)
        told = about.entries, about.units
        if out is None:
            out = np.full((found.runs, len(found.time), len(about.entries)), np.nan)
        out[rows][good] = x.reshape(len(x), -1)
    if out is None:
        raise UsageError("an ensemble without runs has no channels")
    return out, told


def largest_errors(found: "Ensemble") -> Tracking:
    """See `Ensemble.tracking`."""
    out, between = dict[str, Array](), dict[str, float]()
    for rows, good, run in _runs(found, False):
        for unit, error in tracking(run).items():
            known = np.full(good.shape, -np.inf)
            known[good] = error
            largest = known.max(axis=1)
            out.setdefault(unit, np.full(found.runs, np.nan))[rows] = np.where(np.isfinite(largest), largest, np.nan)
            between[unit] = max(between.get(unit, 0.0), float(_summits(found.time, known).max(initial=0.0)))
    made = Tracking(out, f"runs, each at {len(found.time)} stored states")
    for unit, most in made.largest.items():
        if between[unit] > (1 + MISSED) * most:
            warn(
                f"tracking: largest distances are those of the {len(found.time)} stored states; between them one is about "
                f"{between[unit]:.3g} {unit} (a parabola through three), the largest stored is {most:.3g} {unit}: give "
                "simulate_many a larger stored=",
                RunWarning,
            )
    return made


def _summits(time: Array, errors: Array) -> Array:
    """How high (runs,) parabolas through the largest of errors (runs, m) at times (m,) and its neighbours rise; 0 where the
    largest is the first or the last of them."""
    k = errors.argmax(axis=1)
    inside = np.flatnonzero((k > 0) & (k < errors.shape[1] - 1))
    out = np.zeros(len(errors))
    at = k[inside, None] + np.array([-1, 0, 1])
    t, e = time[at], errors[inside[:, None], at]
    with np.errstate(all="ignore"):
        rise = np.diff(e, axis=1) / np.diff(t, axis=1)
        bend = (rise[:, 1] - rise[:, 0]) / (t[:, 2] - t[:, 0])
        top = (t[:, 0] + t[:, 1]) / 2 - rise[:, 0] / (2 * bend)
        height = e[:, 0] + (top - t[:, 0]) * (rise[:, 0] + bend * (top - t[:, 1]))
    out[inside] = np.where(np.isfinite(height), height, 0.0)
    return out


def _runs(found: "Ensemble", one_by_one: bool) -> Iterator[tuple[slice, Array, Run]]:
    """(which runs, their stored times (runs, m) that are in it, all these one after the other as a run)."""
    subject = found.subject
    if subject is None:
        raise UsageError("this ensemble does not know what was simulated")
    if one_by_one or subject.designs is not None or subject.loads.wrenches.frames:
        for k in range(found.runs):
            good = np.asarray(np.isfinite(found.records.one_run(k)["q"]).all(axis=1))
            if good.any():
                yield slice(k, k + 1), good[None], found.run(k)
        return
    names = [name for name in found.records.names if name != "works"]
    for rows, x in found.records.pieces(names):
        good = np.asarray(np.isfinite(x["q"]).all(axis=2))
        if not good.any():
            continue
        time = np.broadcast_to(found.time, good.shape)[good]
        more = {} if SIGNALS not in x else subject.told_signals(x[SIGNALS][good])
        more |= recorded_reference(subject.model.layout, subject.motion, time)
        states = (x[name][good] for name in ("q", "v", "tau"))
        yield (
            rows,
            good,
            Run.from_states(
                subject.model, np.arange(float(good.sum())), *states, recorded=more, motion=told_motion(subject.motion)
            ),
        )
