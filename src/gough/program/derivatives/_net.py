"""The tangents of a program as a graph of their own: a vertex's tangent is the sum of weight · tangent over its edges.

Weights are nodes of a recording graph, so multiplying weights writes the derivative program. Vertices are numbered in
an order in which edges lead to larger numbers. A solve X = A⁻¹ B has no edges from operands to results but two sets of
vertices: W = dB - dA X (edges from the operands), and dX = A⁻¹ W, which a sweep gets by solving once more with the
matrix, or with its transpose when it goes backwards.

Sweeps over a net go forward (tangents by all directions) or backward (adjoints of all results). The same sweep runs with
nodes, writing the derivative, or with `SweepCount`, which only adds up the work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gough.errors import GOOD
from gough.program.graph import CONST, SELECT, Graph
from gough.program.ops import Solve


@dataclass(frozen=True)
class SolveStage:
    """One solve: matrix nodes (n·n), vertices of W and dX as [right-hand side][row]; `moves` when dA is not zero."""

    block: Solve
    matrix: tuple[int, ...]
    w: tuple[tuple[int, ...], ...]
    x: tuple[tuple[int, ...], ...]
    moves: bool

    @property
    def first_result(self) -> int:
        """The smallest vertex of dX: all of W stands before it, all that reads dX behind it."""
        return self.x[0][0]


class Net:
    """`into[v]` = {u: weight node} and `out[v]` = {k: None} (a set that keeps its order); `work` = products and sums
    that eliminating took."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.into: list[dict[int, int]] = []
        self.out: list[dict[int, None]] = []
        self.solves: list[SolveStage] = []
        self.work = 0

    def copy(self) -> "Net":
        """The same net on the same graph, to be changed on its own."""
        other = Net(self.graph)
        other.into = [dict(x) for x in self.into]
        other.out = [dict(x) for x in self.out]
        other.solves = list(self.solves)
        return other

    def vertex(self) -> int:
        """A new vertex."""
        self.into.append({})
        self.out.append({})
        return len(self.into) - 1

    def add_edge(self, u: int, v: int, weight: int) -> None:
        """Add weight · tangent(u) to the tangent of v."""
        old = self.into[v].get(u)
        total = weight if old is None else self.plus(old, weight)
        if not self.is_zero(total):
            self.into[v][u] = total
            self.out[u][v] = None
        elif old is not None:
            del self.into[v][u], self.out[u][v]

    def eliminate(self, v: int) -> None:
        """Lead all edges through v past it."""
        into = self.into[v]
        free = sum(map(self.is_sign, into.values()))
        for k in self.out[v]:
            weight = self.into[k].pop(v)
            self.work += sum(u in self.into[k] for u in into)
            self.work += 0 if self.is_sign(weight) else len(into) - free
            for u, inner in into.items():
                self.add_edge(u, k, self.times(weight, inner))
        for u in into:
            del self.out[u][v]
        self.into[v], self.out[v] = {}, {}

    def is_zero(self, node: int) -> bool:
        """Whether a node is the number 0."""
        return self.graph.ops[node] == CONST and self.graph.args[node][0] == 0.0

    def is_sign(self, node: int) -> bool:
        """Whether a node is 1 or -1: multiplying with it costs nothing."""
        return self.graph.ops[node] == CONST and abs(self.graph.args[node][0]) == 1.0

    def times(self, a: int, b: int) -> int:
        """a b. A factor that is 0 on one side of a select stays 0 there, even where the other one is not finite."""
        graph = self.graph
        for x, y in ((a, b), (b, a)):
            if graph.ops[x] == SELECT:
                condition, first, second = graph.args[x]
                if self.is_zero(second):
                    return graph.select(condition, self.times(first, y), second)
                if self.is_zero(first):
                    return graph.select(condition, first, self.times(second, y))
        return graph.mul(a, b)

    def plus(self, a: int, b: int) -> int:
        """a + b; the two sides of one select become one select."""
        graph = self.graph
        if graph.ops[a] == SELECT and graph.ops[b] == SELECT and graph.args[a][0] == graph.args[b][0]:
            for (condition, first, other), (_, zero, second) in (
                (graph.args[a], graph.args[b]),
                (graph.args[b], graph.args[a]),
            ):
                if self.is_zero(other) and self.is_zero(zero):
                    return graph.select(condition, first, second)
        return graph.add(a, b)


