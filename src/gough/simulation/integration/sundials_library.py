"""The functions of CVODE, of the library SUNDIALS, that scikit-sundae brings with it: called as the C functions they are.

A right-hand side in Python, as scikit-sundae's own solvers take, would cost ten times the equations of a robot; CVODE gets the
address of compiled code instead. Its header files say what the functions do; here is only what they take and give.
"""

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gough.errors import UsageError

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
