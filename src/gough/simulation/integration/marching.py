"""Time loops of one robot under one law: compiled once, then run piece by piece of the motion.

A piece is a stretch of time in which the motion is one polynomial; a step never leaves its piece.
"""

import time as clock
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from gough.program import Program, Slot, trace
from gough.simulation.integration.crossing import Leap
from gough.simulation.integration.explicit import explicit_step, rate_program
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.sticking import sticking_joints
from gough.simulation.integration.tableaux import Tableau
from gough.simulation.integration.time_loop import Loop, Stopped

Vector = np.ndarray
CHUNK = 2000
"""States that are kept, or steps by the error, between two looks at the clock and the keyboard, at most."""
RETRIES, SHORTER = 10, 0.1
"""How often an adaptive step that cannot be computed is tried again, and how much shorter each time."""
LEAPS = (1e-4, 1e-3, 1e-2)
"""Lengths of leaps of adaptive methods over singularities, in longest steps."""
SLOW_TURNS = 1000
"""Turns of the interpreter in a run."""
IN_A_ROW = 3
"""Leaps without another step between them."""
MOST_STEPS = 10_000_000
"""Steps of a run whose steps are chosen by the error, where nothing else is asked for."""
WATCHED = 1000
"""Turns that are enough to see whether a run gets on."""
SLACK = 1e-9
"""Of a step: what a piece may be longer than a whole number of them."""


