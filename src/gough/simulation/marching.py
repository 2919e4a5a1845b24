"""Time loops of one robot under one law: compiled once, then run piece by piece of the motion.

A piece is a stretch of time in which the motion is one polynomial; a step never leaves its piece.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from gough.backends.llvm.march import March, Marched, single
from gough.program import Program, Slot, trace
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.simulation.explicit import explicit_step, rate_program
from gough.simulation.implicit import ImplicitLayout, implicit_step, refresh_program, start_program
from gough.simulation.plant import Plant
from gough.simulation.state import StateLayout
from gough.simulation.tableaux import Tableau

Vector = np.ndarray
CHUNK = 2000
"""Steps between two looks at the clock and the keyboard."""
REFRESH = 20
"""Steps with one Newton matrix."""
HALVINGS = 12
"""How often a step of an implicit method is halved before a run gives up."""
RETRIES, SHORTER = 10, 0.1
"""How often an adaptive step that cannot be computed is tried again, and how much shorter each time."""
SLACK = 1e-9
"""Of a step: what a piece may be longer than a whole number of them."""


class Stopped(Exception):
    """A run cannot go on: why, as "status:place", and when (s)."""

    def __init__(self, why: str, time: float) -> None:
        super().__init__(f"{why} at t = {time:.6g} s")
        self.why, self.time = why, time


@dataclass
class Loop:
    """A program as a compiled loop of one run, with a design's numbers in its table."""

    program: Program
    parameters: Vector

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
        return self.march(state, steps, self.table, given, **more)

    def reason(self, state: Vector, given: Vector) -> str:
        """Which check the step from one state (n,) fails, by the interpreter."""
        known = {"state": state[None], "given": given.reshape(1, -1), "parameters": self.parameters[None]}
        _, failed = evaluate_with_care(self.program, flat_inputs(self.program, known, 1))
        return failed[0] or "not_finite:state"


class Marching:
    """Base of the ways to go through a piece. `records`: what was stored, each (rows, record size)."""

    adaptive = False

    def __init__(self, plant: Plant, tableau: Tableau, parameters: Vector, step: float, tolerance: float) -> None:
        self.plant, self.tableau, self.parameters = plant, tableau, parameters
        self.step_size, self.tolerance = step, tolerance
        self.states: StateLayout = StateLayout(plant)
        self.steps = self.rejected = 0

    def compile(self) -> None:
        """Make all machine code now."""
        raise NotImplementedError

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """The state (n,) at the end of a piece; `keep` is given records (rows, k). Raises `Stopped`."""
        raise NotImplementedError

    def given(self, row: Vector) -> Vector:
        """What a turn is given (1, k)."""
        return np.concatenate([row, [self.tolerance, self.step_size]])[None]


