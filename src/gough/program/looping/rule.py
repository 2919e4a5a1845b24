"""Which blocks run as loops.

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
"""

from dataclasses import dataclass

import numpy as np

from gough.program.graph import CONST, Graph
from gough.program.ops import Block, Call, ConstantMatvec, Op, Product, Solve
from gough.program.passes.expand_blocks import expand_block, expand_blocks
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program

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
        if op == Op.INPUT:
            varies[i] = not uniform[args[0]]
        elif op >= Op.BLOCK:
            varies[i] = True
        elif op != CONST:
            varies[i] = any(varies[k] for k in args)
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


def called_often(program: Program) -> set[int]:
    """BLOCK nodes that call a large program which others call, too: it is written once, as a function."""
    calls: dict[int, list[int]] = {}
    for i, op in enumerate(program.ops):
        if op == Op.BLOCK and isinstance(block := program.block(i), Call):
            assert isinstance(block.program, Program)
            if len(block.program.ops) >= LEAST_CALLED:
                calls.setdefault(id(block.program), []).append(i)
    return {i for found in calls.values() if len(found) > 1 for i in found}


def expand_others(program: Program) -> Program:
    """The same program with every block written out that should not run as a loop or stay a call."""
    kept = blocks_as_loops(program) | called_often(program)
    if not kept:
        return expand_blocks(program)
    graph = Graph()
    numbers = iter([i in kept for i, op in enumerate(program.ops) if op == Op.BLOCK])

    def rule(graph: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        if next(numbers):
            return graph.block(block, operands)
        return expand_block(graph, block, operands)

    return finish(program, graph, replay(program, graph, rule))
