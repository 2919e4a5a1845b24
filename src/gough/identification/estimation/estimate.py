"""What an estimator finds."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from gough.identification.estimation.spread import Residuals
from gough.text import short_repr


def blur(information: np.ndarray, sizes: np.ndarray, least: float) -> np.ndarray:
    """A root (k, p) of an information (C + diag(least sizes)²)⁻¹ from a root of C⁻¹ (k, p); sizes (p,)."""
    _, values, directions = np.linalg.svd(information * sizes, full_matrices=False)
    shrunk = values / np.hypot(1.0, least * values)
    return shrunk[:, None] * directions / sizes


@dataclass(frozen=True)
class Estimate:
    """Base parameters from data. method: "ls", "iv" or "didim". phi (p,), covariance (p, p), information (k, p): a root of its
    inverse on what the data tell; sigma (rows,): noise of the forces (N, N m). directions (k, p): of φ that the data do not tell
    at all; singular_values (p,): of the data, columns of unit length. residuals: what is left. turns: of the iteration, with
    |change| over deviation of each; settled: whether they ended.
    """

    method: str
    phi: np.ndarray
    covariance: np.ndarray
    information: np.ndarray
    sigma: np.ndarray
    directions: np.ndarray
    singular_values: np.ndarray
    residuals: Residuals
    turns: tuple[float, ...] = ()
    settled: bool = True

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations (p,); infinite where the data tell nothing."""
        out = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        blind = (np.abs(self.directions) > 1e-6 * np.abs(self.directions).max(initial=1e-300)).any(axis=0)
        return np.where(blind, np.inf, out)

    @property
    def condition(self) -> float:
        """Largest over smallest singular value of the data, columns of unit length."""
        values = self.singular_values
        return float(values[0] / values[-1]) if len(values) and values[-1] > 0 else np.inf

    def information_of(self, count: int) -> np.ndarray:
        """A root (k, count) of the information on the first `count` unknowns, whatever the others are."""
        told = self.information[:, :count]
        if count == self.information.shape[1]:
            return told
        others, _ = np.linalg.qr(self.information[:, count:])
        return told - others @ (others.T @ told)

    def half_width(self, level: float = 0.95) -> np.ndarray:
        """Of the confidence intervals (p,)."""
        dof = max(1, self.residuals.count * len(self.sigma) - len(self.phi))
        return float(student.ppf(0.5 + level / 2, dof)) * self.deviations

    __repr__ = short_repr
