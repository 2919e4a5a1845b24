"""Arrays as they are given: shapes checked, leading axes broadcast, in the host's memory or a GPU's."""

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from gough.arguments import numbers, take
from gough.errors import UsageError

Array = np.ndarray


def on_gpu(x: Any) -> bool:
    """Whether an array lives on a GPU."""
    return hasattr(x, "__cuda_array_interface__")


def on_host(x: Any) -> Any:
    """The array in the host's memory."""
    return x.get() if on_gpu(x) and hasattr(x, "get") else x


def module_of(*arrays: Any) -> Any:
    """cupy where one of the arrays is on a GPU, else numpy."""
    if any(on_gpu(x) for x in arrays):
        return import_module("cupy")
    return np


def checked_numbers(name: str, value: Any) -> Any:
    """Float array of any shape, or a UsageError; one on a GPU stays there."""
    return value if on_gpu(value) else take(name, numbers, value)


def as_array(name: str, value: Any, size: int) -> Array:
    """Float array (..., size), or a UsageError that says what was expected; one on a GPU stays there."""
    x = checked_numbers(name, value)
    if x.shape[-1:] != (size,):
        raise UsageError(f"{name} has shape {x.shape}; expected (..., {size})")
    return x


def common_batch(name: str, *arrays: Array, parameters: Array | None = None) -> tuple[int, ...]:
    """Leading axes of arrays (..., n), and of parameters, broadcast together."""
    own = [] if parameters is None else [parameters]
    try:
        return np.broadcast_shapes(*[a.shape[:-1] for a in (*arrays, *own)])
    except ValueError:
        shapes = ", ".join([*(str(a.shape) for a in arrays), *(f"parameters {a.shape}" for a in own)])
        remedy = "" if parameters is None else designs_remedy(parameters.shape, [a.shape for a in arrays])
        raise UsageError(f"{name}: leading axes do not broadcast: {shapes}{remedy}") from None


def designs_remedy(parameters: tuple[int, ...], others: Sequence[tuple[int, ...]]) -> str:
    """What more to say of parameters (designs, n) that meet states (designs, states, k): axes are counted from the last."""
    designs = parameters[:-1]
    ahead = [other for other in others if len(other) > len(parameters) and other[: len(designs)] == designs]
    if not designs or not ahead:
        return ""
    wanted = (*designs, *[1] * (len(ahead[0]) - len(parameters)), parameters[-1])
    return f". Axes are counted from the last; where all states of a design share its parameters, give them as {wanted}"


def as_rows(x: Array, batch: tuple[int, ...]) -> Array:
    """Rows (n, size) of an array (..., size) broadcast to `batch`."""
    return np.broadcast_to(x, (*batch, x.shape[-1])).reshape(int(np.prod(batch, dtype=int)), x.shape[-1])


def parameter_rows(parameters: Array, batch: tuple[int, ...]) -> Array:
    """Rows of parameters: one for all states, or one a state."""
    if int(np.prod(parameters.shape[:-1], dtype=int)) == 1:
        return parameters.reshape(1, -1)
    return as_rows(parameters, batch)


def row_of(x: Array, batch: tuple[int, ...], state: int) -> Array:
    """A copy (size,) of one row of an array (..., size) broadcast to `batch`; no other is looked at."""
    return np.broadcast_to(x, (*batch, x.shape[-1]))[np.unravel_index(state, batch)].copy()


class BroadcastRows:
    """Rows (n, size) of an array (*own, *shape) of numbers broadcast to `batch`, a part at a time.

    An array whose leading axes can be seen as one (and whose last is contiguous float64) is used where it lies; one row serves
    all states (`single`); any other array is copied as far as it is asked for.
    """

    def __init__(self, x: Array, shape: tuple[int, ...], batch: tuple[int, ...]) -> None:
        own = x.shape[: x.ndim - len(shape)]
        self.rows: Array | None = None
        self.single = math.prod(own) == 1
        self.batch, self.size = batch, math.prod(shape)
        n = math.prod(batch)
        if self.single:
            self.rows = np.ascontiguousarray(x.reshape(1, self.size), dtype=float)
            return
        if own == batch and x.dtype == np.float64 and x.flags.c_contiguous and x.flags.aligned:
            self.rows, self.whole, self.direct = x.reshape(n, self.size), x, True
            return
        whole = np.broadcast_to(x, (*batch, *shape))
        self.rows = _seen_as_rows(whole, n, self.size)
        self.whole = whole
        self.direct = self.rows is not None and (
            self.rows.dtype == np.float64
            and self.rows.dtype.isnative
            and (self.size < 2 or self.rows.strides[1] == 8)
            and self.rows.strides[0] % 8 == 0
            and self.rows.ctypes.data % 8 == 0
        )

    def chunk(self, begin: int, end: int) -> Array:
        """Rows begin … end, or the one (1, size) that there is."""
        if self.rows is None:
            return self._gathered(begin, end)
        if self.single:
            return self.rows
        part = self.rows[begin:end]
        return part if self.direct else np.ascontiguousarray(part, dtype=float)

    def some(self, states: Array) -> Array:
        """Rows (k, size) of chosen states, or the one that there is."""
        if self.rows is not None:
            return self.rows if self.single else np.ascontiguousarray(self.rows[states], dtype=float)
        picked = self.whole[np.unravel_index(states, self.batch)]
        return np.ascontiguousarray(picked.reshape(len(states), self.size), dtype=float)

    def _gathered(self, begin: int, end: int) -> Array:
        """Rows of an array that has no rows to be seen: whole steps of its first axis are copied where they are small."""
        inner = math.prod(self.batch[1:])
        if inner > end - begin:
            return self.some(np.arange(begin, end))
        first, last = begin // inner, -(-end // inner)
        part = self.whole[first:last].reshape((last - first) * inner, self.size)
        return np.ascontiguousarray(part[begin - first * inner : end - first * inner], dtype=float)


def _seen_as_rows(x: Array, n: int, size: int) -> Array | None:
    """A view (n, size) of x, or None where only a copy would do."""
    try:
        return x.reshape(n, size, copy=False)
    except ValueError:
        return None
