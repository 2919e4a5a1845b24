"""A program compiled as a time loop over many runs at once."""

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from gough.backends.backend import Marched, address, uniform_numbers
from gough.backends.llvm.march_driver import GIVEN, OWN, RECORD, STATE
from gough.backends.llvm.store import StoredObject, stored_object
from gough.backends.llvm.target import CpuTarget, LoadedObject, host
from gough.program.program import Program

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_void_p] * 5), *([ctypes.c_int64] * 4), ctypes.c_void_p)


def for_one_run() -> CpuTarget:
    """This CPU for one run at a time: scalars wait less for each other than wide vectors with one lane in use."""
    return replace(host(), lanes=1, assembler=False)


class March:
    """Machine code of a time loop (see `CompiledLoop`). one_run: for one run at a time."""

    def __init__(self, program: Program, precision: str = "fast", one_run: bool = False) -> None:
        self.program = program
        target = for_one_run() if one_run else host()
        self.lanes = target.lanes
        entry: StoredObject = stored_object(program, target, precision, "march")
        self.once, self._entry = entry.once, entry
        self._code = LoadedObject(entry.object_file)
        self.address = self._code.address("march")
        self._function = _SIGNATURE(self.address)
        self._sizes = {s.name: s.size for s in program.inputs} | {f"out {s.name}": s.size for s in program.outputs}

    def table(self, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
        """See `CompiledLoop`."""
        table, flat = self._entry.numbers.copy(), uniform_numbers(self.program, self.once, uniform)
        used = np.flatnonzero(self._entry.uniform >= 0)
        table[used] = flat[self._entry.uniform[used]]
        return table

    def __call__(
        self,
        state: np.ndarray,
        steps: int,
        table: np.ndarray,
        given: np.ndarray | None = None,
        own: np.ndarray | None = None,
        every: int = 1,
        first: int | None = None,
    ) -> Marched:
        """See `CompiledLoop`."""
        runs, W = len(state), self.lanes
        tiles = -(-runs // W)
        begin = every if first is None else first
        rows, r = max(steps - begin + every, 0) // every, self._sizes.get(f"out {RECORD}", 0)
        packed, mine = _packed(state, W), _packed(np.zeros((runs, 0)) if own is None else own, W)
        each = np.zeros((1, 0)) if given is None else np.ascontiguousarray(given, dtype=float)
        if each.shape[1] != self._sizes.get(GIVEN, 0) or mine.shape[1] != self._sizes.get(OWN, 0):
            raise ValueError("given or own do not fit the program")
        if packed.shape[1] != self._sizes[STATE] or len(each) not in (1, steps):
            raise ValueError("state or given have the wrong size")
        record = _aligned((tiles, rows, r, W))
        status = _aligned((tiles, 2, W)).view(np.int64)
        status[:, 0], status[:, 1] = 0, -1
        stride = 0 if len(each) == 1 else each.shape[1]
        turns = 0
        for k in range(tiles):
            done = self._function(
                address(packed[k]),
                address(mine[k]),
                address(each),
                address(record[k]),
                address(status[k]),
                steps,
                begin,
                every,
                stride,
                address(table),
            )
            turns = max(turns, done)
        rows = max(turns - begin + every, 0) // every
        found = record[:, :rows].transpose(1, 0, 3, 2).reshape(rows, tiles * W, r)[:, :runs]
        words, failed = (status[:, i].reshape(-1)[:runs] for i in (0, 1))
        return Marched(packed.transpose(0, 2, 1).reshape(tiles * W, -1)[:runs], found, turns, failed, words)


def _packed(x: np.ndarray, W: int) -> np.ndarray:
    """Rows (runs, n) as vectors (tiles, n, W); the last row is repeated."""
    runs, n = x.shape
    tiles = -(-runs // W)
    out = _aligned((tiles, n, W))
    if W == 1:
        out[:, :, 0] = x
        return out
    filled = np.concatenate([x, np.repeat(x[-1:], tiles * W - runs, axis=0)])
    out[:] = filled.reshape(tiles, W, n).transpose(0, 2, 1)
    return out


def _aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Room for numbers that begins at a multiple of 64 bytes."""
    size = prod(shape)
    room = np.empty(size + 8)
    start = (-address(room) % 64) // 8
    return room[start : start + size].reshape(shape)
