"""What is wrong with a record: times, holes, dead and clipped channels, counters that wrap, and units by their factor."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._columns import meanings
from gough.identification.data._outliers import BURST
from gough.identification.data._problems import DataProblem, row_numbers, say_rows
from gough.identification.data._sentinels import Sentinel, record_sentinels, with_bridges
from gough.identification.data._suspicions import find_unit_problems
from gough.identification.data.record import Record
from gough.model.results import LimitKind

if TYPE_CHECKING:
    from gough.model import Model

GAP = 3.5
"""Steps of time, in typical ones, that are a gap."""
LONGEST_STEP = 0.5
"""s: a robot sampled more slowly was hardly meant."""
TICKS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""{unit that times may be in: s}, the largest first."""
USUAL_STEP = 0.05
"""s: steps up to this one are what a log has; the first unit of TICKS that gives one is suggested."""
FEWEST = 20
"""Samples that a record has at least."""
MOST = 1e100
"""Largest number that can be measured: squares of larger ones are none."""
UNIT = 1e-3
"""Accepted error of a quaternion's length; less is rounding or noise."""
OVER_LIMIT, OUTLIERS = 1.5, 0.01
"""Times its limit: a force of another gain or unit, not one that sits there; share of it that may be outliers."""
FORCE_LIMIT = 0.999
"""Of a drive's force limit: what reaches it is at the limit."""
SPIKE, FROM_BELOW = 1.02, 0.9
"""Times the limit: how high a spike is at least, and how low the samples beside it are."""
STRETCH, SHARE = 8, 1e-3
"""Samples of one extreme value in a row, and their share of all, that show a clipped channel."""
BETWEEN = 0.05
"""Share of samples between the extreme values that a clipped channel has at least."""
JUMP, UNUSUAL = 0.8, 10.0
"""A wrap is a step of this part of the channel's range, and this many usual large steps."""


def find_problems(model: "Model", record: Record) -> list[DataProblem]:
    """All problems of a record, those of time first."""
    found = list(_of_names(model, record))
    timed = list(_of_time(record))
    found += timed
    if found and any(p.kind in ("missing", "short") for p in found):
        return found
    found += _of_numbers(record)
    sentinels = record_sentinels(record, force_limits(model))
    found += _of_sentinels(model, record, sentinels)
    record = with_bridges(record, sentinels)
    found += _of_forces(model, record)
    if not any(p.kind in ("unsorted", "nan") for p in found):
        found += _of_counters(model, record)
        found += find_unit_problems(model, record)
    return found


def _of_names(model: "Model", record: Record) -> Iterator[DataProblem]:
    layout = model.layout
    scalar = {layout.q_names[link.q] for link in model.mechanism.links if link.nu == 1}
    for what, names, known in (
        ("position", record.positions, scalar),
        ("rate", record.rates, scalar),
        ("force", record.forces, layout.drive_names),
    ):
        strange = [n for n in names if n not in known]
        if strange:
            remedy = f"there are {', '.join(sorted(known)[:8])}"
            yield DataProblem(
                "missing", record.name, what, f"{model.robot.name} has no {', '.join(strange[:4])}", remedy
            )


