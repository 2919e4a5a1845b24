"""A function at rows of numbers on a GPU, and which states its checks speak against; nothing is looked at twice.

States that only a pivot or a result which is not finite speaks against are doubtful: elimination in another order may do. All
others are bad for good: a length has no root, a leg does not reach.
"""

from collections.abc import Mapping
from typing import Any

from gough.compilation._device import _clear_errors, _spread, device_kernel
from gough.compilation.function import Function
from gough.program.program import NOT_FINITE, PIVOT

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
    bad = (word & xp.uint32(_certain_bits(kernel))) != 0
    named = zip(function.program.outputs, _spread(xp, function, flat, n), strict=True)
    return {s.name: x.reshape(n, *s.shape) for s, x in named}, bad, (word != 0) & ~bad


def _certain_bits(kernel: Any) -> int:
    """Bits of a kernel's status word that speak against a state for good."""
    doubtful = {c.failure for c in kernel.program.checks if c.minimum == PIVOT} | {NOT_FINITE}
    sure = {c.failure for c in kernel.program.checks} - doubtful
    return sum(1 << k for k, name in enumerate(kernel.bits[: WORD - 1]) if name in sure)
