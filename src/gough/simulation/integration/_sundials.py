"""CVODE on a robot: its programs, and one solver with all that belongs to it.

y        q, v, works, own states of the law. Rates are those of the closed robot at y: quaternions of unit length, loops
         closed. So the independent coordinates obey the robot's own equations whatever errors the others gather, and these
         do no more than lead Newton's method; states that are kept are closed to the last.
Error    of a step: CVODE looks at the mean square of its entries over given sizes; these are typical ones (`StateLayout.size_of`)
         times the tolerance over √n, so that no entry's error is above the tolerance. Works have no say in it.
"adams"  up to order 12, equations solved by fixed-point iteration: no matrix, but ωh stays below about 1.
"bdf"    up to order 5, Newton's method with a matrix by differences; orders that let vibrations grow are left when they do.

CVODE is called as the C functions it has, of the library SUNDIALS that scikit-sundae brings with it. A right-hand side in Python,
as scikit-sundae's own solvers take, would cost ten times the equations of a robot; CVODE gets the address of compiled code
instead. Its header files say what the functions do; here is only what they take and give.
"""

import ctypes
import weakref
from functools import cache
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from gough.compilation.service import address, load_ir
from gough.errors import UsageError
from gough.program import Program
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration._rates import closing_program, rate_program, trace_states, turn_program
from gough.simulation.integration.marching import OneRunLoop
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

POINTER, INT, REAL, LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_int64
OLDEST = 7
"""Major version of SUNDIALS these signatures are those of."""
MISSING = "needs CVODE: `pip install 'gough[sundials]'`; dp5 and esdirk4 work without"
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "SUNContext_Create": (INT, INT, POINTER),
    "SUNContext_ClearErrHandlers": (INT, POINTER),
    "SUNContext_Free": (INT, POINTER),
    "N_VMake_Serial": (POINTER, LONG, POINTER, POINTER),
    "N_VGetArrayPointer": (POINTER, POINTER),
    "N_VDestroy": (None, POINTER),
    "SUNNonlinSol_FixedPoint": (POINTER, POINTER, INT, POINTER),
    "SUNNonlinSolFree": (INT, POINTER),
    "SUNDenseMatrix": (POINTER, LONG, LONG, POINTER),
    "SUNMatDestroy": (None, POINTER),
    "SUNLinSol_Dense": (POINTER, POINTER, POINTER, POINTER),
    "SUNLinSolFree": (INT, POINTER),
    "CVodeCreate": (POINTER, INT, POINTER),
    "CVodeInit": (INT, POINTER, POINTER, REAL, POINTER),
    "CVodeReInit": (INT, POINTER, REAL, POINTER),
    "CVodeSVtolerances": (INT, POINTER, REAL, POINTER),
    "CVodeSetUserData": (INT, POINTER, POINTER),
    "CVodeSetMaxStep": (INT, POINTER, REAL),
    "CVodeSetMinStep": (INT, POINTER, REAL),
    "CVodeSetMaxHnilWarns": (INT, POINTER, INT),
    "CVodeSetStopTime": (INT, POINTER, REAL),
    "CVodeSetNonlinearSolver": (INT, POINTER, POINTER),
    "CVodeSetLinearSolver": (INT, POINTER, POINTER, POINTER),
    "CVodeSetStabLimDet": (INT, POINTER, INT),
    "CVodeGetNumErrTestFails": (INT, POINTER, POINTER),
    "CVodeGetNumStepSolveFails": (INT, POINTER, POINTER),
    "CVode": (INT, POINTER, REAL, POINTER, POINTER, INT),
    "CVodeFree": (None, POINTER),
}
GET_ARRAY, MARCH, STATE, BYTES, GIVEN, STATUS, TABLE = range(7)
"""Entries of what `rates` is given, words of 8 bytes: addresses of N_VGetArrayPointer and of the program as a time loop, of room
for its state (y, then t), the size of y in bytes, addresses of its given row, its status and its table."""
ONE_STEP = 2
"""CVODE's word for: return after every step."""
_IR = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @rates(double %t, ptr %y, ptr %ydot, ptr %data) {{
  %get = load ptr, ptr %data
{{loads}}
  %from = call ptr %get(ptr %y)
  %to = call ptr %get(ptr %ydot)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %state, ptr align 8 %from, i64 %bytes, i1 false)
  %time = getelementptr i8, ptr %state, i64 %bytes
  store double %t, ptr %time
  store i64 0, ptr %status
  %failed = getelementptr i64, ptr %status, i64 1
  store i64 -1, ptr %failed
  call i64 %march(ptr %state, ptr %state, ptr %given, ptr %to, ptr %status, i64 1, i64 1, i64 1, i64 0, ptr %table)
  %turn = load i64, ptr %failed
  %bad = icmp sge i64 %turn, 0
  %word = zext i1 %bad to i32
  ret i32 %word
}}

define i64 @steps(
  ptr %cvode, ptr %mem, double %end, ptr %vector, ptr %y, i64 %bytes, ptr %times, ptr %rows, i64 %most, ptr %flag
) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %good ]
  %more = icmp slt i64 %k, %most
  br i1 %more, label %turn, label %done
turn:
  %at = getelementptr double, ptr %times, i64 %k
  %f = call i32 %cvode(ptr %mem, double %end, ptr %vector, ptr %at, i32 {ONE_STEP})
  store i32 %f, ptr %flag
  %bad = icmp slt i32 %f, 0
  br i1 %bad, label %done, label %good
