"""The compile service: the one place where a program becomes something that runs, by a backend of the list.

Who wants machine code, a time loop, a function of another library or text names a backend here (see `gough.backends.BACKENDS`)
and imports none of them.
"""

from typing import Any

from gough.backends import BACKENDS, find_backend
from gough.backends.backend import CompiledLoop, Marched, address
from gough.program import Program

__all__ = [
    "BACKENDS",
    "CompiledLoop",
    "Marched",
    "address",
    "compile_loop",
    "compile_program",
    "compile_reduced",
    "cpu_kind",
    "load_ir",
]


def compile_program(program: Program, backend: str = "llvm", **options: Any) -> Any:
    """What runs a program: a kernel of arrays ("llvm", "cuda"), a function of a library ("casadi", "jax"), or text ("c")."""
    return find_backend(backend).compile(program, **options)


def compile_loop(program: Program, backend: str = "llvm", **options: Any) -> Any:
    """A time loop (see `CompiledLoop`). one_run: for one run at a time, on this CPU."""
    return find_backend(backend).time_loop(program, **options)


def compile_reduced(program: Program, backend: str = "cuda", **options: Any) -> Any:
    """What runs a program at all states of many designs and keeps one number for each measure (`gough.backends.reductions`)."""
    return find_backend(backend).reduce_states(program, **options)


def load_ir(ir: str) -> Any:
    """Machine code of LLVM's text that is no program: an object with `address(function)`, to be kept while it is used."""
    from gough.backends.llvm import BACKEND

    return BACKEND.load(ir)


def cpu_kind() -> tuple[str, str]:
    """(name, feature string) of this CPU as LLVM has them: machine code of equal ones gives equal bits."""
    from gough.backends.llvm.target import host

    target = host()
    return target.cpu, target.features
