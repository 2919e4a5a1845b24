"""Running kernels on rows, as the tests want it: fresh outputs, one status word a state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from gough.backends.llvm import store
from inner.backends import Kernel


def run(kernel: Kernel, inputs: Sequence[np.ndarray], n: int, threads: int = 1) -> tuple[list[np.ndarray], np.ndarray]:
    outputs = [np.full((n, slot.size), np.nan) for slot in kernel.program.outputs]
    states, words = kernel(inputs, n, outputs, threads)
    status = np.zeros(n, dtype=np.int64)
    status[states] = words
    return outputs, status


def choose_writer(patch: pytest.MonkeyPatch, assembler: bool) -> None:
    """Bodies of kernels are written by the assembler, or all by LLVM; nothing comes from the cache."""
    real = store.write_module
    patch.setattr(store, "write_module", lambda program, target, **more: real(program, target, assembler, **more))
    patch.setenv("GOUGH_CACHE_DIR", "")
