"""Designs of a study's front: their order along it, where they stand in the study's cases, and designs between two of them.

Between two designs the variables are interpolated, and the robot they make is assembled anew: what is drawn there is a robot, no
mixture of two pictures, and its loops are closed.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gough.errors import GoughError, UsageError
from gough.model import build
from gough.simulation.motion.paths import Sample
from gough.studies.report.page import middle_design
from gough.studies.result import StudyResult
from gough.studies.study.cases import StudyCase
from gough.studies.study.making import pose_case
from gough.viewer.drawing.figure import Figure

Array = np.ndarray
HOME = "home"
"""The case of studies that have none."""
MOST_ORDERED = 3000
"""Designs of a way for which the smoothest one is looked for."""
MOST_CHOSEN = 5
"""Designs that stand beside the one shown at first."""


class DesignStates:
    """States of designs of a study; what was assembled for one of the front is kept."""

    def __init__(self, found: StudyResult) -> None:
        self.found, self.space = found, found.study.evaluator.space
        model = self.space.model
        self.cases: dict[str, StudyCase] = dict(found.study.evaluator.cases) or {HOME: pose_case(HOME, model, [{}])}
        self.first = next(iter(self.cases))
        self._kept: dict[tuple[str, int], Array] = {}

    def seconds(self, case: str) -> float:
        """How long a case lasts; poses count a second each, and the last one stays."""
        own = self.cases[case]
        return float(own.count - 1 if own.time is None else own.time[-1] - own.time[0])

    def state_at(self, case: str, time: float) -> int:
        """The state of a case at a time (s) from its begin."""
        own = self.cases[case]
        at = np.arange(own.count) if own.time is None else own.time - own.time[0]
        return int(np.abs(at - time).argmin())

    def of_row(self, case: str, row: int) -> Array:
        """q (s, nq) of a design of the front in all states of a case, NaN where it does not take one."""
        if (case, row) not in self._kept:
            self._kept[case, row] = self.of_design(case, self.found.front.designs.x[row])
        return self._kept[case, row]

    def of_design(self, case: str, x: Array) -> Array:
        """`of_row` of variables x (k,)."""
        P, violation = self.space.designs(x[None])
        if violation[0] > 0:
            return np.full((self.cases[case].count, self.space.model.layout.nq), np.nan)
        states = self.cases[case].states_of(P, variables=self.space.variable_rows(x[None]))
        return np.where(states.missed[0][:, None], np.nan, states.q[0])

    def between(self, case: str, state: int, x: Array, near: Array) -> Array:
        """q (nq,) of any variables x (k,) in a state of a case, found from a similar design's (nq,); UsageError where that
        is no robot."""
        P, violation = self.space.designs(x[None])
        if violation[0] > 0:
            raise UsageError("its numbers are none the description allows")
        rows = self.space.variable_rows(x[None])
        found = _one_state(self.cases[case], state).states_of(P, near=near[None], variables=rows)
        if found.missed.any():
            raise UsageError(f"it does not reach state {state} of {case}")
        return found.q[0, 0]

    def figure(self, x: Array, home: Array) -> Figure:
        """The drawing of variables x (k,), its parts made to fit at a closed configuration (nq,). Bodies that bend have their
        shapes from a model of their own."""
        model = self.space.model
        if model.layout.n_elastic:
            values = dict(zip(self.space.names, x.tolist(), strict=True))
            made = build(self.found.study.robot_at(values), model.free, model.asked).unlocked
            return Figure(made, home=home)
        return Figure(model, self.space.designs(x[None])[0][0], home)


def _one_state(case: StudyCase, state: int) -> StudyCase:
    """A case of one of its states, at rest but where a frame is led."""
    own = slice(state, state + 1)
    case = case if case.follows is None else replace(case, follows=case.follows.of_states(own))
    if case.target is not None and case.target.columns is None and case.sample is not None and case.time is not None:
        s = case.sample
        sample = Sample(s.position[own], s.velocity[own], s.acceleration[own])
        return replace(case, position=case.position[own], sample=sample, time=case.time[own], grid=None)
    return replace(case, position=case.position[own], target=None, sample=None, time=None, grid=None)


@dataclass(frozen=True, eq=False)
class FrontWay:
    """Designs of the front in the order of an objective, from its best to its worst. rows (n,): their numbers."""

    found: StudyResult
    rows: Array

    @property
    def last(self) -> float:
        """Place of the last stop, counted from 0."""
        return float(len(self.rows) - 1)

    def place_of(self, row: int) -> int:
        """The stop nearest to a design of the front: itself, or in its objectives."""
        F = self._scaled
        return int(((F[self.rows] - F[row]) ** 2).sum(axis=1).argmin())

    def stops(self, place: float) -> tuple[int, int, float]:
        """(design before, design after, part of the way between them) at a place; both the same at a stop."""
        place = float(np.clip(place, 0.0, self.last))
        below = int(np.floor(place + 1e-9))
        part = place - below
        if part < 1e-9:
            return int(self.rows[below]), int(self.rows[below]), 0.0
        return int(self.rows[below]), int(self.rows[below + 1]), part

    def variables(self, place: float) -> Array:
        """x (k,) at a place."""
        a, b, part = self.stops(place)
        X = self.found.front.designs.x
        return X[a].copy() if a == b else (1 - part) * X[a] + part * X[b]

    def values(self, place: float) -> Array:
        """Measures (m,), straight between those of the designs on both sides."""
        a, b, part = self.stops(place)
        V = self.found.front.designs.values
        return (1 - part) * V[a] + part * V[b]

    @cached_property
    def _scaled(self) -> Array:
        F = self.found.front.objectives
        size = np.ptp(F, axis=0)
        return F / np.where(size > 0, size, 1.0)


def front_way(found: StudyResult, objective: int, every: bool) -> FrontWay:
    """The way along the front by an objective. every: over all designs in their order; else over those that lead from its best to
    its worst in small steps of the variables, each further than the one before (with three objectives and more neighbours in
    the order of one may be far from each other)."""
    F = found.front.objectives
    order = np.lexsort((*F.T[::-1], F[:, objective]))
    if every or len(order) < 3:
        return FrontWay(found, order)
    if len(order) > MOST_ORDERED:
        order = order[np.unique(np.linspace(0, len(order) - 1, MOST_ORDERED).astype(int))]
    space = found.study.evaluator.space
    X = (found.front.designs.x[order] - space.lower) / (space.upper - space.lower)
    return FrontWay(found, order[smooth_way(X)])


def smooth_way(points: Array) -> Array:
    """Numbers of some points (n, k), rising, the first and the last among them, so that the sum of squared steps is least."""
    n = len(points)
    cost, before = np.full(n, np.inf), np.zeros(n, dtype=int)
    cost[0] = 0.0
    for j in range(1, n):
        through = cost[:j] + ((points[:j] - points[j]) ** 2).sum(axis=1)
        before[j] = int(through.argmin())
        cost[j] = through[before[j]]
    way = [n - 1]
    while way[-1] > 0:
        way.append(int(before[way[-1]]))
    return np.array(way[::-1])


def usual_designs(found: StudyResult) -> dict[int, str]:
    """{design: why}: the best of every objective and the one nearest to the best of all, at most MOST_CHOSEN."""
    F = found.front.objectives
    chosen: dict[int, str] = {}
    for k, o in enumerate(found.study.evaluator.objectives):
        row = int(np.lexsort((*F.T[::-1], F[:, k]))[0])
        chosen[row] = f"{chosen[row]}, {o.measure}" if row in chosen else f"best {o.measure}"
    kept = dict(list(chosen.items())[: MOST_CHOSEN - 1])
    middle = middle_design(found)
    kept.setdefault(middle, "compromise")
    return kept


def demand_designs(found: StudyResult) -> None:
    """UsageError where there is no design to be shown, with what was said of the result."""
    try:
        found.nearest({found.study.measures[0]: 0.0})
    except GoughError as problem:
        raise UsageError("; ".join([str(problem), *found.remarks])) from None
