"""The CUDA text of a time loop.

    march: for every turn, the functions of the program; a run that fails a check keeps its last good state and does no more.

A run has one thread, or a team of threads in as many warps: each of them does its pieces of a round, and all wait for each other.
Threads of a failed run of a team go on computing for nothing, since they are waited for.

Arrays are those of blocks of BLOCK runs, entry by entry: a warp's accesses lie side by side. Numbers and uniform inputs are a
table in constant memory while there is room, operands of the arithmetic itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from gough.backends._cfamily import CUDA
from gough.backends.cuda._fixed_text import TIME_LOOP
from gough.backends.cuda._frame import short_number
from gough.backends.cuda.march._cells import accesses_of, settle_cells
from gough.backends.cuda.march._functions import (
    BlockLoops,
    Calling,
    Cells,
    LaneWords,
    Straight,
    ThreadFunction,
    ThreadFunctions,
    Word,
)
from gough.backends.cuda.march._pieces import ALL
from gough.backends.cuda.march._straight import StraightWriter
from gough.backends.cuda.march._team import Team
from gough.program.ops import Product, Solve

LARGEST_TABLE = 8000
"""Entries of a table in constant memory (64 KB)."""


@dataclass(frozen=True)
class MarchText:
    """source; table: entries, numbers or positions of uniform inputs; near, far: cells of a thread in shared memory, and in
    memory of its own with what loops work on."""

    source: str
    table: tuple[float | int, ...]
    near: int
    far: int


@dataclass(frozen=True)
class Shape:
    """Entries of a run: state, own, record; result numbers of the state's and the record's first entry."""

    state: int
    own: int
    record: int
    state_at: int
    record_at: int


def write_text(functions: ThreadFunctions, shape: Shape, name: str, team: Team) -> MarchText:
    """Source of the loop."""
    near = team.near
    counting = _LoopWriter(functions, team, {})
    counting.lines(shape)
    exchange = counting.buffers * team.legs * team.abreast
    homes = settle_cells(counting.uses, near - exchange)
    near = sum(home[0] == "NEAR" for home in homes.values())
    far = len(homes) - near
    writer = _LoopWriter(functions, team, homes, far)
    lines = writer.lines(shape)
    accesses = accesses_of(counting.uses, homes)
    numbers = len(writer.table)
    few = numbers <= LARGEST_TABLE
    head = [
        f"// {name}: a time loop, " + ("one thread a run" if team.threads == 1 else f"{team.threads} threads a run"),
        f"// cells (accesses a turn): {near} in shared memory ({accesses['NEAR']}), {far} beyond ({accesses['FAR']})",
        f"#ifndef BLOCK\n#define BLOCK {team.runs}\n#endif",
        f"#define TEAM {team.threads}",
        f"#define LEGS {team.legs}",
        f"#define ABREAST {team.abreast}",
        f"#define THREADS {team.of_block}",
        f"#define EXCHANGE {near}",
        f"#define SHARED_CELLS {near + exchange}",
        "#define LANES ((BLOCK + 31) / 32 * 32)  // threads for the runs of a block: whole warps",
        "typedef double real;",
        "#ifndef GOUGH_HOST",
        f'extern "C" {{ __constant__ real numbers[{max(numbers, 1)}]; }}' if few else "#define TABLE_IN_MEMORY",
        "#endif",
        TIME_LOOP,
    ]
    source = "\n".join([*head, *lines, ""])
    return MarchText(source, tuple(writer.table), near + exchange, far + writer.work)


class _LoopWriter:
    def __init__(
        self, functions: ThreadFunctions, team: Team, homes: Mapping[int, tuple[str, str, int]], work_at: int = 0
    ) -> None:
        self.functions, self.team, self.homes, self.work_at = functions, team, homes, work_at
        self.near = sum(home[0] == "NEAR" for home in homes.values())
        self.uses: dict[int | Cells, int] = {}
        self.table: list[float | int] = []
        self._table_at: dict[float | int | tuple, int] = {}
        self.work = 0
        self.weight = self.legs = 1
        self.buffers = 0
        self.count = 0

    def lines(self, shape: Shape) -> list[str]:
        """All functions, then the kernel."""
        lines: list[str] = []
        bodies: list[list[str]] = []
        for body, times in zip(self.functions.callees, self.functions.times, strict=True):
            self.weight = times
            made, calls = self._body(body)
            number = len(bodies)
            bodies.append(calls)
            lines += [*made, f"__device__ __noinline__ unsigned called_{number}(WHERE) {{", "  unsigned word = 0u;"]
            lines += [*(["  const int warp = WARP;"] if self.team.threads > 1 else ()), *calls, "  return word;", "}"]
        self.weight = 1
        made, calls = self._body(self.functions.body)
        return [*lines, *made, *self._kernel(shape, calls)]

    # ---------------------------------------------------------------- words

    def load(self, cell: int | Cells) -> str:
        """A cell as an operand."""
        name, _, k = self._home(cell)
        return f"{name}({k})"

    def store(self, cell: int | Cells, x: str) -> str:
        """The statement that fills a cell."""
        _, name, k = self._home(cell)
        return f"{name}({k}, {x});"

    def _home(self, cell: int | Cells) -> tuple[str, str, int]:
        self.uses[cell] = self.uses.get(cell, 0) + self.weight * self.legs
        first = cell[0] if isinstance(cell, tuple) else cell
        name, put, k = self.homes.get(first, ("FAR", "PUT", first))
        if isinstance(cell, int):
            return name, put, k
        own = "OWN" if len(cell) == self.team.legs else "AT"
        return f"{name}_{own}", f"{put}_{own}", k

    def place_of_sums(self, cells: Cells) -> tuple[str, int]:
        """Where a group of sums lies. Asked for every term: all legs wait for these cells, they had better be near."""
        name, _, k = self._home(cells)
        return name.removesuffix("_OWN"), k

    def word(self, word: Word | LaneWords) -> str:
        """An operand from where it lies."""
        if isinstance(word, LaneWords):
            cells = word.cells
            return self._entries(word.words) if cells is None else self.load(cells)
        if word.kind == "cell":
            return self.load(int(word.value))
        if word.kind == "given":
            return f"GIVEN({word.value})"
        if word.kind == "own":
            return f"OWN({word.value})"
        return self.number(word.value) if word.kind == "number" else self._entry(int(word.value))

    def number(self, x: float) -> str:
        """A number as an operand: in the instruction where it is short, else in the table."""
        return CUDA.number(x) if short_number(x) else self._entry(float(x))

    def _entries(self, words: tuple[Word, ...]) -> str:
        """A number a lane."""
        if words not in self._table_at:
            self._table_at[words] = len(self.table)
            self.table += [int(w.value) if w.kind == "uniform" else float(w.value) for w in words]
        return f"TABLE_OWN({self._table_at[words]})"

    def _entry(self, what: float | int) -> str:
        key = (type(what).__name__, what)
        if key not in self._table_at:
            self._table_at[key] = len(self.table)
            self.table.append(what)
        return f"TABLE({self._table_at[key]})"

    # ---------------------------------------------------------------- functions

    def _body(self, body: Sequence[ThreadFunction]) -> tuple[list[str], list[str]]:
        """(text of the functions, statements that run them)."""
        lines: list[str] = []
        calls: list[str] = []
        for _, functions in groupby(body, key=lambda f: f.post.round):
            shares: list[list[str]] = [[] for _ in range(self.team.threads)]
            for f in functions:
                if isinstance(f, Calling):
                    calls += self.share_out([self.store(cell, self.word(word)) for word, cell in f.given])
                    calls.append(f"  word |= called_{f.callee}(HERE);")
                    calls += self.share_out([self.store(b, self.load(a)) for a, b in f.taken])
                    continue
                name = f"part_{self.count}"
                self.count += 1
                self.legs = self.team.legs if f.post.warp == ALL else 1
                if isinstance(f, Straight):
                    writer = StraightWriter(self, f)
                    text, sums = writer.lines(), len(f.sums)
                    self.buffers = max(self.buffers, writer.buffers)
                else:
                    *tables, last = self._loops(name, f)
                    lines += tables
                    text, sums = [last], 0
                self.legs = 1
                where = "WHERE_OWN" if f.post.warp == ALL else "WHERE"
                lines += [f"__device__ __noinline__ unsigned {name}({where}) {{", "  unsigned word = 0u;", *text]
                lines += ["  return word;", "}"]
                if f.post.warp == ALL:
                    calls += [f"  EACH_LEG({name}, {sums})", "  __syncthreads();"]
                else:
                    shares[f.post.warp].append(f"word |= {name}(HERE);")
            calls += self._by_warps(shares)
        return lines, calls

    def share_out(self, statements: list[str]) -> list[str]:
        """Statements that may run at the same time, dealt to all warps; then they wait for each other."""
        team = self.team.threads
        return self._by_warps([statements[k::team] for k in range(team)])

    def _by_warps(self, shares: list[list[str]]) -> list[str]:
        if not any(shares):
            return []
        if len(shares) == 1:
            return [f"  {x}" for x in shares[0]]
        cases = [f"    case {k}: {' '.join(share)} break;" for k, share in enumerate(shares) if share]
        return ["  EACH_WARP switch (warp) {", *cases, "  }", "  __syncthreads();"]

    def _loops(self, name: str, f: BlockLoops) -> list[str]:
        """Tables before the function, then its text as the last entry."""
        block, before = f.block, []
        text = [f"  real* const work = far + {self.work_at}LL * BLOCK;"]
        text += [f"  AT({k}) = {self.word(w)};" for k, w in enumerate(f.words)]
        if isinstance(block, Solve):
            n, m = block.n, block.m
            floors = [block.floor[k] if k < len(block.floor) else 0.0 for k in range(n)]
            values = ", ".join(CUDA.number(x) for x in floors)
            before.append(f"__constant__ real floors_{name}[] = {{{values}}};")
            checked = "true" if block.failure else "false"
            text.append(f"  word |= solve_symmetric<{n}, {m}, {checked}>(work, floors_{name});")
            self.work, at = max(self.work, n * n + n * m + n), n * n
        else:
            assert isinstance(block, Product)
            n, k, m = block.n, block.k, block.m
            text.append(f"  multiply<{n}, {k}, {m}>(work);")
            at = n * k + k * m
            self.work = max(self.work, at + n * m)
        text += [f"  {self.store(c, f'AT({at + j})')}" for j, cells in enumerate(f.outputs) for c in cells]
        return [*before, "\n".join(text)]

    # ---------------------------------------------------------------- the kernel

    def _kernel(self, shape: Shape, calls: list[str]) -> list[str]:
        results, team = self.functions.results, self.team.threads
        record = [results[shape.record_at + k] for k in range(shape.record)]
        cells = self.share_out([self.store(k, f"state[{k} * BLOCK]") for k in range(shape.state)])
        back = self.share_out([f"state[{k} * BLOCK] = {self.load(k)};" for k in range(shape.state)])
        moved: list[str] = []
        for share in range(team):  # a warp's loads before its stores: they are on their way together
            mine = [(results[shape.state_at + k], k) for k in range(share, shape.state, team)]
            loads = [f"const real x{k} = {self.load(cell)};" for cell, k in mine]
            moved.append("{ " + " ".join([*loads, *(self.store(k, f"x{k}") for _, k in mine)]) + " }")
        kept = self.share_out([f"to[{k} * BLOCK] = {self.load(cell)};" for k, cell in enumerate(record)])
        return [
            "struct Arguments {",
            "  long long steps, first, every, stride, done, tiles;",
            "  real *state, *record, *far;",
            "  const real *own, *given, *table;",
            "  long long* failed;",
            "  unsigned* status;",
            "};",
            f"#define FAR_CELLS {self.work_at}LL + {self.work}",
            'extern "C" __global__ void __launch_bounds__(THREADS) march(const __grid_constant__ Arguments a) {',
            "  const int me = ME;",
            "  const long long tile = blockIdx.x, i = tile * BLOCK + me;",
            f"  real* const state = a.state + tile * {shape.state} * BLOCK + me;",
            f"  const real* const own = a.own + tile * {shape.own} * BLOCK + me;",
            "  const real* const table = a.table;",
            "  real* const far = a.far + tile * (FAR_CELLS) * BLOCK + me;",
            "#ifdef GOUGH_HOST",
            "  real* const near = shared_cells;",
            "#else",
            "  const unsigned near = (unsigned)__cvta_generic_to_shared((real*)shared + me);",
            "#endif",
            "  long long failed = a.failed[i], due = a.first;",
            f"  real* to = a.record + tile * {shape.record} * BLOCK + me;",
            *(self._alone if team == 1 else self._together)(calls, cells, moved, kept, back, shape),
            "}",
        ]

    def _alone(
        self, calls: list[str], cells: list[str], moved: list[str], kept: list[str], back: list[str], shape: Shape
    ) -> list[str]:
        """One warp a block: a run that fails is left."""
        return [
            "  if (failed >= 0) return;",
            *cells,
            "  for (long long step = 0; step < a.steps; step++) {",
            "    const real* const given = a.given + step * a.stride;",
            "    unsigned word = 0u;",
            *calls,
            "    if (word) {",
            "      a.failed[i] = failed = a.done + step;",
            "      a.status[i] = word;",
            "      break;",
            "    }",
            *moved,
            "    if (--due == 0) {",
            "      due = a.every;",
            *kept,
            f"      to += a.tiles * {shape.record} * BLOCK;",
            "    }",
            "  }",
            *back,
        ]

    def _together(
        self, calls: list[str], cells: list[str], moved: list[str], kept: list[str], back: list[str], shape: Shape
    ) -> list[str]:
        """A team: all of its threads stay until the end."""
        cases = [f"    case {k}: {text} break;" for k, text in enumerate(moved)]
        return [
            "  bool alive = failed < 0;",
            "  const int warp = WARP;",
            "  if (warp == 0) failing[me] = 0u;",
            *cells,
            "  __syncthreads();",
            "  for (long long step = 0; step < a.steps; step++) {",
            "    const real* const given = a.given + step * a.stride;",
            "    unsigned word = 0u;",
            *calls,
            "    if (word) atomicOr(failing + me, word);",
            "    __syncthreads();",
            "    if (alive && failing[me]) {",
            "      alive = false;",
            "      if (warp == 0) {",
            "        a.failed[i] = a.done + step;",
            "        a.status[i] = failing[me];",
            "      }",
            "    }",
            "    if (alive) {",
            "    EACH_WARP switch (warp) {",
            *cases,
            "    }",
            "    }",
            "    if (--due == 0) {",
            "      due = a.every;",
            "      if (alive) {",
            *[line for line in kept if "__syncthreads" not in line],
            "      }",
            f"      to += a.tiles * {shape.record} * BLOCK;",
            "    }",
            "    __syncthreads();",
            "  }",
            *back,
        ]
