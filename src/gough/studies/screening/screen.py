"""All measures of many designs by one program for each case, and which designs may be on the front.

A screen chooses; it does not judge. What it lets through is evaluated by the functions that everybody calls, and the front is
made of their numbers. Where both differ by more than rounding the screen is left (`AGREE`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gough.errors import UsageError
from gough.studies._pareto import round_objectives
from gough.studies.screening._machines import GpuMachine, HostMachine, Screened, ScreenMachine
from gough.studies.screening._programs import (
    VARIED,
    CaseProgram,
    DesignProgram,
    ScreenedStates,
    case_program,
    design_program,
)
from gough.studies.study.evaluation import Evaluated, Evaluator
from gough.studies.study.footprint import circle_area
from gough.studies.study.measures import DesignMeasure, StateMeasure, WorkspaceMeasure
from gough.studies.study.reductions import shares

FEW, FIRST = 16, 64
"""Designs that all others are compared with at a time, at the beginning and later."""
AGREE = 1e-6
"""Of measures, over their size."""


__all__ = ["AGREE", "GpuMachine", "HostMachine", "Screen", "host_array", "may_be_first", "rows_in"]


class ScreenedChoice(NamedTuple):
    """Of points: rows, and their measures (k, m) as the screen has them; doubtful: more rows, which it did not judge. counts: all
    it judged, robots among them, feasible ones."""

    rows: np.ndarray
    values: np.ndarray
    doubtful: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Screen:
    """Programs of a study's measures, on a machine."""

    evaluator: Evaluator
    machine: ScreenMachine
    cases: Mapping[str, CaseProgram]
    design: DesignProgram

    @classmethod
    def of(cls, evaluator: Evaluator, machine: ScreenMachine) -> "Screen":
        """UsageError that says which measure or case has no program."""
        named = set(evaluator.space.names) - set(evaluator.space.model.variables.names)
        if named:
            raise UsageError(
                f"{', '.join(sorted(named))}: varied as parameters; let variables of the description say so"
            )
        t = evaluator.tolerances
        if t is not None and (t.variables or t.parameters or t.estimates):
            raise UsageError("tolerances are of numbers that the study does not vary")
        for m in evaluator.measures:
            if isinstance(m, WorkspaceMeasure):
                raise UsageError(f"{m.name}: a workspace counts poses that are reached")
        by_case: dict[str, list[StateMeasure]] = {name: [] for name in evaluator.cases}
        for m in evaluator.measures:
            if isinstance(m, StateMeasure):
                by_case[m.case].append(m)
        cases = {name: case_program(evaluator.space, evaluator.cases[name], own) for name, own in by_case.items()}
        of_design = [m for m in evaluator.measures if isinstance(m, DesignMeasure)]
        return cls(evaluator, machine, cases, design_program(evaluator.space, of_design))

    def evaluate(self, x: Any, tick: Callable[[float], None] = lambda part: None) -> tuple[Evaluated, Any]:
        """(measures at points (n, k), which of them must be looked at anyhow (n,)); arrays of the machine's module."""
        xp, e = self.machine.module, self.evaluator
        deviations = xp.asarray(np.zeros((1, x.shape[1])) if e.tolerances is None else e.tolerances.deviations)
        draws, states = len(deviations), max(1, sum(c.count for c in e.cases.values()))
        step = max(1, self.machine.states // (states * draws))
        parts, doubtful = [], []
        for k in range(0, max(1, len(x)), step):
            tick(k / max(1, len(x)))
            own = xp.asarray(x[k : k + step])
            robots = (own[:, None] + deviations).reshape(len(own) * draws, x.shape[1])
            values, violation, noted = self._plain(robots)
            parts.append(e.gather(own, values, violation))
            doubtful.append(noted.reshape(len(own), draws).any(axis=1))
        names = ("x", "values", "constraints", "violation")
        found = Evaluated(*(xp.concatenate([xp.asarray(getattr(p, name)) for p in parts]) for name in names))
        return found, xp.concatenate(doubtful)

    def choose(self, x: Any, tick: Callable[[float], None] = lambda part: None) -> ScreenedChoice:
        """Of points (n, k), those that may be on the front, and all that are doubtful."""
        with self.machine.turn():
            found, doubtful = self.evaluate(x, tick)
            sure = ~doubtful
            feasible = found.feasible & sure
            counts = [len(x), int(((found.violation == 0) & sure).sum()), int(feasible.sum())]
            rows = feasible.nonzero()[0]
            rows = rows[may_be_first(self.evaluator.objective_values(found.values[rows]))]
            values, extra = host_array(found.values[rows]), host_array(doubtful.nonzero()[0])
            return ScreenedChoice(host_array(rows), values, extra, np.array(counts))

    def _plain(self, x: Any) -> tuple[Any, Any, Any]:
        """(values (n, m), violation (n,), which are doubtful (n,)) of robots (n, k)."""
        xp, measures = self.machine.module, self.evaluator.measures
        bad, doubtful = xp.zeros(len(x), dtype=bool), xp.zeros(len(x), dtype=bool)
        values: list[Any] = [None] * len(measures)
        found = self.machine.compute(self.design.function, x, {}, VARIED)
        bad |= found.bad | self._beyond(found.outputs)
        doubtful |= found.doubtful & ~bad
        for k, m in enumerate(measures):
            if isinstance(m, DesignMeasure):
                own = found.outputs
                flat = xp.asarray(self.design.flat)
                values[k] = own["mass"] if m.kind == "mass" else circle_area(own["points"], flat)
        for name, program in self.cases.items():
            found = self.machine.compute(program.function, x, program.rows, VARIED)
            bad |= found.bad.reshape(len(x), -1).any(axis=1)
            doubtful |= found.doubtful.reshape(len(x), -1).any(axis=1)
            states = program.states(self._filled(found))
            share = xp.asarray(shares(program.case.time, program.case.count))
            for k, m in enumerate(measures):
                if isinstance(m, StateMeasure) and m.case == name:
                    entries = self._entries(m, states)
                    values[k] = m.reduction.value(entries.reshape(len(x), program.case.count, -1), share)
        made = xp.stack(values, axis=1)
        bad |= ~xp.isfinite(made).all(axis=1)
        made[bad] = xp.nan
        return made, bad.astype(float), doubtful

    def _entries(self, measure: StateMeasure, states: ScreenedStates) -> Any:
        try:
            return measure.quantity.evaluate(states)  # pyright: ignore[reportArgumentType]
        except TypeError as problem:  # CuPy's of arrays that lie in the host's memory
            raise UsageError(
                f"{measure.name}: {measure.text!r} is not computed on a GPU; leave it out, or use device='cpu'"
            ) from problem

    def _filled(self, found: Screened) -> Mapping[str, Any]:
        """Outputs with numbers of a good state in the place of bad ones: what is computed from these must not fail."""
        bad = found.bad
        if not bad.any():
            return found.outputs
        if bad.all():
            return {name: self.machine.module.zeros_like(x) for name, x in found.outputs.items()}
        good, out = int(bad.argmin()), {}
        for name, x in found.outputs.items():
            out[name] = x.copy()
            out[name][bad] = x[good]
        return out

    def _beyond(self, outputs: Mapping[str, Any]) -> Any:
        """Whether designs (n,) leave what the description demands, or have numbers that are none."""
        out: Any = ~self.machine.module.isfinite(outputs["moved"]).all(axis=1)
        for k, bound in enumerate(self.design.bounds):
            x = outputs["bounded"][:, k]
            good = {"positive": x > 0, "not negative": x >= 0, "not zero": x != 0}[bound]
            out = out | ~(good & (x == x))
        return out


def may_be_first(F: Any) -> Any:
    """Rows of F (n, objectives), all to be small, that no other beats; of equal rows all. Arrays of any module.

    What beats a row has a smaller sum. So rows are put in the order of their sums, and the first ones of what is left, some at a
    time, are compared with all the rest; what they beat goes.
    """
    n, objectives = F.shape
    if not n or not objectives:
        return abs(F).sum(axis=1).argsort()[:0]
    columns = list(round_objectives(F).T.copy())
    total: Any = sum(x / (x.max() - x.min() + (x.max() == x.min())) for x in columns)
    left, done = total.argsort(), 0
    columns = [x[left] for x in columns]
    while done < len(left):
        step = FIRST if done else FEW
        beaten: Any = False
        for k in range(done, min(done + step, len(left))):
            worse, differs = True, False
            for x in columns:
                worse, differs = (x >= x[k]) & worse, (x > x[k]) | differs
            beaten = (worse & differs) | beaten
        done = int((~beaten[: done + step]).sum())
        left, columns = left[~beaten], [x[~beaten] for x in columns]
    return left


def rows_in(x: Any, rows: np.ndarray) -> Any:
    """Numbers of rows as an array x of any module takes them."""
    if not hasattr(x, "get"):
        return rows
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.asarray(rows)


def host_array(x: Any) -> np.ndarray:
    """In the host's memory."""
    return x.get() if hasattr(x, "get") else np.asarray(x)
