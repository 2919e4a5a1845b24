"""A time loop of leapfrog steps, piece by piece of the motion."""

from math import ceil

import numpy as np

from gough.compilation.service import Marched
from gough.errors import Failure, UsageError
from gough.simulation.integration.leapfrog import LeapfrogLayout, begin_program, leapfrog_step, slope_program
from gough.simulation.integration.marching import Keep, Loop, Marching, Stopped
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.time_loop import failed_check

Vector = np.ndarray
REFRESH, LASTS = 2000, 0.15
"""Steps with one matrix A, and the longest time (s): with another one vibrations are a little off, nothing else."""


class Leapfrog(Marching):
    """Equal steps in every piece."""

    def __init__(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
        if plant.inner_size:
            raise UsageError(
                f"method='leapfrog' does not integrate the own states of a controller ({', '.join(plant.inner.names)}); take rk4"
            )
        self.states: LeapfrogLayout = LeapfrogLayout(plant)
        self.loop = Loop(leapfrog_step(plant), parameters)
        self.begin = Loop(begin_program(plant), parameters)
        self.slopes = Loop(slope_program(plant), parameters)

    def compile(self) -> None:
        """Make all machine code now."""
        for loop in (self.loop, self.begin, self.slopes):
            _ = loop.march

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        states, given, t = self.states, self.given(row), self.states.t
        x = np.zeros((1, states.size))
        x[0, : min(len(state), states.size)] = state[: states.size]
        h, left = self.equal_steps(row, float(x[0, t]))
        x[0, t + 1] = h
        none = np.zeros((1, self.plant.unknowns**2))
        x[0, states.acceleration] = self._made(self.begin, x, given, none).state[0, states.acceleration]
        own = self._made(self.slopes, x, given).record[0]
        found = self._made(self.begin, x, given, own)
        keep(found.record[:, 0])
        longest = min(REFRESH, ceil(LASTS / h))
        x, lasts = found.state.copy(), longest
        while left > 0:
            chunk = min(lasts, self.next_chunk(), left)
            found = self.loop(x, chunk, given, own=own)
            x, bad = found.state.copy(), int(found.failed[0])
            records = self._told(found.record[: chunk if bad < 0 else bad, 0], own)
            keep(records)
            self.steps += len(records)
            if bad >= 0:
                raise Stopped(self._reason(x[0], given, own), float(x[0, t]))
            left, lasts = left - chunk, lasts - chunk
            if left > 0 and lasts == 0:
                own, lasts = self._made(self.slopes, x, given).record[0], longest
        x[0, t] = row[1]
        return self._told(x[0], own)

    def _told(self, rows: Vector, own: Vector) -> Vector:
        """States or records (..., k) with v as it is told, equation (2)."""
        at, n = self.plant.unknown_of_v, self.plant.unknowns
        places = self.plant.model.layout.nq + np.array(at, dtype=int)
        rows[..., places] -= rows[..., [self.states.t + 1]] ** 2 / 6.0 * (rows[..., places] @ own.reshape(n, n).T)
        return rows

    def _made(self, loop: Loop, x: Vector, given: Vector, own: Vector | None = None) -> Marched:
        found = loop(x, 1, given, own=own)
        if found.failed[0] >= 0:
            raise Stopped(self._reason(x[0], given, own, loop), float(x[0, self.states.t]))
        return found

    def _reason(self, x: Vector, given: Vector, own: Vector | None, loop: Loop | None = None) -> Failure:
        program = (loop or self.loop).program
        known = {"state": x[None], "given": given, "parameters": self.parameters[None]}
        if own is not None:
            known["own"] = own
        return failed_check(program, known)
