"""Search for the best coefficients: SLSQP from several starts, within a time, with the best of what was seen kept."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.optimize import minimize

from gough.identification.excitation._led import LeadingSpace
from gough.identification.excitation._problem import ExcitationProblem, ProblemPoint

KEPT = -1e-6
"""A constraint above it is kept but for rounding."""
FARTHEST = 3.0
"""Largest unknown, in parts of what a coordinate can reach."""
PRECISION = 1e-6
"""Change of the objective at which a search ends."""
PROBES = 48
"""Positions along each coordinate that are tried for how far it reaches."""
SIZES, TURN = 4.0, np.pi
"""How far coordinates are tried: robot sizes, rad."""


class ExcitationEnding(StrEnum):
    """How a search ended: all starts done, out of time, or interrupted by Ctrl-C."""

    DONE = "done"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class ExcitationStep:
    """One evaluation of a search: number of its start, seconds since the first, objective (logarithm of the smooth condition
    number, or -log det / 2r), and the smallest constraint (negative: something is not kept)."""

    start: int
    seconds: float
    objective: float
    worst: float


@dataclass
class Search:
    """What a search has seen. best: the best point that keeps everything; least: the one that breaks least where none does."""

    problem: ExcitationProblem
    until: float
    progress: Callable[[ExcitationStep], Any] | None = None
    begun: float = field(default_factory=time.monotonic)
    history: list[ExcitationStep] = field(default_factory=list)
    best: ProblemPoint | None = None
    least: ProblemPoint | None = None
    ending: ExcitationEnding = ExcitationEnding.DONE
    _last: ProblemPoint | None = None
    _start: int = 0

    def run(self, starts: Sequence[Callable[[], np.ndarray]], iterations: int) -> list[np.ndarray]:
        """Where searches from the starts ended; `ending` says where not all were made."""
        ends = []
        try:
            for self._start, start in enumerate(starts):
                self.problem.forget()
                ends.append(self._one(start(), iterations))
        except _OutOfTime:
            self.ending = ExcitationEnding.BUDGET
        except KeyboardInterrupt:
            if self.best is None:
                raise
            self.ending = ExcitationEnding.INTERRUPTED
        return ends

    def _one(self, x: np.ndarray, iterations: int) -> np.ndarray:
        rule = {"type": "ineq", "fun": lambda x: self._at(x).constraints, "jac": lambda x: self._at(x).jacobian}
        found = minimize(
            lambda x: self._at(x).objective,
            x,
            jac=lambda x: self._at(x).gradient,
            method="SLSQP",
            bounds=[(-FARTHEST, FARTHEST)] * len(x),
            constraints=[rule] if self.problem.constraints.names else [],
            options={"maxiter": iterations, "ftol": PRECISION},
        )
        return np.asarray(found.x)

    def _at(self, x: np.ndarray) -> ProblemPoint:
        if self._last is not None and np.array_equal(self._last.x, x):
            return self._last
        if time.monotonic() > self.until and self.history:
            raise _OutOfTime
        p = self._last = self.problem.point(x.copy())
        self.history.append(ExcitationStep(self._start, time.monotonic() - self.begun, p.objective, p.worst))
        if p.worst >= KEPT and (self.best is None or p.objective < self.best.objective):
            self.best = p
        if self.least is None or p.worst > self.least.worst:
            self.least = p
        if self.progress is not None:
            self.progress(self.history[-1])
        return p


class _OutOfTime(Exception):
    """The budget is spent."""


def find_reach(problem_space: LeadingSpace, kept: Callable[[np.ndarray], np.ndarray], center: np.ndarray) -> np.ndarray:
    """How far (2, m) each coordinate alone can go down and up from the centre; infinite where nothing was met.

    kept: positions (n, m) to whether (n,) the robot can stand there.
    """
    space, m = problem_space, len(center)
    far = np.array([SIZES * space.model.size if unit == "m" else TURN for unit in space.units])
    steps = np.arange(1, PROBES + 1) / PROBES
    y = np.broadcast_to(center, (2, m, PROBES, m)).copy()
    for side, sign in enumerate((-1.0, 1.0)):
        for k in range(m):
            y[side, k, :, k] += sign * far[k] * steps
    good = kept(y.reshape(-1, m)).reshape(2, m, PROBES)
    count = np.where(good.all(axis=2), PROBES, good.argmin(axis=2))
    return np.where(count == PROBES, np.inf, far * np.maximum(count, 0.5) / PROBES)
