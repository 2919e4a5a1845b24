"""A compiled program as a time loop over many runs at once, or over one run whose arrays stay."""

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

import numpy as np

from gough.backends.backend import GIVEN, OWN, RECORD, STATE, Marched, address, uniform_numbers
from gough.backends.llvm.store import StoredObject, stored_object
from gough.backends.llvm.target import LoadedObject, for_one_state, host
from gough.program.program import Program

NEVER = 1 << 62
"""A turn that does not come."""
_MARCH_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_void_p] * 5), *([ctypes.c_int64] * 4), ctypes.c_void_p)


class March:
    """Machine code of a time loop (see `CompiledLoop`). one_run: for one run at a time. assembler: whether bodies are written as
    assembly, default where the CPU is known."""

    def __init__(
        self, program: Program, precision: str = "fast", one_run: bool = False, assembler: bool | None = None
    ) -> None:
        self.program = program
        target = for_one_state(host()) if one_run else host()
        target = target if assembler is None else replace(target, assembler=assembler)
        self.lanes = target.lanes
        entry: StoredObject = stored_object(program, target, precision, "march")
        self.once, self._entry = entry.once, entry
        self._code = LoadedObject(entry.object_file)
        self.address = self._code.address("march")
        self._function = _MARCH_SIGNATURE(self.address)
        self._sizes = {s.name: s.size for s in program.inputs} | {f"out {s.name}": s.size for s in program.outputs}

    def table(self, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
        """See `CompiledLoop`."""
        table, flat = self._entry.numbers.copy(), uniform_numbers(self.program, self.once, uniform)
        used = np.flatnonzero(self._entry.uniform >= 0)
        table[used] = flat[self._entry.uniform[used]]
        return table

    def bind_table(self, table: np.ndarray) -> "BoundLoop":
        """See `CompiledLoop`."""
        sizes = (self._sizes[STATE], self._sizes.get(GIVEN, 0), self._sizes.get(f"out {RECORD}", 0))
        if self.lanes != 1 or self._sizes.get(OWN, 0):
            raise ValueError("only loops of one run without numbers of its own are bound")
        return BoundLoop(self, self._function, sizes, table)

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


class BoundLoop:
    """A time loop of one run on arrays that stay: `state` (n,) and `given` (g,) are read, `state` is written. room: rows of
    records (m, r), filled from row `at` on."""

    def __init__(
        self, code: March, function: Callable[..., int], sizes: tuple[int, int, int], table: np.ndarray
    ) -> None:
        self._keep, self._function = (code, table), function
        self.state, self.given = _aligned((sizes[0],)), np.zeros(sizes[1])
        self._status = _aligned((2,)).view(np.int64)
        self._record_size = sizes[2]
        self._first = (address(self.state), address(self.state), address(self.given))  # it has no numbers of its own
        self._last = (1, 1, 0, address(table))
        self._words = address(self._status)
        self.make_room(1)

    def make_room(self, rows: int) -> None:
        """New rows for records; those of before stay with who has them."""
        self.room = _aligned((rows, self._record_size))
        self._room = address(self.room)

    def __call__(self, steps: int, at: int = 0) -> tuple[int, bool]:
        """(turns done, whether the last one failed) of at most `steps`; a turn that fails leaves the state of before."""
        status = self._status
        status[0], status[1] = 0, -1
        record = self._room + 8 * self._record_size * at
        done = self._function(*self._first, record, self._words, steps, *self._last)
        failed = status[1]
        return (done, False) if failed < 0 else (int(failed), True)

    def read_records(self, of: "BoundLoop", first: int, count: int) -> bool:
        """Turns that are given a record each, of those of another loop, from the first on; nothing is recorded. Whether none
        failed."""
        status, size = self._status, of._record_size
        status[0], status[1] = 0, -1
        given = of._room + 8 * size * first
        self._function(*self._first[:2], given, self._room, self._words, count, NEVER, NEVER, size, self._last[-1])
        return bool(status[1] < 0)


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
