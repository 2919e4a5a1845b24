"""Measures of a case by one program whose entries are reduced where they are computed: nothing is written for a state.

Quantities take columns of what functions give, and do sums with them; on traced scalars they record the same. Those that need
more (angles by arccos, eigenvalues of large matrices) go without: then all of the case's outputs are written and reduced after.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.compilation.device_rows import CONDITION, ENTRIES, MeasuredPart, ReducedMeasure, ReducedRows
from gough.errors import GoughError, UsageError
from gough.program import trace
from gough.studies.quantities import Conditions
from gough.studies.screening._programs import (
    COORDINATES,
    VARIED,
    CaseProgram,
    ScreenedStates,
    case_equations,
    fit_solves,
    slot_name,
)
from gough.studies.screening._sides import HOWS, SIDES
from gough.studies.study.measures import StateMeasure
from gough.studies.study.reductions import shares
from gough.studies.study.variables import DesignSpace

LARGEST = 6
"""Rows of a matrix whose condition a kernel finds."""


def reduced_rows(space: DesignSpace, own: CaseProgram, measures: Sequence[StateMeasure]) -> ReducedRows:
    """The measures, and the extremes of `SIDES` behind them. UsageError that says which measure is not one of scalars."""
    model, case = space.model, own.case
    parts: list[list[MeasuredPart]] = []

    def run(varied: Any, **inputs: Any) -> dict[str, Any]:
        found = case_equations(space, case, own.keys, range(len(model.home)), varied, **inputs)
        states = _traced_states(own, found)
        parts.clear()
        out: dict[str, Any] = {}
        for measure in measures:
            arrays = _entries(measure, states)
            parts.append([part for part, _ in arrays])
            out |= {f"{measure.name} {k}": x for k, (_, x) in enumerate(arrays)}
        return out | {name: found[name] for name in SIDES if name in found}

    slots = own.function.program.inputs
    try:
        program = trace(run, slots, f"{model.robot.name} {case.name} reduced")
    except GoughError:
        raise
    except (AttributeError, TypeError, ValueError, KeyError, IndexError) as problem:
        raise UsageError(f"case {case.name!r}: {problem}") from problem
    share = shares(case.time, case.count)
    made = [ReducedMeasure(m.name, m.reduction.how, tuple(p)) for m, p in zip(measures, parts, strict=True)]
    weights = [m.reduction.weigh(share, r.entries) for m, r in zip(measures, made, strict=True)]
    if case.must_be_held:
        made += [ReducedMeasure(n, how, (MeasuredPart(ENTRIES, (1,)),)) for n, how in zip(SIDES, HOWS, strict=True)]
        weights += [np.ones(case.count)] * len(SIDES)
    weighed = np.array(weights).reshape(len(made), case.count).T
    return ReducedRows(fit_solves(space, program, own.rows), VARIED, made, own.rows, weighed, model.precision)


def _traced_states(own: CaseProgram, found: dict[str, Any]) -> ScreenedStates:
    """One state of traced scalars."""
    q = np.asarray(found[COORDINATES], dtype=object)[None]
    by_key = {
        key: {
            name.removeprefix(slot_name(key, "")): np.asarray(x, dtype=object)[None]
            for name, x in found.items()
            if name.startswith(slot_name(key, ""))
        }
        for key in own.keys
    }
    return ScreenedStates(own.case.model, {"q": q}, by_key)


def _entries(measure: StateMeasure, states: ScreenedStates) -> list[tuple[MeasuredPart, Any]]:
    """What a measure reduces: entries, or matrices whose condition is meant."""
    quantity = measure.quantity
    if isinstance(quantity, Conditions):
        matrices = [x[0] for x in quantity.matrices(states)]  # pyright: ignore[reportArgumentType]
        for x in matrices:
            if x.shape[0] > min(x.shape[1], LARGEST):
                raise UsageError(f"{measure.name}: matrices of {x.shape[0]} × {x.shape[1]}")
        return [(MeasuredPart(CONDITION, x.shape), x) for x in matrices]
    x = np.asarray(quantity.evaluate(states), dtype=object)[0]  # pyright: ignore[reportArgumentType]
    return [(MeasuredPart(ENTRIES, x.shape), x)]
