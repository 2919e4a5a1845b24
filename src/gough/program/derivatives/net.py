"""The tangents of a program as a graph of their own: a vertex's tangent is the sum of weight · tangent over its edges.

Weights are nodes of a recording graph, so multiplying weights writes the derivative program. Vertices are numbered in
an order in which edges lead to larger numbers. A solve X = A⁻¹ B has no edges from operands to results but two sets of
vertices: W = dB - dA X (edges from the operands), and dX = A⁻¹ W, which a sweep gets by solving once more with the
matrix, or with its transpose when it goes backwards.
"""

from dataclasses import dataclass

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

    def edge(self, u: int, v: int, weight: int) -> None:
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
                self.edge(u, k, self.times(weight, inner))
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
