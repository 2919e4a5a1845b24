"""Time loops of one robot under one law: compiled once, then run piece by piece of the motion.

A piece is a stretch of time in which the motion is one polynomial; a step never leaves its piece.
"""

import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, ulp
from typing import Any

import numpy as np

from gough.compilation.service import CompiledLoop, Marched
from gough.errors import Failure, Site, Status
from gough.program import Program
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.simulation.events import End, Ending
from gough.simulation.integration.kept import LoopCode
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.smoothing import rough_joints
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray

TOO_MANY_STEPS = Status.STEP.at(Site.MORE_STEPS)
"""More steps than are allowed."""
FEWEST, MOST = 32, 2000
"""Steps between two looks at the clock, the keyboard and the poses on the way."""
QUICK, SLOW = 0.05, 0.2
"""Between two looks, s: where it takes less, more steps are taken; where it takes longer, fewer."""
MOST_STEPS = 10_000_000
"""Steps of a run whose steps are chosen by the error, where nothing else is asked for."""
WATCHED = 1000
"""Turns that are enough to see whether a run gets on."""
SLACK = 1e-9
"""Of a step: what a piece may be longer than a whole number of them."""
ROUNDING, SHORT = 1e-12, 1e-6
"""Times that differ by this (of 1 s and of the time itself), and by this part of their piece, are the same."""
DRIFT = 1e-4
"""Of a step: what sums of equal steps may be off by."""
TINY = 1e-5
"""Steps of less than this part of the run, on average, are looked at."""
OFTEN = 0.02
"""Part of the steps in which the rate of a joint that sticks reverses."""
Keep = Callable[[Vector], None]


class RunStopped(Exception):
    """A run cannot go on: what fails (GOOD where it is none of the robot's states), when (s), more about it, and how it ends.
    why: all of it in words, where they are not those of the failure and of what is more."""

    def __init__(
        self, failure: Failure, time: float, detail: str = "", end: End = End.FAILED, why: str | None = None
    ) -> None:
        self.failure, self.time = failure, time
        self.ending = Ending(end, f"{failure}{detail}" if why is None else why, failure)
        super().__init__(f"{self.ending.why} at t = {time:.6g} s")


def failed_check(program: Program, known: dict[str, Vector]) -> Failure:
    """What fails for inputs (1, n) by name, by the interpreter."""
    with np.errstate(all="ignore"):
        found = evaluate_with_care(program, flat_inputs(program, known, 1))[1][0] or Status.NOT_FINITE.at(Site.STATE)
        if found.status != Status.NOT_FINITE:
            return found
        whole = program.without_calls  # what is not finite may have a name in equations that a step calls
        named = replace(whole, checks=tuple(c for c in whole.checks if c.failure.status == Status.NOT_FINITE))
        return evaluate_with_care(named, flat_inputs(named, known, 1))[1][0] or found


@dataclass
class OneRunLoop:
    """A program as a compiled loop of one run, with a design's numbers in its table."""

    code: LoopCode
    parameters: Vector

    @property
    def program(self) -> Program:
        """What a turn computes."""
        return self.code.program

    @property
    def march(self) -> CompiledLoop:
        """Machine code."""
        return self.code.march

    @cached_property
    def table(self) -> Vector:
        """Numbers of this design."""
        return self.code.table(self.parameters)

    def __call__(self, state: Vector, steps: int, given: Vector, **more: Any) -> Marched:
        """`steps` turns from states (runs, n)."""
        return self.march(state, steps, self.table, given, **more)

    def reason(self, state: Vector, given: Vector, own: Vector | None = None) -> Failure:
        """What fails in the step from one state (n,), by the interpreter. own (1, k): what the run has for itself."""
        known = self._known(state, given)
        return failed_check(self.program, known if own is None else known | {"own": own})

    def with_care(self, state: Vector, given: Vector) -> tuple[Vector, Vector, bool] | None:
        """(state (n,), record (k,), whether it goes on) after one turn of the interpreter, whose solves are pivoted: machine code
        eliminates in a fixed order, which may meet a zero where the matrix is regular. None where that fails, too."""
        outputs, failed = self._with_care(state, given)
        if failed:
            return None
        found = {slot.name: x[0] for slot, x in zip(self.program.outputs, outputs, strict=True)}
        return found["state"], found["record"], bool(found["running"][0] > 0)

    def _known(self, state: Vector, given: Vector) -> dict[str, Vector]:
        return {"state": state[None], "given": given.reshape(1, -1), "parameters": self.parameters[None]}

    def _with_care(self, state: Vector, given: Vector) -> tuple[list[Vector], Failure]:
        with np.errstate(all="ignore"):
            outputs, failed = evaluate_with_care(self.program, flat_inputs(self.program, self._known(state, given), 1))
        return outputs, failed[0]


def even_steps(length: float, longest: float, end: float = 0.0) -> tuple[float, int]:
    """(length (s) of the equal steps of a piece (s), how many): not longer than the longest, and that very number where a whole
    number of them fits, however the times of its begin and end (s) are rounded; so a piece in parts is what it is in one."""
    slack = max(SLACK, 4.0 * ulp(end) / longest)
    count = max(ceil(length / longest - slack), 1)
    return longest if abs(length - count * longest) <= slack * longest else length / count, count


