"""CUDA for NVIDIA GPUs: programs as text, compiled by NVRTC through CuPy; one thread a state, or a run.

1. `lowering`: a program in the operations of a GPU. `registers`: their order, and what a thread holds; `memory`: the rest.
2. `text`: straight code; `staged`: a loop over the legs; `march`: a time loop; `reduced`: a loop over states.
   Around them: `frame`, `checks`, `fixed_text`.
3. `kernel`: chooses; `store`: texts kept on disk, and saved kernels. `runtime`: launches, with cupy and numpy alone.
"""

from typing import Any

from gough.backends.backend import Backend
from gough.backends.cuda._kernel import GpuKernel
from gough.backends.cuda.march import CudaMarch
from gough.backends.cuda.reduced import ReducedKernel
from gough.backends.cuda.runtime import DeviceProblem, StateKernel, load
from gough.errors import UsageError
from gough.program.program import Program

__all__ = ["BACKEND", "CudaMarch", "DeviceProblem", "GpuKernel", "ReducedKernel", "StateKernel", "load"]


class CudaBackend(Backend):
    """compile: `GpuKernel`; time_loop: `CudaMarch`; reduce_states: `ReducedKernel`, with their options."""

    name = "cuda"

    def compile(self, program: Program, **options: Any) -> GpuKernel:
        """A kernel; its text is made without a GPU."""
        return GpuKernel(program, **options)

    def time_loop(self, program: Program, **options: Any) -> CudaMarch:
        """A time loop on the GPU; UsageError without one."""
        made = CudaMarch(program, **options)
        try:
            _ = made.kernel
        except DeviceProblem as problem:
            raise UsageError(f"device='cuda': {problem}") from None
        return made

    def reduce_states(self, program: Program, **options: Any) -> ReducedKernel:
        """A kernel that reduces; its text is made without a GPU."""
        return ReducedKernel(program, **options)


BACKEND = CudaBackend()
