"""Kernels in stages: what a program does for every leg is a loop over the legs.

A gradient of 3400 operations written straight holds more values than a thread has registers for, and is longer than the
instruction cache. Rolled (`program.rolling`), a stage of one leg is a few hundred operations with few values alive:

1. `_bodies`: stages; what a later stage needs of an earlier one is stored, or made again where that is cheaper.
2. `_planning`: pieces, which are stages in the GPU's operations (sums over legs are operands and results of a leg's piece),
   and their registers; what all legs read is held throughout the loop while there is room. What is stored
   between stages lies in shared memory by how often it is used, the rest in local memory.
3. The cheapest of several ways to share work between storing and computing again is taken (here); `_text`: the loops.
"""

from dataclasses import dataclass

import numpy as np

from gough.backends.cuda._frame import Text
from gough.backends.cuda._memory import (
    FAR,
    FEW_THREADS,
    LARGEST_BLOCK,
    NEAR,
    OPERATION,
    RESERVED,
    SHARED,
    THREADS,
    Memory,
    group_outputs,
    pitch_of,
    varying_slots,
)
from gough.backends.cuda.staged._planning import (
    PART,
    Planned,
    ScratchLayout,
    StagePrograms,
    lay_out,
    leaving_early,
    own_columns,
    pieces_of,
    plan_pieces,
)
from gough.backends.cuda.staged._text import write_staged
from gough.program.program import Program
from gough.program.rolling import roll

LEAST_LANES = 3
MOST_ONCE = 1.0
"""Operations that run once, for each one in a lane, beyond which stages are not worth trying."""
KEEP = (6.0, 12.0, 16.0, 24.0)
"""Prices of a stored value in operations; the one whose kernel is estimated fastest is taken."""
BLOCK = 32
"""Threads of a block: warps that need not wait for each other stay apart in the code, and share the pipes better."""
LONG, LONG_BLOCK = 2000, 64
"""Operations beyond which a text does not stay in the instruction cache while warps are all over it: then blocks are larger, and
their warps go from stage to stage together."""


@dataclass(frozen=True)
class StagedKernel:
    """A program in stages, not yet written."""

    program: Program
    pieces: StagePrograms
    plans: list[Planned]
    layout: ScratchLayout
    memory: Memory

    @property
    def is_long(self) -> bool:
        """Whether warps had better keep together."""
        return written(self.plans) > LONG

    @property
    def cycles(self) -> int:
        """Rough cost of a thread's work."""
        work = 0
        for planned in self.plans:
            tally = planned.plan.tally()
            work += planned.piece.lanes * (tally["do"] + tally["again"])
        inputs = sum(sum(p.reads.values()) for p in self.plans)
        near, far = inputs + self.layout.near_uses, self.layout.far_uses
        slow = FEW_THREADS if self.memory.threads < THREADS else 1.0
        return round(slow * (OPERATION * work + NEAR * near + FAR * far))

    def write(self, dtype: str) -> Text:
        """The kernel's text."""
        return write_staged(self.program, self.pieces, self.plans, self.layout, self.memory, dtype, self.is_long)


def written(plans: list[Planned]) -> int:
    """Operations of a text: those of one lane, and those that run once."""
    return sum(p.plan.tally()["do"] + p.plan.tally()["again"] for p in plans)


def stage_program(
    program: Program, precision: str, dtype: str, room: int, block: int | None = None
) -> StagedKernel | None:
    """A program (without blocks) in stages; None where too little of it is done alike in three lanes or more. block: default by
    the length of the text."""
    rolled = roll(program, least=LEAST_LANES)
    if rolled is None:
        return None
    once, lane = rolled.operations
    if once > MOST_ONCE * rolled.lanes * lane:
        return None
    made = []
    for keep in KEEP:
        pieces = pieces_of(rolled, keep, precision, dtype)
        plans = plan_pieces(pieces, room)
        size = block or (LONG_BLOCK if written(plans) > LONG else BLOCK)
        for threads in (THREADS, THREADS // 2):
            layout, memory = _memory(program, pieces, plans, size, threads, np.dtype(dtype).itemsize)
            made.append(StagedKernel(program, pieces, plans, layout, memory))
    return min(made, key=lambda s: s.cycles)


def _memory(
    program: Program, pieces: StagePrograms, plans: list[Planned], block: int, threads: int, itemsize: int
) -> tuple[ScratchLayout, Memory]:
    """Rows in and out through shared memory where all of the scratch fits beside them; else scratch comes first."""
    inputs = sum(pitch_of(program.inputs[s].size) for s in varying_slots(program))
    outputs = sum(pitch_of(slot.size) for slot in program.outputs if slot.size)
    table = pieces.lanes * len(own_columns(pieces))
    bytes_of_block = min(SHARED // (threads // block) - RESERVED, LARGEST_BLOCK) - table * itemsize
    room = bytes_of_block // (block * itemsize)
    for stages, staged_out in ((1, True), (1, False), (0, False)):
        left = room - stages * inputs - staged_out * outputs
        if left < 0:
            continue
        early = {} if staged_out or left < pitch_of(PART) else leaving_early(program, pieces)
        over, window = ((), 0) if staged_out else group_outputs(program, left, early)
        layout = lay_out(pieces, plans, left, set(early.values()) if over else ())
        if not layout.far or not staged_out:
            staged_out = staged_out or bool(over)
            return layout, Memory(block, stages, staged_out, layout.near, inputs, outputs, threads, table, over, window)
    raise AssertionError("unreachable")
