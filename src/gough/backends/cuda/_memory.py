"""Where a block of threads keeps its rows, results and scratch: shared memory while there is room, else elsewhere.

A multiprocessor has 227 KB of shared memory (Hopper; less on others), registers for 256 threads of 255 each. Rows of
inputs are staged so that memory is read in whole lines. Two stages let the next states be fetched during the arithmetic
on these.
"""

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


OPERATION, NEAR, FAR = 2, 2, 16
"""Cycles an operation takes, and an access to scratch in shared and in local memory (mostly the L2 cache), as measured on
an H200: what decides between plans."""
FEW_THREADS = 1.3
"""How much longer all takes with half the threads."""


def pitch_of(size: int) -> int:
    """Distance of staged rows: a thread reads its own row, and a half-warp's reads should fall into sixteen banks."""
    return size if gcd(size, 16) <= 2 else size + 1


@dataclass(frozen=True)
class Memory:
    """stages: of staged inputs (0: all are read from their rows); staged_out: results leave through shared memory;
    near: scratch slots in shared memory. Sizes count scalars of one thread. threads: that a multiprocessor should hold;
    their registers are bounded so that it can. table: scalars of a whole block besides."""

    block: int
    stages: int
    staged_out: bool
    near: int
    inputs: int
    outputs: int
    threads: int = THREADS
    table: int = 0

    @property
    def scalars(self) -> int:
        """Shared scalars of one thread."""
        return self.stages * self.inputs + self.staged_out * self.outputs + self.near

    @property
    def block_scalars(self) -> int:
        """Shared scalars of a block."""
        return self.scalars * self.block + self.table


def varying_slots(program: Program) -> list[int]:
    """Input slots that differ from state to state and are read."""
    owner = [s for s, slot in enumerate(program.inputs) for _ in range(slot.size)]
    read = {owner[a[0]] for op, a in zip(program.ops, program.args, strict=True) if op == Op.INPUT}
    return [s for s in sorted(read) if not program.inputs[s].uniform]


def choose_memory(program: Program, slots: int, block: int, itemsize: int) -> Memory:
    """What goes to shared memory, for `slots` values of scratch."""
    inputs = sum(pitch_of(program.inputs[s].size) for s in varying_slots(program))
    outputs = sum(pitch_of(slot.size) for slot in program.outputs if slot.size)
    for threads in (THREADS, THREADS // 2):
        room = min((SHARED - RESERVED * (threads // block)) // threads, LARGEST_BLOCK // block) // itemsize
        for stages, staged_out in ((2, True), (1, True), (1, False)):
            if stages * inputs + staged_out * outputs + slots <= room:
                return Memory(block, stages, staged_out, slots, inputs, outputs, threads)
    if inputs <= room:
        return Memory(block, 1, False, room - inputs, inputs, outputs, threads)
    return Memory(block, 0, False, min(room, slots), inputs, outputs, threads)