Row = dict[int, Any]
"""{direction or result: value}, zeros left out."""


class Writing:
    """Values are nodes; columns of a solve may hold None for zero."""

    def __init__(self, net: Net) -> None:
        self.times, self.plus = net.times, net.plus
        self.graph = net.graph
        self.one = net.graph.const(1.0)

    def solve(self, stage: SolveStage, columns: list[list[int | None]], transposed: bool) -> list[list[int]]:
        """Solutions of all columns in one block.

        Where the matrix moves, the program's own solve stands beside this one and is checked; else this one is.
        """
        graph, n = self.graph, stage.block.n
        zero = graph.const(0.0)
        block = replace(stage.block, m=len(columns), failure=GOOD if stage.moves else stage.block.failure)
        matrix = stage.matrix
        if transposed and not block.spd:
            matrix = tuple(matrix[j * n + k] for k in range(n) for j in range(n))
            order = None if block.order is None else (block.order[1], block.order[0])
            block = replace(block, order=order, floor=())
        rhs = tuple(zero if (entry := c[r]) is None else entry for r in range(n) for c in columns)
        x = graph.block(block, (*matrix, *rhs))
        return [[x[r * len(columns) + c] for r in range(n)] for c in range(len(columns))]


class SweepCount:
    """Values are True where they are ±1 (free factors); `work` is the number of operations."""

    one = True

    def __init__(self, net: Net) -> None:
        self.sign = net.is_sign
        self.work = 0

    def times(self, weight: int, value: bool) -> bool:
        """A product."""
        if self.sign(weight):
            return value
        self.work += not value
        return False

    def plus(self, a: bool, b: bool) -> bool:
        """A sum."""
        self.work += 1
        return False

    def solve(self, stage: SolveStage, columns: list[list[Any]], transposed: bool) -> list[list[bool]]:
        """Two triangular solves a column."""
        n = stage.block.n
        self.work += 2 * n * n * len(columns)
        return [[False] * n for _ in columns]


def forward(net: Net, seeds: Mapping[int, Row], algebra: Any) -> list[Row]:
    """Tangents of all vertices, {direction: value}, from those of the seeds."""
    rows: list[Row] = [{} for _ in net.into]
    for v, row in seeds.items():
        rows[v].update(row)
    ready = {stage.first_result: stage for stage in net.solves}
    for v, into in enumerate(net.into):
        if v in ready:
            _solve(algebra, ready[v], rows, ready[v].w, ready[v].x, transposed=False)
        row = rows[v]
        for u, weight in into.items():
            _add(algebra, row, weight, rows[u])
    return rows


def backward(net: Net, seeds: Mapping[int, Row], algebra: Any) -> list[Row]:
    """Adjoints of all vertices, {result: value}, from those of the seeds."""
    rows: list[Row] = [{} for _ in net.into]
    for v, row in seeds.items():
        rows[v].update(row)
    ready = {stage.first_result: stage for stage in net.solves}
    for v in range(len(net.into) - 1, -1, -1):
        if v in ready:
            _solve(algebra, ready[v], rows, ready[v].x, ready[v].w, transposed=True)
        elif rows[v]:
            for u, weight in net.into[v].items():
                _add(algebra, rows[u], weight, rows[v])
    return rows


def _add(algebra: Any, row: Row, weight: int, other: Row) -> None:
    for k, value in other.items():
        term = algebra.times(weight, value)
        row[k] = algebra.plus(row[k], term) if k in row else term


def _solve(algebra: Any, stage: SolveStage, rows: list[Row], given, wanted, transposed: bool) -> None:
    places, columns = [], []
    for from_vertices, to_vertices in zip(given, wanted, strict=True):
        for k in dict.fromkeys(k for v in from_vertices for k in rows[v]):
            places.append((to_vertices, k))
            columns.append([rows[v].get(k) for v in from_vertices])
    if not columns:
        return
    for (vertices, k), column in zip(places, algebra.solve(stage, columns, transposed), strict=True):
        for v, value in zip(vertices, column, strict=True):
            rows[v][k] = value
