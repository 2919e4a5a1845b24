"""The CUDA C++ text of a program: one thread a state, tiles of BLOCK states that a grid of blocks goes through.

Uniform inputs and the results of hoisted work travel in the kernel's arguments, numbers in constant memory: both are
operands of the arithmetic itself and take no registers.
"""

from dataclasses import dataclass

from gough.backends.cuda.checks import Checks
from gough.backends.cuda.memory import Memory, pitch_of, varying_slots
from gough.backends.cuda.operations import FUNCTIONS, expression, literal, short_number
from gough.backends.cuda.registers import Plan, Step
from gough.program.ops import Op
from gough.program.passes.hoist import HOISTED
from gough.program.program import Program, Slot

BY_VALUE = 480
"""Uniform scalars that fit into the arguments of a kernel on every GPU; more are read from memory."""

HOST = r"""
#ifdef GOUGH_HOST
#include <cmath>
#include <cstring>
using namespace std;
#define __global__
#define __device__ static
#define __forceinline__ inline
#define __noinline__
#define __constant__ static const
#define __grid_constant__
#define __launch_bounds__(...)
#define __restrict__
#define __syncthreads()
#define __ldg(p) (*(p))
static struct { unsigned x; } threadIdx, blockIdx, gridDim = {1};
static unsigned atomicAdd(unsigned* p, unsigned x) { const unsigned old = *p; *p += x; return old; }
#endif
"""

STAGING = r"""
template <int SIZE, int PITCH>  // rows of any stride, or fewer than a block has threads: the last one is repeated
__device__ __noinline__ void fetch_some(
    real* tile, const real* at, long long row, long long entry, long long first, int rows) {
#pragma unroll 1
  for (int k = threadIdx.x; k < BLOCK * SIZE; k += BLOCK) {
    const int r = k / SIZE, c = k % SIZE;
    fetch(tile + r * PITCH + c, at + (first + (r < rows ? r : rows - 1)) * row + c * entry);
  }
}
template <int SIZE, int PITCH>
__device__ __forceinline__ void fetch_rows(
    real* tile, const real* at, long long row, long long entry, long long first, int rows) {
  if (PITCH == SIZE && row == SIZE && entry == 1 && rows == BLOCK) {
    const real* const from = at + first * SIZE + threadIdx.x;
#pragma unroll
    for (int k = 0; k < SIZE; k++) fetch(tile + threadIdx.x + k * BLOCK, from + k * BLOCK);
  } else {
    fetch_some<SIZE, PITCH>(tile, at, row, entry, first, rows);
  }
}
template <int SIZE, int PITCH>
__device__ __forceinline__ void write_rows(real* at, const real* tile, long long first, int rows) {
  real* const to = at + first * SIZE + threadIdx.x;
  if (PITCH == SIZE && rows == BLOCK) {
#pragma unroll
    for (int k = 0; k < SIZE; k++) to[k * BLOCK] = tile[threadIdx.x + k * BLOCK];
  } else {
#pragma unroll 1
    for (int k = threadIdx.x; k < rows * SIZE; k += BLOCK) {
      at[first * SIZE + k] = tile[k / SIZE * PITCH + k % SIZE];
    }
  }
}
"""

CONSTANTS = r"""
#ifdef GOUGH_HOST
#define NUMBER(k) numbers[k]
#define ARGUMENT(k) a.uniform[k]
#define IN(k) a.in[k]
#define ROW(k) a.row[k]
#define ENTRY(k) a.entry[k]
#else  // read where they are used: the compiler would load them all before the loop, and then lack registers
template <int AT> __device__ __forceinline__ double constant(double) {
  double x; asm volatile("ld.const.f64 %0, [numbers+%1];" : "=d"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ float constant(float) {
  float x; asm volatile("ld.const.f32 %0, [numbers+%1];" : "=f"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ double argument(double) {
  double x; asm volatile("ld.param.f64 %0, [states_param_0+%1];" : "=d"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ long long argument(long long) {
  long long x; asm volatile("ld.param.s64 %0, [states_param_0+%1];" : "=l"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ float argument(float) {
  float x; asm volatile("ld.param.f32 %0, [states_param_0+%1];" : "=f"(x) : "n"(AT)); return x;
}
#define NUMBER(k) constant<(k) * (int)sizeof(real)>(real())
#define ARGUMENT(k) argument<UNIFORM_AT + (k) * (int)sizeof(real)>(real())
#define IN(k) (const real*)argument<24 + 8 * (k)>(0LL)
#define ROW(k) argument<24 + 8 * (SLOTS + (k))>(0LL)
#define ENTRY(k) argument<24 + 8 * (2 * SLOTS + (k))>(0LL)
#endif
"""


@dataclass(frozen=True)
class Text:
    """Source; flat input positions of the uniform scalars it takes, in their order; names of the status bits."""

    source: str
    uniform: tuple[int, ...]
    bits: tuple[str, ...]


def write_text(program: Program, plan: Plan, memory: Memory, dtype: str = "float64") -> Text:
    """Source of a lowered program."""
    return _Writer(program, plan, memory, dtype == "float64").write()


