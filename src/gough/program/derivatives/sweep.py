"""Sweeps over a net: forward (tangents by all directions) or backward (adjoints of all results).

The same sweep runs with nodes, writing the derivative, or with `Counting`, which only adds up the work.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gough.errors import GOOD
from gough.program.derivatives.net import Net, SolveStage

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


class Counting:
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
