"""The methods of CVODE (of SUNDIALS), and a time loop of its steps, piece by piece of the motion."""

from dataclasses import dataclass
from math import inf

import numpy as np

from gough.compilation.service import compile_program
from gough.errors import Failure, Site, Status
from gough.simulation.integration._sundials import ADAMS, BDF, CvodeSolver, rates_program, records_program, sundials
from gough.simulation.integration.marching import Keep, Marching, OneRunLoop, RunStopped, no_time
from gough.simulation.integration.method import Method
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
DRIFT, CLOSED = 1e-4, 1e-9
"""Over typical sizes: what loops may open before CVODE is begun anew with closed ones, and what counts as closed."""
OF_RATES = (-8, -9, -10, -11)
"""CVODE's flags where it is the rates that cannot be computed."""


class CvodeMarching(Marching):
    """Steps and orders by the error; every piece is begun anew."""

    adaptive = True

    def __init__(self, plant: Plant, family: int, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
        sundials()  # what is missing is told before anything is compiled
        self.family = family
        self.loop = OneRunLoop(plant.loop_code("cvode rates", lambda: rates_program(plant)), parameters)
        self.record = plant.kept.get("cvode records", lambda: records_program(plant))

    def compile(self) -> None:
        """Make all machine code now."""
        self.solver = CvodeSolver(self.plant, self.loop, self.family, self.tolerance, self.step_size)
        self.kernel = self.plant.kept.get("cvode kernel", lambda: compile_program(self.record))

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        t, n = self.states.t, self.solver.n
        begin = np.array([[state[t], 0.0, 0.0]])
        x, _, _ = self._records(state[None, :n], begin, row)
        while x[0, t] < row[1] - no_time(row):
            self.solver.begin(x[0, :n], float(x[0, t]), row)
            x = self._until_open(x, row, keep)
        last = x[0, : self.states.size].copy()
        last[t] = row[1]
        return last

    def _until_open(self, x: Vector, row: Vector, keep: Keep) -> Vector:
        """The record (1, k) from which to begin anew, from that at the begin: at the end, or where loops have opened."""
        t = self.states.t
        while True:
            times, rows, flag = self.solver.steps(float(row[1]), self.next_chunk())
            lengths = np.diff(times, prepend=x[0, t])
            records, drift, rest = self._records(rows, np.stack([times, lengths, 0.0 * times], axis=1), row)
            open_ = np.flatnonzero(~(rest < CLOSED))
            good = int(open_[0]) if len(open_) else len(times)
            found = np.concatenate([x, records[:good]])
            keep(found[:-1])
            self.steps += len(times)
            x = found[-1:]
            if self.solver.interrupted:
                raise KeyboardInterrupt
            self.note_errors(np.full(len(times), self.tolerance))
            try:
                self._watch(found, float(x[0, t]), row)
            except RunStopped:
                keep(x)
                raise
            if flag < 0 or good < len(times):
                self.rejected += self.solver.failures()
                keep(x)
                raise RunStopped(self._why(row, flag), float(x[0, t]))
            if flag or drift.max(initial=0.0) > DRIFT:
                self.rejected += self.solver.failures()
                return x

    def _why(self, row: Vector, flag: int) -> Failure:
        reason = (
            self.loop.reason(self.solver.tried, row[None]) if flag in OF_RATES else Status.NOT_FINITE.at(Site.STATE)
        )
        return (
            reason
            if flag in OF_RATES and reason != Status.NOT_FINITE.at(Site.STATE)
            else Status.STEP.at(Site.STEP_SIZE)
        )

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Cvode(Method):
    """Steps and orders chosen by the error. family: CVODE's word for its formulas."""

    family: int

    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> CvodeMarching:
        """See `Method`."""
        return CvodeMarching(plant, self.family, parameters, step, tolerance)


CVODE = Cvode(
    name="cvode",
    order=12,
    implicit=False,
    adaptive=True,
    limit=1.0,
    use="tight tolerances: orders up to 12; needs gough[sundials]",
    family=ADAMS,
)
CVODE_BDF = Cvode(
    name="cvode_bdf",
    order=5,
    implicit=True,
    adaptive=True,
    limit=inf,
    use="tight tolerances of stiff and damped robots, friction; needs gough[sundials]",
    family=BDF,
)
