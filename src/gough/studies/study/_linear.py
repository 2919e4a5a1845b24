"""One design and its first derivatives by the variables of a study.

Measures are differentiated in states that stay: what is prescribed is held, and the design moves. Where states follow the design
as well, what their way adds is a difference of the fourth order, the design held: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gough.errors import UsageError
from gough.studies.study.cases import CaseStates, StudyCase
from gough.studies.study.measures import DesignMeasure, Measure, StateMeasure
from gough.studies.study.variables import DesignSpace

STEPS = (1e-3, 1e-5)
"""h, of a variable's range: the second where states of the first are not taken."""
STENCIL = {-2: 1.0, -1: -8.0, 1: 8.0, 2: -1.0}
"""Weights over 12 h."""
Aside = tuple[tuple[int, float, CaseStates], ...]
"""(variable, weight, states of the design as they are for another value of that variable)."""


def states_aside(
    space: DesignSpace, case: StudyCase, found: CaseStates, P: np.ndarray, rows: np.ndarray | None
) -> Aside:
    """Of one design P (1, m) with variables rows (1, n), in a case whose states follow some of them."""
    if case.follows is None or rows is None:
        return ()
    out: list[tuple[int, float, CaseStates]] = []
    known = space.model.variables.names
    for k, v in enumerate(space.variables):
        if v.name in case.follows.variables:
            out += _aside(case, found, P, rows, (k, known.index(v.name)), (v.name, v.upper - v.lower))
    return tuple(out)


def _aside(
    case: StudyCase,
    found: CaseStates,
    P: np.ndarray,
    rows: np.ndarray,
    places: tuple[int, int],
    variable: tuple[str, float],
) -> Aside:
    (k, column), (name, size) = places, variable
    for step in STEPS:
        h, out = step * size, []
        for times, weight in STENCIL.items():
            moved = rows.copy()
            moved[:, column] += times * h
            states = case.states_of(P, near=found.q[0], variables=moved)
            if not states.good.all():
                break
            out.append((k, weight / (12.0 * h), states))
        if len(out) == len(STENCIL):
            return tuple(out)
    raise UsageError(f"gradients: case {case.name!r}: states that follow {name} are at the border of reach here")


@dataclass(frozen=True, eq=False)
class LinearDesign:
    """designs (1, m), slopes (1, k, m). aside: {case: states for differences} where states follow variables."""

    measures: tuple[Measure, ...]
    found: Mapping[str, CaseStates]
    designs: np.ndarray
    slopes: np.ndarray
    aside: Mapping[str, Aside] = field(default_factory=dict)

    def value(self, measure: Measure) -> tuple[float, np.ndarray]:
        """(value, gradient (k,)) of a measure."""
        if isinstance(measure, DesignMeasure):
            value, by_design = measure.of_designs(self.designs)
            return float(value[0]), self.slopes[0] @ by_design[0]
        assert isinstance(measure, StateMeasure)
        found = self.found[measure.case]
        slope = measure.gradients(found, self.slopes)[0]
        for k, weight, states in self.aside.get(measure.case, ()):
            slope[k] += weight * measure.values(states)[0]
        return float(measure.values(found)[0]), slope

    def entries(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """(entries (e,), their slopes (e, k)) of a measure that is an extreme of smooth numbers; of others the number itself."""
        if isinstance(measure, StateMeasure) and measure.reduction.bounds is not None:
            found = self.found[measure.case]
            entries, slopes = measure.all_entries(found, self.slopes)
            turn = np.where(measure.entries(found)[0] < 0, -1.0, 1.0) if measure.reduction.bounds[1] else 1.0
            for k, weight, states in self.aside.get(measure.case, ()):
                slopes[:, k] += weight * (turn * measure.entries(states)[0]).reshape(-1)
            return entries, slopes
        value, slope = self.value(measure)
        return np.array([value]), slope[None]
