"""Time loops on a GPU: one thread a run, all steps of a stretch in one kernel.

1. `functions`: the program of a step as functions (straight code with its registers planned, blocks as loops, calls); every
   value that passes between them has a cell.
2. `text`: the functions and the loop as CUDA; the busiest cells in shared memory, the others in memory of their
   own, one column a thread.
3. `runtime`: launches, with cupy and numpy alone. `CudaMarch`, here, is what is called.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gough.backends.backend import GIVEN, OWN, RECORD, STATE, Marched, uniform_numbers
from gough.backends.cuda._memory import RESERVED, SHARED
from gough.backends.cuda._store import stored_text
from gough.backends.cuda.march._functions import Word, functions_of
from gough.backends.cuda.march._text import LARGEST_TABLE, Shape, write_text
from gough.backends.cuda.march.runtime import MarchKernel
from gough.backends.cuda.runtime import array_module
from gough.program.looping import cut_at_blocks, expand_others
from gough.program.lowering import Machine
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.program import Program, Slot
from gough.program.text import program_from_plain, program_to_plain
from gough.program.trace import no_collecting

BLOCK = 32
"""Runs of a block: a warp each, so that ten thousand runs reach every multiprocessor."""
BLOCKS = 4
"""Blocks a multiprocessor should hold at once; they share its memory."""


class CudaMarch:
    """A time loop on a GPU (see `CompiledLoop`); its output "running" is not looked at, every run takes all
    turns. The text is made here, without a GPU; it is compiled at the first call."""

    address = 0

    def __init__(self, program: Program, block: int = BLOCK, near: int | None = None) -> None:
        self.program = program
        most = (SHARED // BLOCKS - RESERVED) // (8 * block) if near is None else near
        made = stored_text((program,), ("march", block, most), lambda: make_text(program, block, most))
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


def make_text(program: Program, block: int, near: int) -> dict[str, Any]:
    """{"signature", "source"} of a program of a time loop; needs no GPU and no CuPy."""
    with no_collecting():
        once, each = split_uniform(expand_others(program))
        lowered = cut_at_blocks(each, Machine(seeds=False))
        sizes = {s.name: s.size for s in program.inputs} | {f"out {s.name}": s.size for s in program.outputs}
        outs = _offsets(program.outputs)
        functions = functions_of(lowered, _words(each.inputs), sizes[STATE])
        shape = Shape(sizes[STATE], sizes.get(OWN, 0), sizes.get(f"out {RECORD}", 0), outs[STATE], outs.get(RECORD, 0))
        text = write_text(functions, shape, program.name, block, near)
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    signature = {
        "name": program.name,
        "block": block,
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
