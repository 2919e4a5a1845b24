"""Inputs and outputs of a function as rows of states, chunk by chunk: any strides, any leading axes that broadcast.

An array whose leading axes can be seen as one (and whose last is contiguous float64) is used where it lies; one row serves
all states; any other array is copied a chunk at a time, so that a call's own memory does not grow with its states.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arguments import demand_inputs, numbers, take
from gough.compilation.old_names import current_inputs
from gough.errors import UsageError
from gough.program import Program, Slot


class InputRows:
    """The inputs of one call. batch: their common leading axes; n: number of states."""

    def __init__(self, name: str, program: Program, inputs: Mapping[str, Any]) -> None:
        expected = {slot.name for slot in program.inputs}
        if set(inputs) != expected:
            inputs = current_inputs(program, inputs)
            if set(inputs) != expected:
                demand_inputs(name, {slot.name: slot.shape for slot in program.inputs}, inputs)
        arrays = {slot.name: _as_numbers(name, slot, inputs[slot.name]) for slot in program.inputs}
        leading = [arrays[s.name].shape[: arrays[s.name].ndim - len(s.shape)] for s in program.inputs]
        try:
            self.batch = np.broadcast_shapes(*leading)
        except ValueError:
            shapes = ", ".join(f"{s.name} {arrays[s.name].shape}" for s in program.inputs)
            raise UsageError(f"{name}: leading axes do not broadcast: {shapes}") from None
        self.n = math.prod(self.batch)
        self._sources = {
            s.name: _Source(arrays[s.name], s, own, self.batch) for s, own in zip(program.inputs, leading, strict=True)
        }

    def varies(self, name: str) -> bool:
        """Whether a slot is there and has more than one row."""
        return name in self._sources and not self._sources[name].single

    def chunk(self, begin: int, end: int) -> dict[str, np.ndarray]:
        """Rows (end - begin, size), or (1, size), of every slot."""
        return {name: source.chunk(begin, end) for name, source in self._sources.items()}

    def some(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Rows (k, size), or (1, size), of chosen states."""
        return {name: source.some(states) for name, source in self._sources.items()}


class _Source:
    def __init__(self, x: np.ndarray, slot: Slot, own: tuple[int, ...], batch: tuple[int, ...]) -> None:
        self.rows: np.ndarray | None = None
        self.single = math.prod(own) == 1
        self.batch, self.size = batch, slot.size
        n = math.prod(batch)
        if self.single:
            self.rows = np.ascontiguousarray(x.reshape(1, slot.size), dtype=float)
            return
        if own == batch and x.dtype == np.float64 and x.flags.c_contiguous and x.flags.aligned:
            self.rows, self.whole, self.direct = x.reshape(n, slot.size), x, True
            return
        whole = np.broadcast_to(x, (*batch, *slot.shape))
        self.rows = _as_rows(whole, n, slot.size)
        self.whole = whole
        self.direct = self.rows is not None and (
            self.rows.dtype == np.float64
            and self.rows.dtype.isnative
            and (self.size < 2 or self.rows.strides[1] == 8)
            and self.rows.strides[0] % 8 == 0
            and self.rows.ctypes.data % 8 == 0
        )

    def chunk(self, begin: int, end: int) -> np.ndarray:
        if self.rows is None:
            return self._gathered(begin, end)
        if self.single:
            return self.rows
        part = self.rows[begin:end]
        return part if self.direct else np.ascontiguousarray(part, dtype=float)

    def some(self, states: np.ndarray) -> np.ndarray:
        if self.rows is not None:
            return self.rows if self.single else np.ascontiguousarray(self.rows[states], dtype=float)
        picked = self.whole[np.unravel_index(states, self.batch)]
        return np.ascontiguousarray(picked.reshape(len(states), self.size), dtype=float)

    def _gathered(self, begin: int, end: int) -> np.ndarray:
        """Rows of an array that has no rows to be seen: whole steps of its first axis are copied where they are small."""
        inner = math.prod(self.batch[1:])
        if inner > end - begin:
            return self.some(np.arange(begin, end))
        first, last = begin // inner, -(-end // inner)
        part = self.whole[first:last].reshape((last - first) * inner, self.size)
        return np.ascontiguousarray(part[begin - first * inner : end - first * inner], dtype=float)


def _as_rows(x: np.ndarray, n: int, size: int) -> np.ndarray | None:
    """A view (n, size) of x, or None where only a copy would do."""
    try:
        return x.reshape(n, size, copy=False)
    except ValueError:
        return None


def _is_plain(value: Any) -> bool:
    """An array of real numbers is used where it lies, whatever its size and strides."""
    return type(value) is np.ndarray and value.dtype.kind in "fiub"


def _as_numbers(name: str, slot: Slot, value: Any) -> np.ndarray:
    if (
        type(value) is np.ndarray
        and value.dtype == np.float64
        and value.shape[value.ndim - len(slot.shape) :] == slot.shape
    ):
        return value
    x = value if _is_plain(value) else take(f"{name}: {slot.name}", numbers, value)
    tail = x.shape[x.ndim - len(slot.shape) :] if x.ndim >= len(slot.shape) else None
    if tail != slot.shape:
        shape = ", ".join(["...", *map(str, slot.shape)])
        raise UsageError(f"{name}: {slot.name} has shape {x.shape}; expected ({shape})")
    return x


def output_rows(
    name: str, program: Program, n: int, batch: tuple[int, ...], out: Mapping[str, np.ndarray] | None
) -> list[np.ndarray]:
    """Arrays (n, size) to fill, per output slot: new ones, or views of the caller's, of the function `name`."""
    flat = []
    unknown = set(out or ()) - {slot.name for slot in program.outputs}
    if unknown:
        raise UsageError(f"{name}: no output {sorted(unknown)}; there are {[s.name for s in program.outputs]}")
    for slot in program.outputs:
        given = None if out is None else out.get(slot.name)
        if given is None:
            flat.append(np.empty((n, slot.size)))
            continue
        shape = (*batch, *slot.shape)
        if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.shape != shape:
            raise UsageError(f"{name}: out[{slot.name!r}] must be a float64 array of shape {shape}")
        if not given.flags.c_contiguous or not given.flags.writeable:
            raise UsageError(f"{name}: out[{slot.name!r}] must be contiguous and writeable")
        flat.append(given.reshape(n, slot.size))
    return flat
