"""A wrench given at times: measured forces, or polynomials of time on pieces.

Between two times it is a straight line, a cubic spline (C², not-a-knot), or what it was at the first of them; before the first
and behind the last time it is 0.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gough.arguments import demand_one_of, floats
from gough.errors import UsageError
from gough.simulation.loads.load import WRENCH, TimeLoad

Vector = np.ndarray
BETWEEN = ("linear", "smooth", "held")


@dataclass(frozen=True, eq=False)
class PolynomialPieces(TimeLoad):
    """A base. `_table`: times (p + 1,), s, not negative, rising; coefficients (p, 6, d + 1) of rising powers of the time since a
    piece began; outside it is 0."""

    @property
    def _table(self) -> tuple[Vector, Vector]:
        raise NotImplementedError

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """See `TimeLoad`."""
        return tuple(float(t) for t in self._table[0] if t > 0)

    @cached_property
    def jumps(self) -> tuple[float, ...]:
        """See `TimeLoad`."""
        times, rows = self._table
        powers = np.diff(times)[:, None] ** np.arange(rows.shape[2])
        after = np.concatenate([rows[:, :, 0], np.zeros((1, 6))])
        before = np.concatenate([np.zeros((1, 6)), np.einsum("pkd,pd->pk", rows, powers)])
        size = np.abs(rows[:, :, 0]).max(initial=0.0) + np.abs(before).max(initial=0.0)
        wide = (np.abs(after - before) > 1e-9 * size).any(axis=1)
        return tuple(float(t) for t in times[wide] if t > 0)

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`: the time its piece began, then the coefficients."""
        times, rows = self._table
        k = int(np.searchsorted(times, t, side="right")) - 1
        if 0 <= k < len(rows):
            return np.concatenate([[times[k]], rows[k].ravel()])
        return np.zeros(1 + rows[0].size)

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`."""
        s, rows = t - numbers[0], numbers[1:].reshape(6, -1)
        total = rows[:, -1]
        for power in range(rows.shape[1] - 2, -1, -1):
            total = total * s + rows[:, power]
        return total


@dataclass(frozen=True, eq=False)
class Series(PolynomialPieces):
    """times (n,), s: rising, from 0 or later; a time given twice is a jump. wrenches (n, 6): N and N·m, world axes. between:
    "linear", "smooth" or "held"."""

    times: Any = field(repr=False)
    wrenches: Any = field(repr=False)
    between: str = "linear"
    name: ClassVar[str] = "series"

    def __post_init__(self) -> None:
        demand_one_of("series: between", self.between, BETWEEN)
        t, w = floats("series: times", self.times), floats("series: wrenches", self.wrenches)
        if t.ndim != 1 or len(t) < 2 or w.shape != (len(t), 6):
            raise UsageError(
                f"series: times have shape {t.shape}, wrenches {w.shape}; give times (n,) and wrenches (n, 6): {WRENCH}, n at "
                "least 2"
            )
        bad = np.flatnonzero(~np.isfinite(t) | ~np.isfinite(w).all(axis=1))
        if len(bad):
            raise UsageError(
                f"series: row {bad[0]} is not finite ({len(bad)} of {len(t)} are not); leave such rows out"
            )
        back = np.flatnonzero(np.diff(t) < 0)
        if len(back):
            k = int(back[0])
            raise UsageError(f"series: times must rise; {t[k + 1]:g} s (row {k + 1}) comes behind {t[k]:g} s")
        if t[0] < 0:
            raise UsageError(f"series: times begin at {t[0]:g} s; a run begins at 0: shift them or cut what is before")
        if (np.diff(t, n=1)[1:] + np.diff(t)[:-1] == 0).any():
            k = int(np.flatnonzero(np.diff(t)[1:] + np.diff(t)[:-1] == 0)[0])
            raise UsageError(f"series: time {t[k]:g} s is given more than twice")
        object.__setattr__(self, "times", t.copy())
        object.__setattr__(self, "wrenches", w.copy())

    @cached_property
    def _table(self) -> tuple[Vector, Vector]:
        t, w = self.times, self.wrenches
        cuts = np.flatnonzero(np.diff(t) == 0) + 1
        parts = [self._part(a, b) for a, b in zip(np.split(t, cuts), np.split(w, cuts), strict=True) if len(a) > 1]
        if not parts:
            raise UsageError("series: all its times are jumps; give values at two different times")
        times = np.unique(t)
        if len(times) - 1 != sum(map(len, parts)):
            raise UsageError("series: a time given twice must have others before and behind it")
        return times, np.concatenate(parts)

    def _part(self, t: Vector, w: Vector) -> Vector:
        """Coefficients (pieces, 6, d + 1) of a stretch without jumps."""
        if self.between == "held":
            return w[:-1, :, None]
        slope = np.diff(w, axis=0) / np.diff(t)[:, None]
        line = np.stack([w[:-1], slope], axis=2)
        if self.between == "linear":
            return line
        if len(t) < 4:
            return np.concatenate([line, np.zeros((*line.shape[:2], 2))], axis=2)
        from scipy.interpolate import CubicSpline

        return CubicSpline(t, w).c[::-1].transpose(1, 2, 0)

    def describe(self) -> dict[str, Any]:
        """See `TimeLoad`."""
        span = [float(self.times[0]), float(self.times[-1])]
        return {"load": self.name, "between": self.between, "samples": len(self.times), "from_to_s": span}
