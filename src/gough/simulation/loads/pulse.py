"""A push: a wrench that comes, stays and goes, at once or smoothly (3 r² - 2 r³ over a rise)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.simulation.loads.load import a_time, six_numbers
from gough.simulation.loads.series import PolynomialPieces

Vector = np.ndarray


@dataclass(frozen=True, eq=False)
class Pulse(PolynomialPieces):
    """wrench (6,): N and N·m, world axes. begin (s): where it begins to rise. duration (s): until it has gone, None for ever.
    rise (s): what coming and going take each, 0 for jumps."""

    wrench: Any
    begin: float = 0.0
    duration: float | None = None
    rise: float = 0.0
    name: ClassVar[str] = "pulse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "wrench", six_numbers("pulse: wrench", self.wrench))
        for key in ("begin", "rise"):
            object.__setattr__(self, key, a_time(f"pulse: {key}", getattr(self, key)))
        if self.duration is not None:
            object.__setattr__(self, "duration", a_time("pulse: duration", self.duration, above=True))
            if 2.0 * self.rise > self.duration:
                raise UsageError(
                    f"pulse: it rises and falls for {self.rise:g} s each, and has {self.duration:g} s for both; give a rise of "
                    f"at most {self.duration / 2:g} s"
                )

    @cached_property
    def _table(self) -> tuple[Vector, Vector]:
        end = np.inf if self.duration is None else self.begin + self.duration
        rise, w = self.rise, np.array(self.wrench)
        times, rows = [self.begin], []
        flat = np.zeros((6, 4))
        flat[:, 0] = w
        if rise > 0:
            up, down = np.zeros((6, 4)), flat.copy()
            up[:, 2], up[:, 3] = 3.0 * w / rise**2, -2.0 * w / rise**3
            down[:, 2:] = -up[:, 2:]
            times.append(self.begin + rise)
            rows.append(up)
        if end - rise > times[-1]:
            times.append(end - rise)
            rows.append(flat)
        if rise > 0 and np.isfinite(end):
            times.append(end)
            rows.append(down)
        return np.array(times), np.array(rows)

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """See `TimeLoad`."""
        return tuple(float(t) for t in self._table[0] if 0 < t < np.inf)

    @cached_property
    def jumps(self) -> tuple[float, ...]:
        """See `TimeLoad`."""
        return () if self.rise > 0 else self.breaks
