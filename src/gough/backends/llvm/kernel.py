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
        self._function = _SIGNATURE(self._code.address("kernel"))

    def hoisted(self, rows: dict[str, np.ndarray]) -> np.ndarray:
        """What is computed once per design: the row (1, k) of the slot "hoisted", from rows (1, size) of uniform slots."""
        assert self.once is not None
        known = {s.name: rows[s.name] if s.uniform else np.zeros((1, s.size)) for s in self.once.inputs}
        return self.once.evaluate_flat(flat_inputs(self.once, known, 1)[0]).reshape(1, -1).astype(float)

    def __call__(
        self, inputs: Sequence[np.ndarray], n: int, outputs: Sequence[np.ndarray], threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fill `outputs` (n, size) per slot; returns (states that fail a check (k,), their status words (k,)).

        inputs: per slot, and for "hoisted" where there is work to hoist, an array (n, size) or (1, size) of float64 whose
        rows are contiguous, any number of bytes apart; one row is used for all states.
        """
        strides = np.array([0 if len(x) == 1 else x.strides[0] // 8 for x in inputs], dtype=np.int64)
        out_strides = np.array([x.strides[0] // 8 for x in outputs], dtype=np.int64)
        pointers = np.array([x.ctypes.data for x in inputs], dtype=np.uint64)
        out_pointers = np.array([x.ctypes.data for x in outputs], dtype=np.uint64)
        fixed = (pointers.ctypes.data, strides.ctypes.data, out_pointers.ctypes.data, out_strides.ctypes.data)
        table = self._table(inputs)
        address = table.ctypes.data

        def run(begin: int, end: int, status: np.ndarray) -> bool:
            return self._function(*fixed, status.ctypes.data, begin, end, address) != 0

        return over_slices(run, n, SLICE, threads)

    def _table(self, inputs: Sequence[np.ndarray]) -> np.ndarray:
        """Numbers and uniform inputs in the order of their use."""
        if not len(self._uniform_entries):
            return self._numbers
        table = self._numbers.copy()
        row = np.concatenate([x[0] if len(x) else np.zeros(x.shape[1]) for x in inputs])
        table[self._uniform_entries] = row[self._uniform_inputs]
        return table
