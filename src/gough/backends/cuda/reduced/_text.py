"""The CUDA C++ text of a program whose results are reduced over the states of a design: one thread a design.

What follows from the design alone is computed first and kept in the thread's cells of shared memory. Then all threads of a block
go through the same states: their rows lie in shared memory too and are read by all at once. Results stay in registers; what
leaves is one number for each measure, and a status word. Inputs of the program `each`: a state's first (slot `STATE`), a
design's behind (slot `DESIGN`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gough.backends._cfamily import CUDA, Printer
from gough.backends.cuda._checks import StatusChecks, single_lane
from gough.backends.cuda._fixed_text import CONSTANTS, FUNCTIONS, HOST
from gough.backends.cuda._frame import results_of, short_number
from gough.backends.cuda._registers import RegisterPlan
from gough.backends.cuda._text import PlannedCode
from gough.backends.reductions import CONDITION, ReducedMeasure
from gough.errors import Failure
from gough.program.ops import Op
from gough.program.program import Program
from gough.program.rolling import LaneCheck

DESIGN, STATE = "design", "state"
HEAD = r"""
#ifdef GOUGH_HOST
#define ROW_STEP 1
#else
#define ROW_STEP (int)sizeof(real)
#endif
#define ENDLESS joined(0x7ff00000, 0)
struct Arguments {
  long long n;                 // designs
  long long states, rows;      // of a design; of them in shared memory at once
  unsigned* status;
  const real *designs, *table; // a row of inputs for each design, a row of numbers for each state
  real* out;                   // a row of measures for each design
};
"""


@dataclass(frozen=True)
class ReducedText:
    """Source; names of the status bits; scalars of shared memory that a thread has, and a state's row."""

    source: str
    bits: tuple[Failure, ...]
    cells: int
    row: int


def write_reduced(
    once: Program, each: Program, plan: RegisterPlan, measures: Sequence[ReducedMeasure], block: int, dense: int = 0
) -> ReducedText:
    """once: from the inputs of a design to the slot DESIGN; each: of a state, an output slot for each part of the measures."""
    return _ReducedKernel(once, each, plan, tuple(measures), block, dense).write()


