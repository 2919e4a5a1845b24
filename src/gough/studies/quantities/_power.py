"""Mechanical power of the drives, and tilts of joints: products and angles of what functions give."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.scalar import atan2, select, sqrt
from gough.studies._closed_states import ClosedStates


@dataclass(frozen=True)
class DrivePowers:
    """Force times rate of drives (W), forces by inverse dynamics. drives: their places; columns: of their rates in u. total: ""
    for each by itself; "all" for their sum, as of drives that feed each other; "drawn" for the sum of what is above 0, as of
    drives that burn what they get back."""

    drive_names: tuple[str, ...]
    drives: tuple[int, ...]
    columns: tuple[int, ...]
    total: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries."""
        return (f"{self.total} power",) if self.total else self.drive_names

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("W",) * len(self.names)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        tau, rate = self._factors(states)
        power = tau * rate
        if not self.total:
            return power
        return (power * self._counted(power)).sum(axis=1, keepdims=True)

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters): (τ u)' = τ' u + τ u'."""
        tau, rate = self._factors(states)
        weights = weights * self._counted(tau * rate) if self.total else weights
        bars = [np.zeros_like(states.evaluate(f)[o]) for f, o in (("inverse_dynamics", "tau"), ("tree_rates", "u"))]
        bars[0][:, list(self.drives)] = weights * rate
        bars[1][:, list(self.columns)] = weights * tau
        by_force = states.pull("inverse_dynamics", {"tau": bars[0]})["parameters"]
        return by_force + states.pull("tree_rates", {"u": bars[1]})["parameters"]

    def _counted(self, power: np.ndarray) -> np.ndarray:
        """1 for entries (n, m) of a sum that count, else 0."""
        if self.total == "drawn" and power.dtype == object:  # traced scalars
            return np.vectorize(lambda p: select(p, 1.0 + 0.0 * p, 0.0 * p), otypes=[object])(power)
        return np.ones(power.shape) if self.total == "all" else (power > 0).astype(float)

    def _factors(self, states: ClosedStates) -> tuple[np.ndarray, np.ndarray]:
        tau = states.evaluate("inverse_dynamics")["tau"][:, list(self.drives)]
        return tau, states.evaluate("tree_rates")["u"][:, list(self.columns)]


@dataclass(frozen=True)
class Tilts:
    """Angles (rad) by which universal and spherical joints are tilted, as cone limits count them. places: in "tilt_cosines"."""

    names: tuple[str, ...]
    places: tuple[int, ...]

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("rad",) * len(self.names)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        c = self._cosines(states)
        if c.dtype == object:  # traced scalars
            return np.vectorize(_angle, otypes=[object])(c)
        return np.arccos(np.clip(c, -1.0, 1.0))

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters); 0 for a joint that is not tilted at all, where an angle has a kink."""
        c = self._cosines(states)
        bar = np.zeros_like(states.evaluate("tilt_cosines")["cosines"])
        root = np.sqrt(np.maximum(1.0 - c**2, 0.0))
        bar[:, list(self.places)] = np.where(root > 0, -weights / np.where(root > 0, root, 1.0), 0.0)
        return states.pull("tilt_cosines", {"cosines": bar})["parameters"]

    def _cosines(self, states: ClosedStates) -> np.ndarray:
        return states.evaluate("tilt_cosines")["cosines"][:, list(self.places)]


def _angle(c: Any) -> Any:
    """Of a cosine that rounding may have made larger than 1."""
    square = 1.0 - c * c
    return atan2(sqrt(select(square, square, 0.0 * square)), c)
