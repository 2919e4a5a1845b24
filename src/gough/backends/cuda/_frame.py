"""The text around a kernel's arithmetic: arguments, tables of numbers, tiles of rows in and out, the status word."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from gough.backends._cfamily import CUDA, CUDA_SINGLE, Dialect
from gough.backends.cuda._checks import StatusChecks
from gough.backends.cuda._fixed_text import CONSTANTS, FUNCTIONS, HOST, STAGING
from gough.backends.cuda._memory import THREADS, Memory, pitch_of, varying_slots
from gough.errors import Failure
from gough.program.ops import Op
from gough.program.passes.inputs import HOISTED
from gough.program.program import Program, Slot

DIALECTS = {"float64": CUDA, "float32": CUDA_SINGLE}
BY_VALUE = 480
"""Uniform scalars that fit into the arguments of a kernel on every GPU; more are read from memory."""


@dataclass(frozen=True)
class Text:
    """Source; flat input positions of the uniform scalars it takes, in their order; names of the status bits."""

    source: str
    uniform: tuple[int, ...]
    bits: tuple[Failure, ...]


def short_number(x: float) -> bool:
    """Whether an instruction can carry the number: the lower half of its digits is zero."""
    return x == x and abs(x) != float("inf") and struct.pack(">d", x)[4:] == bytes(4)


class KernelFrame:
    """What all bodies of a kernel share. program: whose inputs and outputs are the kernel's. uniform: positions of the
    uniform scalars met so far, in the order of the arguments; numbers: place of every number in constant memory."""

    def __init__(self, program: Program, memory: Memory, dialect: Dialect) -> None:
        self.program, self.memory, self.dialect = program, memory, dialect
        self.slot_of = [(s, k) for s, slot in enumerate(program.inputs) for k in range(slot.size)]
        self.varying = varying_slots(program)
        self.is_uniform = program.uniform_inputs()
        self.uniform: list[int] = []
        self._uniform_at: dict[int, int] = {}
        self.numbers: dict[float, int] = {}
        self.table = (0, 0)
        self.in_place, self.out_place = self._places()

    def _places(self) -> tuple[dict[int, int], dict[int, int]]:
        """Offsets of slots in one thread's share of the tile."""
        ins, outs, at = {}, {}, 0
        for s in self.varying:
            ins[s] = at
            at += pitch_of(self.program.inputs[s].size)
        for group in self.memory.over or (tuple(range(len(self.program.outputs))),):
            at = 0
            for s in group:
                outs[s] = at
                at += pitch_of(self.program.outputs[s].size) if self.program.outputs[s].size else 0
        return ins, outs

    # ---------------------------------------------------------------- words

    def number(self, x: float) -> str:
        """A number as an operand: in the instruction where it is short, else in constant memory."""
        if short_number(x):
            return self.dialect.number(x)
        return f"NUMBER({self.numbers.setdefault(x, len(self.numbers))})"

    def uniform_word(self, position: int) -> str:
        """A uniform input as an operand."""
        if position not in self._uniform_at:
            self._uniform_at[position] = len(self.uniform)
            self.uniform.append(position)
        return f"UNIFORM({self._uniform_at[position]})"

    def share_table(self, positions: list[int]) -> None:
        """Uniform inputs that every block copies into its shared memory, as `table`: a place that differs from lane to
        lane is no constant operand, and loads of constants at such places stall the warp."""
        self.table = (len(self.uniform), len(positions))
        self.uniform += positions

    def input_word(self, position: int, again: bool, offset: str = "") -> str:
        """A varying input; again: it was read before, and must not be kept since. offset: to be added to its place."""
        s, k = self.slot_of[position]
        where = f"{k}{offset}"
        if self.memory.stages:
            place = f"these + {self.in_place[s]} * BLOCK + me * {pitch_of(self.program.inputs[s].size)} + {where}"
            return f"*(volatile real*)({place})" if again else f"*({place})"
        return f"*(const volatile real*)(in{s} + {where})" if again else f"__ldg(in{s} + {where})"

    def output_word(self, s: int, k: int) -> str:
        """Entry k of output slot s, to be written."""
        if self.memory.staged_out:
            at = self._out_start + self.out_place[s]
            return f"tile[{at} * BLOCK + me * {pitch_of(self.program.outputs[s].size)} + {k}]"
        return f"out{s}[{k}]"

    # ---------------------------------------------------------------- the whole

    def text(self, notes: list[str], body: list[str], checks: StatusChecks, far: int) -> Text:
        """The kernel. body: of a tile; far: scratch in local memory."""
        kernel = self._kernel(body, checks.declarations(), checks.status_lines(), far)
        source = "\n".join([self._head(notes), *checks.tables(), *kernel, ""])
        return Text(source, tuple(self.uniform), checks.bits)

    def _head(self, notes: list[str]) -> str:
        program, m = self.program, self.memory
        numbers = ", ".join(self.dialect.number(x) for x in self.numbers) or "0"
        count = max(len(self.uniform), 1)
        by_value = len(self.uniform) <= BY_VALUE
        uniform = f"real uniform[{count}];" if by_value else "const real* uniform;"
        slots = max(len(self.varying), 1)
        lines = [
            f"// {program.name}, one thread a state",
            f"// in:  {_described(program.inputs)}",
            f"// out: {_described(program.outputs)}",
            *(f"// {note}" for note in notes),
            f"#ifndef BLOCK\n#define BLOCK {m.block}\n#endif",
            f"typedef {self.dialect.stands_for} real;",
            HOST + FUNCTIONS + STAGING,
            f'extern "C" {{ __constant__ real numbers[] = {{{numbers}}}; }}',
            "struct Arguments {",
            "  long long n;",
            "  unsigned *status, *flagged;",
            f"  const real* in[{slots}];",
            f"  long long row[{slots}], entry[{slots}];",
            f"  real* out[{max(len(program.outputs), 1)}];",
            f"  {uniform}",
            "};",
            f"#define SLOTS {slots}",
            f"#define UNIFORM_AT {8 * (3 + 3 * slots + max(len(program.outputs), 1))}",
            CONSTANTS,
            f"#define UNIFORM(k) {'ARGUMENT(k)' if by_value else '__ldg(a.uniform + k)'}",
        ]
        return "\n".join(lines)

    def _kernel(self, body: list[str], declared: list[str], joined: list[str], far: int) -> list[str]:
        m = self.memory
        least = f", {m.threads // m.block}" if m.threads > THREADS else ""
        lines = [
            "#ifdef GOUGH_HOST",
            f"static real tile[{max(m.scalars, 1)} * BLOCK + {m.table}];",
            "#else",
            "extern __shared__ __align__(16) unsigned char shared[];",
            "#endif",
            f'extern "C" __global__ void __launch_bounds__(BLOCK{least}) states(const __grid_constant__ Arguments a) {{',
            "#ifndef GOUGH_HOST",
            "  real* const tile = (real*)shared;",
            "#endif",
            "  const int me = threadIdx.x;",
            "  const long long stride = (long long)gridDim.x * BLOCK;",
            "  long long first = (long long)blockIdx.x * BLOCK;",
        ]
        if m.near:
            lines.append(f"  const auto near = NEAR_START(tile + {m.near_start} * BLOCK + me);")
        at, count = self.table
        if count:
            lines += [
                f"  real* const table = tile + {m.scalars} * BLOCK;",
                f"  for (int k = me; k < {count}; k += BLOCK) table[k] = a.uniform[{at} + k];",
                "  __syncthreads();",
            ]
        if far > 0:
            lines.append(f"  volatile real far[{far}];")
        if m.stages:
            lines += ["  if (first < a.n) {", *self._fetch("first", "tile"), "  }", "  close_fetches();"]
        if m.stages == 2:
            lines.append("  int stage = 0;")
        lines.append("  for (; first < a.n; first += stride) {")
        if m.stages == 2:
            lines.append(f"    real* const these = tile + stage * {m.inputs} * BLOCK;")
            lines.append("    stage ^= 1;")
            lines += self.fetch_next(f"(tile + stage * {m.inputs} * BLOCK)")
        elif m.stages == 1:
            lines.append("    real* const these = tile;")
        if m.stages:
            lines += [f"    await_fetches<{m.stages - 1}>();", "    __syncthreads();"]
        lines += ["    const long long i = first + me;", "    const bool mine = i < a.n;", *declared]
        if m.stages == 0 or not m.staged_out:  # threads without a state of their own do the last one again
            lines.append("    const long long state = mine ? i : a.n - 1;")
        if m.stages == 0:
            lines += [f"    const real* const in{s} = IN({j}) + state * ROW({j});" for j, s in enumerate(self.varying)]
        if not m.staged_out:
            lines += [f"    real* const out{s} = a.out[{s}] + state * {slot.size};" for s, slot in self._outputs()]
        lines += body
        if m.staged_out and not m.over:
            lines += self.write_out([s for s, _ in self._outputs()])
        lines += [
            *joined,
            "    if (mine) {",
            "      a.status[i] = word;",
            "      if (word) atomicAdd(a.flagged, 1u);",
            "    }",
        ]
        if m.stages or m.staged_out:
            lines.append("    __syncthreads();")
        return [*lines, "  }", "}"]

    def fetch_next(self, tile: str) -> list[str]:
        """Ask for the rows of the next states; with one stage, once all threads have read their last input."""
        lines = ["    __syncthreads();"] if self.memory.stages == 1 else []
        lines += [
            "    if (first + stride < a.n) {",
            *self._fetch("first + stride", tile),
            "    }",
            "    close_fetches();",
        ]
        return lines

    @property
    def _out_start(self) -> int:
        return self.memory.near_start if self.memory.over else self.memory.stages * self.memory.inputs

    def write_out(self, slots: Sequence[int]) -> list[str]:
        """Rows of results from shared memory to theirs."""
        lines = ["    __syncthreads();", "    {"]
        lines.append("      const int rows = a.n - first < BLOCK ? (int)(a.n - first) : BLOCK;")
        for s in slots:
            size = self.program.outputs[s].size
            where = f"tile + {self._out_start + self.out_place[s]} * BLOCK"
            lines.append(f"      write_rows<{size}, {pitch_of(size)}>(a.out[{s}], {where}, first, rows);")
        return [*lines, "    }"]

    def write_part(self, s: int, begin: int, words: Sequence[str], place: int) -> list[str]:
        """Some entries of an output slot through scratch slots from `place` on."""
        part, size = len(words), self.program.outputs[s].size
        window = f"(tile + {self.memory.near_start + place} * BLOCK)"
        lines = ["    __syncthreads();"]
        lines += [f"    {window}[me * {pitch_of(part)} + {k}] = {x};" for k, x in enumerate(words)]
        lines += ["    __syncthreads();"]
        rows = "a.n - first < BLOCK ? (int)(a.n - first) : BLOCK"
        kind = f"write_part<{size}, {part}, {pitch_of(part)}>"
        return [*lines, f"    {kind}(a.out[{s}] + {begin}, {window}, first, {rows});"]

    def _outputs(self) -> list[tuple[int, Slot]]:
        return [(s, slot) for s, slot in enumerate(self.program.outputs) if slot.size]

    def _fetch(self, first: str, tile: str) -> list[str]:
        lines = [f"      const long long from = {first};"]
        lines.append("      const int some = a.n - from < BLOCK ? (int)(a.n - from) : BLOCK;")
        for j, s in enumerate(self.varying):
            size = self.program.inputs[s].size
            where = f"{tile} + {self.in_place[s]} * BLOCK"
            lines.append(
                f"      fetch_rows<{size}, {pitch_of(size)}>({where}, IN({j}), ROW({j}), ENTRY({j}), from, some);"
            )
        return lines


def results_of(program: Program) -> dict[int, list[tuple[int, int]]]:
    """{result's place in the flat list: [(output slot, entry)]} by node."""
    found: dict[int, list[tuple[int, int]]] = {}
    position = 0
    for s, slot in enumerate(program.outputs):
        for k in range(slot.size):
            found.setdefault(program.results[position], []).append((s, k))
            position += 1
    return found


def is_fixed(program: Program, uniform: object, i: int) -> bool:
    """Whether node i is a constant operand: a number or a uniform input."""
    op, args = program.ops[i], program.args[i]
    return op == Op.CONST or (op == Op.INPUT and bool(uniform[args[0]]))  # type: ignore[index]


def _described(slots: tuple[Slot, ...]) -> str:
    named = [s for s in slots if s.name != HOISTED]
    return "; ".join(f"{s.name}{list(s.shape)}" + (f" [{s.unit}]" if s.unit else "") for s in named)