def _of_time(record: Record) -> Iterator[DataProblem]:
    time = record.time
    if len(time) < FEWEST:
        yield DataProblem("short", record.name, "time", f"{len(time)} samples", f"a record has at least {FEWEST}")
        return
    bad = np.flatnonzero(~np.isfinite(time))
    if len(bad):
        yield DataProblem(
            "missing", record.name, "time", f"NaN in rows {bad[:4].tolist()}", "remove these rows", row_numbers(bad)
        )
        return
    steps = np.diff(time)
    back = np.flatnonzero(steps < 0) + 1
    same = np.flatnonzero(steps == 0) + 1
    if len(back):
        what = f"goes back at {say_rows(back, time)}, by up to {-steps.min():.6g} s"
        remedy = "sort the log, split it where a counter of time began again, or accept 'unsorted' to have rows sorted"
        yield DataProblem("unsorted", record.name, "time", what, remedy, row_numbers(back))
    if len(same):
        remedy = "remove repeated rows, or accept 'repeated' to keep the first of each"
        yield DataProblem(
            "repeated", record.name, "time", f"stands still at {say_rows(same, time)}", remedy, row_numbers(same)
        )
    in_order = np.diff(np.sort(time)) if len(back) else steps
    forward = in_order[in_order > 0]
    if not len(forward):
        return
    typical = float(np.median(forward))
    gaps = np.flatnonzero(steps > GAP * typical)
    if len(gaps) and not len(back):
        many = f"{len(gaps)} gap{'s' if len(gaps) > 1 else ''} of up to {steps.max():.6g} s"
        what = f"{many} after {say_rows(gaps, time)}; steps are {typical:.6g} s"
        yield DataProblem(
            "gap", record.name, "time", what, "accept 'gap' to take the pieces as runs", row_numbers(gaps)
        )
    if typical >= LONGEST_STEP and "time" not in record.stated:
        unit, factor = next(((u, f) for u, f in TICKS.items() if f * typical <= USUAL_STEP), ("ns", 1e-9))
        what = f"steps of {typical:g} s; in {unit} they would be {typical * factor:g} s, a factor {1 / factor:.0f}"
        remedy = f"state its unit, 'time [{unit}]', or 'time [s]' where it is meant"
        yield DataProblem("units", record.name, "time", what, remedy)


def _of_numbers(record: Record) -> Iterator[DataProblem]:
    for name, x in record.channels.items():
        bad = np.flatnonzero(~rows_of_numbers(x))
        if len(bad):
            remedy = "repair the log, or accept 'nan' to leave these rows out"
            huge = bool(np.isfinite(x[bad]).all())
            what = f"{f'a number above {MOST:g}' if huge else 'no number'} in {say_rows(bad, record.time)}"
            yield DataProblem("nan", record.name, name, what, remedy, row_numbers(bad))
        elif x.ndim == 1 and np.all(x == x[0]) and not name.startswith("reference"):
            remedy = "a dead sensor? Leave the channel out, or accept 'constant' where it stood still"
            yield DataProblem("constant", record.name, name, f"is {x[0]:g} in all {len(x)} rows", remedy)
    if record.pose is not None:
        length = np.linalg.norm(record.pose[:, 3:], axis=1)
        bad = np.flatnonzero(np.abs(length - 1.0) > UNIT)
        if len(bad):
            what = f"quaternions of length {length[bad[0]]:.6g} in {say_rows(bad, record.time)}"
            remedy = "order is qw qx qy qz, and length 1; accept 'quaternion' to normalise them"
            yield DataProblem("quaternion", record.name, "pose", what, remedy, row_numbers(bad))


def _of_sentinels(model: "Model", record: Record, sentinels: Sequence[Sentinel]) -> Iterator[DataProblem]:
    units = meanings(model)
    for each in sentinels:
        unit = units.get(each.channel, "")
        low, high = each.others
        what = (
            f"stands at {each.say(unit)} in {say_rows(each.rows, record.time)}, far outside of all its other numbers "
            f"({low:.4g} … {high:.4g}), with none between: a word for 'no value', or a sensor that was off"
        )
        remedy = "repair the log, or accept 'sentinel' to leave these rows out"
        yield DataProblem("sentinel", record.name, each.channel, what, remedy, row_numbers(each.rows))


def rows_of_numbers(x: np.ndarray) -> np.ndarray:
    """Mask (n,) of the rows of a channel (n, ...) that can be computed with."""
    return np.asarray((np.abs(x.reshape(len(x), -1)) < MOST).all(axis=1))


def force_limits(model: "Model") -> dict[str, float]:
    """{drive: limit (N, N m)} that the description states."""
    layout = model.layout
    margins = model.limit_margins(model.home, np.zeros(layout.nv), np.zeros(len(layout.drive_names)))
    return {limit.joint: float(limit.bound) for limit in margins.limits if limit.kind == LimitKind.FORCE}


def saturated_rows(model: "Model", record: Record) -> Mapping[str, np.ndarray]:
    """{drive: mask (n,)} of forces that sit at their limit, stated or seen (one extreme value many times in a row)."""
    limits, out = force_limits(model), {}
    for drive, x in record.forces.items():
        mask = clipped_rows(x)
        if drive in limits:
            mask |= _limited_rows(x, limits[drive])
        if mask.any():
            out[drive] = mask
    return out


