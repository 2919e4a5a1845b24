"""Coordinates x (n,) as functions of time on [0, duration]: the parts that motions are made of.

A curve is smooth between its `breaks`; at a break it has a value from either side.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

Three = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Values, rates and second rates, each (m, n)."""


@dataclass(frozen=True, eq=False)
class Curve(ABC):
    """breaks (p + 1,): 0, the ends of the smooth pieces, duration (s)."""

    breaks: np.ndarray

    @abstractmethod
    def at(self, t: np.ndarray, left: bool) -> Three:
        """x, ẋ, ẍ (m, n) at times t (m,) inside [0, duration]; left: the value before a break, else after it."""

    @abstractmethod
    def along(self, start: np.ndarray, step: np.ndarray) -> "Curve":
        """start + x step (n,), for a curve x of one coordinate."""

    @property
    def duration(self) -> float:
        """The last break (s)."""
        return float(self.breaks[-1])


def piece_of(breaks: np.ndarray, t: np.ndarray, left: bool) -> np.ndarray:
    """Which piece (m,) each time t (m,) belongs to."""
    found = np.searchsorted(breaks, t, side="left" if left else "right") - 1
    return np.clip(found, 0, len(breaks) - 2)


def local_time(t: np.ndarray, local: np.ndarray, outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """`local` times with those of t that are breaks put exactly on the inner breaks, whatever was rounded between."""
    k = np.clip(np.searchsorted(outer, t), 0, len(outer) - 1)
    return np.where(outer[k] == t, inner[k], np.clip(local, 0.0, inner[-1]))


@dataclass(frozen=True, eq=False)
class Polynomials(Curve):
    """coefficients (p, n, d + 1): of rising powers of the time since the piece began."""

    coefficients: np.ndarray

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `Curve.at`."""
        k = piece_of(self.breaks, t, left)
        return horner(self.coefficients[k], t - self.breaks[k])

    def along(self, start: np.ndarray, step: np.ndarray) -> "Polynomials":
        """As `Curve.along`."""
        made = self.coefficients * np.asarray(step, dtype=float)[:, None]
        made[:, :, 0] += start
        return Polynomials(self.breaks, made)


@dataclass(frozen=True, eq=False)
class Cosines(Curve):
    """One piece: constant (n,) + Σ_k amplitudes (k, n) cos(rates (k,) t)."""

    constant: np.ndarray
    amplitudes: np.ndarray
    rates: np.ndarray

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `Curve.at`."""
        angle = np.multiply.outer(t, self.rates)
        c, s = np.cos(angle), np.sin(angle)
        return (
            self.constant + c @ self.amplitudes,
            -(s * self.rates) @ self.amplitudes,
            -(c * self.rates**2) @ self.amplitudes,
        )

    def along(self, start: np.ndarray, step: np.ndarray) -> "Cosines":
        """As `Curve.along`."""
        step = np.asarray(step, dtype=float)
        return Cosines(self.breaks, start + self.constant * step, self.amplitudes * step, self.rates)


def horner(coefficients: np.ndarray, tau: np.ndarray) -> Three:
    """Polynomials (m, n, d + 1) and their two derivatives at local times tau (m,)."""
    x = np.zeros(coefficients.shape[:2])
    xd, xdd = np.zeros_like(x), np.zeros_like(x)
    step = tau[:, None]
    for power in range(coefficients.shape[2] - 1, -1, -1):
        xdd = xdd * step + 2.0 * xd
        xd = xd * step + x
        x = x * step + coefficients[:, :, power]
    return x, xd, xdd


def constant(x: np.ndarray, duration: float) -> Polynomials:
    """A curve that stays at x (n,)."""
    return Polynomials(np.array([0.0, duration]), np.asarray(x, dtype=float)[None, :, None].copy())