good:
  %offset = mul i64 %k, %bytes
  %to = getelementptr i8, ptr %rows, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %y, i64 %bytes, i1 false)
  %next = add i64 %k, 1
  %over = icmp ne i32 %f, 0
  br i1 %over, label %ended, label %head
ended:
  ret i64 %next
done:
  ret i64 %k
}}
"""
_LOADED = {"march": MARCH, "state": STATE, "bytes": BYTES, "given": GIVEN, "status": STATUS, "table": TABLE}
Vector = np.ndarray
ADAMS, BDF = 1, 2
"""CVODE's words for its families."""
PART = 50
"""Steps that CVODE is left to itself."""
SHORTEST = 1e-13
"""Shortest step (s)."""
NO_SAY = 1e30
"""Size of entries that do not count."""


class Sundials:
    """The functions by name."""

    def __init__(self, libraries: list[ctypes.CDLL]) -> None:
        self._libraries = libraries
        for name, (result, *arguments) in SIGNATURES.items():
            function = self._found(name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def _found(self, name: str) -> Any:
        for library in self._libraries:
            if hasattr(library, name):
                return getattr(library, name)
        raise UsageError(
            f"method='cvode' or 'cvode_bdf': {name} is not in the SUNDIALS of scikit-sundae; install another version of it"
        )

    def __getattr__(self, name: str) -> Any:  # those of SIGNATURES are attributes
        raise AttributeError(name)

    def address(self, name: str) -> int:
        """Where a function is."""
        return int(ctypes.cast(getattr(self, name), POINTER).value or 0)

    @property
    def version(self) -> tuple[int, int, int]:
        """Of SUNDIALS."""
        numbers, label = [INT() for _ in range(3)], ctypes.create_string_buffer(32)
        self._found("SUNDIALSGetVersionNumber")(*(ctypes.byref(x) for x in numbers), label, INT(len(label)))
        major, minor, patch = (x.value for x in numbers)
        return major, minor, patch


@cache
def sundials() -> Sundials:
    """The library; UsageError where it is not installed."""
    if find_spec("sksundae") is None:
        raise UsageError(f"method='cvode' or 'cvode_bdf' {MISSING}")
    import sksundae._cy_cvode as extension  # pyright: ignore[reportMissingImports]

    # What the extension is linked with is found through it; where systems do not look there, in the folder beside it.
    own = Path(str(extension.__file__))
    beside = sorted(own.parent.parent.glob("scikit_sundae.libs/*sundials*"))
    found = Sundials([ctypes.CDLL(str(path)) for path in (own, *beside)])
    if found.version[0] < OLDEST:
        raise UsageError(
            f"method='cvode' or 'cvode_bdf' needs SUNDIALS {OLDEST} or newer, not {found.version}: update scikit-sundae"
        )
    return found


class CvodeCode:
    """rates: address of CVODE's right-hand side. steps: takes CVODE's steps until the end or `most`, rows (most, n) of states and
    times (most,); returns how many, and CVODE's last flag."""

    def __init__(self) -> None:
        loads = []
        for name, k in _LOADED.items():
            loads.append(f"  %at.{name} = getelementptr i64, ptr %data, i64 {k}")
            loads.append(f"  %{name} = load {'i64' if name == 'bytes' else 'ptr'}, ptr %at.{name}")
        self._object = load_ir(_IR.replace("{loads}", "\n".join(loads)))
        p, i = ctypes.c_void_p, ctypes.c_int64
        signature = ctypes.CFUNCTYPE(i, p, p, ctypes.c_double, p, p, i, p, p, i, p)
        self.rates: int = self._object.address("rates")
        self.steps: Any = signature(self._object.address("steps"))


@cache
def code() -> CvodeCode:
    """Compiled once."""
    return CvodeCode()


def rates_program(plant: Plant) -> Program:
    """State (y, t) to the record ẏ; a time loop of one turn."""
    states, rate, close = StateLayout(plant), rate_program(plant), closing_program(plant)
    n = states.t

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, t = states.split(np.concatenate([state, [0.0, 0.0]])), state[n]
        q, v = plant.led_state(unit_quaternions(plant.model.mechanism, s.q), s.v, plant.rows.at(given, t))
        q = close(parameters, q)
        found = rate(parameters, q=q, v=v, inner=s.inner, row=given, t=[t])
        ydot = np.concatenate([found[key] for key in ("qdot", "vdot", "power", "inner")])
        return {"state": state, "record": ydot, "running": 1.0}

    return turn_program(plant, equations, "cvode", n + 1, more=0)


def records_program(plant: Plant) -> Program:
    """y, t and the step before (h, its error) to a closed record; drift (nq,): what closing has moved of q, rest (nq,): what
    another Newton step has."""
    states, rate, close = StateLayout(plant), rate_program(plant), closing_program(plant)
    again = closing_program(plant, closings=1)

    def equations(y: Vector, step: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(np.concatenate([y, step]))
        q, v = plant.led_state(unit_quaternions(plant.model.mechanism, s.q), s.v, plant.rows.at(given, s.t))
        near = close(parameters, q)
        drift, q = near - q, again(parameters, near)
        found = rate(parameters, q=q, v=v, inner=s.inner, row=given, t=[s.t])
        here = states.split(states.join(q, v, s.work, s.inner, s.t, s.h, s.error))
        return {"record": states.record(here, found["tau"], found["vdot"], s.error), "drift": drift, "rest": q - near}

    name = f"{plant.model.mechanism.name} cvode records"
    return trace_states(plant, equations, name, y=states.t, step=3, given=plant.rows.size)


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
    sizes = StateLayout(plant).sizes(NO_SAY)
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
