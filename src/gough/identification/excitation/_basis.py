"""Families of periodic motions as linear combinations of functions of time: coefficients in, a `Motion` and its YAML out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.simulation.motion.fourier import fourier
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.spline import spline

FAMILIES = ("fourier", "spline")
Three = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class PeriodicBasis:
    """Functions of a family with a period (s): of a Fourier series 1, cosines, sines of `harmonics` multiples of 1/period; of a
    spline its values at 2 harmonics + 1 even times, quintic from 6 of them on, else cubic."""

    family: str
    period: float
    harmonics: int

    @property
    def size(self) -> int:
        """Number of functions."""
        return 2 * self.harmonics + 1

    @property
    def still(self) -> np.ndarray:
        """Coefficients (size,) of a motion that stays at 1."""
        return np.eye(self.size)[0] if self.family == "fourier" else np.ones(self.size)

    @property
    def spread(self) -> np.ndarray:
        """How large coefficients (size,) of a random motion are: harmonics fall as 1/k."""
        falling = 1.0 / np.arange(1, self.harmonics + 1)
        return np.concatenate([[0.0], falling, falling]) if self.family == "fourier" else np.ones(self.size)

    def at(self, t: np.ndarray) -> Three:
        """The functions and two derivatives (n, size) at times t (n,), s."""
        names = [f"c{k}" for k in range(self.size)]
        sample = self.motion(np.eye(self.size), "joints", names).at(t)
        return sample.position, sample.velocity, sample.acceleration

    def from_rest(self) -> np.ndarray:
        """(size, free): combinations that begin without velocity and acceleration."""
        _, rate, acceleration = self.at(np.zeros(1))
        scale = 2.0 * np.pi / self.period
        _, _, vt = np.linalg.svd(np.concatenate([rate / scale, acceleration / scale**2]))
        return vt[2:].T

    def item(self, coefficients: np.ndarray, kind: str, names: Sequence[str]) -> dict[str, Any]:
        """The motion as it is written in files: {family: {…}}; coefficients (size, m)."""
        c, n = coefficients, self.harmonics
        columns = {name: c[:, k].tolist() for k, name in enumerate(names)}
        if self.family == "fourier":
            means = {name: x[0] for name, x in columns.items()}
            waves = {"cosines": {name: x[1 : n + 1] for name, x in columns.items()}}
            waves |= {"sines": {name: x[n + 1 :] for name, x in columns.items()}}
            return {"fourier": {"period": self.period, kind: means} | waves}
        times = np.linspace(0.0, self.period, self.size + 1).tolist()
        points = {name: [*x, x[0]] for name, x in columns.items()}
        degree = 5 if self.size >= 6 else 3
        return {"spline": {"times": times, kind: points, "degree": degree, "ends": "periodic"}}

    def motion(self, coefficients: np.ndarray, kind: str, names: Sequence[str]) -> Motion:
        """One period; coefficients (size, m)."""
        [(family, arguments)] = self.item(coefficients, kind, names).items()
        return fourier(**arguments) if family == "fourier" else spline(**arguments)
