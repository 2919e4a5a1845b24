"""One optimum by gradients: SciPy's SLSQP, or IPOPT through CasADi.

An extreme (a peak force, the least frequency) is not smooth where entries tie, and at an optimum they do. So it is written by all
its entries: minimise t with entry ≤ t for each, and a bound on an extreme bounds every entry. Numbers are scaled: variables to
the unit cube, measures by their size at the start, constraints by their bounds.

Several objectives become one: the largest of (f - f₀) / w, with w their sizes, or a sum with weights. Points at which a design is
no robot give no number to the optimiser, which takes a shorter step; from such a start the way to robots is looked for first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.studies.methods._solvers import LOST, NoDesignError, choose_solver
from gough.studies.study.evaluation import Evaluated, Evaluator, LinearDesign
from gough.studies.study.measures import DesignMeasure, Measure, StateMeasure

ITERATIONS = 100
MOST_ENTRIES = 400
"""Of one extreme that are followed: those nearest to it at the start, and those that were left out and became it."""
ROUNDS = 6
"""Of descents, each with the entries that the one before should have followed."""
NO_SLOPES = "no gradients at this start"
LAST_SEEN = 15
"""Points that are looked at again where a descent is cut, beside its first."""
WAY, NEAREST = 60, 1e-3
"""Tries to find a robot from a start that is none, and the part of ranges within which nothing better ends them."""


@dataclass
class _Asked:
    """Numbers of the problem at points, each computed once; how many points were asked for with gradients."""

    evaluator: Evaluator
    count: int = 0
    last: tuple[bytes, LinearDesign | None] = (b"", None)
    near: LinearDesign | None = None
    tick: Callable[[float], None] | None = None
    problem: str = ""
    seen: list[np.ndarray] = field(default_factory=list)

    def at(self, x: np.ndarray) -> LinearDesign:
        """NoDesignError where there is none."""
        if self.tick is not None:
            self.tick(0.5)
        key = x.tobytes()
        if key != self.last[0]:
            self.count += 1
            self.last = (key, None)
            self.last = (key, self.number(lambda: self.evaluator.states_at(x, self.near)))
            self.near = self.last[1] or self.near
            self.seen.append(x.copy())
        if self.last[1] is None:
            raise NoDesignError
        return self.last[1]

    def number(self, make: Callable[[], Any]) -> Any:
        """What is made; NoDesignError, with its words kept, where quantities have no value or no slope."""
        try:
            return make()
        except GoughError as error:
            self.problem = str(error)
            raise NoDesignError from error


@dataclass(frozen=True)
class Descent:
    """What came of a start. x (k,); evaluated: of it, one row; evaluations: points with gradients; success: whether the optimiser
    says that it converged; said: its words; start (k,)."""

    x: np.ndarray
    evaluated: Evaluated
    evaluations: int
    success: bool
    said: str
    start: np.ndarray
    cut: bool = False


def descend(
    evaluator: Evaluator,
    start: np.ndarray,
    weights: np.ndarray | None = None,
    solver: str = "auto",
    iterations: int = ITERATIONS,
    reference: np.ndarray | None = None,
    shared: bool | None = None,
    tick: Callable[[float], None] | None = None,
    keep_cut: bool = False,
) -> Descent:
    """From a start (k,). weights (o,): of objectives over their sizes at the start, in a sum; shared, default with several
    objectives and no weights: the largest of weight · (f - reference) / size, reference (o,) their values at the start unless
    given. tick: called before every evaluation; what it raises ends the descent: with keep_cut an InterruptedError gives the
    best point so far, which is then `cut`."""
    evaluator.demand_gradients()
    if not evaluator.objectives:
        raise UsageError(
            "gradients: the study has no objective; name what is to be small (minimise) or large (maximise)"
        )
    asked = _Asked(evaluator, tick=tick)
    try:
        return _follow_down(evaluator, asked, start, weights, solver, iterations, reference, shared)
    except InterruptedError:
        if not (keep_cut and asked.seen):
            raise
        return _cut(evaluator, asked, start)


def _cut(evaluator: Evaluator, asked: _Asked, start: np.ndarray) -> Descent:
    """The best point that a descent came to before its time was over."""
    found = evaluator.evaluate(np.stack([asked.seen[0], *asked.seen[1:][-LAST_SEEN:]]), graded=True)
    F = evaluator.objective_values(found.values)
    merit = np.nan_to_num((F / np.where(F[:1] != 0, np.abs(F[:1]), 1.0)).sum(axis=1), nan=np.inf)
    best = int(np.lexsort((merit, found.total_violation))[0])
    own = Evaluated(*(getattr(found, n)[[best]] for n in ("x", "values", "constraints", "violation")))
    return Descent(found.x[best], own, asked.count, False, "its time was over", start, cut=True)


def _follow_down(
    evaluator: Evaluator,
    asked: _Asked,
    start: np.ndarray,
    weights: np.ndarray | None,
    solver: str,
    iterations: int,
    reference: np.ndarray | None,
    shared: bool | None,
) -> Descent:
    space = evaluator.space
    low, size = space.lower, space.upper - space.lower
    first = _toward_robots(evaluator, np.clip(start, space.lower, space.upper))
    chosen, z, success, said = choose_solver(solver), (first - low) / size, False, ""
    try:
        asked.at(first)
        problem = _Problem(asked, low, size, first, weights, reference, shared)
        problem.rows(np.concatenate([z, problem.first_t]))
    except LOST as ended:
        found = evaluator.evaluate(first[None], graded=True)
        told = f"no robot was found near this start (violation {found.violation[0]:.3g})"
        told = f"{NO_SLOPES}: {asked.problem or ended}" if found.violation[0] == 0 else told
        return Descent(first, found, asked.count, False, told, start)
    for _ in range(ROUNDS):
        z, success, said = chosen(problem, z, iterations)
        if not problem.follow_more(low + size * np.clip(z, 0.0, 1.0)):
            break
    x = space.settle((low + size * np.clip(z, 0.0, 1.0))[None])[0]
    candidates = evaluator.evaluate(np.stack([x, *asked.seen[:1], *asked.seen[-3:]]))
    order = np.lexsort((problem.merit(candidates), candidates.total_violation))
    best = int(order[0])
    row = slice(best, best + 1)
    own = Evaluated(candidates.x[row], candidates.values[row], candidates.constraints[row], candidates.violation[row])
    return Descent(candidates.x[best], own, asked.count, success, said, start)


def _toward_robots(evaluator: Evaluator, start: np.ndarray) -> np.ndarray:
    """The start, or a point next to it at which all cases are taken: by steps that make the violation smaller, towards the
    description's design at last."""
    x, home, rng = start.copy(), evaluator.space.settle(evaluator.space.start[None])[0], np.random.default_rng(0)
    least = float(evaluator.evaluate(x[None], graded=True).violation[0])
    size, radius = evaluator.space.upper - evaluator.space.lower, 0.25
    for _ in range(WAY):
        if least == 0 or radius < NEAREST:
            return x
        tried = x + radius * size * rng.normal(size=(7, len(x))) / np.sqrt(len(x))
        tried = np.concatenate([evaluator.space.settle(tried), [x + 0.25 * (home - x)]])
        found = evaluator.evaluate(tried, graded=True).violation
        k = int(found.argmin())
        radius = radius if found[k] < least else 0.6 * radius
        if found[k] < least:
            x, least = tried[k], float(found[k])
    return x


