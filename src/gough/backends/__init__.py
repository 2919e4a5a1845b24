"""Backends: program in, callable or text out; they know no robot. `BACKENDS` is the one list of them.

A backend is a package of this name with an object BACKEND (see `backend.Backend`); it is imported when it is first asked for.
`gough.compilation.service` is the one place that asks.
"""

from importlib import import_module

from gough.backends.backend import Backend
from gough.errors import UsageError

BACKENDS = (
    "llvm",
    "cuda",
    "c",
    "casadi",
    "jax",
)


def find_backend(name: str) -> Backend:
    """A backend by name; UsageError with the list for a name that is not in it."""
    if name not in BACKENDS:
        raise UsageError(f"backend={name!r}; use one of {', '.join(BACKENDS)}")
    return import_module(f"{__name__}.{name}").BACKEND
