"""What a method of integration is: one object that has all that must be known of it to choose it, and makes its time loop.

A family of methods is a class with a stepper of its own (`explicit`, `implicit`), a method an instance with its numbers in a
file of `methods`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf, pi

import numpy as np

from gough.errors import UsageError
from gough.simulation.integration.marching import Marching
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
LONGEST_STEP, EQUAL_STEP = 0.05, 1e-3
"""Steps (s) where none is given: the longest of those chosen by the error, and equal ones."""


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
