"""A time loop of CVODE's steps, piece by piece of the motion."""

from collections.abc import Callable

import numpy as np

from gough.backends.llvm.kernel import Kernel
from gough.simulation.integration.marching import CHUNK, LEAPS, Loop, Marching, Stopped
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.sundials import Solver, rates_program, records_program
from gough.simulation.integration.sundials_library import sundials

Vector = np.ndarray
DRIFT, CLOSED = 1e-4, 1e-9
"""Over typical sizes: what loops may open before CVODE is begun anew with closed ones, and what counts as closed."""
OF_RATES = (-8, -9, -10, -11)
"""CVODE's flags where it is the rates that cannot be computed."""


class Cvode(Marching):
    """Steps and orders by the error; every piece is begun anew."""

    adaptive = True

    def __init__(self, plant: Plant, family: int, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
        sundials()  # what is missing is told before anything is compiled
        self.family = family
        self.loop, self.record = Loop(rates_program(plant), parameters), records_program(plant)

    def compile(self) -> None:
        """Make all machine code now."""
        self.solver = Solver(self.plant, self.loop, self.family, self.tolerance, self.step_size)
        self.kernel = Kernel(self.record)

    def piece(self, state: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """See `Marching`."""
        t, n, self.taken = self.states.t, self.solver.n, 0
        begin = np.array([[row[0], 0.0, 0.0]])
        x, _, _ = self._records(state[None, :n], begin, row)
        while x[0, t] < row[1] - 1e-12 * (1.0 + abs(row[1])):
            self.solver.begin(x[0, :n], float(x[0, t]), row)
            x = self._until_trouble(x, row, keep, every)
        last = x[0, : self.states.size].copy()
        last[t] = row[1]
        return last

    def _until_trouble(self, x: Vector, row: Vector, keep: Callable[[Vector], None], every: int) -> Vector:
        """The record (1, k) from which to begin anew, from that at the begin: at the end, where loops have opened, or behind a
        singularity."""
        t = self.states.t
        while True:
            times, rows, flag = self.solver.steps(float(row[1]), CHUNK)
            self.steps += len(times)
            lengths = np.diff(times, prepend=x[0, t])
            records, drift, rest = self._records(rows, np.stack([times, lengths, 0.0 * times], axis=1), row)
            open_ = np.flatnonzero(~(rest < CLOSED))
            good = int(open_[0]) if len(open_) else len(times)
            found = np.concatenate([x, records[:good]])
            keep(self._every(found[:-1], every))
            x = found[-1:]
            self.reached = x[0, : self.states.size]
            if self.solver.interrupted:
                raise KeyboardInterrupt
            self.note_errors(np.full(len(times), self.tolerance))
            self._watch(found, float(x[0, t]))
            trouble = flag < 0 or good < len(times)
            if flag or trouble or drift.max(initial=0.0) > DRIFT:
                self.rejected += self.solver.failures()
                return self._behind(x, row, keep, every, flag) if trouble else x

    def _behind(self, x: Vector, row: Vector, keep: Callable[[Vector], None], every: int, flag: int) -> Vector:
        t, given = self.states.t, self.given(row)
        lengths = [min(part * self.step_size, float(row[1] - x[0, t])) for part in LEAPS]
        beyond = self.leaped(x[0, : self.states.size], given, lengths)
        if beyond is None:
            raise Stopped(self._why(row, flag), float(x[0, t]))
        after, records, _ = beyond
        keep(self._every(records, every))
        return self._records(after[None, : self.solver.n], after[None, t : t + 3], row)[0]

    def _why(self, row: Vector, flag: int) -> str:
        reason = self.loop.reason(self.solver.tried, row[None]) if flag in OF_RATES else "not_finite:state"
        return reason if flag in OF_RATES and reason != "not_finite:state" else "step:too small"

    def _records(self, y: Vector, step: Vector, row: Vector) -> tuple[Vector, Vector, Vector]:
        """(closed records (k, m), what closing has moved (k,), what is left of it (k,), over typical sizes) of states y (k, n)
        with t, h and error (k, 3)."""
        out = [np.zeros((len(y), slot.size)) for slot in self.record.outputs]
        inputs = [np.ascontiguousarray(a) for a in (y, step, row[None], self.parameters[None])]
        if len(y):
            self.kernel(inputs, len(y), out)
        records, *moved = out
        drift, rest = (np.abs(x / self.states.units[0]).max(axis=1, initial=0.0) for x in moved)
        return records, drift, rest
