"""A program compiled as a time loop over many runs at once."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from gough.backends.llvm.kernel import address
from gough.backends.llvm.march_driver import GIVEN, OWN, RECORD, STATE
from gough.backends.llvm.store import Entry, stored
from gough.backends.llvm.target import LoadedObject, Target, host
from gough.program.program import Program
from gough.program.verdict import flat_inputs

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_void_p] * 5), *([ctypes.c_int64] * 4), ctypes.c_void_p)


def single() -> Target:
    """This CPU for one run at a time: scalars wait less for each other than wide vectors with one lane in use."""
    return replace(host(), lanes=1, assembler=False)


@dataclass(frozen=True)
class Marched:
    """state (runs, n): after the last turn, or the last good one of a run that failed. record (rows, runs, r): written every
    `every` turns. turns: done, the same for all runs. failed (runs,): the turn at which a check failed, -1 for none. status
    (runs,): words of that turn, as a `Kernel` gives them."""

    state: np.ndarray
    record: np.ndarray
    turns: int
    failed: np.ndarray
    status: np.ndarray


class March:
    """Machine code of a time loop. The program's slots: see `march_driver.write_march`; all others are uniform."""

    def __init__(self, program: Program, precision: str = "fast", target: Target | None = None) -> None:
        self.program = program
        target = host() if target is None else target
        self.lanes = target.lanes
        entry: Entry = stored(program, target, precision, "march")
        self.once, self._entry = entry.once, entry
        self._code = LoadedObject(entry.object_file)
        self.address = self._code.address("march")
        self._function = _SIGNATURE(self.address)
        self._sizes = {s.name: s.size for s in program.inputs} | {f"out {s.name}": s.size for s in program.outputs}

    def table(self, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
        """Numbers and uniform inputs in the order of their use, for uniform slots (size,)."""
        rows = {s.name: np.zeros(s.size) for s in self.program.inputs} | {k: np.ravel(x) for k, x in uniform.items()}
        values = [rows[s.name] for s in self.program.inputs]
        if self.once is not None:
            known = {s.name: rows[s.name][None] for s in self.once.inputs}
            values.append(self.once.evaluate_flat(flat_inputs(self.once, known, 1)[0]).astype(float))
        table, flat = self._entry.numbers.copy(), np.concatenate(values)
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
        """Take `steps` turns from states (runs, n). given (steps or 1, g): a row a turn, one row is used for all. own
        (runs, m): what is a run's own. Records are written at turn `first`, default `every`, and then every `every` turns."""
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
