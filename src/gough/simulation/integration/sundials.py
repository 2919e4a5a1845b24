"""CVODE on a robot: its programs, and one solver with all that belongs to it.

y        q, v, works, own states of the law. Rates are those of the closed robot at y: quaternions of unit length, loops
         closed. So the independent coordinates obey the robot's own equations whatever errors the others gather, and these
         do no more than lead Newton's method; states that are kept are closed to the last.
Error    of a step: CVODE looks at the mean square of its entries over given sizes; these are typical ones (`StateLayout.size_of`)
         times the tolerance over √n, so that no entry's error is above the tolerance. Works have no say in it.
"adams"  up to order 12, equations solved by fixed-point iteration: no matrix, but ωh stays below about 1.
"bdf"    up to order 5, Newton's method with a matrix by differences; orders that let vibrations grow are left when they do.
"""

import ctypes
import weakref
from math import sqrt
from typing import Any

import numpy as np

from gough.compilation.service import address
from gough.program import Program, Slot, trace
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.rates import closing_program, rate_program, turn_program
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.sundials_code import BYTES, GET_ARRAY, GIVEN, MARCH, STATE, STATUS, TABLE, code
from gough.simulation.integration.sundials_library import POINTER, sundials
from gough.simulation.integration.time_loop import OneRunLoop

Vector = np.ndarray
ADAMS, BDF = 1, 2
"""CVODE's words for its families."""
PART = 50
"""Steps that CVODE is left to itself."""
SHORTEST = 1e-13
"""Shortest step (s)."""
NO_SAY = 1e30
"""Size of entries that do not count."""


def rates_program(plant: Plant) -> Program:
    """State (y, t) to the record ẏ; a time loop of one turn."""
    states, rate, close = StateLayout(plant), rate_program(plant), closing_program(plant)
    n = states.t

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, t = states.split(np.concatenate([state, [0.0, 0.0]])), state[n]
        q, v = plant.led_state(unit_quaternions(plant.model.mechanism, s.q), s.v, plant.rows.at(given, t))
        q = close(parameters, q)
        found = rate(parameters, rate.hoisted_values(parameters), q=q, v=v, inner=s.inner, row=given, t=[t])
        ydot = np.concatenate([found[key] for key in ("qdot", "vdot", "power", "inner")])
        return {"state": state, "record": ydot, "running": 1.0}

    return turn_program(plant, equations, "cvode", n + 1, more=0)


