"""What is strange about a record without being wrong for sure: it is told, as a warning, and the record is taken.

Two drives with the same numbers, channels that stand for several samples while others move or go in straight lines (slow ones,
held or interpolated), times whose unit nobody wrote, in which the robot would move as slowly as none does, and robots that
stand still.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.data._bands import motion_hz
from gough.identification.data._checking import LONGEST_STEP, rows_of_numbers

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

STILL = 12.0
"""Extent of a position over its noise, up to which it stands still: of white noise it is 8 in ten thousand samples."""
LONGEST_LINE, STRAIGHT = 64, 15.0
"""Samples of a straight line that are looked for, and how much larger bends at its ends are than between them."""


def find_doubts(record: "Record") -> Iterator[str]:
    """Sentences on a record whose times are finite."""
    yield from _same_columns(record)
    yield from _held_channels(record)
    yield from _slow_time(record)
    yield from _still_robot(record)


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


def _still_robot(record: "Record") -> Iterator[str]:
    """Positions, or the pose, of which nothing goes farther than its noise does by itself."""
    channels = dict(record.positions)
    if not channels and record.pose is not None:
        channels = {f"pose {k}": x for k, x in enumerate(record.pose.T)}
    moved: dict[str, tuple[float, float]] = {}
    for name, x in channels.items():
        numbers = x[rows_of_numbers(x)]
        if len(numbers) > FEWEST_STEPS and np.ptp(numbers) > 0:
            noise = float(np.std(np.diff(numbers, 2)) / np.sqrt(6.0))
            moved[name] = float(np.ptp(numbers)) / max(noise, 1e-300), float(np.ptp(numbers))
    if not moved or max(times for times, _ in moved.values()) > STILL:
        return
    name = max(moved, key=lambda n: moved[n])
    times, extent = moved[name]
    yield (
        f"{record.name}: nothing moves beyond its noise: {name} goes most, by {extent:.3g}, which is {times:.2g} times the "
        "noise of a sample; a robot that stands still tells nothing of its numbers: is this the log of its motion, and are these "
        "its encoders?"
    )


def _held_channels(record: "Record") -> Iterator[str]:
    channels = {f"position {name}": x for name, x in record.positions.items()}
    if record.pose is not None:
        channels["pose"] = record.pose[:, int(np.argmax(np.ptp(record.pose[:, :3], axis=0)))]
    channels |= {f"force {name}": x for name, x in record.forces.items()}
    held = {name: hold for name, x in channels.items() if (hold := find_hold(x)) is not None}
    yield from _interpolated_channels(record, {name: x for name, x in channels.items() if name not in held})
    if not held:
        return
    if len(held) == len(channels) and len({hold[0] for hold in held.values()}) == 1:
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


def _interpolated_channels(record: "Record", channels: dict[str, np.ndarray]) -> Iterator[str]:
    for name, x in channels.items():
        found = find_interpolation(x)
        if found is not None:
            length, first = found
            yield (
                f"{record.name}: {name} goes in straight lines over {length} samples at a time: sampled at 1/{length} of the "
                "log's rate and interpolated, which takes its quick part away; log it at the rate of the others, or take one row "
                f"in {length} of all: record.rows(slice({first}, None, {length}))"
            )


def find_interpolation(x: np.ndarray) -> tuple[int, int] | None:
    """(samples from one kink to the next, row of the first) of a channel (n,) of straight lines at equal distances; None else."""
    x = x[rows_of_numbers(x)]
    bent, counts = np.abs(np.diff(x, 2)), np.diff(np.unique(x))
    counts = counts[counts > 1e-9 * np.ptp(x)]
    least = float(counts.min()) if len(counts) else 0.0
    for length in range(2, LONGEST_LINE + 1):
        rows = len(bent) // length
        if rows < FEWEST_STEPS:
            return None
        few, many = np.quantile(bent[: rows * length].reshape(rows, length), [0.2, 0.8], axis=0)
        kink = int(few.argmax())
        if few[kink] > STRAIGHT * max(float(np.delete(many, kink).max()), least) > 0:
            return length, (kink + 1) % length
    return None


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
