"""Arrays by name, one after the other in a vector: the memory of a loop on a clock, and its numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.robot.units import convert, misfit, si_unit

Vector = np.ndarray


@dataclass(frozen=True)
class Cells:
    """sizes: of the arrays, in their order."""

    sizes: Mapping[str, int]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Cells":
        """Those of arrays (n,) by name."""
        return cls({name: len(x) for name, x in values.items()})

    @property
    def size(self) -> int:
        """Of the vector."""
        return sum(self.sizes.values())

    @property
    def starts(self) -> dict[str, int]:
        """Where in the vector each array begins."""
        return dict(zip(self.sizes, accumulate(self.sizes.values(), initial=0), strict=False))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all entries of the vector."""
        return tuple(f"{name}[{k}]" for name, size in self.sizes.items() for k in range(size))

    def split(self, vector: Vector) -> dict[str, Vector]:
        """The arrays of a vector (..., n)."""
        out, at = {}, 0
        for name, size in self.sizes.items():
            out[name] = vector[..., at : at + size]
            at += size
        return out

    def join(self, values: Mapping[str, Any]) -> Vector:
        """The vector of arrays."""
        parts = [np.asarray(values[name]) for name in self.sizes]
        return np.concatenate(parts) if parts else np.zeros(0)


def under(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by longer names."""
    return {f"{name}.{key}": x for key, x in values.items()}


def within(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of arrays that have such a longer name, by the shorter one."""
    return {key.removeprefix(f"{name}."): x for key, x in values.items() if key.startswith(f"{name}.")}


def misfits(numbers: Mapping[str, Any], channels: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What is wrong with numbers, one for all channels (name, unit) or one each, that were written in units of another kind."""
    for key, given in numbers.items():
        listed = given if isinstance(given, tuple) else [given] * len(channels)
        for value, (name, unit) in zip(listed, channels, strict=False):
            problem = misfit(value, unit, f"that of {name}")
            if problem:
                yield f"{key}: {problem}"
                break


def in_si(where: str, value: Any, dimensions: Sequence[str]) -> Any:
    """A number, or a list of them, whose texts ("1 um") are read; where: "encoders: noise", for messages. dimensions: of what it
    may measure."""
    if isinstance(value, list | tuple):
        return tuple(in_si(where, x, dimensions) for x in value)
    if not isinstance(value, str) or not dimensions:
        return value
    try:
        return convert(value, tuple(dimensions))
    except ValueError as problem:
        units = " or ".join(si_unit(name) for name in dimensions)
        raise UsageError(f"{where}={value!r}: {problem}; give a number in {units}, or one with a unit") from None


def has_truths(value: Any) -> bool:
    """Whether it is True or False, or a list or an array of such: numbers to Python, gains to nobody."""
    entries = value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(x, bool | np.bool_) or (isinstance(x, np.ndarray) and x.dtype.kind == "b") for x in entries)
