"""A wrench that swings: w(t) = w₀ sin(2π f (t - begin) + phase) between two times, 0 outside."""

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np

from gough.arguments import number, take
from gough.scalar import sin
from gough.simulation.loads.load import TimeLoad, a_time, six_numbers

Vector = np.ndarray


@dataclass(frozen=True)
class Sine(TimeLoad):
    """wrench (6,): amplitudes (N, N·m). frequency (Hz), phase (rad), begin (s), duration (s): None for ever."""

    wrench: Any
    frequency: float
    phase: float = 0.0
    begin: float = 0.0
    duration: float | None = None
    name: ClassVar[str] = "sine"

    def __post_init__(self) -> None:
        object.__setattr__(self, "wrench", six_numbers("sine: wrench", self.wrench))
        object.__setattr__(self, "frequency", take("sine: frequency (Hz)", number(above=0), self.frequency))
        object.__setattr__(self, "phase", take("sine: phase (rad)", number(), self.phase))
        object.__setattr__(self, "begin", a_time("sine: begin", self.begin))
        if self.duration is not None:
            object.__setattr__(self, "duration", a_time("sine: duration", self.duration, above=True))

    @property
    def breaks(self) -> tuple[float, ...]:
        """See `TimeLoad`: where it begins and ends."""
        ends = (self.begin,) if self.duration is None else (self.begin, self.begin + self.duration)
        return tuple(t for t in ends if t > 0)

    @property
    def jumps(self) -> tuple[float, ...]:
        """See `TimeLoad`: any phase may be there."""
        return self.breaks

    @property
    def fastest(self) -> float:
        """See `TimeLoad`."""
        return self.frequency

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`: amplitudes, angular frequency, time and phase of the beginning."""
        acts = t >= self.begin and (self.duration is None or t < self.begin + self.duration)
        return np.array([*(w * acts for w in self.wrench), 2.0 * pi * self.frequency, self.begin, self.phase])

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`."""
        return numbers[:6] * sin(numbers[6] * (t - numbers[7]) + numbers[8])
