"""A program as a compiled time loop of one run."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.compilation.service import CompiledLoop, Marched, compile_loop
from gough.errors import Failure, Site, Status
from gough.program import Program
from gough.program.passes.expand_blocks import inline_calls
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.simulation.events import End, Ending

Vector = np.ndarray

TOO_MANY_STEPS = Status.STEP.at(Site.MORE_STEPS)
"""More steps than are allowed."""


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
        whole = inline_calls(program)  # what is not finite may have a name in equations that a step calls
        named = replace(whole, checks=tuple(c for c in whole.checks if c.failure.status == Status.NOT_FINITE))
        return evaluate_with_care(named, flat_inputs(named, known, 1))[1][0] or found


@dataclass
class OneRunLoop:
    """A program as a compiled loop of one run, with a design's numbers in its table."""

    program: Program
    parameters: Vector

    @cached_property
    def march(self) -> CompiledLoop:
        """Machine code."""
        return compile_loop(self.program, one_run=True)

    @cached_property
    def table(self) -> Vector:
        """Numbers of this design."""
        return self.march.table({"parameters": self.parameters})

    def __call__(self, state: Vector, steps: int, given: Vector, **more: Any) -> Marched:
        """`steps` turns from states (runs, n)."""
        return self.march(state, steps, self.table, given, **more)

    def reason(self, state: Vector, given: Vector) -> Failure:
        """What fails in the step from one state (n,), by the interpreter."""
        return failed_check(self.program, self._known(state, given))

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
