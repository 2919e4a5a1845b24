"""Runge–Kutta methods by their coefficients.

Orders and stability are tested (tests/simulation/test_runge_kutta.py) by the order conditions and by the stability function.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.simulation.integration.method import Method

Vector = np.ndarray
Row = tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class RungeKutta(Method):
    """rows: coefficients of the stages, each up to its last one. weights: of the stages in a step; lower: those of the method of
    lower order that tells the error, () without one."""

    rows: tuple[Row, ...]
    weights: Row
    lower: Row = ()

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.weights)

    @cached_property
    def A(self) -> Vector:
        """Coefficients (s, s)."""
        return np.array([[*row, *(0.0,) * (self.stages - len(row))] for row in self.rows], dtype=float)

    @cached_property
    def b(self) -> Vector:
        """Weights (s,)."""
        return np.array(self.weights, dtype=float)

    @cached_property
    def error(self) -> Vector:
        """Weights (s,) minus those of lower order; empty without."""
        return self.b - np.array(self.lower) if self.lower else np.zeros(0)

    @cached_property
    def c(self) -> Vector:
        """Times of the stages (s,), in steps."""
        return self.A.sum(axis=1)

    def growth(self, z: Vector) -> Vector:
        """See `Method`."""
        one = np.ones(self.stages)
        solved = np.linalg.solve(np.eye(self.stages) - np.asarray(z)[..., None, None] * self.A, one[:, None])[..., 0]
        return np.abs(1 + z * (solved @ self.b))
