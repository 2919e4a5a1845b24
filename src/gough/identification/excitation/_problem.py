"""The optimisation problem: from the coefficients of a motion to objective and constraints with exact gradients."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.identification.excitation._basis import PeriodicBasis
from gough.identification.excitation._constraints import Constraints
from gough.identification.excitation._led import LeadingSpace, LedStates
from gough.identification.excitation._measure import RegressorMeasure

LOST = 30.0
"""Objective of a motion that the robot cannot follow: no condition number has this logarithm."""

SHORTER = (1.0, 0.995, 0.98, 0.95, 0.9, 0.7, 0.4, 0.1, 0.01)
"""Parts of a motion that are tried for whether they keep everything, before the best part is sought between two of them."""


@dataclass(frozen=True)
class ProblemPoint:
    """At unknowns x (n,): objective, constraints (k,) not negative where kept, gradient (n,), jacobian (k, n)."""

    x: np.ndarray
    objective: float
    constraints: np.ndarray
    gradient: np.ndarray
    jacobian: np.ndarray

    @property
    def worst(self) -> float:
        """The smallest constraint."""
        return float(self.constraints.min(initial=np.inf))


class ExcitationProblem:
    """Unknowns x (free · m,): coefficients are those of rest at `center` (m,) and combinations times `scales` (m,).

    combinations (size, free): of the basis' functions. samples: even ones of a period.
    """

    def __init__(
        self,
        basis: PeriodicBasis,
        combinations: np.ndarray,
        space: LeadingSpace,
        measure: RegressorMeasure,
        constraints: Constraints,
        scales: np.ndarray,
        center: np.ndarray,
        samples: int,
    ) -> None:
        self.basis, self.combinations, self.space = basis, combinations, space
        self.measure, self.constraints, self.scales, self.center = measure, constraints, scales, center
        self.times = np.arange(samples) * basis.period / samples
        self._from_home = (
            space.kind == "joints" and space.model.geometry.legs_reach
        )  # legs in the branches of home, at once
        self._near: np.ndarray | None = None

    def forget(self) -> None:
        """Assemble the next states from home: another motion may have led to another assembly."""
        self._near = None

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.combinations.shape[1] * len(self.scales)

    @cached_property
    def _sampled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Functions of the combinations and derivatives (n, free) at the samples."""
        p, v, a = (x @ self.combinations for x in self.basis.at(self.times))
        return p, v, a

    def coefficients(self, x: np.ndarray) -> np.ndarray:
        """(size, m) of the basis' functions."""
        moved = self.combinations @ (x.reshape(-1, len(self.scales)) * self.scales)
        return self.basis.still[:, None] * self.center + moved

    def states(self, x: np.ndarray, times: np.ndarray | None = None) -> LedStates:
        """The robot at the samples, or at other times (n,); assembled from where it was last, or one after the other."""
        if times is None:
            moved = x.reshape(-1, len(self.scales)) * self.scales
            p, v, a = (f @ moved for f in self._sampled)
            found = self.space.states(self.center + p, v, a, self._near)
            if not found.good.all() and self._near is not None:
                found = self.space.states(self.center + p, v, a)
            if found.good.all() and not self._from_home:
                self._near = found.q
            return found
        y, yd, ydd = (f @ self.coefficients(x) for f in self.basis.at(times))
        near = None
        if self._near is not None:
            step = self.basis.period / len(self.times)
            near = self._near[np.round(times / step).astype(int) % len(self.times)]
        return self.space.states(y, yd, ydd, near)

    def point(self, x: np.ndarray) -> ProblemPoint:
        """Everything at x; a motion that the robot cannot follow is far worse than any other."""
        states, k = self.states(x), len(self.constraints.names)
        if not states.good.all():
            n = len(self.times)
            kept = np.where(states.good[:, None], 0.0, -1.0) * np.ones((n, k))
            return ProblemPoint(x, LOST, kept.T.ravel(), np.zeros(self.size), np.zeros((n * k, self.size)))
        d = self.space.derivatives(states)
        value, bars = self.measure.value(states)
        kept = self.constraints.slacks(states)
        rows = self.constraints.gradients(states, d)
        gradient = self._by_unknowns(d.pull(*bars), "nm,nf->fm")
        jacobian = self._by_unknowns(d.pull(*(np.swapaxes(r, 0, 1) for r in rows)), "knm,nf->knfm")
        return ProblemPoint(x, value, kept.T.ravel(), gradient.ravel(), jacobian.reshape(kept.size, self.size))

    def _by_unknowns(self, by_y: tuple[np.ndarray, np.ndarray, np.ndarray], how: str) -> np.ndarray:
        total = sum(np.einsum(how, g, f) for g, f in zip(by_y, self._sampled, strict=True))
        return np.asarray(total) * self.scales

    def least_slack(self, x: np.ndarray, times: np.ndarray | None = None) -> float:
        """The smallest constraint at the samples or at other times; -1 or less where the robot cannot follow."""
        states = self.states(x, times)
        if not states.good.all():
            return -1.0
        kept = self.constraints.slacks(states)
        return float(kept.min(initial=np.inf)) if np.isfinite(kept).all() else -1.0

    def shrink(self, x: np.ndarray, times: np.ndarray | None = None, steps: int = 9) -> tuple[np.ndarray, float]:
        """(x shortened as little as it takes to keep everything, the factor); factor 0 where nothing does."""
        high = 1.0
        for low in SHORTER:
            if self.least_slack(low * x, times) >= 0.0:
                break
            high = low
        else:
            return 0.0 * x, 0.0
        for _ in range(steps if low < high else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if self.least_slack(middle * x, times) >= 0.0 else (low, middle)
        return low * x, low
