"""Which blocks run as loops.

Straight code has every operation written down: structural zeros cost nothing and products with them fold, but its time for
compiling and its share of the caches grow with the work. A loop does all n³/6 products of a positive definite solve, or
n·k·m of a product, with a fixed small code. Solves that are not positive definite are always written out: their size is
that of joints, not of modes, and most of their entries are zeros.
"""

import numpy as np

from gough.program.graph import CONST, Graph
from gough.program.ops import Block, Call, Op, Product, Solve
from gough.program.passes.expand_blocks import expand_block, expand_blocks
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program

LEAST_SOLVE, LEAST_PRODUCT = 15_000, 20_000
"""Multiplications, written out, from which a solve or a product may run as a loop."""
LEAST_CALLED = 300
"""Nodes from which a program that is called more than once stays a function."""
DENSE = 0.4
"""Least share of a loop's multiplications that straight code would need as well."""


def pays_as_loop(block: Block, filled: np.ndarray) -> bool:
    """Whether a block should run as a loop. filled (operands,): which operands are not the number zero."""
    if isinstance(block, Product):
        return block.n * block.k * block.m >= LEAST_PRODUCT  # only dense products are recorded as blocks
    if not isinstance(block, Solve) or not block.spd:
        return False
    n, m = block.n, block.m
    whole = n**3 / 6 + n * n * m
    if whole < LEAST_SOLVE:
        return False
    straight = sparse_work(filled[: n * n].reshape(n, n), filled[n * n :].reshape(n, m))
    return straight >= max(LEAST_SOLVE, DENSE * whole)


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
    kept = {i for i, op in enumerate(program.ops) if op == Op.BLOCK and _kept(program, i)} | called_often(program)
    if not kept:
        return expand_blocks(program)
    graph = Graph()
    numbers = iter([i in kept for i, op in enumerate(program.ops) if op == Op.BLOCK])

    def rule(graph: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        if next(numbers):
            return graph.block(block, operands)
        return expand_block(graph, block, operands)

    return finish(program, graph, replay(program, graph, rule))


def _kept(program: Program, i: int) -> bool:
    operands = program.args[i][1:]
    filled = np.array([program.ops[k] != CONST or program.args[k][0] != 0.0 for k in operands], dtype=bool)
    return pays_as_loop(program.block(i), filled)
