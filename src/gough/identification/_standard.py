"""From base parameters to numbers of the robot: of all π with B π = φ the one nearest to the description, or a consistent one.

B π = φ leaves most of π open. The description (CAD) decides: with spreads w of its numbers,
    π = π₀ + K (φ - B π₀),  K = W Bᵀ (B W Bᵀ)⁻¹,   cov π = (1 - K B) W (1 - K B)ᵀ + K C Kᵀ,
so that B π = φ exactly, and what no motion tells stays as it was, with the spread it had. With spreads that the user states the
description is information: then K = W Bᵀ (B W Bᵀ + C)⁻¹.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.base_parameters import BaseParameters

if TYPE_CHECKING:
    from gough.model import Model

LOOSE = 1.0
"""Spread of a number of the description, relative to its size, where the user states none."""
TOLD = 0.5
"""A number whose spread is above this part of what it was before is not told by the data."""


@dataclass(frozen=True)
class Prior:
    """What the description says: values (n,), spreads (n,); stated: whether the user said so."""

    values: np.ndarray
    spreads: np.ndarray
    stated: bool

    @classmethod
    def of(cls, model: "Model", base: BaseParameters, given: float | Mapping[str, float] | None) -> "Prior":
        """given: relative spread of all numbers, or {name: spread in its unit} of some; None: the description decides only
        what the data leave open."""
        names, values = base.regressor.names, base.regressor.values
        spreads = LOOSE * typical_sizes(model, base)
        if given is None:
            return cls(values, spreads, False)
        if isinstance(given, Mapping):
            wrong = [n for n in given if n not in names]
            if wrong:
                raise UsageError(f"prior: {wrong[0]!r} is not identified here; use names of {', '.join(names[:6])}, …")
            own = np.array([float(given.get(n, s)) for n, s in zip(names, spreads, strict=True)])
            return cls(values, own, True)
        return cls(values, float(given) * typical_sizes(model, base), True)


def typical_sizes(model: "Model", base: BaseParameters) -> np.ndarray:
    """How large numbers of that kind are (n,): their own value, but not less than a mean robot of that mass and size has."""
    y, size = base.regressor, model.size
    masses = [abs(u.value) for u in y.unknowns if u.name.endswith(".M")]
    mass = float(np.mean(masses)) if masses and np.mean(masses) > 0 else 1.0
    like = {"kg": mass, "kg m": mass * size / 4, "kg m2": mass * size**2 / 16}
    kinds: dict[str, list[float]] = {}
    for u in y.unknowns:
        kinds.setdefault(u.unit, []).append(abs(u.value))
    mean = {unit: float(np.mean(v)) for unit, v in kinds.items()}
    floor = [like.get(u.unit, mean[u.unit] or 1.0) for u in y.unknowns]
    return np.maximum(np.abs(y.values), np.array(floor))


@dataclass(frozen=True)
class Standard:
    """Numbers of the robot: values (n,), covariance (n, n), told (n,): whether data say more of each than the description."""

    values: np.ndarray
    covariance: np.ndarray
    told: np.ndarray

    @property
    def deviations(self) -> np.ndarray:
        """(n,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def lift(base: BaseParameters, phi: np.ndarray, covariance: np.ndarray, prior: Prior) -> Standard:
    """The π nearest to the description that has these base parameters."""
    B, W = base.matrix, np.diag(prior.spreads**2)
    noise = covariance if prior.stated else np.zeros_like(covariance)
    S = B @ W @ B.T + noise
    scale = np.sqrt(np.diag(S))
    K = np.linalg.solve(S / np.outer(scale, scale), (B @ W) / scale[:, None]).T / scale
    values = prior.values + K @ (phi - B @ prior.values)
    rest = np.eye(len(values)) - K @ B
    spread = rest @ W @ rest.T + K @ covariance @ K.T
    told = np.sqrt(np.maximum(np.diag(spread), 0.0)) < TOLD * prior.spreads
    return Standard(values, spread, told)
