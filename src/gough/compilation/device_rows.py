"""A function at rows of numbers on a GPU, and which states its checks speak against; nothing is looked at twice.

States that only a pivot or a result which is not finite speaks against are doubtful: elimination in another order may do. All
others are bad for good: a length has no root, a leg does not reach.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.backends.reductions import CONDITION, ENTRIES, MeasuredPart, ReducedMeasure
from gough.compilation._device import _clear_errors, _spread, device_kernel
from gough.compilation.function import Function
from gough.compilation.service import compile_reduced
from gough.program.program import NOT_FINITE, PIVOT, Program

__all__ = [
    "CONDITION",
    "ENTRIES",
    "MeasuredPart",
    "ReducedMeasure",
    "ReducedRows",
    "beaten_rows",
    "device_module",
    "evaluate_rows",
]

WORD = 32
"""Bits of a status word; the last one stands for all further checks."""


def device_module(purpose: str) -> Any:
    """CuPy with a GPU that answers; UsageError that says what is missing."""
    from gough.backends.cuda.runtime import array_module

    with _clear_errors(purpose):
        return array_module()


def evaluate_rows(function: Function, rows: Mapping[str, Any], n: int) -> tuple[dict[str, Any], Any, Any]:
    """(outputs {slot: (n, …)}, bad (n,), doubtful (n,)) of a function without uniform inputs; rows {slot: (n, size)} on a GPU."""
    with _clear_errors(function.name):
        xp, kernel = device_module(function.name), device_kernel(function)
        flat = [xp.empty((n, s.size)) for s in kernel.program.outputs]
        word, _ = kernel.runtime.launch(dict(rows), kernel.runtime.uniform_values({}), n, flat)
    bad = (word & xp.uint32(_certain_bits(kernel.program, kernel.bits))) != 0
    named = zip(function.program.outputs, _spread(xp, function, flat, n), strict=True)
    return {s.name: x.reshape(n, *s.shape) for s, x in named}, bad, (word != 0) & ~bad


def _certain_bits(program: Program, bits: Sequence[str]) -> int:
    """Bits of a kernel's status word that speak against a state for good, of the texts that bits stand for."""
    doubtful = {str(c.failure) for c in program.checks if c.minimum == PIVOT} | {str(NOT_FINITE)}
    sure = {str(c.failure) for c in program.checks} - doubtful
    return sum(1 << k for k, name in enumerate(bits[: WORD - 1]) if name in sure)


class ReducedRows:
    """A program at the same states of many designs on a GPU: one number a measure, nothing a state.

    program: inputs `slot` of a design, all others of a state. measures, an output slot for each of their parts: see
    `gough.backends.reductions`; rows {slot: (s, size) or (1, size)}; weights (s, measures).
    """

    def __init__(
        self,
        program: Program,
        slot: str,
        measures: Sequence[ReducedMeasure],
        rows: Mapping[str, np.ndarray],
        weights: np.ndarray,
        precision: str,
    ) -> None:
        self.kernel = compile_reduced(program, designs=(slot,), measures=measures, precision=precision)
        self.table = self.kernel.table(rows, weights)
        self.certain = _certain_bits(program, self.kernel.bits)
        self._there: Any = None

    def judge(self, word: Any) -> tuple[Any, Any]:
        """(bad (n,), doubtful (n,)) of status words of designs, one word for all states."""
        bad = (word & np.uint32(self.certain)) != 0
        return bad, (word != 0) & ~bad

    def __call__(self, designs: Any) -> tuple[Any, Any, Any]:
        """(measures (n, m), bad (n,), doubtful (n,)) of designs (n, size) on the GPU."""
        with _clear_errors(self.kernel.program.name):
            if self._there is None:
                self._there = device_module(self.kernel.program.name).asarray(self.table)
            values, word = self.kernel.runtime.launch(designs, self._there)
        return values, *self.judge(word)


def beaten_rows(F: Any, by: Any) -> Any:
    """Which rows of F (n, o) a row of `by` (k, o) beats (n,) bool: nowhere larger, somewhere smaller; arrays on a GPU."""
    from gough.backends.cuda.fronts import launch_beaten

    with _clear_errors("front"):
        return launch_beaten(F, by)
