"""Where a map is sampled: ranges of named coordinates as a regular grid or as random samples, the others held."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.kinematics.leading import (
    COORDINATES,
    NamedCoordinates,
    coordinate_units,
    natural_coordinates,
    staying_coordinates,
)
from gough.model import Model

LARGEST = 200_000_000
FEW = 49
"""Samples of a map up to which its first calls may be interpreted, as for any so small batch; results of larger ones do not
depend on how many calls there were before."""


@dataclass(frozen=True)
class Axis:
    """Range of one coordinate, in `unit` (m or rad); points: of a regular grid with both ends, 0 for random samples."""

    name: str
    unit: str
    low: float
    high: float
    points: int = 0

    @property
    def values(self) -> np.ndarray:
        """The grid's values (points,)."""
        return np.linspace(self.low, self.high, self.points)

    @property
    def spacing(self) -> float:
        """Distance of neighbours on a grid."""
        return (self.high - self.low) / (self.points - 1)


@dataclass(frozen=True)
class MapSamples:
    """A grid (count is the product of the axes' points, the last axis fastest) or `count` uniform random samples."""

    axes: tuple[Axis, ...]
    count: int
    fixed: dict[str, float]
    seed: int | None = None

    @property
    def is_grid(self) -> bool:
        """False for random samples."""
        return self.seed is None

    @property
    def is_large(self) -> bool:
        """Whether it is worth compiling for."""
        return self.count > FEW

    def chunks(self, size: int) -> list[tuple[int, int]]:
        """(begin, end) of chunks of so many samples."""
        return [(a, min(a + size, self.count)) for a in range(0, self.count, size)]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates that vary."""
        return tuple(axis.name for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Points along each axis; (count,) for random samples."""
        return tuple(axis.points for axis in self.axes) if self.is_grid else (self.count,)

    @property
    def box(self) -> float:
        """Volume of the sampled box."""
        return math.prod(axis.high - axis.low for axis in self.axes)

    @property
    def unit(self) -> str:
        """Unit of the volume: "m3", "m2.rad"."""
        units = [axis.unit for axis in self.axes]
        counts = {u: units.count(u) for u in ("m", "rad") if u in units}
        return ".".join(u if k == 1 else f"{u}{k}" for u, k in counts.items())

    def coordinates(self, begin: int = 0, end: int | None = None) -> np.ndarray:
        """Values (n, axes) of the samples from begin to end."""
        end = self.count if end is None else end
        if self.is_grid:
            return self.at(np.arange(begin, end))
        # drawn block by block, so that a sample does not depend on how the work is divided
        rng = np.random.Generator(np.random.Philox(self.seed).advance(begin * len(self.axes) // 4))
        skip = begin * len(self.axes) % 4
        unit = rng.random(skip + (end - begin) * len(self.axes))[skip:].reshape(end - begin, len(self.axes))
        low, high = np.array([[axis.low, axis.high] for axis in self.axes]).T
        return low + unit * (high - low)

    def at(self, points: np.ndarray) -> np.ndarray:
        """Values (n, axes) at numbered points (n,) of a grid."""
        index = np.unravel_index(points, self.shape)
        return np.stack([axis.values[i] for axis, i in zip(self.axes, index, strict=True)], axis=-1)

    def weights(self) -> np.ndarray:
        """Volume that each sample stands for (count,): on a grid by the trapezoidal rule, half at the ends."""
        if not self.is_grid:
            return np.full(self.count, self.box / max(self.count, 1))
        out = np.ones(())
        for axis in self.axes:
            w = np.full(axis.points, axis.spacing)
            w[[0, -1]] *= 0.5
            out = np.multiply.outer(out, w)
        return out.ravel()


def make_samples(
    model: Model, ranges: Mapping[str, Any], fixed: Mapping[str, float], random: int | None, seed: int
) -> MapSamples:
    """Checked samples. ranges: {name: (low, high, points)}, or (low, high) with `random` samples."""
    allowed = known_coordinates(model)
    check_names(model, [*ranges, *fixed])
    twice = set(ranges) & set(fixed)
    if twice:
        raise UsageError(f"{', '.join(sorted(twice))}: both in ranges and in fixed; give one of them")
    if not ranges:
        raise UsageError("ranges is empty; give at least one, for instance {'x': (-0.1, 0.1, 21)}")
    axes = tuple(_axis(name, allowed[name], value, random is not None) for name, value in ranges.items())
    held = {name: _number(name, value) for name, value in fixed.items()}
    count = math.prod(axis.points for axis in axes) if random is None else int(random)
    if random is not None and count < 1:
        raise UsageError(f"random={random}; give a positive number of samples")
    if count > LARGEST:
        raise UsageError(f"{count} samples; at most {LARGEST}: use fewer points or random=N")
    return MapSamples(axes, count, held, int(seed) if random is not None else None)


def known_coordinates(model: Model) -> dict[str, str]:
    """Coordinates that can be led, with their units: of the platform, of scalar joints, and turns of ball joints."""
    return coordinate_units(model)


def home_coordinates(model: Model) -> dict[str, float]:
    """Home's value of every known coordinate."""
    names = list(known_coordinates(model))
    return dict(zip(names, NamedCoordinates(model, names).values(model.home).tolist(), strict=True))


def check_names(model: Model, names: list[str]) -> None:
    """Refuse names that are no coordinates, and sets that leave freedoms undetermined."""
    allowed = known_coordinates(model)
    for name in names:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(allowed)}"
            raise UsageError(f"{model.robot.name} has no coordinate {name!r}; {hint}")
    given, freedoms = set(names), model.layout.rigid
    if not freedoms:
        raise UsageError(f"{model.robot.name} has no rigid freedom: its coordinates cannot be chosen")
    by_pose = model.geometry.legs_reach and given <= set(COORDINATES)
    if by_pose or given <= set(natural_coordinates(model)) or given <= set(model.layout.drive_names):
        return
    if len(given) not in (freedoms, freedoms - len(staying_coordinates(model, names))):
        raise UsageError(
            f"{', '.join(names)}: {len(given)} coordinates for {freedoms} freedoms of {model.robot.name}. Use "
            f"{', '.join(COORDINATES if model.geometry.legs_reach else natural_coordinates(model))} or the drives "
            f"({', '.join(model.layout.drive_names)}); of these what is not given stays as at home. "
            f"Or give {freedoms} coordinates (ranges and fixed together)."
        )


def arguments(model: Model, values: dict[str, np.ndarray]) -> dict[str, Any]:
    """What `model.assemble` takes for named values (n,)."""
    drives = model.layout.drive_names
    by_pose = model.geometry.legs_reach and set(values) <= set(COORDINATES)
    if by_pose or not set(values) <= set(drives) or set(values) <= set(natural_coordinates(model)):
        return {"coordinates": values}
    home = model.home[model.drive_index]
    columns = [np.asarray(values.get(name, home[k])) for k, name in enumerate(drives)]
    return {"drives": np.stack(np.broadcast_arrays(*columns), axis=-1)}


def _axis(name: str, unit: str, value: Any, random: bool) -> Axis:
    wanted = "(low, high)" if random else "(low, high, points)"
    try:
        parts = [float(x) for x in value]
    except (TypeError, ValueError):
        parts = []
    if len(parts) not in ((2, 3) if random else (3,)):
        raise UsageError(f"range of {name}: {value!r}; give {wanted}")
    low, high = parts[:2]
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"range of {name}: from {low:g} to {high:g}; give finite bounds, the lower first")
    if random:
        return Axis(name, unit, low, high)
    if parts[2] != int(parts[2]) or parts[2] < 2:
        raise UsageError(
            f"range of {name}: {parts[2]:g} points; give a whole number, at least 2 (or hold {name} fixed)"
        )
    return Axis(name, unit, low, high, int(parts[2]))


def _number(name: str, value: Any) -> float:
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not math.isfinite(x):
        raise UsageError(f"fixed {name}: {value!r}; give one finite number")
    return x
