"""Inner names of `gough.backends`."""

from gough.backends.c import Listing, flat_listing, header, rolled_listing, source
from gough.backends.cuda import GpuKernel
from gough.backends.cuda.march import CudaMarch
from gough.backends.llvm import Kernel, March
from gough.backends.llvm._scalar_assembler import SCALAR_OPERATIONS
from gough.backends.llvm.target import KNOWN, CpuTarget, compile_object, host, target_machine

__all__ = [
    "KNOWN",
    "SCALAR_OPERATIONS",
    "CpuTarget",
    "CudaMarch",
    "GpuKernel",
    "Kernel",
    "Listing",
    "March",
    "compile_object",
    "flat_listing",
    "header",
    "host",
    "rolled_listing",
    "source",
    "target_machine",
]