class Explicit(Marching):
    """Explicit Runge–Kutta, with equal steps in every piece, or with steps by the error."""

    def __init__(self, plant: Plant, tableau: Tableau, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, tableau, parameters, step, tolerance)
        self.adaptive = len(tableau.error) > 0
        self.loop = Loop(explicit_step(plant, tableau, self.adaptive), parameters)

    def compile(self) -> None:
        """Make all machine code now."""
        _ = self.loop.march

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.given(row)
        length = float(row[1] - row[0])
        x = state.copy()[None]
        x[0, t] = row[0]
        left = max(ceil(length / self.step_size - SLACK), 1)
        if self.adaptive:
            left = 1 << 62
            x[0, t + 1] = min(x[0, t + 1] if x[0, t + 1] > 0 else 1e-3 * self.step_size, self.step_size)
        else:
            x[0, t + 1] = length / left
        first, tries = 1, 0
        while left > 0:
            chunk = min(CHUNK * every, left)
            found = self.loop(x, chunk, given, every=1 if self.adaptive else every, first=first)
            record = found.record[:, 0]
            if found.failed[0] >= 0:
                record = record[: found.failed[0] // every]
            if self.adaptive:
                good = record[:, t + 2] <= 1.0
                self.rejected += int((~good).sum())
                record = record[good][:: max(every, 1)]
            keep(record)
            self.steps += found.turns
            x = found.state.copy()
            if found.failed[0] >= 0:
                tries = tries + 1 if found.failed[0] == 0 else 1
                if not self.adaptive or tries > RETRIES:
                    raise Stopped(self.loop.reason(x[0], given), float(x[0, t]))
                self.rejected += 1
                x[0, t + 1] *= (
                    SHORTER  # a stage left what can be computed: the step was too long, or there is no way on
                )
                continue
            tries = 0
            left -= found.turns
            if found.turns < chunk or x[0, t] >= row[1] - 1e-12 * (1.0 + abs(row[1])):
                break
        x[0, t] = row[1]
        return x[0]


class Implicit(Marching):
    """Diagonally implicit Runge–Kutta with equal steps; where Newton's method fails, steps are halved for a while."""

    def __init__(self, plant: Plant, tableau: Tableau, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, tableau, parameters, step, tolerance)
        self.states: ImplicitLayout = ImplicitLayout(plant)
        self.loop = Loop(implicit_step(plant, tableau), parameters)
        self.refresh = Loop(refresh_program(plant, tableau), parameters)
        self.start = Loop(start_program(plant), parameters)

    def compile(self) -> None:
        """Make all machine code now."""
        for loop in (self.loop, self.refresh, self.start):
            _ = loop.march

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.given(row)
        x = np.zeros((1, self.states.size))
        x[0, : min(len(state), self.states.size)] = state[: self.states.size]
        x[0, t] = row[0]
        x = self._made(self.start, x, given)
        keep(self.start(x, 1, given).record[:, 0])
        end, halvings = float(row[1]), 0
        whole = float(row[1] - row[0]) / max(ceil(float(row[1] - row[0]) / self.step_size - SLACK), 1)
        while end - x[0, t] > 1e-9 * whole:
            left = end - float(x[0, t])
            wanted = max(ceil(left * 2**halvings / whole - SLACK), 1)
            h, steps = left / wanted, min(REFRESH, wanted)
            before = x.copy()
            x[0, t + 1] = h
            x = self._made(self.refresh, x, given)
            found = self.loop(x, steps, given, every=1)
            if found.failed[0] >= 0:
                self.rejected += 1
                done = int(found.failed[0])
                if done:
                    keep(found.record[:done, 0])
                    self.steps += done
                    x = found.state.copy()
                    continue
                halvings += 1
                x = before
                if halvings > HALVINGS:
                    raise Stopped(self.loop.reason(found.state[0], given), float(x[0, t]))
                continue
            keep(found.record[:, 0])
            self.steps += found.turns
            x = found.state.copy()
            halvings = max(halvings - 1, 0)
        x[0, t] = end
        return x[0]

    def _made(self, loop: Loop, x: Vector, given: Vector) -> Vector:
        found = loop(x, 1, given)
        if found.failed[0] >= 0:
            raise Stopped(loop.reason(x[0], given), float(x[0, self.states.t]))
        return found.state.copy()


def moment_program(plant: Plant) -> Program:
    """A state and a row to a record: drive forces and accelerations there."""
    states, rate = StateLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v = plant.led(s.q, s.v, plant.rows.at(row, s.t))
        found = rate(parameters, rate.hoisted(parameters), q=q, v=v, inner=s.inner, row=row, t=[s.t])
        here = states.split(states.join(q, v, s.work, s.inner, s.t, s.h, 0.0))
        record = states.record(here, found["tau"], found["vdot"], 0.0)
        return {"state": state, "record": record, "running": 1.0}

    slots = (
        Slot("state", (states.size,)),
        Slot("given", (plant.rows.size + 2,)),
        Slot("parameters", (len(plant.model.parameters),), uniform=True),
    )
    return trace(equations, slots, f"{plant.model.mechanism.name} moment", {"parameters": plant.model.pattern})
