"""Time loops on a GPU: one thread a run, or of long programs a team of them; all steps of a stretch in one kernel.

1. `pieces`: which warp of a team does what. `functions`: the program of a step as functions (straight code with its registers
   planned, blocks as loops, calls); every value that passes between them has a cell.
2. `text`: the functions and the loop as CUDA; the busiest cells in shared memory, the others in memory of their
   own, one column a thread.
3. `runtime`: launches, with cupy and numpy alone. `CudaMarch`, here, is what is called.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gough.backends.backend import GIVEN, OWN, RECORD, STATE, Marched, uniform_numbers
from gough.backends.cuda._memory import LARGEST_BLOCK, RESERVED, SHARED
from gough.backends.cuda._store import stored_text
from gough.backends.cuda.march._cells import UnevenCells
from gough.backends.cuda.march._functions import Word, functions_of
from gough.backends.cuda.march._lanes import called_in_lanes
from gough.backends.cuda.march._team import Team
from gough.backends.cuda.march._text import LARGEST_TABLE, Shape, write_text
from gough.backends.cuda.march.runtime import MarchKernel
from gough.backends.cuda.runtime import DeviceProblem, array_module
from gough.program.looping import cut_at_blocks, expand_others
from gough.program.lowering import Machine
from gough.program.ops import Call, Op
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.program import Program, Slot
from gough.program.text import program_from_plain, program_to_plain
from gough.program.trace import no_collecting

BLOCK = 32
"""Runs of a block, where each has one thread: a warp, so that ten thousand runs reach every multiprocessor."""
BLOCKS = 4
"""Blocks a multiprocessor should hold at once; they share its memory."""
TEAM, RUNS = 4, 80
"""Threads that share a run whose turns are long, and runs of a block of such: ten thousand of them are a block for every
multiprocessor of an H200. The warps of a block are at the same place of the code, too long for the instruction caches."""
LONG = 10_000
"""Operations of a turn from which on a team does it."""


class CudaMarch:
    """A time loop on a GPU (see `CompiledLoop`); its output "running" is not looked at, every run takes all
    turns. The text is made here, without a GPU; it is compiled at the first call."""

    address = 0

    def __init__(
        self, program: Program, block: int | None = None, near: int | None = None, team: int | None = None
    ) -> None:
        self.program = program
        who = choose_team(program, block, near, team)
        chosen = (who.runs, who.threads, who.near)
        roll = team is None and who.threads > 1
        made = stored_text((program,), ("march", *chosen, roll), lambda: make_text(program, who, roll))
        self.signature: dict[str, Any] = made["signature"]
        self.source: str = made["source"]
        once = self.signature["once"]
        self.once = None if once is None else program_from_plain(once)

    @cached_property
    def kernel(self) -> MarchKernel:
        """The loop on the GPU; DeviceProblem without one."""
        array_module()
        return MarchKernel(self.signature, self.source)

    def most_runs(self, rows: int) -> int:
        """Runs that fit into the memory of the GPU when each stores so many records."""
        s = self.signature
        each = 8 * (2 * rows * s["record"] + s["far"] + s["state"] + s["own"] + 2)
        return int(0.8 * self.kernel.free_bytes) // each

    def table(self, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
        """See `CompiledLoop`."""
        flat = uniform_numbers(self.program, self.once, uniform)
        entries = self.signature["table"]
        return np.array([flat[x] if isinstance(x, int) else float.fromhex(x) for x in entries])

    def __call__(
        self,
        state: np.ndarray,
        steps: int,
        table: np.ndarray,
        given: np.ndarray | None = None,
        own: np.ndarray | None = None,
        every: int = 1,
        first: int | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> Marched:
        """See `CompiledLoop`. tick: called with the turns done, now and then."""
        each = np.zeros((1, 0)) if given is None else np.ascontiguousarray(given, dtype=float)
        mine = np.zeros((len(state), 0)) if own is None else np.asarray(own, dtype=float)
        s = self.signature
        if (state.shape[1], each.shape[1], mine.shape[1]) != (s["state"], s["given"], s["own"]):
            raise ValueError("state, given or own do not fit the program")
        if len(each) not in (1, steps):
            raise ValueError("given has the wrong number of rows")
        begin = every if first is None else first
        x, record, failed, status = self.kernel.run(state, steps, table, each, mine, every, begin, tick)
        return Marched(x, record, steps, failed, status)


def make_text(program: Program, team: Team, roll: bool = False) -> dict[str, Any]:
    """{"signature", "source"} of a program of a time loop; needs no GPU and no CuPy. roll: legs of programs that are called may
    run abreast."""
    with no_collecting():
        once, each = split_uniform(expand_others(program))
        machine = Machine(seeds=False)
        lowered = cut_at_blocks(each, machine)
        lanes, in_lanes = called_in_lanes(lowered, machine) if roll else (1, {})
        alone, abreast = team, team.with_legs(lanes)
        in_lanes = in_lanes if abreast.abreast > 1 else {}
        team = abreast if in_lanes else alone
        sizes = {s.name: s.size for s in program.inputs} | {f"out {s.name}": s.size for s in program.outputs}
        outs = _offsets(program.outputs)
        functions = functions_of(
            lowered, _words(each.inputs), sizes[STATE], team.threads, team.room, in_lanes, team.abreast
        )
        shape = Shape(sizes[STATE], sizes.get(OWN, 0), sizes.get(f"out {RECORD}", 0), outs[STATE], outs.get(RECORD, 0))
        try:
            text = write_text(functions, shape, program.name, team)
        except UnevenCells:
            return make_text(program, alone)
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    signature = {
        "name": program.name,
        "block": team.runs,
        "team": team.threads,
        "threads": team.of_block,
        "state": shape.state,
        "own": shape.own,
        "given": sizes.get(GIVEN, 0),
        "record": shape.record,
        "near": text.near,
        "far": text.far,
        "table": [x if isinstance(x, int) else float(x).hex() for x in text.table],
        "table_in_memory": len(text.table) > LARGEST_TABLE,
        "once": program_to_plain(once) if hoisted else None,
    }
    return {"signature": signature, "source": text.source}


def choose_team(program: Program, block: int | None, near: int | None, team: int | None) -> Team:
    """Who does a turn, and where; what is given stays."""
    if team is None:
        team = TEAM if operations_of(program) >= LONG else 1
    runs = (RUNS if team > 1 else BLOCK) if block is None else block
    if near is None:  # of a team, a word of every run besides
        near = (shared_of_block() // (8 * runs) - 1) if team > 1 else (SHARED // BLOCKS - RESERVED) // (8 * runs)
    return Team(runs, team, near)


def operations_of(program: Program) -> int:
    """Operations of a turn, called programs at every call."""
    called = [program.block(i) for i, op in enumerate(program.ops) if op == Op.BLOCK]
    inner = [b.program for b in called if isinstance(b, Call)]
    own = sum(op > Op.CONST and op != Op.ITEM for op in program.ops)
    return own + sum(operations_of(x) for x in inner if isinstance(x, Program))


def shared_of_block() -> int:
    """Bytes of shared memory a block may take: on this machine's GPU, or without one on all of them."""
    try:
        return array_module().cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
    except DeviceProblem:
        return LARGEST_BLOCK


def _words(slots: tuple[Slot, ...]) -> list[Word]:
    """Where the inputs of a turn are: cells of the state come first."""
    words: list[Word] = []
    for slot in slots:
        kind = {STATE: "cell", OWN: "own", GIVEN: "given"}.get(slot.name, "uniform")
        words += [Word(kind, len(words) if kind == "uniform" else k) for k in range(slot.size)]
    return words


def _offsets(slots: tuple[Slot, ...]) -> dict[str, int]:
    found, at = {}, 0
    for slot in slots:
        found[slot.name] = at
        at += slot.size
    return found