class Marching:
    """Base of the ways to go through a piece. reached: the last state (n,) that is known to be good; watched: its last turns."""

    adaptive = False

    def __init__(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> None:
        self.plant, self.parameters = plant, parameters
        self.step_size, self.tolerance = step, tolerance
        self.states: StateLayout = StateLayout(plant)
        self.steps = self.rejected = self.care_taken = self.taken = 0
        self.span, self.most_steps = float("inf"), MOST_STEPS
        self.leap, self.leaps = Leap(plant, parameters), list[tuple[float, str]]()
        self.slow_turns = 0
        self.leaped_after, self.in_a_row = -1, 0
        self.errors_known = False
        self.reached: Vector | None = None
        self.watched: Vector | None = None
        self.compiled_late = self.error_sum = self.error_largest = 0.0

    def compile(self) -> None:
        """Make all machine code now."""
        raise NotImplementedError

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """The state (n,) at the end of a piece; `keep` is given records (rows, k). Raises `Stopped`."""
        raise NotImplementedError

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

    def leaped(self, state: Vector, given: Vector, lengths: Sequence[float]) -> tuple[Vector, Vector, float] | None:
        """(state (n,), records, time it took (s)) behind a singularity that is near a state (n,); None if there is none, or
        if some leaps were needed just before: then it is no isolated one."""
        self.in_a_row = self.in_a_row + 1 if self.leaped_after == self.steps else 1
        if self.in_a_row > IN_A_ROW:
            return None
        began, known = clock.perf_counter(), "loop" in self.leap.__dict__
        found = self.leap(state, given, lengths)
        if not known and "loop" in self.leap.__dict__:
            self.compiled_late += clock.perf_counter() - began
        if found is None:
            return None
        after, records, length, place = found
        self.steps += len(records)
        self.leaped_after = self.steps
        self.leaps.append((float(state[self.states.t]) + length, place))
        return after, records, length

    def given(self, row: Vector) -> Vector:
        """What a turn is given (1, k)."""
        return np.concatenate([row, [self.tolerance, self.step_size]])[None]

    def _every(self, records: Vector, every: int) -> Vector:
        """One of so many, counted through chunks."""
        first = -self.taken % every
        self.taken += len(records)
        return records[first::every]

    def _watch(self, records: Vector, time: float) -> None:
        """Stop where a run does not get on."""
        seen = records if self.watched is None else np.concatenate([self.watched, records])
        self.watched = seen[-WATCHED:]
        stuck = sticking_joints(self.plant, self.parameters, seen, self.span) if len(seen) >= WATCHED else []
        if stuck:
            raise Stopped(f"sticking:{', '.join(stuck)} (Coulomb friction without smoothing)", time)
        if self.steps > self.most_steps:
            raise Stopped(f"step:more than {self.most_steps} steps", time)


class Explicit(Marching):
    """Explicit Runge–Kutta, with equal steps in every piece, or with steps by the error."""

    def __init__(self, plant: Plant, tableau: Tableau, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
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
        tries = done = self.taken = 0
        troubled = x[0]
        while left > 0:
            each = 1 if self.adaptive else every
            chunk = min(CHUNK * each, left, self.loop.at_once)
            found = self.loop(x, chunk, given, every=each, first=-done % each + 1)
            failed = int(found.failed[0])
            record = found.record[:, 0] if failed < 0 else found.record[: -(-(failed - (-done % each)) // each), 0]
            turns = record
            if self.adaptive:
                good = record[:, t + 2] <= 1.0
                self.rejected += int((~good).sum())
                self.note_errors(record[good, t + 2] * self.tolerance)
                record = self._every(record[good], every)
            keep(record)
            advanced = found.turns if failed < 0 else failed
            self.steps += advanced
            done, left = done + advanced, left - advanced
            x = found.state.copy()
            self.reached = x[0]
            if self.adaptive:
                self._watch(turns, float(x[0, t]))
            if failed >= 0:
                due = done % every == 0
                slow = self._with_care(x[0], given, keep, every, due)
                if slow is not None:
                    x, done, left, tries = slow[0], done + 1, left - 1, 0
                    if slow[1]:
                        continue
                    break
                tries = tries + 1 if failed == 0 else 1
                troubled = x[0].copy() if tries == 1 else troubled
                if self.adaptive and tries <= RETRIES:
                    self.rejected += 1
                    # a stage left what can be computed: the step was too long, or there is no way on
                    x[0, t + 1] *= SHORTER
                    continue
                h, end = float(x[0, t + 1]), float(row[1] - x[0, t])
                lengths = [n * h for n in (1, 2) if n <= left]
                lengths = [min(part * self.step_size, end) for part in LEAPS] if self.adaptive else lengths
                beyond = self.leaped(x[0], given, lengths)
                if beyond is None:
                    raise Stopped(self._reason(troubled, x[0], given), float(x[0, t]))
                x, records, length = beyond[0][None].copy(), *beyond[1:]
                keep(self._every(records, every) if self.adaptive else records[: int(due)])
                steps = 1 if self.adaptive else round(length / h)
                x[0, t + 1] = LEAPS[0] * self.step_size if self.adaptive else h
                done, left = done + steps, left - steps
            if x[0, t] >= row[1] - 1e-12 * (1.0 + abs(row[1])) or (failed < 0 and found.turns < chunk):
                break
            tries = 0
        x[0, t] = row[1]
        return x[0]

    def _with_care(
        self, state: Vector, given: Vector, keep: Callable[[Vector], None], every: int, due: bool
    ) -> tuple[Vector, bool] | None:
        """(state (1, n), whether it goes on) after a turn of the interpreter; None where that fails, or is done too often."""
        if self.slow_turns >= SLOW_TURNS or self.leap.ahead(state, float(state[self.states.t + 1])) is not None:
            return None  # a step beside a singularity is no matter of pivots
        found = self.loop.with_care(state, given)
        if found is None:
            return None
        after, record, more = found
        if self.adaptive:
            error = record[[self.states.t + 2]]
            taken = error <= 1.0
            self.rejected += int(not taken[0])
            self.note_errors(error[taken] * self.tolerance)
            keep(self._every(record[None][taken], every))
        else:
            keep(record[None][: int(due)])
        self.steps += 1
        self.slow_turns += 1
        return after[None].copy(), more

    def _reason(self, first: Vector, last: Vector, given: Vector) -> str:
        """Why there is no way on: what failed in the longest step, not that the last one was too short."""
        why = self.loop.reason(first, given)
        return self.loop.reason(last, given) if why.startswith("step:") else why


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
