"""Time laws from 0 to 1 as splines: s(t) = Σ c_i B_i(t), of degree 5 on equal pieces, from rest to rest.

The first four coefficients are 0 and the last four 1, so that speed, acceleration and jerk vanish at both ends. A derivative of
a spline is a spline whose coefficients are differences of c, and never leaves their range: limits on derivatives are linear in c
and are kept everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.simulation.motion.paths import PolynomialPath

DEGREE, STILL = 5, 4
"""Of the splines; coefficients at each end that are given."""


@dataclass(frozen=True)
class SplineLaws:
    """All laws of a duration (s) on so many equal pieces. Their free coefficients are x (n,)."""

    duration: float
    pieces: int

    @cached_property
    def knots(self) -> np.ndarray:
        """(pieces + 11,), s."""
        inner = np.linspace(0.0, self.duration, self.pieces + 1)
        return np.concatenate([np.zeros(DEGREE), inner, np.full(DEGREE, self.duration)])

    @property
    def free(self) -> int:
        """n."""
        return self.pieces + DEGREE - 2 * STILL

    def coefficients(self, x: np.ndarray) -> np.ndarray:
        """c, of the free ones."""
        return np.concatenate([np.zeros(STILL), x, np.ones(STILL)])

    def basis(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and two derivatives (m, coefficients) of all B_i at t (m,)."""
        made = self._splines()
        return made(t), made.derivative(1)(t), made.derivative(2)(t)

    def jerks(self, t: np.ndarray) -> np.ndarray:
        """Third derivatives (m, coefficients) of all B_i at t (m,)."""
        return self._splines().derivative(3)(t)

    def law(self, x: np.ndarray) -> PolynomialPath:
        """s(t)."""
        from scipy.interpolate import BSpline, PPoly

        made = PPoly.from_spline(BSpline(self.knots, self.coefficients(x), DEGREE))
        kept = np.flatnonzero(np.diff(made.x) > 0)
        rows = made.c[::-1, kept].T[:, None, :].copy()
        return PolynomialPath(made.x[[*kept, kept[-1] + 1]], rows)

    def bounds(self, limits: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """(A (m, n), b (m,)) of A x ≤ b: never backwards, and derivatives of order 1, 2, … within the limits (infinite: none);
        rows scaled by the smallest values that derivatives of such a move have."""
        A, b = [], []
        for order in range(1, max(len(limits), 1) + 1):
            limit = limits[order - 1] if len(limits) >= order else np.inf
            scale = self.duration**order
            rows = self._splines().derivative(order).c * scale
            rows = rows[: len(self.knots) - 2 * order - (DEGREE - order) - 1]
            moved = rows[:, STILL:-STILL]
            fixed = rows[:, -STILL:].sum(axis=1)
            some = np.abs(moved).max(axis=1) > 0
            moved, fixed = moved[some], fixed[some]
            size = np.abs(moved).max(axis=1) if order > 1 else np.ones(len(moved))
            if order == 1:
                A.append(-moved)
                b.append(fixed)
            if np.isfinite(limit):
                A += [moved / size[:, None]] + ([-moved / size[:, None]] if order > 1 else [])
                b += [(limit * scale - fixed) / size] + ([(limit * scale + fixed) / size] if order > 1 else [])
        return np.concatenate(A), np.concatenate(b)

    def _splines(self) -> Any:
        from scipy.interpolate import BSpline

        return BSpline(self.knots, np.eye(len(self.knots) - DEGREE - 1), DEGREE)
