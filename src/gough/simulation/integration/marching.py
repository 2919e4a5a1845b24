"""Time loops of one robot under one law: compiled once, then run piece by piece of the motion.

A piece is a stretch of time in which the motion is one polynomial; a step never leaves its piece.
"""

import time as clock
from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from gough.errors import Failure, Status
from gough.program import Program, Slot, trace
from gough.simulation.integration.explicit import explicit_step, rate_program
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.sticking import sticking_joints
from gough.simulation.integration.tableaux import Tableau
from gough.simulation.integration.time_loop import TOO_MANY_STEPS, Loop, Stopped

Vector = np.ndarray
FEWEST, MOST = 32, 2000
"""Steps between two looks at the clock, the keyboard and the poses on the way."""
QUICK, SLOW = 0.05, 0.2
"""Between two looks, s: where it takes less, more steps are taken; where it takes longer, fewer."""
RETRIES, SHORTER = 10, 0.1
"""How often an adaptive step that cannot be computed is tried again, and how much shorter each time."""
SLOW_TURNS = 1000
"""Turns of the interpreter in a run."""
MOST_STEPS = 10_000_000
"""Steps of a run whose steps are chosen by the error, where nothing else is asked for."""
WATCHED = 1000
"""Turns that are enough to see whether a run gets on."""
SLACK = 1e-9
"""Of a step: what a piece may be longer than a whole number of them."""
ROUNDING, SHORT = 1e-12, 1e-6
"""Times that differ by this (of 1 s and of the time itself), and by this part of their piece, are the same."""
Keep = Callable[[Vector], None]


def no_time(row: Vector) -> float:
    """What counts as no time (s) in a piece: rounding of its sums of steps."""
    return min(ROUNDING * (1.0 + abs(float(row[1]))), SHORT * float(row[1] - row[0]))


class Marching:
    """Base of the ways to go through a piece."""

    adaptive = False

    def __init__(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> None:
        self.plant, self.parameters = plant, parameters
        self.step_size, self.tolerance = step, tolerance
        self.states: StateLayout = StateLayout(plant)
        self.steps = self.rejected = self.care_taken = 0
        self.span, self.most_steps = float("inf"), MOST_STEPS
        self.slow_turns = 0
        self.errors_known = False
        self.watched: Vector | None = None
        self.compiled_late = self.error_sum = self.error_largest = 0.0
        self.chunk, self._looked = FEWEST, 0.0

    def compile(self) -> None:
        """Make all machine code now."""
        raise NotImplementedError

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """The state (n,) at the end of a piece, from one within it, at its own time. `keep` is given the records (rows, k) of all
        steps, chunk by chunk, and may raise to end it. Raises `Stopped`."""
        raise NotImplementedError

    def equal_steps(self, row: Vector, begin: float) -> tuple[float, int]:
        """(length (s) of the equal steps of a piece, how many are left of them at a time (s))."""
        length = float(row[1] - row[0])
        count = max(ceil(length / self.step_size - SLACK), 1)
        return length / count, count - round((begin - row[0]) * count / length)

    def note_errors(self, errors: Vector) -> None:
        """Keep account of the errors (n,) of steps that were taken, in units of `StateLayout.size_of`."""
        if len(errors):
            self.errors_known = True
            self.error_sum += float(errors.sum())
            self.error_largest = max(self.error_largest, float(errors.max()))

    @property
    def error_estimate(self) -> float | None:
        """Sum of the errors of all steps that were taken; None where the method has no estimate of them."""
        return self.error_sum if self.errors_known else None

    def given(self, row: Vector) -> Vector:
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
            raise Stopped(Status.STICKING.at(", ".join(stuck)), time, " (Coulomb friction without smoothing)")
        if self.steps >= self.most_steps and time < row[1] - no_time(row):
            last = float(records[-1, self.states.t]) if len(records) else time
            raise Stopped(TOO_MANY_STEPS, last, f" than {self.most_steps} steps")


class Explicit(Marching):
    """Explicit Runge–Kutta, with equal steps in every piece, or with steps by the error."""

    def __init__(self, plant: Plant, tableau: Tableau, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
        self.adaptive = len(tableau.error) > 0
        self.loop = Loop(explicit_step(plant, tableau, self.adaptive), parameters)

    def compile(self) -> None:
        """Make all machine code now."""
        _ = self.loop.march

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.given(row)
        x = state[: self.states.size].copy()[None]
        step, left = self.equal_steps(row, float(x[0, t]))
        if self.adaptive:
            left = 1 << 62
            x[0, t + 1] = min(x[0, t + 1] if x[0, t + 1] > 0 else 1e-3 * self.step_size, self.step_size)
        else:
            x[0, t + 1] = step
        tries, troubled = 0, x[0]
        while left > 0:
            chunk = min(self.next_chunk(), left)
            found = self.loop(x, chunk, given)
            failed = int(found.failed[0])
            record = found.record[:, 0] if failed < 0 else found.record[:failed, 0]
            self._kept(record, keep)
            left -= len(record)
            x = found.state.copy()
            if self.adaptive:
                self._watch(record, float(x[0, t]), row)
            if failed >= 0:
                slow = self._with_care(x[0], given, keep)
                if slow is not None:
                    x, left, tries = slow[0], left - 1, 0
                    if slow[1]:
                        continue
                    break
                tries = tries + 1 if failed == 0 else 1
                troubled = x[0].copy() if tries == 1 else troubled
                if not self.adaptive or tries > RETRIES:
                    raise Stopped(self._reason(troubled, x[0], given), float(x[0, t]))
                self.rejected += 1
                x[0, t + 1] *= (
                    SHORTER  # a stage left what can be computed: the step was too long, or there is no way on
                )
                continue
            if x[0, t] >= row[1] - no_time(row) or found.turns < chunk:
                break
            tries = 0
        x[0, t] = row[1]
        return x[0]

    def _kept(self, records: Vector, keep: Keep) -> None:
        """Hands on the records (rows, k) of steps that were taken."""
        errors = records[:, self.states.t + 2]
        good = errors <= 1.0 if self.adaptive else np.ones(len(records), dtype=bool)
        keep(records[good])
        self.steps += len(records)
        if self.adaptive:
            self.rejected += int((~good).sum())
            self.note_errors(errors[good] * self.tolerance)

    def _with_care(self, state: Vector, given: Vector, keep: Keep) -> tuple[Vector, bool] | None:
        """(state (1, n), whether it goes on) after a turn of the interpreter; None where that fails, or is done too often."""
        if self.slow_turns >= SLOW_TURNS:
            return None
        found = self.loop.with_care(state, given)
        if found is None:
            return None
        after, record, more = found
        self._kept(record[None], keep)
        self.slow_turns += 1
        return after[None].copy(), more

    def _reason(self, first: Vector, last: Vector, given: Vector) -> Failure:
        """Why there is no way on: what failed in the longest step, not that the last one was too short."""
        why = self.loop.reason(first, given)
        return self.loop.reason(last, given) if why.status == Status.STEP else why


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
