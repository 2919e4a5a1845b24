"""A number known from somewhere else than this library."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

INDEPENDENT = "an independent model (energies with automatic differentiation)"
"""Origin of the numbers the papers do not print: another formulation, not this library."""
EXACT = "exact"
"""Origin of numbers that need no model: balances and closures are zero."""


@dataclass(frozen=True)
class Known:
    """`value` of a quantity, right to `tolerance` (half a unit of its last digit, unless `origin` says more).

    measure: takes drive forces (n, drives) in N to the quantity.
    """

    quantity: str
    value: tuple[float, ...]
    unit: str
    tolerance: float
    origin: str
    measure: Callable[[np.ndarray], np.ndarray]

    def difference(self, forces: np.ndarray) -> float:
        """Largest distance of the measured quantity from the known one."""
        return float(np.max(np.abs(np.atleast_1d(self.measure(forces)) - np.array(self.value))))

    def within(self, forces: np.ndarray) -> bool:
        """Whether the measured quantity is the known one; False for NaN."""
        return bool(self.difference(forces) <= self.tolerance)


def largest(forces: np.ndarray) -> np.ndarray:
    """Largest magnitude of all."""
    return np.max(np.abs(forces))


def root_mean_square(forces: np.ndarray) -> np.ndarray:
    """Over all samples and drives."""
    return np.sqrt(np.mean(np.square(forces)))


def smallest_and_largest(forces: np.ndarray) -> np.ndarray:
    """(2,): the range."""
    return np.array([np.min(forces), np.max(forces)])


def first_sample(forces: np.ndarray) -> np.ndarray:
    """All drives at the first sample."""
    return forces[0]


def middle_sample(forces: np.ndarray) -> np.ndarray:
    """All drives at the sample in the middle."""
    return forces[len(forces) // 2]
