"""Values that are taken every period, are shown after a delay and held: a shift register in the memory of a march.

Sample j is taken at j T and shown from j T + d on, d = m T + phase with 0 <= phase < T. After sample j was taken, the register
has those of j, j - 1, …: shown is entry m from j T + phase on, before it entry m + 1. Until the first sample is shown all
entries are the first one, as of a line that was on before.
"""

from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.scalar import select

Vector = np.ndarray
SAME = 1e-6
"""Of a period: times that differ by less are the same."""
DEEPEST = 256
"""Samples on the way at a time."""


@dataclass(frozen=True)
class Line:
    """width: numbers of a sample. period, delay (s). name: for messages."""

    width: int
    period: float
    delay: float
    name: str = "delay"

    def __post_init__(self) -> None:
        if self.whole >= DEEPEST:
            raise UsageError(
                f"{self.name}: delay={self.delay:g} s are {self.delay / self.period:.4g} samples of {self.period:g} s on the way "
                f"at a time, {DEEPEST} are the most; give a shorter delay, or a longer period"
            )

    @property
    def whole(self) -> int:
        """Whole periods of the delay."""
        return floor(self.delay / self.period + SAME)

    @property
    def phase(self) -> float:
        """What is left of the delay (s)."""
        left = self.delay - self.whole * self.period
        return left if left > SAME * self.period else 0.0

    @property
    def depth(self) -> int:
        """Samples that are remembered."""
        return self.whole + (2 if self.phase else 1)

    @property
    def numbers(self) -> dict[str, Vector]:
        """What compiled loops are given."""
        return {"period": np.array([self.period]), "phase": np.array([self.phase])}

    def memory(self, begin: float = 0.0) -> dict[str, Vector]:
        """At the first time (s): the number of the next sample, whether there was none yet, and the register."""
        count = ceil(begin / self.period - SAME)
        return {"count": np.array([float(count)]), "fresh": np.ones(1), "register": np.zeros(self.depth * self.width)}

    def strikes(self, memory: dict[str, Vector], numbers: dict[str, Vector], t: Any) -> Any:
        """Above 0 where its clock strikes at t (s)."""
        period = numbers["period"][0]
        return t - memory["count"][0] * period + SAME * period

    def is_due(self, memory: dict[str, Vector], numbers: dict[str, Vector], t: Any) -> Any:
        """Above 0 where a sample is taken at t (s): also at the first time, whenever that is."""
        return select(memory["fresh"][0], 1.0, self.strikes(memory, numbers, t))

    def push(
        self, memory: dict[str, Vector], numbers: dict[str, Vector], t: Any, values: Vector
    ) -> tuple[dict[str, Vector], Vector]:
        """(memory after t, values (width,) shown from then on), where these values are those of a sample at t."""
        due, count, n = self.is_due(memory, numbers, t), memory["count"][0], self.width
        was = memory["register"]
        older = [select(memory["fresh"][0], values[k % n], was[k]) for k in range(len(was) - n)]
        moved = [*values, *older]
        register = np.array([select(due, a, b) for a, b in zip(moved, was, strict=True)], dtype=object)
        after = {
            "count": np.array([select(self.strikes(memory, numbers, t), count + 1.0, count)], dtype=object),
            "fresh": np.zeros(1),
            "register": register,
        }
        now = register[self.whole * n : (self.whole + 1) * n]
        if not self.phase:
            return after, now
        before = register[(self.whole + 1) * n :]
        here = t - self._arrival(after, numbers) + SAME * numbers["period"][0]
        return after, np.array([select(here, a, b) for a, b in zip(now, before, strict=True)], dtype=object)

    def _arrival(self, after: dict[str, Vector], numbers: dict[str, Vector]) -> Any:
        return (after["count"][0] - 1.0) * numbers["period"][0] + numbers["phase"][0]

    def next_time(self, t: float) -> float:
        """When (s) something changes after t."""
        count = floor(t / self.period + SAME)
        arrival = count * self.period + self.phase
        return arrival if arrival > t + SAME * self.period else (count + 1) * self.period

    def next_event(self, after: dict[str, Vector], numbers: dict[str, Vector], t: Any) -> Any:
        """When (s) something changes next. after: the memory after t."""
        period = numbers["period"][0]
        sample = after["count"][0] * period
        if not self.phase:
            return sample
        arrival = self._arrival(after, numbers)
        return select(arrival - t - SAME * period, arrival, sample)


def common_grid(lines: list[Line]) -> float | None:
    """The longest time (s) of which all periods and phases are multiples; None where there is none to speak of."""
    times = [x for line in lines for x in (line.period, line.phase) if x]
    grid = max(times)
    for x in times:
        a, b = max(grid, x), min(grid, x)
        while b > SAME * max(times):
            a, b = b, a - round(a / b) * b
            b = abs(b)
        grid = a
    shortest = min(line.period for line in lines)
    return None if grid < shortest / FINEST else shortest / round(shortest / grid)


FINEST = 1000
"""Parts of the shortest period that times on a grid may be."""
