"""What a method of integration is: one object that has all that must be known of it to choose it, and makes its time loop.

A family of methods is a class with a stepper of its own (`explicit`, `_implicit`), a method an instance with its numbers in a
file of `methods`.
Runge–Kutta methods are told by their coefficients. Orders and stability are tested (tests/simulation/test_runge_kutta.py) by the
order conditions and by the stability function.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, pi

import numpy as np

from gough.errors import UsageError
from gough.simulation.integration.marching import Marching
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
LONGEST_STEP, EQUAL_STEP = 0.05, 1e-3
"""Steps (s) where none is given: the longest of those chosen by the error, and equal ones."""
Row = tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Method(ABC):
    """Base of all methods. order: of its error. implicit: solves equations in every step. adaptive: steps chosen by the error,
    else equal ones. limit: largest ωh at which an undamped vibration ω does not grow with steps h; inf: none. use: what for, in
    words.
    """

    name: str
    order: int
    implicit: bool
    adaptive: bool
    limit: float
    use: str

    @property
    def steps(self) -> str:
        """How steps are chosen, in words."""
        return "by the error" if self.adaptive else "equal"

    @property
    def usual_step(self) -> float:
        """Step (s) where none is given: the longest, or the equal one."""
        return LONGEST_STEP if self.adaptive else EQUAL_STEP

    def longest_step(self, frequency_hz: float) -> float:
        """Longest stable step (s) for a vibration (Hz); inf where any is."""
        return self.limit / (2 * pi * frequency_hz) if frequency_hz > 0 else inf

    def growth(self, z: Vector) -> Vector:
        """|R(z)| (n,) of a step of the test equation x' = λx with z = hλ (n,); asked for where steps are equal and explicit, so
        that other methods need none."""
        raise NotImplementedError(f"{self.name} does not say how its steps grow")

    def with_rho_infinity(self, rho_infinity: float | None) -> "Method":
        """The method with this setting of generalised_alpha; UsageError where it has none."""
        if rho_infinity is not None:
            raise UsageError(f"rho_infinity is a setting of generalised_alpha, not of {self.name}")
        return self

    @abstractmethod
    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> Marching:
        """Its time loop of a robot under a law. parameters (n,): of the design. step (s): equal, or longest."""


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
