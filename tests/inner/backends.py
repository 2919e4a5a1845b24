"""Inner names of `gough.backends`."""

from gough.backends import reductions
from gough.backends._stage_layout import FRAME, lay_out
from gough.backends.c import Listing, flat_listing, header, parts_listing, rolled_listing, source, with_own_sines
from gough.backends.cuda import GpuKernel, ReducedKernel, fronts
from gough.backends.cuda import march as cuda_march
from gough.backends.cuda._memory import LARGEST_BLOCK
from gough.backends.cuda.march import CudaMarch
from gough.backends.cuda.march._pieces import Pieces, in_pieces, rounds_of
from gough.backends.llvm import Kernel, March, row_squares
from gough.backends.llvm._scalar_assembler import SCALAR_OPERATIONS
from gough.backends.llvm.target import KNOWN, CpuTarget, compile_object, host, target_machine

__all__ = [
    "FRAME",
    "KNOWN",
    "LARGEST_BLOCK",
    "SCALAR_OPERATIONS",
    "CpuTarget",
    "CudaMarch",
    "GpuKernel",
    "Kernel",
    "Listing",
    "March",
    "Pieces",
    "ReducedKernel",
    "compile_object",
    "cuda_march",
    "flat_listing",
    "fronts",
    "header",
    "host",
    "in_pieces",
    "lay_out",
    "parts_listing",
    "reductions",
    "rolled_listing",
    "rounds_of",
    "row_squares",
    "source",
    "target_machine",
    "with_own_sines",
]
