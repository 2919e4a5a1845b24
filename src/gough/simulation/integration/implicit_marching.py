"""Time loops of implicit methods: equal steps, Newton's iteration with one matrix for many of them.

State    that of explicit methods, then the unknowns z, then W⁻¹ by rows: `refresh_program` makes W anew, which the loop inverts.
"""

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.errors import Failure, Site, Status
from gough.program import Program
from gough.scalar import zeros
from gough.simulation.integration.marching import Keep, Marching
from gough.simulation.integration.newton import newton_matrix
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.rates import rate_program, residual_program, turn_program
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.time_loop import OneRunLoop, RunStopped

Vector = np.ndarray
REFRESH = 20
"""Steps with one Newton matrix."""
CAREFUL_STEPS = 5
"""Steps solved with care after Newton's method has failed."""
HALVINGS = 12
"""How often a step of an implicit method is halved before a run gives up."""


@dataclass(frozen=True, eq=False)
class ImplicitLayout(StateLayout):
    """The state with z and W⁻¹ behind it."""

    @property
    def z(self) -> slice:
        """Place of the unknowns."""
        return slice(self.t + 3, self.t + 3 + self.plant.unknowns)

    @property
    def inverse(self) -> slice:
        """Place of W⁻¹."""
        return slice(self.z.stop, self.z.stop + self.plant.unknowns**2)

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.inverse.stop


@dataclass(frozen=True)
class ImplicitPrograms:
    """A method as programs. step: from whether it is to be solved with care."""

    states: ImplicitLayout
    step: Callable[[bool], Program]
    refresh: Program
    start: Program


def refresh_program(plant: Plant, states: ImplicitLayout, name: str, of_v: float, of_q: float) -> Program:
    """The program that makes W anew, equation (1) of `newton`, and puts it where W⁻¹ is to be. of_v, of_q: dv/dz over h and
    dq/dz over h² at the end of a step."""
    matrix = newton_matrix(plant, residual_program(plant, "R"), of_v, of_q)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(state)
        row = given[: plant.rows.size]
        q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
        W = matrix(parameters, s.h, q=q, v=v, inner=s.inner, z=state[states.z], row=row, t=[s.t])
        after = np.concatenate([state[: states.inverse.start], W.ravel(), state[states.inverse.stop :]])
        return {"state": after, "record": zeros(0), "running": 1.0}

    return turn_program(plant, equations, f"{name} refresh", states.size)


def start_program(plant: Plant) -> Program:
    """The program that gives a state its accelerations z: at the start, and where a motion's accelerations jump."""
    states, rate = ImplicitLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
        found = rate(parameters, rate.hoisted_values(parameters), q=q, v=v, inner=s.inner, row=row, t=[s.t])
        z = np.concatenate([found["vdot"][plant.unknown_of_v], found["inner"]])
        after = np.concatenate([state[: states.z.start], z, state[states.inverse]])
        return {"state": after, "record": states.record(s, found["tau"], found["vdot"], 0.0), "running": 1.0}

    return turn_program(plant, equations, "start", states.size)


class ImplicitMarching(Marching):
    """Implicit methods with equal steps. Where Newton's method fails, a few steps are solved with care; where that
    fails, too, a step is taken as 2, 4, 8, … shorter ones."""

    def __init__(
        self, plant: Plant, programs: ImplicitPrograms, parameters: Vector, step: float, tolerance: float
    ) -> None:
        super().__init__(plant, parameters, step, tolerance)
        self.states: ImplicitLayout = programs.states
        self.programs = programs
        self.loop = OneRunLoop(programs.step(False), parameters)
        self.refresh = OneRunLoop(programs.refresh, parameters)
        self.start = OneRunLoop(programs.start, parameters)

    @cached_property
    def careful(self) -> OneRunLoop:
        """Steps solved with care; made when the first one is needed."""
        began = clock.perf_counter()
        made = OneRunLoop(self.programs.step(True), self.parameters)
        _ = made.march
        self.compiled_late += clock.perf_counter() - began
        return made

    def compile(self) -> None:
        """Make all machine code now."""
        for loop in (self.loop, self.refresh, self.start):
            _ = loop.march

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.turn_inputs(row)
        x = np.zeros((1, self.states.size))
        x[0, : min(len(state), self.states.size)] = state[: self.states.size]
        begin = float(x[0, t])
        x = self._made(self.start, x, given)
        keep(self.start(x, 1, given).record[:, 0])
        h, count = self.equal_steps(row, begin)
        done = halvings = with_care = 0
        while done < count:
            if halvings:
                x, records, halvings = self._in_parts(x, given, h, halvings)
                halvings -= 1
            else:
                steps = min(REFRESH, self.next_chunk(), count - done, with_care or REFRESH)
                x, records, why = self._steps(self.careful if with_care else self.loop, x, given, h, steps)
                if with_care:
                    with_care = max(with_care - max(len(records), 1), 0)
                    halvings = 1 if why else 0
                    self.care_taken += len(records)
                elif why:
                    with_care = CAREFUL_STEPS
            keep(records)
            self.steps += len(records)
            self.note_errors(records[:, t + 2])
            done += len(records)
            x[0, t] = row[1] - (count - done) * h
        x[0, t] = row[1]
        return x[0]

    def _steps(
        self, loop: OneRunLoop, x: Vector, given: Vector, h: float, steps: int
    ) -> tuple[Vector, Vector, Callable[[], Failure] | None]:
        """(state, records, what tells why it failed) after up to so many steps."""
        x = x.copy()
        x[0, self.states.t + 1] = h
        x = self._inverted(self._made(self.refresh, x, given))
        found = loop(x, steps, given, every=1)
        failed = int(found.failed[0])
        records = found.record[:, 0] if failed < 0 else found.record[:failed, 0]
        if failed < 0:
            return found.state.copy(), records, None
        last = found.state.copy()
        return last, records, lambda: loop.reason(last[0], given)

    def _inverted(self, x: Vector) -> Vector:
        """A state (1, n) with W⁻¹ where its W stands; inverted here, not in straight code of n³ operations."""
        n, place = self.plant.unknowns, self.states.inverse
        try:
            x[0, place] = np.linalg.inv(x[0, place].reshape(n, n)).ravel()
        except np.linalg.LinAlgError:
            raise RunStopped(Status.SINGULAR.at(Site.NEWTON_MATRIX), float(x[0, self.states.t])) from None
        return x

    def _in_parts(self, x: Vector, given: Vector, h: float, halvings: int) -> tuple[Vector, Vector, int]:
        """(state, its record, halvings) after one step, taken as 2^halvings shorter ones, or more where that fails."""
        begin = x
        while True:
            x, parts = begin, 2**halvings
            for _ in range(parts):
                x, records, why = self._steps(self.careful, x, given, h / parts, 1)
                if why is not None:
                    break
            else:
                return x, records, halvings
            self.rejected += 1
            halvings += 1
            if halvings > HALVINGS:
                raise RunStopped(why(), float(x[0, self.states.t]))

    def _made(self, loop: OneRunLoop, x: Vector, given: Vector) -> Vector:
        found = loop(x, 1, given)
        if found.failed[0] < 0:
            return found.state.copy()
        slow = loop.with_care(x[0], given)
        if slow is None:
            raise RunStopped(loop.reason(x[0], given), float(x[0, self.states.t]))
        return slow[0][None].copy()