def records_program(plant: Plant) -> Program:
    """y, t and the step before (h, its error) to a closed record; drift (nq,): what closing has moved of q, rest (nq,): what
    another Newton step has."""
    states, rate, close = StateLayout(plant), rate_program(plant), closing_program(plant)
    again = closing_program(plant, closings=1)
    n = states.t

    def equations(y: Vector, step: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(np.concatenate([y, step]))
        q, v = plant.led_state(unit_quaternions(plant.model.mechanism, s.q), s.v, plant.rows.at(given, s.t))
        near = close(parameters, q)
        drift, q = near - q, again(parameters, near)
        found = rate(parameters, rate.hoisted_values(parameters), q=q, v=v, inner=s.inner, row=given, t=[s.t])
        here = states.split(states.join(q, v, s.work, s.inner, s.t, s.h, s.error))
        return {"record": states.record(here, found["tau"], found["vdot"], s.error), "drift": drift, "rest": q - near}

    slots = (
        Slot("y", (n,)),
        Slot("step", (3,)),
        Slot("given", (plant.rows.size,)),
        Slot("parameters", (len(plant.model.parameters),), uniform=True),
    )
    return trace(equations, slots, f"{plant.model.mechanism.name} cvode records", {"parameters": plant.model.pattern})


class CvodeSolver:
    """CVODE on one robot. `tried`: the last (y, t) it asked rates for."""

    def __init__(self, plant: Plant, loop: OneRunLoop, family: int, tolerance: float, longest: float) -> None:
        self.lib, self.n = sundials(), StateLayout(plant).t
        lib, n = self.lib, self.n
        self.y, self.tried, self.interrupted = np.zeros(n), np.zeros(n + 1), False
        self._given, self._status = np.zeros(plant.rows.size), np.zeros(2, dtype=np.int64)
        self._sizes, self._loop = tolerance * _sizes(plant), loop
        self._data = np.zeros(7, dtype=np.int64)
        self._data[[GET_ARRAY, MARCH, BYTES]] = lib.address("N_VGetArrayPointer"), loop.march.address, 8 * n
        for place, array in ((STATE, self.tried), (GIVEN, self._given), (STATUS, self._status), (TABLE, loop.table)):
            self._data[place] = address(array)
        context = POINTER()
        _good(lib.SUNContext_Create(0, ctypes.byref(context)))
        lib.SUNContext_ClearErrHandlers(context)  # what goes wrong is told by flags
        self._vector = lib.N_VMake_Serial(n, address(self.y), context)
        sizes = lib.N_VMake_Serial(n, address(self._sizes), context)
        self._memory = lib.CVodeCreate(family, context)
        taken: list[tuple[Any, int]] = [(lib.N_VDestroy, self._vector), (lib.N_VDestroy, sizes)]
        _good(lib.CVodeInit(self._memory, code().rates, 0.0, self._vector))
        _good(lib.CVodeSVtolerances(self._memory, 0.0, sizes))
        _good(lib.CVodeSetUserData(self._memory, address(self._data)))
        _good(lib.CVodeSetMaxStep(self._memory, longest))
        _good(lib.CVodeSetMinStep(self._memory, SHORTEST))
        _good(lib.CVodeSetMaxHnilWarns(self._memory, -1))
        if family == ADAMS:
            solver = lib.SUNNonlinSol_FixedPoint(self._vector, 0, context)
            _good(lib.CVodeSetNonlinearSolver(self._memory, solver))
            taken.append((lib.SUNNonlinSolFree, solver))
        else:
            matrix = lib.SUNDenseMatrix(n, n, context)
            linear = lib.SUNLinSol_Dense(self._vector, matrix, context)
            _good(lib.CVodeSetLinearSolver(self._memory, linear, matrix))
            _good(lib.CVodeSetStabLimDet(self._memory, 1))
            taken += [(lib.SUNLinSolFree, linear), (lib.SUNMatDestroy, matrix)]
        weakref.finalize(self, _free, lib, self._memory, taken, context)

    def begin(self, y: Vector, time: float, row: Vector) -> None:
        """Start anew from y (n,) at a time (s) within a row."""
        self.y[:], self._given[:] = y, row
        _good(self.lib.CVodeReInit(self._memory, time, self._vector))
        _good(self.lib.CVodeSetStopTime(self._memory, float(row[1])))

    def steps(self, end: float, most: int) -> tuple[Vector, Vector, int]:
        """(times (k,), rows of y (k, n), CVODE's last flag: 0 for more to come, 1 at the end, negative: cannot go on)."""
        times, rows, flag = np.empty(most), np.empty((most, self.n)), ctypes.c_int(0)
        cvode, done = self.lib.address("CVode"), 0
        self.interrupted = False
        try:
            while done < most and flag.value == 0:  # in parts, between which Ctrl-C is heard
                count = min(PART, most - done)
                places = (address(self.y), 8 * self.n, address(times[done:]), address(rows[done:]), count)
                taken = code().steps(cvode, self._memory, end, self._vector, *places, ctypes.addressof(flag))
                done += taken
        except KeyboardInterrupt:
            self.interrupted = True
        return times[:done], rows[:done], flag.value

    def failures(self) -> int:
        """Steps tried in vain since `begin`."""
        total = 0
        for name in ("CVodeGetNumErrTestFails", "CVodeGetNumStepSolveFails"):
            count = ctypes.c_int64(0)
            _good(getattr(self.lib, name)(self._memory, ctypes.byref(count)))
            total += count.value
        return total


def _sizes(plant: Plant) -> Vector:
    """Typical sizes of y (n,) over √n."""
    q, v = StateLayout(plant).units
    sizes = np.concatenate([q, 100.0 * v, np.full(len(WORKS), NO_SAY), plant.inner.sizes])
    return sizes / sqrt(len(sizes))


def _good(flag: int) -> None:
    if flag != 0:
        raise RuntimeError(f"a function of SUNDIALS refused its arguments ({flag})")


def _free(lib: Any, memory: int, taken: list[tuple[Any, int]], context: Any) -> None:
    place = POINTER(memory)
    lib.CVodeFree(ctypes.byref(place))
    for release, thing in taken:
        release(thing)
    lib.SUNContext_Free(ctypes.byref(context))
