"""Large block operations that stay loops: which ones, and the program cut around them.

    kept = expand_others(program)       # only the blocks that pay as loops (blocks_as_loops) are left
    cut = cut_at_blocks(kept, machine)  # stages: straight programs and blocks in turn

A pivot of a solve that runs as a loop is checked against the block's floor, as it is when written out.

Straight code has every operation written down: structural zeros cost nothing, results nobody reads are left out, but its time
for compiling and its share of the caches grow with the work. A loop does all n³/6 + n² m multiply-adds of a positive definite
solve, or n k m of a product, with a fixed small code, and moves operands and results. Solves that are not positive definite
are always written out: their size is that of joints, not of modes, and most of their entries are zeros.

The rule compares expected times, measured on AVX-512 (2.8 GHz, 1.25 MB of second cache), in picoseconds a state: a multiply-add
of straight code takes 72 until its code fills half of the second cache, and then grows with the 0.3rd power of how many
there are in the whole program (measured on plates and beams, multiply-adds in thousands, picoseconds each):

    12 to 30: 72   38: 78   60: 83   88: 98   170: 111   210: 131   1290: 360 (beside other processes)

A loop takes 52 for each of a solve and 500 for each vector moved (n = 26: 120, 46: 83, 86: 57, 206: 63, 290: 66 in all), 67 and
150 in products. The largest block is looked at first: what becomes a loop makes the rest of the program smaller. Where times are
about equal the loop is taken: straight code takes 30 µs an operation to compile. benchmarks/modes_cost.json has the figures.

A node's level is the number of blocks before it on the longest way from the inputs. Stage by stage: the nodes of a level
as one program, then the blocks of that level. What is read outside of its own stage is an output of it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np

from gough.program.beside import Beside
from gough.program.graph import BLOCK, CONST, INPUT, ITEM, Graph
from gough.program.lowering import Machine
from gough.program.ops import Block, Call, ConstantMatvec, Op, Product, Solve
from gough.program.passes.expand_blocks import RESIDUAL_SQUARED, expand_block, expand_blocks
from gough.program.passes.outputs import guard_results
from gough.program.passes.rewrite import finish, replay
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages, lower_stage
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, LaneCheck, RolledStage, Source

LEAST = 4000
"""Multiply-adds, written out, from which a block may run as a loop."""
STRAIGHT, CACHED, GROWTH = 72.0, 30_000, 0.3
"""Picoseconds of a multiply-add written out; how many the caches hold; the power by which its time grows beyond."""
SOLVE, PRODUCT = (52.0, 500.0), (67.0, 150.0)
"""Picoseconds of a multiply-add in a loop, and of a vector moved in or out."""
MARGIN = 1.1
"""How much slower than straight code a loop may be expected to be."""
LEAST_CALLED = 300
"""Nodes from which a program that is called more than once stays a function."""
LEAST_SHARED = 2000
"""The same of a program that is called once, where others are expected to call it, too (see `expand_others`)."""


@dataclass(frozen=True)
class Weight:
    """Of one block: multiply-adds written out, and picoseconds as a loop, None where it has none."""

    written: int
    looped: float | None = None


def blocks_as_loops(program: Program) -> set[int]:
    """BLOCK nodes that should run as loops."""
    scalars, weights = weigh_program(program)
    total = scalars // 2 + sum(w.written for w in weights.values())
    found: set[int] = set()
    for i, w in sorted(weights.items(), key=lambda entry: -entry[1].written):
        if w.looped is not None and w.written >= LEAST and w.looped <= MARGIN * straight_time(w.written, total):
            found.add(i)
            total -= w.written
    return found


def weigh_program(program: Program) -> tuple[int, dict[int, Weight]]:
    """(operations outside of blocks that vary with the state, the weight of every BLOCK node)."""
    read: dict[int, list[int]] = {}
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.ITEM:
            read.setdefault(args[0], []).append(args[1])
    varies = varying(program)
    weights: dict[int, Weight] = {}
    for i, op in enumerate(program.ops):
        if op == Op.BLOCK:
            operands = program.args[i][1:]
            filled = np.array([program.ops[k] != CONST or program.args[k][0] != 0.0 for k in operands], dtype=bool)
            moved = np.array([varies[k] for k in operands], dtype=bool)
            weights[i] = weigh(program.block(i), filled, moved, read.get(i, []))
    scalars = sum(own and CONST < op < Op.BLOCK for op, own in zip(program.ops, varies, strict=True))
    return scalars, weights


def varying(program: Program) -> bytearray:
    """Which nodes (n,) vary with the state; work on uniform inputs alone is done once per design."""
    uniform = program.uniform_inputs().tolist()
    varies = bytearray(len(program.ops))
    for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if op == INPUT:
            varies[i] = not uniform[args[0]]
        elif op >= BLOCK:
            varies[i] = True
        elif op != CONST:
            varies[i] = max([varies[k] for k in args])
    return varies


def straight_time(written: int, total: int) -> float:
    """Picoseconds of `written` multiply-adds in a program of `total`."""
    return STRAIGHT * written * max(total / CACHED, 1.0) ** GROWTH


def weigh(block: Block, filled: np.ndarray, varies: np.ndarray, read: list[int]) -> Weight:
    """filled, varies (operands,): which operands are not the number zero, and which vary with the state; read: results
    somebody reads."""
    if isinstance(block, Product):
        return _weigh_product(block, filled, varies, read)
    if isinstance(block, Solve):
        n, m = block.n, block.m
        if not block.spd:
            return Weight(n**3 // 3 + n * n * m)
        moved = n * (n + 1) // 2 + 2 * n * m
        written = sparse_work(filled[: n * n].reshape(n, n), filled[n * n :].reshape(n, m))
        if block.negative:
            return Weight(written)
        return Weight(written, SOLVE[0] * (n**3 / 6 + n * n * m) + SOLVE[1] * moved)
    if isinstance(block, ConstantMatvec):
        return Weight(sum(x != 0.0 for row in block.matrix for x in row))
    assert isinstance(block, Call) and isinstance(block.program, Program)
    return Weight(len(block.program.ops) // 2)


def _weigh_product(block: Product, filled: np.ndarray, varies: np.ndarray, read: list[int]) -> Weight:
    n, k, m = block.n, block.k, block.m
    left = filled[: n * k].reshape(n, k).astype(int)
    right = filled[n * k :].reshape(k, m).astype(int)
    written = int((left @ right).ravel()[read].sum())
    moved = k * m + len(read) + (n * k if varies[: n * k].any() else 0)  # what is uniform stays where it is
    return Weight(written, PRODUCT[0] * k * len(read) + PRODUCT[1] * moved)


def sparse_work(matrix: np.ndarray, rhs: np.ndarray) -> int:
    """Multiplications of LDLᵀ (n, n) and its right-hand sides (n, m) in the natural order, structural zeros left out."""
    a, b = matrix.copy(), rhs.copy()
    work = 0
    for k in range(len(a)):
        below = np.flatnonzero(a[k + 1 :, k]) + k + 1
        work += len(below) * (len(below) + 3) // 2 + 2 * len(below) * int(b[k].sum()) + int(b[k].sum())
        a[np.ix_(below, below)] = True
        b[below] |= b[k]
    return work


def repeated_calls(program: Program, shared: bool = False) -> set[int]:
    """BLOCK nodes that call a large program which others call, too: it is written once, as a function. shared: also those that
    call a program once, if it is larger still and does not work on uniform inputs alone."""
    calls: dict[int, list[int]] = {}
    for i, op in enumerate(program.ops):
        if op == Op.BLOCK and isinstance(block := program.block(i), Call):
            assert isinstance(block.program, Program)
            if len(block.program.ops) >= LEAST_CALLED:
                calls.setdefault(id(block.program), []).append(i)
    found = {i for same in calls.values() if len(same) > 1 for i in same}
    alone = [same[0] for same in calls.values() if len(same) == 1] if shared else []
    large = [i for i in alone if len(program.block(i).program.ops) >= LEAST_SHARED]  # pyright: ignore[reportAttributeAccessIssue]
    if large:
        varies = varying(program)
        found |= {i for i in large if any(varies[k] for k in program.operands(i))}
    return found


def expand_others(program: Program, shared: bool = False) -> Program:
    """The same program with every block written out that should not run as a loop or stay a call. shared: the program is one of
    several that call the same ones, as the loops of a simulation do: what they share is made ready once."""
    return expand_except(program, blocks_as_loops(program) | repeated_calls(program, shared))


def expand_except(
    program: Program, kept: Collection[int], checks: bool = True, residual: float = RESIDUAL_SQUARED
) -> Program:
    """The same program with every block written out but those `kept`. checks: False leaves out those of solves. residual: see
    `expand_blocks`."""
    if not kept:
        return expand_blocks(program, checks, residual)
    graph = Graph()
    numbers = iter([i in kept for i, op in enumerate(program.ops) if op == Op.BLOCK])

    def rule(graph: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        if next(numbers):
            return graph.block(block, operands)
        return expand_block(graph, block, operands, checks, residual)

    return finish(program, graph, replay(program, graph, rule))


@dataclass(frozen=True, eq=False)
class Called:
    """A program that is called: its own stages; uniform: positions in the calling program of its uniform inputs, or
    numbers; None for others. The same object at every call that may share its code."""

    stages: LoweredStages
    uniform: tuple[int | float | None, ...]
    outputs: int


_made_ready = Beside()
"""Stages of programs that are called."""


def cut_at_blocks(program: Program, machine: Machine) -> LoweredStages:
    """Stages of a program with blocks, each made ready for a machine."""
    return _Cutter(program, machine).cut()


def cut_for_text(program: Program, rewrite: Callable[[Program], Program]) -> LoweredStages:
    """The same with stages made ready by `rewrite` alone, and results not checked: for text that a compiler makes ready and that
    looks at its results itself. No calls."""
    return _Cutter(program, rewrite).cut()


class _Cutter:
    def __init__(self, program: Program, machine: Machine | Callable[[Program], Program]) -> None:
        self.program, self.machine = program, machine
        self.results = set(program.results)
        self.numbers: list[float] = []
        self.sources: dict[int, Source] = {}  # of inputs, numbers, and what stages have made
        self.level = _levels(program)
        self.called: dict[tuple, Called] = {}
        self.read_by: dict[int, set[int]] = {}  # levels that read a node; blocks and results count as later ones

    def cut(self) -> LoweredStages:
        program, level = self.program, self.level
        last = max(level, default=0) + 1
        for i, op in enumerate(program.ops):
            for k in program.operands(i):
                self.read_by.setdefault(k, set()).add(last if op == Op.BLOCK else level[i])
        for i in program.results:
            self.read_by.setdefault(i, set()).add(last)
        stages: list[LoweredStage] = []
        by_level: list[list[int]] = [[] for _ in range(last)]
        blocks: list[list[int]] = [[] for _ in range(last)]
        for i, op in enumerate(program.ops):
            if op == Op.BLOCK:
                blocks[level[i]].append(i)
            elif op > Op.CONST and op != Op.ITEM:
                by_level[level[i]].append(i)
        done: list[list[int]] = []
        for nodes, after in zip(by_level, blocks, strict=True):
            if nodes or any(self._checked_here(c, len(done)) for c in program.checks):
                stages.append(self._straight(len(stages), nodes, len(done)))
            done.append(after)
            for i in after:
                stages.append(self._block(len(stages), i))
        results = tuple(self._source(i) for i in program.results)
        guard = [s for s in dict.fromkeys(results) if s.stage >= 0 and stages[s.stage].block is not None]
        if guard and isinstance(self.machine, Machine):
            stages.append(_guard(guard))
        return LoweredStages(program, 1, tuple(stages), results, tuple(self.numbers))

    def _source(self, i: int) -> Source:
        """Where a node's value is found."""
        if i not in self.sources:
            op, args = self.program.ops[i], self.program.args[i]
            if op == Op.INPUT:
                self.sources[i] = Source(-1, args[0])
            else:
                assert op == Op.CONST
                self.sources[i] = Source(-1, self.program.n_inputs + len(self.numbers))
                self.numbers.append(args[0])
        return self.sources[i]

    def _checked_here(self, check: NodeCheck, level: int) -> bool:
        """Whether a check belongs to a level: that of its node, which may be an input or a block's result."""
        return self.level[check.node] == level

    def _straight(self, number: int, nodes: list[int], level: int) -> LoweredStage:
        program, own = self.program, set(nodes)
        shared: dict[Source, int] = {}
        ops: list[int] = []
        args: list[tuple] = []
        notes: list[str] = []
        new: dict[int, int] = {}

        def add(i: int, op: int, operands: tuple) -> None:
            new[i] = len(ops)
            ops.append(op)
            args.append(operands)
            notes.append(program.notes[i] if program.notes else "")

        for i in nodes:
            for k in program.operands(i):
                if k in new:
                    continue
                if program.ops[k] == Op.CONST:
                    add(k, Op.CONST, program.args[k])
                elif k not in own:
                    source = self._source(k)
                    add(k, Op.INPUT, (shared.setdefault(source, len(shared)),))
            add(i, program.ops[i], tuple(new[k] for k in program.args[i]))
        checks = [c for c in program.checks if self._checked_here(c, level)]
        for c in checks:
            if c.node not in new:
                source = self._source(c.node)
                add(c.node, Op.INPUT, (shared.setdefault(source, len(shared)),))
        kept = [i for i in nodes if any(reader != level for reader in self.read_by.get(i, ()))]
        inner = Program(
            (Slot(SHARED, (len(shared),)), Slot(OWN, (0,))),
            (Slot(KEPT, (len(kept),)), Slot(SUMMED, (0,))),
            ops,
            args,
            tuple(new[i] for i in kept),
            tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in checks),
            notes,
            f"{program.name}, stage {number}",
        )
        for place, i in enumerate(kept):
            self.sources[i] = Source(number, place)
        if not isinstance(self.machine, Machine):
            return LoweredStage(self.machine(inner), 1, tuple(shared), ())
        wanted = {place for place, i in enumerate(kept) if i in self.results}
        stage = RolledStage(inner, 1, tuple(shared), (), tuple(LaneCheck((c.failure,), (c.minimum,)) for c in checks))
        return lower_stage(stage, self.machine, wanted, self.numbers, program.n_inputs)

    def _block(self, number: int, i: int) -> LoweredStage:
        program, block = self.program, self.program.block(i)
        operands = tuple(self._source(k) for k in program.operands(i))
        for k, place in self._items(i):
            self.sources[k] = Source(number, place)
        what = self._call(block, operands) if isinstance(block, Call) else block
        return LoweredStage(_empty(block, len(operands)), 1, operands, (), what)

    def _call(self, block: Call, operands: tuple[Source, ...]) -> Called:
        inner, machine = block.program, self.machine
        assert isinstance(inner, Program) and isinstance(machine, Machine)
        known = self.program.uniform_inputs().tolist()
        uniform: list[int | float | None] = [None] * inner.n_inputs
        for k, same in enumerate(inner.uniform_inputs().tolist()):
            if same:
                place = operands[k].place
                if operands[k].stage < 0 and place >= len(known):
                    uniform[k] = float(self.numbers[place - len(known)])
                elif operands[k].stage < 0 and known[place]:
                    uniform[k] = place
                else:
                    raise ValueError(f"uniform input {k} of {inner.name} is given something that varies")
        key = (id(inner), tuple(uniform))
        if key not in self.called:
            stages = _made_ready.get(inner, machine, lambda: cut_at_blocks(expand_others(inner), machine))
            self.called[key] = Called(stages, tuple(uniform), block.outputs)
        return self.called[key]

    def _items(self, block: int) -> Iterable[tuple[int, int]]:
        if not hasattr(self, "_items_of"):
            self._items_of: dict[int, list[tuple[int, int]]] = {}
            for k, op in enumerate(self.program.ops):
                if op == Op.ITEM:
                    self._items_of.setdefault(self.program.args[k][0], []).append((k, self.program.args[k][1]))
        return self._items_of.get(block, [])


def _guard(sources: list[Source]) -> LoweredStage:
    """A stage that checks that results of blocks are finite."""
    n = len(sources)
    inputs = (Slot(SHARED, (n,)), Slot(OWN, (0,)))
    nodes = list(range(n))
    program = Program(inputs, (Slot(KEPT, (0,)), Slot(SUMMED, (0,))), [Op.INPUT] * n, [(k,) for k in nodes], ())
    return LoweredStage(guard_results(program, nodes), 1, tuple(sources), ())


def _empty(block: Block, operands: int) -> Program:
    inputs = (Slot(SHARED, (operands,)), Slot(OWN, (0,)))
    return Program(inputs, (Slot(KEPT, (block.outputs,)), Slot(SUMMED, (0,))), [], [], (), name=type(block).__name__)


def _levels(program: Program) -> list[int]:
    """Level of every node; inputs and numbers are at hand on every level."""
    level = [0] * len(program.ops)
    for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if CONST < op < BLOCK:
            level[i] = max([level[k] for k in args])
        elif op >= BLOCK:
            before = max([level[k] for k in program.operands(i)], default=0)
            level[i] = before + 1 if op == ITEM else before
    return level