class _Writer:
    def __init__(self, program: Program, plan: Plan, memory: Memory, double: bool) -> None:
        self.program, self.plan, self.memory, self.double = program, plan, memory, double
        self.slot_of = [(s, k) for s, slot in enumerate(program.inputs) for k in range(slot.size)]
        self.varying = varying_slots(program)
        self.is_uniform = program.uniform_inputs()
        self.uniform: dict[int, int] = {}
        self.numbers: dict[float, int] = {}
        self.names: dict[int, str] = {}
        self.fresh: dict[int, int] = {}
        self.checks = Checks(program, double)
        self.results: dict[int, list[tuple[int, int]]] = {}
        position = 0
        for s, slot in enumerate(program.outputs):
            for k in range(slot.size):
                self.results.setdefault(program.results[position], []).append((s, k))
                position += 1
        self.in_place, self.out_place = self._places()
        accesses = [0] * plan.slots
        for step in plan.steps:
            if step.slot >= 0:
                accesses[step.slot] += 1
        busiest = sorted(range(plan.slots), key=lambda s: -accesses[s])
        self.home = {s: k for k, s in enumerate(busiest)}

    def _places(self) -> tuple[dict[int, int], dict[int, int]]:
        """Offsets of slots in one thread's share of the tile."""
        ins, outs, at = {}, {}, 0
        for s in self.varying:
            ins[s] = at
            at += pitch_of(self.program.inputs[s].size)
        at = 0
        for s, slot in enumerate(self.program.outputs):
            outs[s] = at
            at += pitch_of(slot.size) if slot.size else 0
        return ins, outs

    def write(self) -> Text:
        steps = self.plan.steps
        body: list[str] = []
        for i, op in enumerate(self.program.ops):  # results and checks that are inputs or numbers
            if op <= Op.CONST:
                body += self._finish(i)
        last = max((k for k, step in enumerate(steps) if step.kind == "input"), default=-1)
        for k, step in enumerate(steps):
            body += self._step(step)
            if k == last and self.memory.stages == 1:
                body += self._fetch_next("tile")
        if last < 0 and self.memory.stages == 1:
            body += self._fetch_next("tile")
        source = "\n".join([self._head(), *self._kernel(body), ""])
        return Text(source, tuple(self.uniform), self.checks.bits)

    def _head(self) -> str:
        program, m = self.program, self.memory
        tally = ", ".join(f"{v} {k}" for k, v in self.plan.tally().items())
        numbers = ", ".join(literal(x, self.double) for x in self.numbers) or "0"
        count = max(len(self.uniform), 1)
        by_value = len(self.uniform) <= BY_VALUE
        uniform = f"real uniform[{count}];" if by_value else "const real* uniform;"
        lines = [
            f"// {program.name}, one thread a state",
            f"// in:  {_described(program.inputs)}",
            f"// out: {_described(program.outputs)}",
            f"// steps of a thread: {tally}; {self.plan.slots} scratch slots, {m.near} of them in shared memory",
            f"#ifndef BLOCK\n#define BLOCK {m.block}\n#endif",
            f"typedef {'double' if self.double else 'float'} real;",
            HOST + FUNCTIONS + STAGING,
            f'extern "C" {{ __constant__ real numbers[] = {{{numbers}}}; }}',
            "struct Arguments {",
            "  long long n;",
            "  unsigned *status, *flagged;",
            f"  const real* in[{max(len(self.varying), 1)}];",
            f"  long long row[{max(len(self.varying), 1)}], entry[{max(len(self.varying), 1)}];",
            f"  real* out[{max(len(program.outputs), 1)}];",
            f"  {uniform}",
            "};",
            f"#define SLOTS {max(len(self.varying), 1)}",
            f"#define UNIFORM_AT {8 * (3 + 3 * max(len(self.varying), 1) + max(len(program.outputs), 1))}",
            CONSTANTS,
            f"#define UNIFORM(k) {'ARGUMENT(k)' if by_value else '__ldg(a.uniform + k)'}",
        ]
        return "\n".join(lines)

    def _kernel(self, body: list[str]) -> list[str]:
        m = self.memory
        total = max(m.scalars, 1)
        far = self.plan.slots - m.near
        lines = [
            "#ifdef GOUGH_HOST",
            f"static real tile[{total} * BLOCK];",
            "#else",
            "extern __shared__ __align__(16) unsigned char shared[];",
            "#endif",
            'extern "C" __global__ void __launch_bounds__(BLOCK) states(const __grid_constant__ Arguments a) {',
            "#ifndef GOUGH_HOST",
            "  real* const tile = (real*)shared;",
            "#endif",
            "  const int me = threadIdx.x;",
            "  const long long stride = (long long)gridDim.x * BLOCK;",
            "  long long first = (long long)blockIdx.x * BLOCK;",
        ]
        at_out = m.stages * m.inputs
        at_near = at_out + m.staged_out * m.outputs
        if m.near:
            lines.append(f"  volatile real* const near = tile + {at_near} * BLOCK + me;")
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
            lines += self._fetch_next(f"(tile + stage * {m.inputs} * BLOCK)")
        elif m.stages == 1:
            lines.append("    real* const these = tile;")
        if m.stages:
            lines += [f"    await_fetches<{m.stages - 1}>();", "    __syncthreads();"]
        lines += [
            "    const long long i = first + me;",
            "    const bool mine = i < a.n;",
            *self.checks.declared(),
        ]
        if m.stages == 0 or not m.staged_out:  # threads without a state of their own do the last one again
            lines.append("    const long long state = mine ? i : a.n - 1;")
        if m.stages == 0:
            lines += [f"    const real* const in{s} = IN({j}) + state * ROW({j});" for j, s in enumerate(self.varying)]
        if not m.staged_out:
            lines += [f"    real* const out{s} = a.out[{s}] + state * {slot.size};" for s, slot in self._outputs()]
        lines += body
        if m.staged_out:
            lines.append("    __syncthreads();")
            lines.append("    const int rows = a.n - first < BLOCK ? (int)(a.n - first) : BLOCK;")
            for s, slot in self._outputs():
                kind = f"write_rows<{slot.size}, {pitch_of(slot.size)}>"
                lines.append(f"    {kind}(a.out[{s}], tile + {at_out + self.out_place[s]} * BLOCK, first, rows);")
        lines += [
            *self.checks.joined(),
            "    if (mine) {",
            "      a.status[i] = word;",
            "      if (word) atomicAdd(a.flagged, 1u);",
            "    }",
        ]
        if m.stages or m.staged_out:
            lines.append("    __syncthreads();")
        return [*lines, "  }", "}"]

    def _fetch_next(self, tile: str) -> list[str]:
        """Ask for the rows of the next states; with one stage, once all threads have read their last input."""
        lines = ["    __syncthreads();"] if self.memory.stages == 1 else []
        lines += [
            "    if (first + stride < a.n) {",
            *self._fetch("first + stride", tile),
            "    }",
            "    close_fetches();",
        ]
        return lines

    def _outputs(self):
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

    def _step(self, step: Step) -> list[str]:
        i = step.node
        if step.kind == "store":
            return [f"    {self._scratch(step.slot)} = {self.names[i]};"]
        if step.kind == "load":
            value = self._scratch(step.slot)
        elif step.kind == "input":
            value = self._input(i, again=i in self.names)
        else:
            words = [self._operand(k) for k in self.program.args[i]]
            if step.kind == "again":
                k = next((k for k, a in enumerate(self.program.args[i]) if not self._fixed(a)), None)
                if k is not None:
                    words[k] = f"OPAQUE({words[k]})"
            value = expression(self.program.ops[i], words)
        name = f"v{i}" if i not in self.fresh else f"v{i}_{self.fresh[i]}"
        self.fresh[i] = self.fresh.get(i, 0) + 1
        self.names[i] = name
        line = f"    const real {name} = {value};"
        return [line, *self._finish(i)] if step.kind == "do" else [line]

    def _finish(self, i: int) -> list[str]:
        """Results and checks of a node, when its value is there."""
        lines = []
        if i in self.results or i in self.checks:
            is_input = self.program.ops[i] == Op.INPUT and not self._fixed(i)
            x = self._input(i, again=True) if is_input else self._operand(i)
            for s, k in self.results.get(i, ()):
                if self.memory.staged_out:
                    at = self.memory.stages * self.memory.inputs + self.out_place[s]
                    lines.append(f"    tile[{at} * BLOCK + me * {pitch_of(self.program.outputs[s].size)} + {k}] = {x};")
                else:
                    lines.append(f"    out{s}[{k}] = {x};")
            lines += self.checks.lines(i, x, i in self.results)
        return lines

    def _fixed(self, i: int) -> bool:
        op, args = self.program.ops[i], self.program.args[i]
        return op == Op.CONST or (op == Op.INPUT and bool(self.is_uniform[args[0]]))

    def _operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            if short_number(args[0]):
                return literal(args[0], self.double)
            return f"NUMBER({self.numbers.setdefault(args[0], len(self.numbers))})"
        if op == Op.INPUT and self.is_uniform[args[0]]:
            k = self.uniform.setdefault(args[0], len(self.uniform))
            return f"UNIFORM({k})"
        return self.names[i]

    def _input(self, i: int, again: bool) -> str:
        s, k = self.slot_of[self.program.args[i][0]]
        if self.memory.stages:
            place = f"these + {self.in_place[s]} * BLOCK + me * {pitch_of(self.program.inputs[s].size)} + {k}"
            return f"*(volatile real*)({place})" if again else f"*({place})"
        return f"*(const volatile real*)(in{s} + {k})" if again else f"__ldg(in{s} + {k})"

    def _scratch(self, slot: int) -> str:
        place = self.home[slot]
        near = self.memory.near
        return f"near[{place} * BLOCK]" if place < near else f"far[{place - near}]"


def _described(slots: tuple[Slot, ...]) -> str:
    named = [s for s in slots if s.name != HOISTED]
    return "; ".join(f"{s.name}{list(s.shape)}" + (f" [{s.unit}]" if s.unit else "") for s in named)
