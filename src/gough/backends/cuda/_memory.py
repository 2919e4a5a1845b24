"""Where a block of threads keeps its rows, results and scratch: shared memory while there is room, else elsewhere.

A multiprocessor has 227 KB of shared memory (Hopper; less on others), registers for 256 threads of 255 each. Rows of
inputs are staged so that memory is read in whole lines. Two stages let the next states be fetched during the arithmetic
on these.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import gcd

from gough.program.ops import Op
from gough.program.program import Program

SHARED = 227 * 1024
"""Bytes of shared memory of a multiprocessor."""
RESERVED = 1024
"""Bytes each block takes besides."""
LARGEST_BLOCK = 99 * 1024
"""Bytes of shared memory a block may take on every GPU since 2020."""
THREADS = 256
"""Threads that keep a multiprocessor busy; with 255 registers each there is no room for more."""
MANY_THREADS = 384
"""Threads of 168 registers, for programs that need no more, with what they store in shared memory."""


OPERATION, NEAR, FAR = 2, 2, 16
"""Cycles an operation takes, and an access to scratch in shared and in local memory (mostly the L2 cache), as measured on
an H200: what decides between plans."""
FEW_THREADS, MORE_THREADS = 1.3, 0.95
"""How much longer all takes with half the threads, and with half as many more."""


def pitch_of(size: int) -> int:
    """Distance of staged rows: a thread reads its own row, and a half-warp's reads should fall into sixteen banks."""
    return size if gcd(size, 16) <= 2 else size + 1


@dataclass(frozen=True)
class Memory:
    """stages: of staged inputs (0: all are read from their rows); staged_out: results leave through shared memory;
    near: scratch slots in shared memory. Sizes count scalars of one thread. threads: that a multiprocessor should hold;
    their registers are bounded so that it can. table: scalars of a whole block besides. over: groups of output slots that leave
    through the place of the scratch one after the other, when that is done with; window: what the largest of them takes."""

    block: int
    stages: int
    staged_out: bool
    near: int
    inputs: int
    outputs: int
    threads: int = THREADS
    table: int = 0
    over: tuple[tuple[int, ...], ...] = ()
    window: int = 0

    @property
    def near_start(self) -> int:
        """Where scratch begins."""
        return self.stages * self.inputs + (self.staged_out and not self.over) * self.outputs

    @property
    def scalars(self) -> int:
        """Shared scalars of one thread."""
        return self.near_start + max(self.near, self.window)

    @property
    def block_scalars(self) -> int:
        """Shared scalars of a block."""
        return self.scalars * self.block + self.table


def varying_slots(program: Program) -> list[int]:
    """Input slots that differ from state to state and are read."""
    owner = [s for s, slot in enumerate(program.inputs) for _ in range(slot.size)]
    read = {owner[a[0]] for op, a in zip(program.ops, program.args, strict=True) if op == Op.INPUT}
    return [s for s in sorted(read) if not program.inputs[s].uniform]


def group_outputs(program: Program, room: int, gone: Collection[int]) -> tuple[tuple[tuple[int, ...], ...], int]:
    """(output slots in groups that take at most `room` scalars of a thread, scalars of the largest); no groups where a slot alone
    takes more. gone: slots that left before."""
    groups: list[list[int]] = []
    sizes: list[int] = []
    for s, slot in enumerate(program.outputs):
        pitch = pitch_of(slot.size) if slot.size and s not in gone else 0
        if pitch > room:
            return (), 0
        if not groups or sizes[-1] + pitch > room:
            groups.append([])
            sizes.append(0)
        if pitch:
            groups[-1].append(s)
            sizes[-1] += pitch
    return tuple(tuple(g) for g in groups if g), max(sizes, default=0)


def choose_memory(program: Program, slots: int, block: int, itemsize: int) -> Memory:
    """What goes to shared memory, for `slots` values of scratch."""
    for threads in (THREADS, THREADS // 2):
        found = fit_memory(program, slots, block, itemsize, threads)
        if found is not None:
            return found
    inputs, outputs = _row_sizes(program)
    room = _room(block, itemsize, threads)
    if inputs <= room:
        return Memory(block, 1, False, room - inputs, inputs, outputs, threads)
    return Memory(block, 0, False, min(room, slots), inputs, outputs, threads)


def fit_memory(program: Program, slots: int, block: int, itemsize: int, threads: int) -> Memory | None:
    """All in shared memory, for `threads` of a multiprocessor; None where it does not fit."""
    inputs, outputs = _row_sizes(program)
    for stages, staged_out in ((2, True), (1, True), (1, False)):
        if stages * inputs + staged_out * outputs + slots <= _room(block, itemsize, threads):
            return Memory(block, stages, staged_out, slots, inputs, outputs, threads)
    return None


def _row_sizes(program: Program) -> tuple[int, int]:
    """Staged scalars of a thread's inputs and results."""
    inputs = sum(pitch_of(program.inputs[s].size) for s in varying_slots(program))
    return inputs, sum(pitch_of(slot.size) for slot in program.outputs if slot.size)


def _room(block: int, itemsize: int, threads: int) -> int:
    """Shared scalars a thread may have."""
    return min((SHARED - RESERVED * (threads // block)) // threads, LARGEST_BLOCK // block) // itemsize
