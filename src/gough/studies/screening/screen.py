"""All measures of many designs by one program for each case, and which designs may be on the front.

A screen chooses; it does not judge. What it lets through is evaluated by the functions that everybody calls, and the front is
made of their numbers. Where both differ by more than rounding the screen is left (`AGREE`).
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gough.errors import UsageError
from gough.studies._pareto import round_objectives
from gough.studies.screening._first import may_be_first
from gough.studies.screening._machines import GpuMachine, HostMachine, Reduced, Screened, ScreenMachine
from gough.studies.screening._programs import (
    VARIED,
    CaseProgram,
    DesignProgram,
    ScreenedStates,
    case_program,
    design_program,
)
from gough.studies.screening._sides import HOWS, SIDES, are_on_both_sides
from gough.studies.study.evaluation import Evaluated, Evaluator
from gough.studies.study.footprint import circle_area
from gough.studies.study.measures import DesignMeasure, StateMeasure, WorkspaceMeasure
from gough.studies.study.reductions import REDUCTIONS, shares

log = logging.getLogger("gough.studies")

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
    """Programs of a study's measures, on a machine. reduced: of cases whose numbers of states are not written; known: objectives
    of designs that `record` was told, the only part that changes."""

    evaluator: Evaluator
    machine: ScreenMachine
    cases: Mapping[str, CaseProgram]
    design: DesignProgram
    reduced: Mapping[str, Reduced]
    known: list[Any] = field(default_factory=list)

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
        reduced: dict[str, Reduced] = {}
        for name, own in by_case.items():
            try:
                made = machine.reduce_case(evaluator.space, cases[name], own)
            except UsageError as problem:
                log.info("case %r: numbers of every state are written (%s)", name, problem)
                continue
            if made is not None:
                reduced[name] = made
        return cls(evaluator, machine, cases, design_program(evaluator.space, of_design), reduced)

    def evaluate(self, x: Any, tick: Callable[[float], None] = lambda part: None) -> tuple[Evaluated, Any]:
        """(measures at points (n, k), which of them must be looked at anyhow (n,)); arrays of the machine's module."""
        xp, e = self.machine.module, self.evaluator
        deviations = xp.asarray(np.zeros((1, x.shape[1])) if e.tolerances is None else e.tolerances.deviations)
        draws, states = len(deviations), max(1, sum(c.count for c in e.cases.values()))
        whole = set(self.reduced) == set(self.cases)
        step = max(1, self.machine.designs // draws if whole else self.machine.states // (states * draws))
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

    def choose(
        self, x: Any, tick: Callable[[float], None] = lambda part: None, remembers: bool = False
    ) -> ScreenedChoice:
        """Of points (n, k), those that may be on the front, and all that are doubtful. remembers: what a known one beats is on
        none."""
        with self.machine.turn():
            found, doubtful = self.evaluate(x, tick)
            sure = ~doubtful
            feasible = found.feasible & sure
            counts = [len(x), int(((found.violation == 0) & sure).sum()), int(feasible.sum())]
            rows = feasible.nonzero()[0]
            known = self.known[0] if self.known and remembers else ()
            rows = rows[self.machine.first(self.evaluator.objective_values(found.values[rows]), known)]
            values, extra = host_array(found.values[rows]), host_array(doubtful.nonzero()[0])
            return ScreenedChoice(host_array(rows), values, extra, np.array(counts))

    def record(self, values: np.ndarray) -> None:
        """Measures (k, m), as the screen has them, of designs that calls have found to be feasible."""
        with self.machine.turn():
            F = round_objectives(self.machine.module.asarray(self.evaluator.objective_values(values)))
            F = np.concatenate([*self.known, F])
            self.known[:] = [F[self.machine.first(F, ())]]

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
            places = [k for k, m in enumerate(measures) if isinstance(m, StateMeasure) and m.case == name]
            way = self.reduced[name] if name in self.reduced else partial(self._by_states, program, places)
            found, lost, noted = way(x)
            bad |= lost
            if program.case.must_be_held:
                bad |= are_on_both_sides(found[:, len(places) :])
            doubtful |= noted
            for j, k in enumerate(places):
                values[k] = found[:, j]
        doubtful &= ~bad
        made = xp.stack(values, axis=1)
        bad |= ~xp.isfinite(made).all(axis=1)
        made[bad] = xp.nan
        return made, bad.astype(float), doubtful

    def _by_states(self, program: CaseProgram, places: list[int], x: Any) -> tuple[Any, Any, Any]:
        """`Reduced` of a case, all outputs of states written first."""
        xp, count = self.machine.module, program.case.count
        found = self.machine.compute(program.function, x, program.rows, VARIED)
        filled = self._filled(found)
        states, share = program.states(filled), xp.asarray(shares(program.case.time, count))
        sides = SIDES if program.case.must_be_held else ()
        values = xp.empty((len(x), len(places) + len(sides)))
        for j, k in enumerate(places):
            m = self.evaluator.measures[k]
            assert isinstance(m, StateMeasure)
            values[:, j] = m.reduction.value(self._entries(m, states).reshape(len(x), count, -1), share)
        for j, (name, how) in enumerate(zip(sides, HOWS, strict=False), len(places)):
            values[:, j] = REDUCTIONS[how].value(filled[name].reshape(len(x), count, -1), share)
        return values, *(word.reshape(len(x), -1).any(axis=1) for word in (found.bad, found.doubtful))

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


def rows_in(x: Any, rows: np.ndarray) -> Any:
    """Numbers of rows as an array x of any module takes them."""
    if not hasattr(x, "get"):
        return rows
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy.asarray(rows)


def host_array(x: Any) -> np.ndarray:
    """In the host's memory."""
    return x.get() if hasattr(x, "get") else np.asarray(x)