def _limited_rows(x: np.ndarray, limit: float) -> np.ndarray:
    """Mask of a force at its limit or beyond; single samples far beyond, from far below, are spikes, which no drive made."""
    size = np.abs(x)
    out = size >= FORCE_LIMIT * limit
    edges = np.flatnonzero(np.diff(np.concatenate([[False], out, [False]]).astype(int)))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        beside = max(size[begin - 1] if begin else 0.0, size[end] if end < len(x) else 0.0)
        if end - begin <= BURST and size[begin:end].max() > SPIKE * limit and beside < FROM_BELOW * limit:
            out[begin:end] = False
    return out


def clipped_rows(x: np.ndarray) -> np.ndarray:
    """Mask of an extreme value that stands several times in a row at several places, in a signal that changes else."""
    out = np.zeros(len(x), dtype=bool)
    still = np.append(x[1:] == x[:-1], False)
    between = (x < np.max(x)) & (x > np.min(x))
    if between.sum() < BETWEEN * len(x):  # of two values: switched, not cut off
        return out
    for extreme in (np.max(x), np.min(x)):
        at = x == extreme
        edges = np.flatnonzero(np.diff(np.concatenate([[False], at, [False]]).astype(int)))
        lengths = edges[1::2] - edges[::2]
        often = (lengths >= STRETCH).sum() >= 2 and lengths.sum() >= SHARE * len(x)
        if often and still[between].sum() < 0.1 * still[at].sum():
            out |= at
    return out


def _of_forces(model: "Model", record: Record) -> Iterator[DataProblem]:
    limits = force_limits(model)
    for drive, mask in saturated_rows(model, record).items():
        rows = np.flatnonzero(mask)
        reached = drive in limits and np.abs(record.forces[drive]).max() >= FORCE_LIMIT * limits[drive]
        cut = f"{record.forces[drive][rows[0]]:g}, where it is cut off"
        if drive in limits and not reached:
            cut += f" (its limit is described as {limits[drive]:g})"
        where = f"its limit of {limits[drive]:g}" if reached else cut
        what = f"saturated: it sits at {where} in {say_rows(rows, record.time)}"
        over = np.abs(record.forces[drive]) / limits.get(drive, np.inf)
        beyond = float(np.quantile(over, 1.0 - OUTLIERS))
        if beyond > OVER_LIMIT:
            what = f"is up to {beyond:.3g} times {where}, in {say_rows(rows, record.time)}"
            yield DataProblem(
                "units",
                record.name,
                f"force {drive}",
                what,
                "check its gain and unit, or the force_limit described",
                row_numbers(rows),
            )
            continue
        remedy = (
            "accept 'saturated' to leave these rows out (where the log has commands, the drive gave something else)"
        )
        if beyond > 2.0 - FORCE_LIMIT:
            largest = float(np.abs(record.forces[drive]).max())
            what = f"saturated: it is at {where} or beyond, up to {largest:.4g}, in {say_rows(rows, record.time)}"
            remedy += ", or describe the force_limit that the drive has"
        yield DataProblem("saturated", record.name, f"force {drive}", what, remedy, row_numbers(rows))


def _of_counters(model: "Model", record: Record) -> Iterator[DataProblem]:
    for name, x in record.positions.items():
        steps, extent = np.diff(x), float(np.ptp(x))
        size = np.abs(steps)
        if extent == 0.0:
            continue
        usual = float(np.quantile(size, 0.99))
        jumps = np.flatnonzero((size > JUMP * extent) & (size > UNUSUAL * usual))
        back = np.flatnonzero((np.diff(jumps) <= BURST) & (np.sign(steps[jumps[1:]]) != np.sign(steps[jumps[:-1]])))
        jumps = np.delete(jumps, np.union1d(back, back + 1))  # there and back: an outlier
        if len(jumps):
            unit = model.layout.q_units[model.layout.index(name)]
            period = float(np.median(size[jumps]))
            turn = " (a turn)" if unit == "rad" and abs(period / (2 * np.pi) - 1) < 0.1 else ""
            what = f"jumps by {period:.6g} {unit}{turn} after {say_rows(jumps, record.time)}: a counter that wraps"
            remedy = "say wrap: in the column map ('360 deg', or the counts of the log), or split the log there"
            yield DataProblem("wrap", record.name, f"position {name}", what, remedy, row_numbers(jumps))
