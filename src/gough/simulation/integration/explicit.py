"""One step of an explicit Runge–Kutta method as a program, and its time loop.

State    q, v, works, own states of the law, time, step (adaptive: what to try next; fixed: the step), error of the last try.
Given    a row of the motion's table; then tolerance, longest step.
A step never leaves the piece of the motion it began in: the last one of a piece is made to fit.
Stages are the state moved along its rates, as a vector; a step ends with quaternions of unit length and loops closed.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.errors import Failure, Site, Status
from gough.program import Program, Slot, trace
from gough.scalar import abs_, check, select, sqrt
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration._rates import (
    closing_program,
    end_step,
    moved_inner,
    rate_program,
    step_error,
    tick_program,
)
from gough.simulation.integration.marching import Keep, Marching, OneRunLoop, RunStopped, no_time
from gough.simulation.integration.method import RungeKutta
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray
SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
"""Factors of the next step: for the error to pass, least, and most."""
RETRIES, SHORTER = 10, 0.1
"""How often an adaptive step that cannot be computed is tried again, and how much shorter each time."""
SLOW_TURNS = 1000
"""Turns of the interpreter in a run."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplicitRungeKutta(RungeKutta):
    """Steps chosen by the error where a method of lower order tells it, else equal ones."""

    implicit: bool = False
    adaptive: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "adaptive", bool(self.lower))

    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> "ExplicitMarching":
        """See `Method`."""
        return ExplicitMarching(plant, self, parameters, step, tolerance)


def explicit_step(plant: Plant, method: ExplicitRungeKutta, uniform: bool = True) -> Program:
    """The program of a step; its slots: `backends.backend`. uniform: one design for all runs; else parameters are "own"."""
    model, states = plant.model, StateLayout(plant)
    mechanism = model.mechanism
    rate, close = rate_program(plant, uniform), closing_program(plant, uniform)
    tick = tick_program(plant, uniform) if plant.inner.clocked else None
    adaptive = method.adaptive
    design = "parameters" if uniform else "own"

    def equations(state: Vector, given: Vector, **designs: Vector) -> dict[str, Any]:
        s, parameters = states.split(state), designs[design]
        row, tolerance, longest = given[: plant.rows.size], given[-2], given[-1]
        hoisted = rate.hoisted_values(parameters)
        left = row[1] - s.t
        if tick is not None:
            now = tick(parameters, q=s.q, v=s.v, inner=s.inner, row=row, t=[s.t])
            s, event = replace(s, inner=now["inner"], t=now["time"][0]), now["event"][0] - s.t
            left = select(left - event, event, left)
        h = _fitted(s.h, left, longest) if adaptive else s.h
        found = []
        for i in range(method.stages):
            q, v, inner = s.q, s.v, s.inner
            for j in np.flatnonzero(method.A[i]):
                part, stage = h * method.A[i, j], found[j]
                q, v = q + part * stage["qdot"], v + part * stage["vdot"]
                inner = moved_inner(plant, inner, part * stage["inner"])
            if i:
                q = unit_quaternions(mechanism, q)
            t = s.t + float(method.c[i]) * h
            found.append(rate(parameters, hoisted, q=q, v=v, inner=inner, row=row, t=[t]))

        q, v, work, inner = end_step(plant, s, found, method.b, h, row)
        q, t = close(parameters, q), s.t + h
        error: Any = 0.0
        if len(method.error):
            error = step_error(plant, found, method.error, h) / tolerance
        first = found[0]
        record = states.record(s, first["tau"], first["vdot"], error)
        if not adaptive:
            after = states.join(q, v, work, inner, t, s.h, error)
            return {"state": after, "record": record, "running": row[1] - t}
        good = 1.0 - error
        factor = SAFETY / sqrt(
            sqrt(select(error - 1e-8, error, 1e-8))
        )  # as of order 4 or 3: a little cautious for order 5
        factor = select(factor - GROW, GROW, select(SHRINK - factor, SHRINK, factor))
        factor = select(good, factor, select(factor - SAFETY, SAFETY, factor))
        check(Status.STEP.at(Site.STEP_SIZE), h * factor - 1e-12 * abs_(s.t) - 1e-14, 0.0)
        taken = states.join(q, v, work, inner, t, h * factor, error)
        kept = states.join(s.q, s.v, s.work, s.inner, s.t, h * factor, error)
        after = np.array([select(good, a, b) for a, b in zip(taken, kept, strict=True)], dtype=object)
        end = row[1] - after[states.t]
        return {"state": after, "record": record, "running": select(end - 1e-13 * (1.0 + abs_(row[1])), 1.0, 0.0)}

    slots = (
        Slot("state", (states.size,)),
        Slot("given", (plant.rows.size + 2,)),
        Slot(design, (len(model.parameters),), uniform=uniform),
    )
    return trace(equations, slots, f"{mechanism.name} {method.name}", {design: model.pattern})


def _fitted(h: Any, left: Any, longest: Any) -> Any:
    """The step to try: not longer than allowed, and two equal ones before the end of a piece rather than a tiny last one."""
    h = select(h - longest, longest, h)
    return select(1.05 * h - left, left, select(2.0 * h - left, 0.5 * left, h))


class ExplicitMarching(Marching):
    """Explicit Runge–Kutta, with equal steps in every piece, or with steps by the error."""

    def __init__(
        self, plant: Plant, method: ExplicitRungeKutta, parameters: Vector, step: float, tolerance: float
    ) -> None:
        super().__init__(plant, parameters, step, tolerance)
        self.adaptive = method.adaptive
        self.loop = OneRunLoop(plant.loop_code((method.name, "step"), lambda: explicit_step(plant, method)), parameters)
        self.loops = (self.loop,)

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.turn_inputs(row)
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
            self.count_steps(record, keep)
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
                    raise RunStopped(self._reason(troubled, x[0], given), float(x[0, t]))
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

    def count_steps(self, records: Vector, keep: Keep) -> None:
        """Hands on the records (rows, k) of steps that were taken."""
        errors, good = records[:, self.states.t + 2], self.is_taken(records)
        keep(records[good])
        self.steps += len(records)
        if self.adaptive:
            self.rejected += int((~good).sum())
            self.note_errors(errors[good] * self.tolerance)

    def without_rejected(self, records: Vector) -> Vector:
        """Those of the records (m, k) whose steps were not rejected."""
        return records[self.is_taken(records)]

    def is_taken(self, records: Vector) -> Vector:
        """Which steps of records (m, k) were taken, not rejected (m,)."""
        return records[:, self.states.t + 2] <= 1.0 if self.adaptive else np.ones(len(records), dtype=bool)

    def _with_care(self, state: Vector, given: Vector, keep: Keep) -> tuple[Vector, bool] | None:
        """(state (1, n), whether it goes on) after a turn of the interpreter; None where that fails, or is done too often."""
        if self.slow_turns >= SLOW_TURNS:
            return None
        found = self.loop.with_care(state, given)
        if found is None:
            return None
        after, record, more = found
        self.count_steps(record[None], keep)
        self.slow_turns += 1
        return after[None].copy(), more

    def _reason(self, first: Vector, last: Vector, given: Vector) -> Failure:
        """Why there is no way on: what failed in the longest step, not that the last one was too short."""
        why = self.loop.reason(first, given)
        return self.loop.reason(last, given) if why.status == Status.STEP else why
