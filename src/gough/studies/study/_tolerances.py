"""Robots that a design stands for: deviations of numbers, and draws of an identification's estimate.

Deviations are added to what the design has. Numbers of an estimate replace it: what was identified holds for every design, so
that a study may not vary them. The same robots stand for all designs, so that designs are compared under equal conditions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.simulation.ensembles.vary import draw_estimates

if TYPE_CHECKING:
    from gough.model import Model
    from gough.studies.study.variables import DesignSpace


@dataclass(frozen=True)
class Tolerances:
    """Robots (k,) that a design is judged by. deviations (k, variables): of what the study varies, the first of them none;
    variables, parameters: {name: deviations (k,)} of other variables of the description and of parameters; estimates: {parameter:
    numbers (k,)} that it has in every design, the first of them the estimate itself. quantile: of the values, 1 the worst.
    Measures in `of` alone are taken so, all where it is empty; the others are those of the first robot."""

    deviations: np.ndarray
    quantile: float = 1.0
    of: frozenset[str] = frozenset()
    variables: Mapping[str, np.ndarray] = field(default_factory=dict)
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)
    estimates: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """k."""
        return len(self.deviations)

    @property
    def words(self) -> str:
        """Which of the robots counts."""
        widths = [*self.deviations.T, *self.variables.values(), *self.parameters.values()]
        ends = [np.abs(x[1:]) for x in widths if np.any(x)]
        corners = not self.estimates and self.count - 1 == 2 ** len(ends) and all(np.ptp(x) == 0 for x in ends)
        drawn = f"{self.count - 1} {'corners' if corners else 'draws'}"
        return f"worst of {drawn}" if self.quantile == 1 else f"quantile {self.quantile:g} of {drawn}"

    @property
    def plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        named = {key: {n: x.tolist() for n, x in getattr(self, key).items()} for key in ("variables", "parameters")}
        drawn = {n: x.tolist() for n, x in self.estimates.items()}
        own = {"deviations": self.deviations.tolist(), "quantile": self.quantile, "of": sorted(self.of)}
        return own | named | {"estimates": drawn}

    def designs(self, space: "DesignSpace", x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(parameters (n · k, m), violation (n · k,)) of the robots of points (n, variables), point after point."""
        n, places = len(x), {name: i for i, name in enumerate(space.model.parameter_names)}
        spread = (x[:, None] + self.deviations).reshape(n * self.count, x.shape[1])
        P, violation = space.designs(spread, {name: np.tile(d, n) for name, d in self.variables.items()})
        for name, values in self.estimates.items():
            P[:, places[name]] = np.tile(values, n)
        for name, d in self.parameters.items():
            P[:, places[name]] += np.tile(d, n)
        return P, violation + space.impossible(P, list(self.parameters))


def draw_deviations(sizes: Mapping[str, float], draws: int, seed: int, distribution: str) -> dict[str, np.ndarray]:
    """{name: deviations (draws + 1,)}, the first of them 0. sizes: half widths of equal distributions ("uniform"), or standard
    deviations ("normal")."""
    rng, shape = np.random.default_rng(seed), (draws, len(sizes))
    drawn = rng.uniform(-1.0, 1.0, shape) if distribution == "uniform" else rng.normal(size=shape)
    return {n: np.append(0.0, size * drawn[:, k]) for k, (n, size) in enumerate(sizes.items())}


def corner_deviations(sizes: Mapping[str, float]) -> dict[str, np.ndarray]:
    """{name: deviations (2ⁿ + 1,)}, the first of them 0: every combination of the ends of the n widths above 0."""
    moved = [n for n, size in sizes.items() if size > 0]
    signs = 1.0 - 2.0 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
    still = np.zeros(len(signs) + 1)
    return {n: np.append(0.0, x * signs[:, moved.index(n)]) if n in moved else still for n, x in sizes.items()}


def draw_robots(
    model: "Model", means: Mapping[str, float], covariance: np.ndarray, draws: int, seed: int
) -> dict[str, np.ndarray]:
    """{parameter: numbers (draws + 1,)} of an estimate, itself first; see `gough.vary.draw_estimates`."""
    first = draw_estimates(model, means, 0.0 * covariance, 1, seed).values
    drawn = draw_estimates(model, means, covariance, draws, seed).values
    return {name: np.append(first[name], x) for name, x in drawn.items()}