def no_time(row: Vector) -> float:
    """What counts as no time (s) in a piece: rounding of its sums of steps."""
    return min(ROUNDING * (1.0 + abs(float(row[1]))), SHORT * float(row[1] - row[0]))


class Marching(ABC):
    """Base of the ways to go through a piece."""

    adaptive = False
    loops: tuple[OneRunLoop, ...] = ()

    def __init__(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> None:
        self.plant, self.parameters = plant, parameters
        self.step_size, self.tolerance = step, tolerance
        self.states: StateLayout = StateLayout(plant)
        self.steps = self.rejected = self.care_taken = 0
        self.span, self.most_steps = float("inf"), MOST_STEPS
        self.slow_turns = 0
        self.errors_known = False
        self.watched: Vector | None = None
        self.error_sum = 0.0
        self.chunk, self._looked = FEWEST, 0.0

    def compile(self) -> None:
        """Make all machine code now: that of `loops`."""
        for loop in self.loops:
            _ = loop.march

    @abstractmethod
    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """The state (n,) at the end of a piece, from one within it, at its own time. `keep` is given the records (rows, k) of all
        steps, chunk by chunk, and may raise to end it. Raises `RunStopped`."""

    def equal_steps(self, row: Vector, begin: float) -> tuple[float, int]:
        """(length (s) of the equal steps of a piece, how many are left of them at a time (s))."""
        length = float(row[1] - row[0])
        step, count = even_steps(length, self.step_size, float(row[1]))
        return step, count - round((begin - row[0]) * count / length)

    def grid_times(self, times: Vector, row: Vector) -> Vector:
        """Times (n,) of a piece, those of equal steps rounded once: k (end - begin) / count, whatever a sum of steps comes to."""
        return self.grid_times_of(times, [row], np.array([len(times)]))

    def grid_times_of(self, times: Vector, rows: Sequence[Vector], counts: Vector) -> Vector:
        """As `grid_times` of pieces with so many times each."""
        numbers = []
        for row in rows:
            begin, end = float(row[0]), float(row[1])
            step, count = (end - begin, 1) if self.adaptive else self.equal_steps(row, begin)
            near = no_time(row) if self.adaptive else max(no_time(row), DRIFT * step)
            numbers.append((begin, end, step, count, near))
        begin, end, step, count, near = np.repeat(np.array(numbers), counts, axis=0).T
        k = np.round((times - begin) / step)
        exact = np.where(k == count, end, begin + (end - begin) * k / count)
        return np.where(np.abs(times - exact) <= near, exact, times)

    def note_errors(self, errors: Vector) -> None:
        """Keep account of the errors (n,) of steps that were taken, in units of `StateLayout.size_of`."""
        if len(errors):
            self.errors_known = True
            self.error_sum += float(errors.sum())

    @property
    def error_estimate(self) -> float | None:
        """Sum of the errors of all steps that were taken; None where the method has no estimate of them."""
        return self.error_sum if self.errors_known else None

    def turn_inputs(self, row: Vector) -> Vector:
        """What a turn is given (1, k)."""
        return np.concatenate([row, [self.tolerance, self.step_size]])[None]

    def next_chunk(self) -> int:
        """Steps until the next look, by how long those before took."""
        now = clock.perf_counter()
        took = now - self._looked
        if took < QUICK:
            self.chunk = min(2 * self.chunk, MOST)
        elif took > SLOW:
            self.chunk = max(self.chunk // 2, 1)
        self._looked = now
        return min(self.chunk, max(self.most_steps - self.steps, 1)) if self.adaptive else self.chunk

    def _watch(self, records: Vector, time: float, row: Vector) -> None:
        """Stop where a run does not get on."""
        seen = records if self.watched is None else np.concatenate([self.watched, records])
        self.watched = seen[-WATCHED:]
        stuck = sticking_joints(self.plant, self.parameters, seen, self.span) if len(seen) >= WATCHED else []
        if stuck:
            raise RunStopped(Status.STICKING.at(", ".join(stuck)), time, " (Coulomb friction without smoothing)")
        if self.steps >= self.most_steps and time < row[1] - no_time(row):
            last = float(records[-1, self.states.t]) if len(records) else time
            raise RunStopped(TOO_MANY_STEPS, last, why=f"step:more than {self.most_steps} steps")


def sticking_joints(plant: Plant, parameters: Vector, records: Vector, span: float) -> list[str]:
    """Joints with unsmoothed Coulomb friction that reverse all the time in records (n, k) of small steps; span: of the run (s).

    Rates of cut joints are none of the tree's: they are named where no other joint sticks.
    """
    t = records[:, StateLayout(plant).t]
    if len(t) < 2 or t[-1] - t[0] > TINY * span * len(t):
        return []
    rough = rough_joints(plant.model.mechanism, parameters)
    if not rough:
        return []
    layout = plant.model.layout
    q, v = records[:, : layout.nq], records[:, layout.nq : layout.nq + layout.nv]
    u = plant.model.function("tree_rates")(q=q, v=v, parameters=parameters).outputs["u"]
    found = []
    for name, link in rough.items():
        if link >= 0:
            rates = u[:, list(plant.model.mechanism.links[link].columns)]
            reversals = (rates[1:] * rates[:-1] < 0).sum(axis=0)
            if reversals.max(initial=0) > OFTEN * len(t):
                found.append(name)
    return found or [name for name, link in rough.items() if link < 0]
