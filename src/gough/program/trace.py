"""Recording: traced scalars overload arithmetic, so running equations on them writes a program."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gough.errors import Failure
from gough.program._scalar_solve import scalar_solve
from gough.program.graph import ABS, CONST, COS, INPUT, ROUND, SIGN, SIN, SQRT, Graph
from gough.program.ops import Call, ConstantMatvec, Product, Solve
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import PIVOT, NodeCheck, Program, Slot
from gough.progress import doing


@contextmanager
def no_collecting() -> Iterator[None]:
    """Recording and passes make millions of small objects and few cycles: looking for cycles would double their time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


WRITTEN_OUT = 3
"""Largest number of unknowns of a solve that is recorded as scalar operations."""
LARGE_PRODUCT, DENSE = 1000, 0.5
"""Multiplications from which a product of matrices is one block, if this share of them is not by structural zeros."""

_MISUSE = "a traced value has no {} while equations are recorded: branch on the structure, or use scalar.select"


class Traced:
    """One scalar of a program under construction. Results that fold to a constant come back as floats."""

    __slots__ = ("node", "tracer")

    def __init__(self, tracer: "Tracer", node: int) -> None:
        self.tracer = tracer
        self.node = node

    def __add__(self, other: Any) -> Any:
        kind, t = other.__class__, self.tracer
        if kind is Traced:
            return t.wrap(t.graph.add(self.node, other.node))
        if kind is float and other == 0.0:
            return t.note_zero(self)
        if kind is np.ndarray:
            return NotImplemented
        return t.wrap(t.graph.add(self.node, t.node(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        kind, t = other.__class__, self.tracer
        if kind is Traced:
            return t.wrap(t.graph.sub(self.node, other.node))
        if kind is float and other == 0.0:
            return t.note_zero(self)
        if kind is np.ndarray:
            return NotImplemented
        return t.wrap(t.graph.sub(self.node, t.node(other)))

    def __rsub__(self, other: Any) -> Any:
        if other.__class__ is np.ndarray:
            return NotImplemented
        t = self.tracer
        return t.wrap(t.graph.sub(t.node(other), self.node))

    def __mul__(self, other: Any) -> Any:
        kind, t = other.__class__, self.tracer
        if kind is Traced:
            return t.wrap(t.graph.mul(self.node, other.node))
        if kind is float and other == 0.0:  # most factors are: structural zeros
            return t.note_zero(0.0)
        if kind is np.ndarray:
            return NotImplemented
        return t.wrap(t.graph.mul(self.node, t.node(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if other.__class__ is np.ndarray:
            return NotImplemented
        t = self.tracer
        return t.wrap(t.graph.div(self.node, t.node(other)))

    def __rtruediv__(self, other: Any) -> Any:
        if other.__class__ is np.ndarray:
            return NotImplemented
        t = self.tracer
        return t.wrap(t.graph.div(t.node(other), self.node))

    def __neg__(self) -> Any:
        return self.tracer.wrap(self.tracer.graph.neg(self.node))

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int) or exponent < 1:
            raise TypeError("a traced value takes positive integer powers only; use scalar.sqrt or a division")
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __abs__(self) -> Any:
        return self.tracer.wrap(self.tracer.graph.unary(ABS, self.node))

    def sin(self) -> Any:
        """Sine."""
        return self.tracer.wrap(self.tracer.graph.unary(SIN, self.node))

    def cos(self) -> Any:
        """Cosine."""
        return self.tracer.wrap(self.tracer.graph.unary(COS, self.node))

    def sqrt(self) -> Any:
        """Square root."""
        return self.tracer.wrap(self.tracer.graph.unary(SQRT, self.node))

    def sign(self) -> Any:
        """-1, 0 or 1."""
        return self.tracer.wrap(self.tracer.graph.unary(SIGN, self.node))

    def round(self) -> Any:
        """The nearest whole number, halves to even ones."""
        return self.tracer.wrap(self.tracer.graph.unary(ROUND, self.node))

    def atan2(self, x: Any, radius: Any = None) -> Any:
        """Angle of the point (x, self); radius: its distance from the origin, where it is known."""
        t = self.tracer
        angle = t.graph.atan2(self.node, t.node(x))
        if radius is not None:
            t.graph.radii.setdefault(angle, t.node(radius))
        return t.wrap(angle)

    def __bool__(self) -> bool:
        raise TypeError(_MISUSE.format("truth value"))

    def __float__(self) -> float:
        raise TypeError(_MISUSE.format("number"))

    def __eq__(self, other: object) -> bool:
        raise TypeError(_MISUSE.format("equality"))

    def _compare(self, other: object) -> bool:
        raise TypeError(_MISUSE.format("order"))

    __lt__ = __le__ = __gt__ = __ge__ = _compare
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<node {self.node}>"


class Tracer:
    """Owner of a graph; implements what `gough.scalar` asks of traced scalars."""

    def __init__(self, graph: Graph | None = None) -> None:
        self.graph = Graph() if graph is None else graph

    def wrap(self, i: int) -> Any:
        """Traced scalar of node i, or its number when it is a constant."""
        graph = self.graph
        if graph.ops[i] == CONST:
            return graph.args[i][0]
        return Traced(self, i)

    def note_zero(self, value: Any) -> Any:
        """What comes of an operation with the number zero that folds. The zero is a node all the same: where numbers stand
        decides the order of operands."""
        if not self.graph.zero:
            self.graph.const(0.0)
        return value

    def node(self, value: Any) -> int:
        """Node of a traced scalar or number."""
        if value.__class__ is Traced:
            return value.node
        return self.graph.const(value)

    def lift(self, value: Any) -> Traced:
        """A number as a traced scalar."""
        return Traced(self, self.node(value))

    def select(self, condition: Any, if_positive: Any, otherwise: Any) -> Any:
        """See `scalar.select`."""
        return self.wrap(self.graph.select(self.node(condition), self.node(if_positive), self.node(otherwise)))

    def solve(self, matrix: np.ndarray, rhs: np.ndarray, failure: Failure) -> np.ndarray:
        """See `scalar.solve`; up to 3 unknowns are written out at once, so that structural zeros fold."""
        block = Solve(len(matrix), rhs.shape[1], failure)
        operands = [*matrix.ravel(), *rhs.ravel()]
        if block.n > WRITTEN_OUT:
            return self._block(block, operands).reshape(rhs.shape)
        rows, pivots = scalar_solve(self.graph, block, tuple(self.node(x) for x in operands))
        for pivot in pivots:
            if failure and self.graph.ops[pivot] != CONST:
                self.graph.checks.append((failure, self.graph.unary(ABS, pivot), PIVOT))
        return np.array([[self.wrap(i) for i in row] for row in rows], dtype=object)

    def solve_spd(
        self, matrix: np.ndarray, rhs: np.ndarray, failure: Failure, negative: tuple[int, ...] = ()
    ) -> np.ndarray:
        """See `scalar.solve_spd`; the upper triangle is taken from the lower one."""
        n = len(matrix)
        lower = [matrix[max(i, j), min(i, j)] for i in range(n) for j in range(n)]
        block = Solve(n, rhs.shape[1], failure, spd=True, negative=negative)
        return self._block(block, [*lower, *rhs.ravel()]).reshape(rhs.shape)

    def constant_matvec(self, matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """See `scalar.constant_matvec`."""
        return self._block(ConstantMatvec(tuple(map(tuple, matrix.tolist()))), list(vector))

    def product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See `scalar.product`; a large product that is not mostly zeros is one block."""
        a, b = _nonzero_entries(left), _nonzero_entries(right)
        rows, inner, columns = a.any(axis=1), a.any(axis=0) & b.any(axis=1), b.any(axis=0)
        n, k, m = int(rows.sum()), int(inner.sum()), int(columns.sum())
        work = int(a.sum(axis=0) @ b.sum(axis=1))
        if n * k * m < LARGE_PRODUCT or work < DENSE * n * k * m:
            return left @ right
        operands = [*left[np.ix_(rows, inner)].ravel(), *right[np.ix_(inner, columns)].ravel()]
        out = np.full((len(left), right.shape[1]), 0.0, dtype=object)
        out[np.ix_(rows, columns)] = self._block(Product(n, k, m), operands).reshape(n, m)
        return out

    def call(self, program: Program, inputs: np.ndarray) -> np.ndarray:
        """See `scalar.call`."""
        return self._block(Call(program, len(program.results)), list(inputs))

    def check(self, failure: Failure, value: Any, minimum: float) -> None:
        """See `scalar.check`."""
        self.graph.checks.append((failure, self.node(value), minimum))

    def _block(self, block: Any, operands: list) -> np.ndarray:
        nodes = self.graph.block(block, tuple(self.node(x) for x in operands))
        return np.array([self.wrap(i) for i in nodes], dtype=object)


def _nonzero_entries(matrix: np.ndarray) -> np.ndarray:
    """Which entries are not structural zeros."""
    return np.array([x.__class__ is Traced or x != 0.0 for x in matrix.flat], dtype=bool).reshape(matrix.shape)


def trace(
    function: Callable[..., Mapping[str, Any]],
    inputs: Sequence[Slot],
    name: str = "program",
    values: Mapping[str, Mapping[int, float]] | None = None,
    units: Mapping[str, str] | None = None,
    graph: Graph | None = None,
) -> Program:
    """Record `function(**arrays)`, which returns named scalars or arrays.

    inputs: slots; the function gets an object array of each slot's shape.
    values: numbers to put in place of single inputs, {slot: {flat position: number}} (structural zeros, baked values).
    graph: an empty graph of another kind to record into.
    """
    tracer = Tracer(graph)
    graph = tracer.graph
    arrays, offset = {}, 0
    for slot in inputs:
        known = (values or {}).get(slot.name, {})
        flat = np.empty(slot.size, dtype=object)
        for k in range(slot.size):
            node = graph.raw(INPUT, offset + k)
            flat[k] = float(known[k]) if k in known else Traced(tracer, node)
        arrays[slot.name] = flat.reshape(slot.shape)
        offset += slot.size
    with doing(f"deriving {name}"), no_collecting():
        returned = function(**arrays)
    outputs, results, zero = [], [], -1
    for key, value in returned.items():
        array = np.asarray(value, dtype=object)
        outputs.append(Slot(key, array.shape, (units or {}).get(key, "")))
        for x in array.ravel():
            if x.__class__ is float and x == 0.0:  # matrices are mostly zeros
                zero = graph.const(0.0) if zero < 0 else zero
                results.append(zero)
            else:
                results.append(tracer.node(x))
    checks = tuple(NodeCheck(*c) for c in graph.checks if graph.ops[c[1]] != CONST or graph.args[c[1]][0] < c[2])
    program = Program(tuple(inputs), tuple(outputs), graph.ops, graph.args, tuple(results), checks, graph.notes, name)
    return remove_dead_code(program)
