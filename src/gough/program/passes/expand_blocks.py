"""Expand block operations to scalar operations, or calls of sub-programs alone to their bodies.

With `checks`, every pivot of a solve is checked against the block's floor, and eliminations also by their residual."""

from gough.program._scalar_solve import dot_nodes, scalar_solve
from gough.program.graph import ABS, ADD, CONST, Graph
from gough.program.ops import Block, Call, ConstantMatvec, Product, Solve
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program

RESIDUAL_SQUARED, SINGLE_SQUARED = 1e-18, 1e-6
"""Accepted |A x - b|² / |b|² of an elimination in double precision, and in single."""


def expand_blocks(
    program: Program, checks: bool = True, residual: float = RESIDUAL_SQUARED, settled: bool = False
) -> Program:
    """The same program in scalar operations only; residual: accepted |A x - b|² / |b|² of eliminations.

    settled: a solution with a minus before it keeps it. Else the minus wanders into all that reads the solution, and what one leg
    does with its unknown is no longer what the others do with theirs.
    """
    graph = Graph()

    def rule(g: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        found = expand_block(g, block, operands, checks, residual)
        return [_settled(g, i) for i in found] if settled else found

    return finish(program, graph, replay(program, graph, rule))


def _settled(graph: Graph, i: int) -> int:
    """A node of its own with the same value, of which rules of signs know nothing; `minimise` takes it out again."""
    return i if graph.ops[i] == CONST else graph.raw(ADD, i, graph.const(0.0))


def expand_block(
    graph: Graph, block: Block, operands: tuple[int, ...], checks: bool = True, residual: float = RESIDUAL_SQUARED
) -> list[int]:
    """Results of one block in scalar operations."""
    if isinstance(block, Solve):
        return _solve(graph, block, operands, checks, residual)
    if isinstance(block, ConstantMatvec):
        return [dot_nodes(graph, [graph.const(x) for x in row], operands) for row in block.matrix]
    if isinstance(block, Product):
        return _product(graph, block, operands)
    assert isinstance(block, Call) and isinstance(block.program, Program)
    inner = expand_blocks(block.program, checks, residual)
    new = replay(inner, graph, inputs=dict(enumerate(operands)))
    graph.checks.extend((c.failure, new[c.node], c.minimum) for c in inner.checks if checks)
    return [new[i] for i in inner.results]


def _solve(graph: Graph, block: Solve, operands: tuple[int, ...], checks: bool, residual: float) -> list[int]:
    x, pivots = scalar_solve(graph, block, operands)
    if checks and block.failure:
        for k, pivot in enumerate(pivots):
            if graph.ops[pivot] == CONST:
                continue
            size = pivot if block.spd else graph.unary(ABS, pivot)
            if k in block.negative:
                size = graph.neg(pivot)
            floor = block.floor[k] if k < len(block.floor) else 0.0
            graph.checks.append((block.failure, size, max(floor, 1e-300)))
        if block.n > 3 and not block.spd:
            _check_residual(graph, block, operands, x, residual)
    return [value for row in x for value in row]


def _product(graph: Graph, block: Product, operands: tuple[int, ...]) -> list[int]:
    n, k, m = block.n, block.k, block.m
    rows = [operands[i * k : (i + 1) * k] for i in range(n)]
    columns = [operands[n * k + j :: m] for j in range(m)]
    return [dot_nodes(graph, row, column) for row in rows for column in columns]


def _check_residual(graph: Graph, block: Solve, operands: tuple[int, ...], x: list[list[int]], residual: float) -> None:
    n, m = block.n, block.m
    for j in range(m):
        b = [operands[n * n + i * m + j] for i in range(n)]
        column = [x[k][j] for k in range(n)]
        r = [graph.sub(dot_nodes(graph, operands[i * n : (i + 1) * n], column), b[i]) for i in range(n)]
        margin = graph.sub(graph.mul(graph.const(residual), dot_nodes(graph, b, b)), dot_nodes(graph, r, r))
        graph.checks.append((block.failure, margin, -1e-280))


def inline_calls(program: Program) -> Program:
    """The same program without calls; other blocks stay."""
    if not any(isinstance(a[0], Call) for a in program.args if a):
        return program
    graph = Graph()

    def rule(graph: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        if not isinstance(block, Call):
            return graph.block(block, operands)
        assert isinstance(block.program, Program)
        inner = inline_calls(block.program)
        new = replay(inner, graph, inputs=dict(enumerate(operands)))
        graph.checks.extend((c.failure, new[c.node], c.minimum) for c in inner.checks)
        return [new[i] for i in inner.results]

    return finish(program, graph, replay(program, graph, rule))
