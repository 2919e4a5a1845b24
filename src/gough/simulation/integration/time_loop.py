"""A program as a compiled time loop of one run."""

import time as clock
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.backends.llvm.march import March, Marched, single
from gough.program import Program
from gough.program.verdict import evaluate_with_care, flat_inputs

Vector = np.ndarray


class Stopped(Exception):
    """A run cannot go on: why, as "status:place", and when (s)."""

    def __init__(self, why: str, time: float) -> None:
        super().__init__(f"{why} at t = {time:.6g} s")
        self.why, self.time = why, time


AT_ONCE = 0.2
"""Time (s) that machine code is left to itself: then Ctrl-C is heard, and what was reached is kept."""
FIRST = 50
"""Turns of a loop whose pace is not known yet."""


@dataclass
class Loop:
    """A program as a compiled loop of one run, with a design's numbers in its table. pace: time of its last turns (s each)."""

    program: Program
    parameters: Vector
    pace: float = AT_ONCE / FIRST

    @cached_property
    def march(self) -> March:
        """Machine code."""
        return March(self.program, target=single())

    @cached_property
    def table(self) -> Vector:
        """Numbers of this design."""
        return self.march.table({"parameters": self.parameters})

    def __call__(self, state: Vector, steps: int, given: Vector, **more: Any) -> Marched:
        """`steps` turns from states (runs, n)."""
        march, table, began = self.march, self.table, clock.perf_counter()
        found = march(state, steps, table, given, **more)
        self.pace = (clock.perf_counter() - began) / max(found.turns, 1)
        return found

    @property
    def at_once(self) -> int:
        """Turns that take about AT_ONCE."""
        return max(int(AT_ONCE / max(self.pace, 1e-9)), 1)

    def reason(self, state: Vector, given: Vector) -> str:
        """Which check the step from one state (n,) fails, by the interpreter."""
        return self._with_care(state, given)[1] or "not_finite:state"

    def with_care(self, state: Vector, given: Vector) -> tuple[Vector, Vector, bool] | None:
        """(state (n,), record (k,), whether it goes on) after one turn of the interpreter, whose solves are pivoted: machine code
        eliminates in a fixed order, which may meet a zero where the matrix is regular. None where that fails, too."""
        outputs, failed = self._with_care(state, given)
        if failed:
            return None
        found = {slot.name: x[0] for slot, x in zip(self.program.outputs, outputs, strict=True)}
        return found["state"], found["record"], bool(found["running"][0] > 0)

    def _with_care(self, state: Vector, given: Vector) -> tuple[list[Vector], str]:
        known = {"state": state[None], "given": given.reshape(1, -1), "parameters": self.parameters[None]}
        with np.errstate(all="ignore"):
            outputs, failed = evaluate_with_care(self.program, flat_inputs(self.program, known, 1))
        return outputs, failed[0]
