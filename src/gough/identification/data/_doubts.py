"""What is strange about a record without being wrong for sure: it is told, as a warning, and the record is taken.

Two drives with the same numbers, positions that stand for several samples while others move (a slow channel, sampled and held),
and times whose unit nobody wrote, in which the robot would move as slowly as none does.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._bands import motion_hz
from gough.identification.data._checking import LONGEST_STEP

if TYPE_CHECKING:
    from gough.identification.data.record import Record

SHORTEST_STEP = 0.02
"""s: logs with shorter steps are what one expects."""
SLOWEST = 0.05
"""Hz: robots that were moved to be measured have something above it."""
FEWEST_STEPS = 20
"""Changes of a channel from which a hold is told."""
REGULAR, NEAR = 0.9, 0.2
"""Share of stretches of one value that have the same length, or a multiple of it, and how nearly."""
VARIED = 1.5
"""Steps of a channel that is held differ by more; those of a coarse encoder are one count."""


def find_doubts(record: "Record") -> Iterator[str]:
    """Sentences on a record whose times are finite."""
    yield from _same_columns(record)
    yield from _held_channels(record)
    yield from _slow_time(record)


def _same_columns(record: "Record") -> Iterator[str]:
    for word, group in (("forces", record.forces), ("positions", record.positions)):
        alike: dict[bytes, list[str]] = {}
        for name, x in group.items():
            if len(x) and np.ptp(x) > 0:
                alike.setdefault(x.tobytes(), []).append(name)
        for names in alike.values():
            if len(names) > 1:
                yield (
                    f"{record.name}: {word} of {' and '.join(names)} are the same in all {len(record)} rows: is one column "
                    "taken, or logged, twice? Check the column map"
                )


def _held_channels(record: "Record") -> Iterator[str]:
    channels = {f"position {name}": x for name, x in record.positions.items()}
    if record.pose is not None:
        channels["pose"] = record.pose[:, int(np.argmax(np.ptp(record.pose[:, :3], axis=0)))]
    held = {name: hold for name, x in channels.items() if (hold := find_hold(x)) is not None}
    if not held:
        return
    others = [find_hold(x) for x in record.forces.values()]
    lengths = {hold[0] for hold in held.values()}
    if len(held) == len(channels) and len(lengths) == 1 and all(o is not None and o[0] in lengths for o in others):
        length, first = next(iter(held.values()))
        yield (
            f"{record.name}: all channels stand for {length} samples at a time: the log was written faster than it was measured; "
            f"take one row in {length}: record.rows(slice({first}, None, {length}))"
        )
        return
    for name, (length, first) in held.items():
        yield (
            f"{record.name}: {name} stands for {length} samples at a time while others move: sampled at 1/{length} of the log's "
            f"rate and held, which makes it late and its derivatives wrong; log it at a rate of its own, or take one row in "
            f"{length} of all: record.rows(slice({first}, None, {length}))"
        )


def find_hold(x: np.ndarray) -> tuple[int, int] | None:
    """(samples that each value stands for, first row of a value) of a channel (n,) that is a regular staircase; None else."""
    steps = np.diff(x[np.isfinite(x)])
    at = np.flatnonzero(steps) + 1
    if len(at) < FEWEST_STEPS:
        return None
    lengths = np.diff(at)
    length = int(np.median(lengths))
    if length < 2:
        return None
    off = np.abs(lengths - length * np.maximum(np.round(lengths / length), 1))
    sizes = np.abs(steps[at - 1])
    few, many = np.quantile(sizes, [0.1, 0.9])
    if np.mean(off <= (NEAR * length if length > 3 else 0)) < REGULAR or many < VARIED * few:
        return None
    return length, int(np.bincount(at % length).argmax())


def _slow_time(record: "Record") -> Iterator[str]:
    steps = np.diff(record.time)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
    if "time" in record.stated or not SHORTEST_STEP < step < LONGEST_STEP:
        return
    places = list(record.positions.values()) + ([] if record.pose is None else list(record.pose[:, :3].T))
    fastest = max((motion_hz(x[np.isfinite(x)], step) for x in places), default=0.0)
    if 0 < fastest < SLOWEST:
        yield (
            f"{record.name}: time: steps of {step:g} s, in which nothing moves faster than {fastest:.2g} Hz; in ms they would be "
            f"{step / 1000:g} s and {1000 * fastest:.3g} Hz, a factor 1000: state its unit, "
            "'time [ms]', or 'time [s]' where it is meant"
        )
