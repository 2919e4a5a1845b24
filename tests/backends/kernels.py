"""Running kernels on rows, as the tests want it: fresh outputs, one status word a state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.backends.llvm import Kernel


def run(kernel: Kernel, inputs: Sequence[np.ndarray], n: int, threads: int = 1) -> tuple[list[np.ndarray], np.ndarray]:
    outputs = [np.full((n, slot.size), np.nan) for slot in kernel.program.outputs]
    states, words = kernel(inputs, n, outputs, threads)
    status = np.zeros(n, dtype=np.int64)
    status[states] = words
    return outputs, status