class _ReducedKernel(PlannedCode):
    indent = "      "

    def __init__(
        self,
        once: Program,
        each: Program,
        plan: RegisterPlan,
        measures: tuple[ReducedMeasure, ...],
        block: int,
        dense: int,
    ) -> None:
        super().__init__(each, CUDA)
        self.once, self.plan, self.measures, self.block, self.dense = once, plan, measures, block, dense
        self.checks = StatusChecks((), [single_lane(c) for c in each.checks], 1, CUDA)
        self.tested: dict[int, list[LaneCheck]] = {}
        for check in each.checks:
            self.tested.setdefault(check.node, []).append(single_lane(check))
        self.results = results_of(each)
        self.numbers: dict[float, int] = {}
        sizes = {s.name: s.size for s in each.inputs}
        self.state_inputs, self.design_inputs = sizes[STATE], sizes[DESIGN]
        self.measure_of = [(m, part) for m in measures for part in m.parts]
        self.cell_of: dict[int, int] = {}
        self.cells = self.design_inputs + plan.slots
        for k, m in enumerate(measures):
            self.cell_of[k] = self.cells
            self.cells += m.cells

    # ---------------------------------------------------------------- words

    def number(self, x: float) -> str:
        """A number as an operand."""
        if short_number(x):
            return self.dialect.number(x)
        return f"NUMBER({self.numbers.setdefault(x, len(self.numbers))})"

    def operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        return self.number(args[0]) if op == Op.CONST else self.names[i]

    def read(self, i: int) -> str:
        place = self.program.args[i][0]
        return f"OWN({place})" if place < self.state_inputs else f"NEAR(cells, {place - self.state_inputs})"

    def scratch(self, slot: int) -> str:
        return f"NEAR(cells, {self.design_inputs + slot})"

    def store(self, slot: int, x: str) -> str:
        return f"KEEP(cells, {self.design_inputs + slot}, {x});"

    def finish(self, i: int) -> list[str]:
        checks, results = self.tested.get(i, ()), self.results.get(i, ())
        if not checks and not results:
            return []
        x = self.read(i) if self.program.ops[i] == Op.INPUT else self.operand(i)
        lines = [self.checks.line(check, x) for check in checks]
        lines += [self.checks.of_result(x)] if results else []
        for s, k in results:
            lines += self._taken(s, k, x)
        return lines

    # ---------------------------------------------------------------- measures

    def _weight(self, k: int) -> str:
        """A measure's weight of a state: behind the state's inputs in its row."""
        return f"OWN({self.state_inputs + k})"

    def _taken(self, s: int, entry: int, x: str) -> list[str]:
        """An entry of output slot s."""
        measure, part = self.measure_of[s]
        k = self.measures.index(measure)
        if part.kind == CONDITION:
            return [f"      matrix{s}[{entry}] = {x};"]
        at = self.cell_of[k] + sum(p.entries for p in measure.parts[: measure.parts.index(part)]) + entry
        return self._reduced(k, x, at)

    def _reduced(self, k: int, x: str, entry_cell: int) -> list[str]:
        how, a, cell = self.measures[k].how, f"sum{k}", entry_cell
        if how == "peak":
            return [f"      {a} = fmax({a}, fabs({x}));"]
        if how == "largest":
            return [f"      {a} = fmax({a}, {x});"]
        if how == "smallest":
            return [f"      {a} = fmin({a}, {x});"]
        if how == "sum":
            return [f"      {a} = fma({x}, {self._weight(k)}, {a});"]
        if how == "gain":
            return [f"      {a} = fma(fmax({x}, (real)0), {self._weight(k)}, {a});"]
        if how == "rms":
            return [f"      KEEP(cells, {cell}, fma({x} * {x}, {self._weight(k)}, NEAR(cells, {cell})));"]
        top, low = self._range_cells(k, entry_cell)
        return [
            f"      KEEP(cells, {top}, fmax(NEAR(cells, {top}), {x}));",
            f"      KEEP(cells, {low}, fmin(NEAR(cells, {low}), {x}));",
        ]

    def _range_cells(self, k: int, cell: int) -> tuple[int, int]:
        return cell, cell + self.measures[k].entries

    def _began(self) -> list[str]:
        lines = []
        for k, m in enumerate(self.measures):
            first = {"largest": "-ENDLESS", "smallest": "ENDLESS"}.get(m.how, "(real)0")
            if not m.cells:
                lines.append(f"    real sum{k} = {first};")
            for j in range(m.cells):
                start = "(real)0" if m.how == "rms" else "-ENDLESS" if j < m.entries else "ENDLESS"
                lines.append(f"    KEEP(cells, {self.cell_of[k] + j}, {start});")
        return lines

    def _ended(self) -> list[str]:
        lines = ["    if (mine) {", f"      real* const out = a.out + i * {len(self.measures)};"]
        for k, m in enumerate(self.measures):
            value = f"sum{k}"
            if m.cells:
                at = self.cell_of[k]
                words = [f"NEAR(cells, {at + j})" for j in range(m.entries)]
                if m.how == "range":
                    words = [f"{w} - NEAR(cells, {at + m.entries + j})" for j, w in enumerate(words)]
                lines.append(f"      real most{k} = {words[0]};")
                lines += [f"      most{k} = fmax(most{k}, {w});" for w in words[1:]]
                value = f"sqrt(most{k})" if m.how == "rms" else f"most{k}"
            lines.append(f"      out[{k}] = {value};")
        return [*lines, "      a.status[i] = word;", "    }"]

    def _conditions(self) -> tuple[list[str], list[str]]:
        """(declared before a state's steps, done behind them) of measures of matrices."""
        before, behind = [], []
        for s, (m, part) in enumerate(self.measure_of):
            if part.kind == CONDITION:
                k, rows, columns = self.measures.index(m), *part.shape
                free = {entry for at in self.results.values() for own, entry in at if own == s}
                before.append(f"      real matrix{s}[{rows * columns}];")
                before += [f"      matrix{s}[{e}] = (real)0;" for e in range(rows * columns) if e not in free]
                at = self.cell_of[k] + sum(p.entries for p in m.parts[: m.parts.index(part)])
                behind.append(f"      const real own{s} = reciprocal_condition<{rows}, {columns}>(matrix{s});")
                behind += [self.checks.of_result(f"own{s}"), *self._reduced(k, f"own{s}", at)]
        return before, behind

    # ---------------------------------------------------------------- the whole

    def _design_lines(self) -> list[str]:
        """Numbers of a design into its cells."""
        printer, lines = Printer(self.dialect), []
        inputs = {k: f"__ldg(given + {k})" for k in range(self.once.n_inputs)}
        words = printer.write(self.once, inputs, lines)
        lines = ["    " + line for line in lines if line and not line.startswith("/*")]
        return lines + [f"    KEEP(cells, {k}, {words[node]});" for k, node in enumerate(self.once.results)]

    def write(self) -> ReducedText:
        """The text."""
        before, behind = self._conditions()
        body = [*before, *self.leaves()]
        for step in self.plan.steps:
            body += self.step(step)
        body += behind
        row = self.state_inputs + len(self.measures)
        kernel = self._kernel(body, row)
        numbers = ", ".join(self.dialect.number(x) for x in self.numbers) or "0"
        tally = ", ".join(f"{v} {k}" for k, v in self.plan.tally().items())
        head = [
            f"// {self.program.name}, one thread a design",
            f"// steps of a state: {tally}; {self.cells} cells of a thread, {row} numbers of a state in shared memory",
            f"#ifndef BLOCK\n#define BLOCK {self.block}\n#endif",
            "typedef double real;",
            HOST + FUNCTIONS,
            f'extern "C" {{ __constant__ real numbers[] = {{{numbers}}}; }}',
            "#define SLOTS 1\n#define UNIFORM_AT 0",
            CONSTANTS,
            HEAD,
            CONDITIONS if before else "",
        ]
        return ReducedText("\n".join([*head, *kernel, ""]), self.checks.bits, self.cells, row)

    def _kernel(self, body: list[str], row: int) -> list[str]:
        least = f", {self.dense}" if self.dense else ""
        return [
            "#ifdef GOUGH_HOST",
            "static real tile[1 << 16];",
            "#else",
            "extern __shared__ __align__(16) unsigned char shared[];",
            "#endif",
            f'extern "C" __global__ void __launch_bounds__(BLOCK{least}) reduced(const __grid_constant__ Arguments a) {{',
            "#ifndef GOUGH_HOST",
            "  real* const tile = (real*)shared;",
            "#endif",
            "  const int me = threadIdx.x;",
            "  const auto cells = NEAR_START(tile + me);",
            f"  real* const rows = tile + {self.cells} * BLOCK;",
            "  const long long stride = (long long)gridDim.x * BLOCK;",
            "  bool there = false;  // whether the rows of all states are",
            "  for (long long first = (long long)blockIdx.x * BLOCK; first < a.n; first += stride) {",
            "    const long long i = first + me;",
            "    const bool mine = i < a.n;",
            f"    const real* const given = a.designs + (mine ? i : a.n - 1) * {self.once.n_inputs};",
            *["    {", *self._design_lines(), "    }"],
            *self.checks.declarations(),
            *self._began(),
            "    for (long long begin = 0; begin < a.states; begin += a.rows) {",
            "      const int count = a.states - begin < a.rows ? (int)(a.states - begin) : (int)a.rows;",
            "      if (!there) {",
            "        __syncthreads();",
            f"        for (int k = me; k < count * {row}; k += BLOCK) rows[k] = a.table[begin * {row} + k];",
            "        __syncthreads();",
            "        there = a.rows >= a.states;",
            "      }",
            "      auto own = NEAR_START(rows);",
            "#pragma unroll 1",
            f"      for (int state = 0; state < count; state++, own += {row} * ROW_STEP) {{",
            *body,
            "      }",
            "    }",
            *self.checks.status_lines(),
            *self._ended(),
            "  }",
            "}",
        ]


