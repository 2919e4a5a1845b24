"""A time loop of leapfrog steps, piece by piece of the motion."""

from collections.abc import Callable
from math import ceil

import numpy as np

from gough.backends.llvm.march import Marched
from gough.errors import UsageError
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.simulation.integration.leapfrog import LeapfrogLayout, begin_program, leapfrog_step, slope_program
from gough.simulation.integration.marching import SLACK, Loop, Marching, Stopped
from gough.simulation.integration.plant import Plant

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

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """See `Marching`."""
        states, given, t = self.states, self.given(row), self.states.t
        x = np.zeros((1, states.size))
        x[0, : min(len(state), states.size)] = state[: states.size]
        length = float(row[1] - row[0])
        steps = max(ceil(length / self.step_size - SLACK), 1)
        x[0, t], x[0, t + 1] = row[0], length / steps
        none = np.zeros((1, self.plant.unknowns**2))
        x[0, states.acceleration] = self._made(self.begin, x, given, none).state[0, states.acceleration]
        own = self._made(self.slopes, x, given).record[0]
        found = self._made(self.begin, x, given, own)
        keep(found.record[:, 0])
        longest = min(REFRESH, ceil(LASTS * steps / length))
        x, done, lasts = found.state.copy(), 0, longest
        while done < steps:
            chunk, first = min(lasts, steps - done, self.loop.at_once), every - done % every
            found = self.loop(x, chunk, given, own=own, every=every, first=first)
            x, bad = found.state.copy(), int(found.failed[0])
            rows = max((chunk if bad < 0 else bad) - first + every, 0) // every
            keep(self._told(found.record[:rows, 0], own))
            self.steps += found.turns
            self.reached = self._told(x[0].copy(), own)
            if bad >= 0:
                raise Stopped(self._reason(x[0], given, own), float(x[0, t]))
            done, lasts = done + chunk, lasts - chunk
            if done < steps and not lasts:
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

    def _reason(self, x: Vector, given: Vector, own: Vector | None, loop: Loop | None = None) -> str:
        program = (loop or self.loop).program
        known = {"state": x[None], "given": given, "parameters": self.parameters[None]}
        if own is not None:
            known["own"] = own
        _, failed = evaluate_with_care(program, flat_inputs(program, known, 1))
        return failed[0] or "not_finite:state"
