"""A compiled program as a function of arrays."""

import ctypes
from collections.abc import Sequence

import numpy as np

from gough.backends.llvm.slices import SLICE, over_slices
from gough.backends.llvm.store import Entry, stored
from gough.backends.llvm.target import LoadedObject, host
from gough.program.program import Program
from gough.program.verdict import flat_inputs

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_void_p] * 5), ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

DESIGNS = 64
"""Designs whose numbers a kernel keeps."""


class Kernel:
    """Machine code of a program for this CPU.

    A status word is 0 for a good state; bit 0: a result is not finite, bit 1: a check fails. Which one, and whether the
    state is truly bad, is for the interpreter to say.
    precision: "fast" (reciprocals by Newton steps, 1–2 ulp) or "ieee" (divisions and roots correctly rounded).
    """

    def __init__(self, program: Program, precision: str = "fast") -> None:
        self.program = program
        entry: Entry = stored(program, host(), precision)
        self.once = entry.once
        self._numbers = entry.numbers
        self._uniform_entries = np.flatnonzero(entry.uniform >= 0)
        self._uniform_inputs = entry.uniform[self._uniform_entries]
        self._code = LoadedObject(entry.object_file)
        self._uniform = [slot.uniform for slot in program.inputs]
        self._designs: dict[bytes, tuple[np.ndarray, np.ndarray | None]] = {}
        self._function = _SIGNATURE(self._code.address("kernel"))

    def __call__(
        self, inputs: Sequence[np.ndarray], n: int, outputs: Sequence[np.ndarray], threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fill `outputs` (n, size) per slot; returns (states that fail a check (k,), their status words (k,)).

        inputs: per slot an array (n, size) or (1, size) of float64 whose rows are contiguous, any number of bytes apart; one
        row is used for all states.
        """
        table, hoisted = self._design(inputs)
        rows = inputs if hoisted is None else (*inputs, hoisted)
        arrays = (*rows, *outputs)
        described = np.array(
            [address(x) for x in arrays] + [0 if len(x) == 1 else x.strides[0] >> 3 for x in arrays], dtype=np.int64
        )
        first, ins, all_ = address(described), 8 * len(rows), 8 * len(arrays)
        fixed = (first, first + all_, first + ins, first + all_ + ins)
        numbers = address(table)

        def run(begin: int, end: int, status: np.ndarray) -> bool:
            return self._function(*fixed, address(status), begin, end, numbers) != 0

        return over_slices(run, n, SLICE, threads)

    def _design(self, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
        """(numbers and uniform inputs in the order of their use, the row (1, k) computed once per design)."""
        key = b"".join([x[:1].tobytes() for x, uniform in zip(inputs, self._uniform, strict=True) if uniform])
        known = self._designs.get(key)
        if known is None:
            hoisted = None if self.once is None else self._hoisted(self.once, inputs)
            known = self._table([*inputs] if hoisted is None else [*inputs, hoisted]), hoisted
            if len(self._designs) < DESIGNS:
                self._designs[key] = known
        return known

    def _hoisted(self, once: Program, inputs: Sequence[np.ndarray]) -> np.ndarray:
        known = {
            s.name: x[:1] if s.uniform and len(x) else np.zeros((1, s.size))
            for s, x in zip(once.inputs, inputs, strict=True)
        }
        return once.evaluate_flat(flat_inputs(once, known, 1)[0]).reshape(1, -1).astype(float)

    def _table(self, inputs: Sequence[np.ndarray]) -> np.ndarray:
        if not len(self._uniform_entries):
            return self._numbers
        table = self._numbers.copy()
        row = np.concatenate([x[0] if len(x) else np.zeros(x.shape[1]) for x in inputs])
        table[self._uniform_entries] = row[self._uniform_inputs]
        return table


def address(x: np.ndarray) -> int:
    """Where an array's first entry is (`x.ctypes.data`, but quicker)."""
    return x.__array_interface__["data"][0]