CONDITIONS = r"""
// Smallest over largest singular value of a matrix (K, L), K <= L: roots of the ends of the spectrum of A A', which is brought to
// a tridiagonal form by reflections. From outside Laguerre's method goes to the end of a spectrum without passing it.
template <int K> __device__ __forceinline__ real spectrum_end(const real* d, const real* e, real x, const real way) {
#pragma unroll 1
  for (int turn = 0; turn < 80; turn++) {
    real p = d[0] - x, p1 = (real)-1, p2 = (real)0, q = (real)1, q1 = (real)0, q2 = (real)0;
#pragma unroll
    for (int k = 1; k < K; k++) {
      const real a = d[k] - x, b = e[k - 1];
      const real r2 = fma(a, p2, fma((real)-2, p1, -b * q2)), r1 = fma(a, p1, -fma(b, q1, p)), r = fma(a, p, -b * q);
      q2 = p2, q1 = p1, q = p, p2 = r2, p1 = r1, p = r;
    }
    if (p == (real)0) break;
    const real h = fma((real)(K - 1) * p1, p1, -(real)K * p * p2) * (real)(K - 1);
    const real root = sqrt(fmax(h, (real)0));
    const real step = (real)K * p / (p1 < (real)0 ? p1 - root : p1 + root);
    const real next = x - step;
    if (!((next - x) * way > (real)2e-16 * fabs(x))) break;  // at the end, or beyond it by rounding
    x = next;
  }
  return x;
}
template <int K, int L> __device__ __forceinline__ real reciprocal_condition(const real* m) {
  real s[K][K], trace = (real)0;
#pragma unroll
  for (int i = 0; i < K; i++)
#pragma unroll
    for (int j = 0; j <= i; j++) {
      real sum = (real)0;
#pragma unroll
      for (int k = 0; k < L; k++) sum = fma(m[i * L + k], m[j * L + k], sum);
      s[i][j] = sum;
      if (i == j) trace += sum;
    }
  if (K == 1) return sqrt(trace) / fmax(sqrt(trace), (real)1);
  const real scale = (real)1 / trace;  // NaN where there is nothing, or no number
#pragma unroll
  for (int i = 0; i < K; i++)
#pragma unroll
    for (int j = 0; j <= i; j++) s[i][j] *= scale;
  real d[K], e[K];
#pragma unroll
  for (int c = 0; c < K - 1; c++) {  // the column c below the diagonal becomes (y, 0, 0, ...)
    real square = (real)0;
#pragma unroll
    for (int i = c + 2; i < K; i++) square = fma(s[i][c], s[i][c], square);
    const real whole = fma(s[c + 1][c], s[c + 1][c], square);
    e[c] = whole;
    if (square > (real)0) {
      const real length = sqrt(whole), y = s[c + 1][c];
      real v[K], w[K];
#pragma unroll
      for (int i = c + 1; i < K; i++) v[i] = s[i][c];
      v[c + 1] = y + (y < (real)0 ? -length : length);
      const real beta = (real)1 / (length * (length + fabs(y)));
      real along = (real)0;
#pragma unroll
      for (int i = c + 1; i < K; i++) {
        real sum = (real)0;
#pragma unroll
        for (int j = c + 1; j < K; j++) sum = fma(j <= i ? s[i][j] : s[j][i], v[j], sum);
        w[i] = beta * sum;
        along = fma(w[i], v[i], along);
      }
      along *= (real)0.5 * beta;
#pragma unroll
      for (int i = c + 1; i < K; i++) w[i] = fma(-along, v[i], w[i]);
#pragma unroll
      for (int i = c + 1; i < K; i++)
#pragma unroll
        for (int j = c + 1; j <= i; j++) s[i][j] -= v[i] * w[j] + w[i] * v[j];
    }
    d[c] = s[c][c];
  }
  d[K - 1] = s[K - 1][K - 1];
  const real low = spectrum_end<K>(d, e, (real)0, (real)1), high = spectrum_end<K>(d, e, (real)1, (real)-1);
  return trace > (real)0 && trace < ENDLESS ? sqrt(fmax(low, (real)0) / high) : joined(0x7ff80000, 0);
}
"""
