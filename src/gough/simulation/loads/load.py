"""What all loads share: a wrench (fx fy fz mx my mz, N and N·m, world axes) as a formula of time and of numbers.

The formula is a part of the compiled time loop; its numbers are inputs of that, so that other amplitudes need no new code. At
`breaks` the numbers change: steps of a run end there, and what jumps or bends there costs no accuracy.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gough.arguments import KnownArguments, floats, number, take
from gough.errors import UsageError
from gough.program import Slot, trace
from gough.program.interpreter import evaluate

Vector = np.ndarray
WRENCH = "fx fy fz mx my mz, N and N·m, world axes"


@dataclass(frozen=True)
class TimeLoad(KnownArguments, ABC):
    """Base of all loads."""

    name: ClassVar[str] = "load"

    @property
    def structure(self) -> Hashable:
        """All that shapes its equation beside its class and the number of its numbers."""
        return ()

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times (s), rising, above 0, at which its numbers change."""
        return ()

    @property
    def jumps(self) -> tuple[float, ...]:
        """Those of them at which the wrench jumps."""
        return ()

    @property
    def varies(self) -> bool:
        """Whether every run of an ensemble has numbers of its own."""
        return False

    @property
    def fastest(self) -> float:
        """Highest frequency in it (Hz), 0 where it has none."""
        return 0.0

    @abstractmethod
    def numbers(self, t: float, run: int) -> Vector:
        """Its numbers (n,) from a time (s) on, until the next break, in one of many runs."""

    @abstractmethod
    def at(self, t: Any, numbers: Vector) -> Vector:
        """The wrench (6,) at a time (s), of any scalar."""

    def samples(self, times: Vector, run: int = 0) -> Vector:
        """Wrenches (n, 6) at rising times (n,); of a time that comes twice, first what was before it, then what is from it on."""
        times = np.asarray(times, dtype=float)
        before = np.concatenate([np.diff(times) == 0, [False]])[: len(times)]
        t = np.where(before, np.nextafter(times, -np.inf), times)
        size = len(self.numbers(0.0, run))
        slots = (Slot("t", (1,)), Slot("numbers", (size,), uniform=True))
        program = trace(lambda t, numbers: {"w": self.at(t[0], numbers)}, slots, self.name)
        out = np.zeros((len(t), 6))
        ends = [-np.inf, *self.breaks, np.inf]
        for begin, end in pairwise(ends):
            here = np.flatnonzero((t >= begin) & (t < end))
            if len(here):
                given = {"t": t[here, None], "numbers": self.numbers(max(begin, 0.0), run)}
                out[here] = evaluate(program, given)["w"]
        return out

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return {"load": self.name} | {f.name: getattr(self, f.name) for f in fields(self) if f.repr}


def six_numbers(what: str, value: Any) -> tuple[float, ...]:
    """A wrench (6,); UsageError for what is none."""
    x = floats(what, value)
    if x.shape != (6,) or not np.isfinite(x).all():
        raise UsageError(f"{what}={value!r}: give six finite numbers ({WRENCH})")
    return tuple(x.tolist())


def a_time(what: str, value: Any, above: bool = False) -> float:
    """A time (s) that is not negative; above: nor 0."""
    return take(f"{what} (s)", number(above=0) if above else number(0), value)


def loads_of(given: Any) -> Iterator["TimeLoad"]:
    """The loads in a load or a list of loads."""
    yield from (given if isinstance(given, list | tuple) else [given])