class _Problem:
    """min objective(z, t) with rows(z, t) ≤ 0, z in the unit cube; t: bounds of the entries of objectives that are extremes."""

    def __init__(
        self,
        asked: _Asked,
        low: np.ndarray,
        size: np.ndarray,
        start: np.ndarray,
        weights: np.ndarray | None,
        reference: np.ndarray | None,
        shared: bool | None,
    ) -> None:
        self.asked, self.low, self.size = asked, low, size
        self.evaluator = asked.evaluator
        self.measures = {m.name: m for m in self.evaluator.measures}
        here = asked.at(start)
        found = asked.number(
            lambda: np.array([o.sense * here.value(self.measures[o.measure])[0] for o in self.evaluator.objectives])
        )
        self.scale = np.where(np.abs(found) > 0, np.abs(found), 1.0)
        self.reference = (found if reference is None else reference) / self.scale
        several = len(found) > 1 and weights is None if shared is None else shared
        self.weights = np.ones(len(found)) if weights is None else np.asarray(weights, dtype=float)
        self.shared = several
        self.bounded = [several or self._is_extreme(o.measure, o.sense) for o in self.evaluator.objectives]
        self.chosen: dict[str, np.ndarray] = {}
        self.largest: dict[str, int] = {}
        self.first_t = np.zeros(1) if several else (found / self.scale)[np.array(self.bounded, dtype=bool)]

    def _is_extreme(self, name: str, sense: float) -> bool:
        """Whether a measure, times its sense, is the largest of smooth numbers."""
        measure = self.measures[name]
        bounds = measure.reduction.bounds if isinstance(measure, StateMeasure) else None
        return bounds is not None and bounds[0] == sense

    @property
    def extra(self) -> int:
        """Number of t."""
        return len(self.first_t)

    def objective(self, y: np.ndarray) -> tuple[float, np.ndarray]:
        """(value, gradient (k + extra,)) at y = (z, t)."""
        k = len(self.low)
        slope = np.zeros(len(y))
        if self.shared:
            slope[k] = 1.0
            return float(y[k]), slope
        here, value, t = self.asked.at(self.low + self.size * y[:k]), 0.0, k
        for o, bounded, weight, scale in zip(
            self.evaluator.objectives, self.bounded, self.weights, self.scale, strict=True
        ):
            if bounded:
                value += weight * y[t]
                slope[t] = weight
                t += 1
            else:
                f, by_x = self.asked.number(partial(here.value, self.measures[o.measure]))
                value += weight * o.sense * f / scale
                slope[:k] += weight * o.sense * by_x * self.size / scale
        return float(value), slope

    def rows(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values (c,), slopes (c, k + extra)) of what must be ≤ 0."""
        k = len(self.low)
        here = self.asked.at(self.low + self.size * y[:k])
        values, slopes, t = [np.zeros(0)], [np.zeros((0, len(y)))], k
        for i, (o, bounded, scale) in enumerate(zip(self.evaluator.objectives, self.bounded, self.scale, strict=True)):
            if not bounded:
                continue
            e, by_x = self._entries(here, f"objective {i}", self.measures[o.measure], o.sense)
            share = self.weights[i] if self.shared else 1.0
            shift = self.reference[i] if self.shared else 0.0
            own = np.zeros((len(e), len(y)))
            own[:, :k] = share * by_x * self.size / scale
            own[:, t] = -1.0
            values.append(share * (e / scale - shift) - y[t])
            slopes.append(own)
            t += 0 if self.shared else 1
        for i, c in enumerate(self.evaluator.constraints):
            for sign, bound, scale in c.bounds():
                e, by_x = self._entries(here, f"constraint {i} {sign}", self.measures[c.measure], sign)
                own = np.zeros((len(e), len(y)))
                own[:, :k] = by_x * self.size / scale
                values.append((e - sign * bound) / scale)
                slopes.append(own)
        return np.concatenate(values), np.concatenate(slopes)

    def _entries(self, here: LinearDesign, key: str, measure: Measure, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """sign · measure, as the largest of its entries where it is that; always the same entries."""
        if isinstance(measure, DesignMeasure) or not self._is_extreme(measure.name, sign):
            value, slope = self.asked.number(lambda: here.value(measure))
            return np.array([sign * value]), sign * slope[None]
        e, by_x = self.asked.number(lambda: here.entries(measure))
        e, by_x = sign * e, sign * by_x
        if key not in self.chosen:
            self.chosen[key] = np.argsort(-e, kind="stable")[:MOST_ENTRIES]
        self.largest[key] = int(e.argmax())
        return e[self.chosen[key]], by_x[self.chosen[key]]

    def follow_more(self, x: np.ndarray) -> bool:
        """Whether an entry that was left out is the extreme at x (k,); it is followed from now on."""
        try:
            self.rows(np.concatenate([(x - self.low) / self.size, self.first_t]))
        except LOST:
            return False
        new = {key: k for key, k in self.largest.items() if k not in self.chosen[key]}
        self.chosen |= {key: np.append(self.chosen[key], k) for key, k in new.items()}
        return bool(new)

    def merit(self, found: Evaluated) -> np.ndarray:
        """What is minimised (n,), of evaluated points."""
        f = self.evaluator.objective_values(found.values) / self.scale
        merit = (self.weights * (f - self.reference)).max(axis=1) if self.shared else f @ self.weights
        return np.nan_to_num(merit, nan=np.inf)
