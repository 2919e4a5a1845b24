"""A study's numbers at points: values of all measures, constraints, violations; and their gradients.

Designs that the description refuses, that do not take a state of a case, or at which a quantity is no number, are infeasible:
their values are NaN, and their violation is above 0, the more the farther they are from a robot. Constraints of feasible ones
are numbers that are ≤ 0 where they hold, over the size of their bounds.

With tolerances a design stands for all robots that differ from it by them: a measure is then its worst value, or a quantile of
values, over the same deviations for every design (so that designs are compared under equal conditions).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.studies._directions import choose_directions
from gough.studies.study._linear import LinearDesign, states_aside
from gough.studies.study._tolerances import Tolerances
from gough.studies.study.cases import CaseStates, StudyCase
from gough.studies.study.measures import DesignMeasure, Measure, StateMeasure, WorkspaceMeasure
from gough.studies.study.variables import DesignSpace

HELD = 1e-9
"""A constraint counts as kept up to this, over the size of its bound."""
TOLD = 3
"""Deviations of a robot that are named."""


def with_unit(x: float, unit: str) -> str:
    """A number with its unit, angles in degrees besides."""
    if unit == "rad":
        return f"{x:g} rad ({np.degrees(x):g} deg)"
    return f"{x:g}" if unit in ("", "1") else f"{x:g} {unit}"


@dataclass(frozen=True)
class Constraint:
    """measure at_least, at_most (SI), either or both."""

    measure: str
    at_least: float | None = None
    at_most: float | None = None

    def bounds(self) -> list[tuple[float, float, float]]:
        """(sign, bound, scale) with sign · (value - bound) / scale ≤ 0."""
        found = [(-1.0, self.at_least), (1.0, self.at_most)]
        return [(sign, bound, abs(bound) or 1.0) for sign, bound in found if bound is not None]

    def __str__(self) -> str:
        sides = [("≥", self.at_least), ("≤", self.at_most)]
        return f"{self.measure} " + " and ".join(f"{sign} {x:g}" for sign, x in sides if x is not None)


@dataclass(frozen=True)
class Objective:
    """A measure that is to be small (sense 1) or large (sense -1)."""

    measure: str
    sense: float = 1.0


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Points x (n, k): values (n, m) of the measures, constraints (n, c) ≤ 0 where kept, violation (n,): 0 where feasible but
    for constraints."""

    x: np.ndarray
    values: np.ndarray
    constraints: np.ndarray
    violation: np.ndarray

    @property
    def total_violation(self) -> np.ndarray:
        """(n,): infeasible designs count 1 and more, others by their constraints."""
        beyond = np.maximum(np.nan_to_num(self.constraints), 0.0)
        beyond = np.where(beyond > HELD, beyond, 0.0).sum(axis=1)
        return np.where(self.violation > 0, 1.0 + self.violation, beyond / (1.0 + beyond))

    @property
    def feasible(self) -> np.ndarray:
        """(n,) bool: designs that keep all constraints."""
        return self.total_violation == 0

    @classmethod
    def join(cls, parts: Sequence["Evaluated"]) -> "Evaluated":
        """One after the other."""
        names = ("x", "values", "constraints", "violation")
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Cases and measures over a space of designs."""

    space: DesignSpace
    cases: Mapping[str, StudyCase]
    measures: tuple[Measure, ...]
    objectives: tuple[Objective, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    tolerances: Tolerances | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the measures."""
        return tuple(m.name for m in self.measures)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """A side each, with the unit of its measure."""
        units = {m.name: m.unit for m in self.measures}
        return tuple(
            f"{c.measure} {'≥' if sign < 0 else '≤'} {with_unit(bound, units.get(c.measure, ''))}"
            for c in self.constraints
            for sign, bound, _ in c.bounds()
        )

    def evaluate(self, x: np.ndarray, graded: bool = False) -> Evaluated:
        """Of points (n, k). graded: violations say by how much designs are no robots, which optimisers follow; else how often."""
        rows = self.followed_variables(x)
        if self.tolerances is None:
            return self.gather(x, *self._plain(*self.space.designs(x), graded, rows))
        return self.gather(x, *self._plain(*self.tolerances.designs(self.space, x), graded, rows))

    def followed_variables(self, x: np.ndarray) -> np.ndarray | None:
        """Variables (d, n) of the description that states of cases follow, of all robots that points (n, k) stand for; None where
        none does. They are a design's own: what its robots deviate by moves no state that is asked for."""
        if all(case.follows is None for case in self.cases.values()):
            return None
        rows = self.space.variable_rows(x)
        return rows if self.tolerances is None else np.repeat(rows, self.tolerances.count, axis=0)

    def gather(self, x: Any, values: Any, violation: Any) -> Evaluated:
        """Of points (n, k) and of all robots they stand for, point after point: values (n · robots, m), violation (n · robots,).
        Arrays of any module."""
        if self.tolerances is None:
            return Evaluated(x, values, self.constraint_values(values), violation)
        shape = len(x), self.tolerances.count
        all_, violation = values.reshape(*shape, -1), violation.reshape(shape).mean(axis=1)
        return Evaluated(x, self._robust(all_), self._robust_constraints(all_), violation)

    def objective_values(self, values: np.ndarray) -> np.ndarray:
        """(…, objectives), all to be small."""
        found = [o.sense * values[..., self._place[o.measure]] for o in self.objectives]
        return np.stack(found, axis=-1) if found else np.zeros((*values.shape[:-1], 0))

    def constraint_values(self, values: np.ndarray) -> np.ndarray:
        """(…, c) of values (…, m)."""
        found = [
            sign * (values[..., self._place[c.measure]] - bound) / scale
            for c in self.constraints
            for sign, bound, scale in c.bounds()
        ]
        return np.stack(found, axis=-1) if found else np.zeros((*values.shape[:-1], 0))

    def _plain(
        self, P: np.ndarray, violation: np.ndarray, graded: bool, rows: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        values = np.full((len(P), len(self.measures)), np.nan)
        good = np.flatnonzero(violation == 0)
        if len(good):
            values[good], violation[good] = self._as_far_as(P[good], graded, None if rows is None else rows[good])
        lost = (violation == 0) & ~np.isfinite(values).all(axis=1)
        violation[lost] = 1.0
        values[violation > 0] = np.nan
        return values, violation

    def _as_far_as(self, P: np.ndarray, graded: bool, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """`_of_designs`; what ends in an error is no robot, unless the description's own design, too, is asked the impossible."""
        try:
            return self._of_designs(P, graded, rows)
        except GoughError as problem:
            if isinstance(problem, UsageError) and self._is_refused:
                raise
        if len(P) == 1:
            return np.full((1, len(self.measures)), np.nan), np.ones(1)
        halves = [None, None] if rows is None else np.array_split(rows, 2)
        parts = [self._as_far_as(p, graded, own) for p, own in zip(np.array_split(P, 2), halves, strict=True)]
        values, violation = (np.concatenate(found) for found in zip(*parts, strict=True))
        return values, violation

    @cached_property
    def _is_refused(self) -> bool:
        """Whether the description's own design ends in an error."""
        try:
            self._of_designs(self.space.model.parameters[None], False)
        except GoughError:
            return True
        return False

    def _of_designs(self, P: np.ndarray, graded: bool, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """rows: see `followed_variables`."""
        values, violation = np.full((len(P), len(self.measures)), np.nan), np.zeros(len(P))
        for name, case in self.cases.items():
            own = [(k, m) for k, m in enumerate(self.measures) if not isinstance(m, DesignMeasure) and m.case == name]
            found = case.states_of(P, graded, variables=rows)
            if self.takes_all(name):
                violation += found.violation
            for k, measure in own:
                values[:, k] = self._named(measure, found)
        for k, measure in enumerate(self.measures):
            if isinstance(measure, DesignMeasure):
                values[:, k] = measure.of_designs(P)[0]
        return values, violation

    @staticmethod
    def _named(measure: StateMeasure | WorkspaceMeasure, found: CaseStates) -> np.ndarray:
        """Values (d,); what cannot be asked for is told with the measure's name."""
        try:
            return measure.values(found)
        except UsageError as problem:
            raise UsageError(f"measure {measure.name} of case {measure.case!r}: {problem}") from None

    def _robust(self, all_: np.ndarray) -> np.ndarray:
        """Quantiles (n, m) of values (n, robots, m), of measures that tolerances are asked of."""
        assert self.tolerances is not None
        out = all_[:, 0].copy()
        for k, name in enumerate(self.names):
            if not self.tolerances.of or name in self.tolerances.of:
                sense = self._sense(name)
                out[:, k] = sense * np.quantile(sense * all_[:, :, k], self.tolerances.quantile, axis=1)
        return out

    def _robust_constraints(self, all_: np.ndarray) -> np.ndarray:
        """Quantiles (n, c) of constraints: each side by the robots that are worst for it."""
        assert self.tolerances is not None
        sides, names = self.constraint_values(all_), [c.measure for c in self.constraints for _ in c.bounds()]
        out = sides[:, 0].copy()
        for k, name in enumerate(names):
            if not self.tolerances.of or name in self.tolerances.of:
                out[:, k] = np.quantile(sides[:, :, k], self.tolerances.quantile, axis=1)
        return out

    def _sense(self, name: str) -> float:
        """1 where a large value is bad, -1 where a small one is: as its objective or its bound says, else of itself."""
        for o in self.objectives:
            if o.measure == name:
                return o.sense
        for c in self.constraints:
            if c.measure == name:
                return -1.0 if c.at_most is None else 1.0
        return self.measures[self._place[name]].sense

    def demand_gradients(self) -> None:
        """UsageError with all reasons why there are none."""
        problems = [f"case {c.name!r}: {c.led}" for c in self.cases.values() if c.led]
        counted = {o.measure for o in self.objectives} | {c.measure for c in self.constraints}
        for m in self.measures:
            if isinstance(m, WorkspaceMeasure) and m.name in counted:
                problems.append(
                    f"{m.name}: a workspace counts poses, and has none; demand poses that must be taken (a case)"
                )
        if self.tolerances is not None:
            problems.append("tolerances: quantiles over deviations have no gradients here; use a method without them")
        stepped = [v.name for v in self.space.variables if v.step is not None]
        if stepped:
            problems.append(f"variables with steps ({', '.join(stepped)}) are not continuous; leave the step out")
        if problems:
            raise UsageError("gradients: " + "; ".join(problems))

    def explain(self, x: np.ndarray) -> str:
        """Why a point (k,) has no measures, in words; "" where it has."""
        P, violation = self.space.designs(x[None])
        own, alone = dict(zip(self.space.names, x.tolist(), strict=True)), replace(self, tolerances=None)
        said = self._reason(P, float(violation[0]), own, alone.followed_variables(x[None]))
        return said if said or self.tolerances is None else self._reason_of_tolerances(self.tolerances, x)

    def _reason_of_tolerances(self, tolerances: Tolerances, x: np.ndarray) -> str:
        (P, violation), rows = tolerances.designs(self.space, x[None]), self.followed_variables(x[None])
        lost = np.flatnonzero(self._plain(P, violation.copy(), False, rows)[1] > 0)
        if not len(lost):
            return ""
        k, names = int(lost[0]), self.space.names
        varied = dict(zip(names, tolerances.deviations[k].tolist(), strict=True))
        others = {n: float(d[k]) for n, d in {**tolerances.variables, **tolerances.parameters}.items()}
        own = {n: value + varied[n] for n, value in zip(names, x.tolist(), strict=True)}
        moved = {n: d for n, d in (varied | others).items() if d}
        said = ", ".join(f"{n} {d:+.3g}" for n, d in list(moved.items())[:TOLD]) + ", …" * (len(moved) > TOLD)
        why = self._reason(P[[k]], float(violation[k]), own, None if rows is None else rows[[k]])
        return f"{len(lost)} of the {tolerances.count} robots of its tolerances are none; with {said} {why}"

    def _reason(self, P: np.ndarray, violation: float, own: Mapping[str, float], rows: np.ndarray | None) -> str:
        """Why a robot P (1, m) with variables `own` has no measures."""
        model = self.space.model
        variables = {n: value for n, value in own.items() if n in model.variables.names}
        if violation > 0:
            try:
                model.parameters_with(variables=variables)
            except GoughError as error:
                return str(error)
            return f"what the description demands does not hold (violation {violation:.3g})"
        for name, case in self.cases.items():
            found = case.states_of(P, variables=rows)
            if found.missed.any() and self.takes_all(name):
                return f"case {name!r}: {int(found.missed.sum())} of {case.count} states are not taken: out of reach, or singular"
            for measure in self.measures if found.good.all() else ():
                if isinstance(measure, StateMeasure) and measure.case == name:
                    try:
                        measure.entries(found)
                    except GoughError as error:
                        return f"{measure.name}: {error}"
        values = self._of_designs(P, False, rows)[0][0]
        lost = [name for name, y in zip(self.names, values, strict=True) if not np.isfinite(y)]
        return f"{', '.join(lost)}: no number" if lost else ""

    def takes_all(self, case: str) -> bool:
        """Whether designs must take all states of a case; a workspace may be smaller than its grid."""
        own = [m for m in self.measures if not isinstance(m, DesignMeasure) and m.case == case]
        return not own or any(isinstance(m, StateMeasure) for m in own)

    def states_at(self, x: np.ndarray, near: "LinearDesign | None" = None) -> "LinearDesign | None":
        """One design (k,) in all cases, ready for gradients; None where it is infeasible. near: one that is similar."""
        P, violation = self.space.designs(x[None])
        if violation[0] > 0:
            return None
        grids = {m.case for m in self.measures if isinstance(m, WorkspaceMeasure)}
        before = {} if near is None else {name: own.q[0] for name, own in near.found.items()}
        asked = {name: case for name, case in self.cases.items() if name not in grids}
        rows = replace(self, tolerances=None).followed_variables(x[None])
        found = {name: case.states_of(P, near=before.get(name), variables=rows) for name, case in asked.items()}
        if not all(f.good.all() for f in found.values()):
            return None
        tilted = [name for name, f in found.items() if not self.cases[name].is_kept(f.q)]
        if tilted:
            raise UsageError(
                f"gradients: case {tilted[0]!r}: the platform of this design tilts beside the angles named"
            )
        own = dict(zip(self.space.names, x.tolist(), strict=True))
        model = self.space.model
        variables = {n: v for n, v in own.items() if n in model.variables.names}
        slopes = choose_directions(model, self.space.names, variables).slopes
        aside = {name: states_aside(self.space, case, found[name], P, rows) for name, case in asked.items()}
        return LinearDesign(self.measures, found, P, slopes[None], aside)
