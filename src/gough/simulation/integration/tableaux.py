"""Coefficients of Runge–Kutta methods.

Sources   "rk4": Kutta 1901. "dp5": Dormand and Prince 1980, orders 5 and 4. "sdirk2": Alexander 1977, order 2.
          "esdirk4": Kennedy and Carpenter 2003, ARK4(3)6L[2]SA, orders 4 and 3. Orders and stability are tested
          (tests/simulation/test_tableaux.py) by the order conditions and by the stability function.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np


@dataclass(frozen=True, eq=False)
class Tableau:
    """A (s, s), b (s,) and c (s,); error (s,): b minus the weights of the method of lower order, empty without one.

    gamma: the diagonal of a method that is implicit in every stage (but perhaps the first); 0 for explicit ones.
    """

    name: str
    order: int
    A: np.ndarray
    b: np.ndarray
    error: np.ndarray
    gamma: float = 0.0

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.b)

    @property
    def c(self) -> np.ndarray:
        """Times of the stages, in steps."""
        return self.A.sum(axis=1)

    @property
    def first_explicit(self) -> bool:
        """Whether the first stage is the state itself."""
        return not self.A[0].any()


def _lower(rows: list[list[float]]) -> np.ndarray:
    n = len(rows)
    A = np.zeros((n, n))
    for i, row in enumerate(rows):
        A[i, : len(row)] = row
    return A


def _rk4() -> Tableau:
    b = np.array([1, 2, 2, 1]) / 6
    return Tableau("rk4", 4, _lower([[], [0.5], [0, 0.5], [0, 0, 1.0]]), b, np.zeros(0))


def _dp5() -> Tableau:
    rows = [
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
    b = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
    low = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
    return Tableau("dp5", 5, _lower(rows), b, b - low)


def _sdirk2() -> Tableau:
    g = 1 - 1 / sqrt(2)
    b = np.array([1 - g, g])
    return Tableau("sdirk2", 2, _lower([[g], [1 - g, g]]), b, b - np.array([1.0, 0.0]), g)


def _esdirk4() -> Tableau:
    g = 0.25
    rows = [
        [],
        [g, g],
        [8611 / 62500, -1743 / 31250, g],
        [5012029 / 34652500, -654441 / 2922500, 174375 / 388108, g],
        [15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, g],
        [82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, g],
    ]
    b = np.array(rows[-1])
    low = np.array(
        [
            4586570599 / 29645900160,
            0,
            178811875 / 945068544,
            814220225 / 1159782912,
            -3700637 / 11593932,
            61727 / 225920,
        ]
    )
    return Tableau("esdirk4", 4, _lower(rows), b, b - low, g)


@lru_cache(maxsize=1)
def tableaux() -> dict[str, Tableau]:
    """All methods by name."""
    return {t.name: t for t in (_rk4(), _dp5(), _sdirk2(), _esdirk4())}
