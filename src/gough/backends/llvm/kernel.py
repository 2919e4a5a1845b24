"""A compiled program as a function of arrays."""

import ctypes
from collections.abc import Sequence

import numpy as np

from gough.backends.llvm.lower import lower
from gough.backends.llvm.target import MachineCode, host
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.program import Program

SLICE = 1 << 18
"""States per call into machine code; between slices Python can be interrupted."""

_SIGNATURE = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
)


class Kernel:
    """Machine code of a program for this CPU."""

    def __init__(self, program: Program) -> None:
        self.program = contract_multiply_add(expand_blocks(program))
        lowered = lower(self.program, host().lanes)
        self.bits = lowered.bits
        self._code = MachineCode(lowered.ir)
        self._function = _SIGNATURE(self._code.address("kernel"))

    def __call__(self, inputs: Sequence[np.ndarray], n: int) -> tuple[list[np.ndarray], np.ndarray]:
        """Outputs (n, size) per slot and status words (n,) for flat rows of inputs.

        inputs: per slot an array (n, size) or (1, size) of float64 with contiguous rows; one row is used for all states.
        """
        outputs = [np.empty((n, slot.size)) for slot in self.program.outputs]
        status = np.zeros(n, dtype=np.int64)
        if n == 0:
            return outputs, status
        strides = np.array([0 if len(x) == 1 else x.strides[0] // 8 for x in inputs], dtype=np.int64)
        in_pointers = np.array([x.ctypes.data for x in inputs], dtype=np.uint64)
        out_pointers = np.array([x.ctypes.data for x in outputs], dtype=np.uint64)
        for begin in range(0, n, SLICE):
            self._function(
                in_pointers.ctypes.data,
                strides.ctypes.data,
                out_pointers.ctypes.data,
                status.ctypes.data,
                begin,
                min(begin + SLICE, n),
            )
        return outputs, status
