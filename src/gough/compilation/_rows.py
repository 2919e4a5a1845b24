"""Inputs and outputs of a function as rows of states, chunk by chunk: any strides, any leading axes that broadcast.

Arrays are used where they lie or copied a chunk at a time (`BroadcastRows`), so that a call's own memory does not grow with its
states; parameters that serve several states are never repeated for them (`SharedDesigns`).
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arguments import numbers, take
from gough.compilation.arrays import BroadcastRows, designs_remedy
from gough.compilation.designs import DesignRows, SharedDesigns, without_repeats
from gough.compilation.old_names import current_inputs
from gough.errors import UsageError
from gough.program import Program, Slot
from gough.program.inputs import demand_inputs


class InputRows:
    """The inputs of one call. batch: their common leading axes; n: number of states."""

    def __init__(self, name: str, program: Program, inputs: Mapping[str, Any]) -> None:
        expected = {slot.name for slot in program.inputs}
        if set(inputs) != expected:
            inputs = current_inputs(program, inputs)
            if set(inputs) != expected:
                demand_inputs(name, {slot.name: slot.shape for slot in program.inputs}, inputs)
        arrays = {slot.name: _as_numbers(name, slot, inputs[slot.name]) for slot in program.inputs}
        try:
            self.batch = np.broadcast_shapes(
                *[arrays[s.name].shape[: arrays[s.name].ndim - len(s.shape)] for s in program.inputs]
            )
        except ValueError:
            shapes = ", ".join(f"{s.name} {arrays[s.name].shape}" for s in program.inputs)
            own = next((arrays[s.name].shape for s in program.inputs if s.uniform), ())
            others = [arrays[s.name].shape for s in program.inputs if not s.uniform and len(s.shape) == 1]
            raise UsageError(f"{name}: leading axes do not broadcast: {shapes}{designs_remedy(own, others)}") from None
        self.n = math.prod(self.batch)
        self.shared: SharedDesigns | None = None
        self._sources: dict[str, BroadcastRows | SharedDesigns] = {}
        for slot in program.inputs:
            x = arrays[slot.name]
            if slot.uniform and not isinstance(x, DesignRows):
                x = without_repeats(x)
                x = DesignRows.of(x) if 1 < math.prod(x.shape[:-1]) < self.n else x
            if isinstance(x, DesignRows):
                self._sources[slot.name] = self.shared = SharedDesigns(x, self.batch)
            else:
                self._sources[slot.name] = BroadcastRows(x, slot.shape, self.batch)

    def varies(self, name: str) -> bool:
        """Whether a slot is there and has more than one row."""
        return name in self._sources and not self._sources[name].single

    def chunk(self, begin: int, end: int) -> dict[str, np.ndarray]:
        """Rows (end - begin, size), or (1, size), of every slot."""
        return {name: source.chunk(begin, end) for name, source in self._sources.items()}

    def runs(self, begin: int, end: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(where runs of states with one design begin, and the last one ends; the chunk with a row a run of parameters)."""
        assert self.shared is not None
        bounds, designs = self.shared.runs(begin, end)
        return bounds, {
            name: designs if isinstance(x, SharedDesigns) else x.chunk(begin, end) for name, x in self._sources.items()
        }

    def some(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Rows (k, size), or (1, size), of chosen states."""
        return {name: source.some(states) for name, source in self._sources.items()}


def _is_plain(value: Any) -> bool:
    """An array of real numbers is used where it lies, whatever its size and strides."""
    return type(value) is np.ndarray and value.dtype.kind in "fiub"


def _as_numbers(name: str, slot: Slot, value: Any) -> np.ndarray | DesignRows:
    if isinstance(value, DesignRows):
        return value
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
