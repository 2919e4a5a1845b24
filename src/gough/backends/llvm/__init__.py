"""SIMD code for the host's CPU through LLVM; one state a lane.

1. `store`: the form of a program that is expected to be faster, straight or in stages, and objects kept on disk.
2. `module`: its text: a `driver` (rows of states) or a `march_driver` (a time loop) around bodies. `body`, `blocks`
   and `symmetric` write them as IR; `assembler` writes straight code for AVX-512 itself, `scalar_assembler` that of one run.
3. `target`: CPUs, and objects of IR. `kernel` and `march`: what is called. `row_squares`: sums over rows, which are no program.
"""

from typing import Any

from gough.backends.backend import Backend
from gough.backends.llvm._kernel import Kernel
from gough.backends.llvm._march import March
from gough.backends.llvm.target import LoadedObject, compile_object, host
from gough.program.program import Program

__all__ = ["BACKEND", "Kernel", "March"]


class LlvmBackend(Backend):
    """compile: `Kernel`; time_loop: `March`, with their options."""

    name = "llvm"

    def compile(self, program: Program, **options: Any) -> Kernel:
        """Machine code for this CPU."""
        return Kernel(program, **options)

    def time_loop(self, program: Program, **options: Any) -> March:
        """A time loop for this CPU; one_run: of one run at a time."""
        return March(program, **options)

    def load(self, ir: str) -> LoadedObject:
        """Functions of IR text that is no program."""
        return LoadedObject(compile_object(ir, host()))


BACKEND = LlvmBackend()
