"""Numbers that remember how they came from variables: all branching sees the number, all arithmetic is recorded.

A `VariedNumber` is a float with a node of a graph. What does not depend on a variable stays a plain number: products with an
exact zero and sums with one fold. NumPy makes plain doubles of floats wherever it can, so arrays of recorded numbers are object
arrays (`array_of`), and what NumPy cannot do with them is an error instead of a loss.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

STRIDE = 32
"""Steps down a formula that a pickle takes at once: each is several calls, and Python has a thousand."""


class FormulaNode:
    """An operation on nodes and numbers; the operation "variable" has a name. depth: of nodes one below another, with it."""

    __slots__ = ("args", "depth", "op")

    def __init__(self, op: str, args: tuple[Any, ...]) -> None:
        self.op, self.args = op, args
        self.depth: int = 1 + max((x.depth for x in args if isinstance(x, FormulaNode)), default=0)

    def __reduce__(self) -> tuple[Any, ...]:
        """Variables may follow one from another in any order, a thousand of them: what is far below goes first."""
        inner = ordered_nodes([self])[:-1] if self.depth % STRIDE == 0 else []
        return _node_after, (tuple(x for x in inner if x.depth % STRIDE == 0), self.op, self.args)


class VariedNumber(float):
    """A number with the node it is the value of. It equals and hashes as the number it is; `follows_as` compares formulas. It is
    never nothing (`bool`): a zero that moves with a variable is no structural zero."""

    node: FormulaNode
    __array_ufunc__ = None

    def __new__(cls, value: float, node: FormulaNode) -> "VariedNumber":
        """value: of the node, for the variables as they are."""
        made = super().__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self) -> Any:
        return VariedNumber, (float(self), self.node)

    def follows_as(self, other: object) -> bool:
        """Whether another number has the same value and was recorded from the same variables."""
        if not isinstance(other, VariedNumber) or float(self) != float(other):
            return False
        return self.node is other.node or variables_of([self.node]) == variables_of([other.node])

    def __bool__(self) -> bool:
        return True

    def __add__(self, other: Any) -> Any:
        return _each(other, self.__add__) if _is_array(other) else _record("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _each(other, self.__sub__) if _is_array(other) else _record("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _each(other, self.__rsub__) if _is_array(other) else _record("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return _each(other, self.__mul__) if _is_array(other) else _record("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _each(other, self.__truediv__) if _is_array(other) else _record("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _each(other, self.__rtruediv__) if _is_array(other) else _record("div", other, self)

    def __neg__(self) -> Any:
        return VariedNumber(-float(self), FormulaNode("neg", (self.node,)))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return VariedNumber(abs(float(self)), FormulaNode("abs", (self.node,)))

    def __pow__(self, exponent: Any) -> Any:
        """Whole exponents."""
        whole = int(exponent)
        if whole != exponent or isinstance(exponent, VariedNumber):
            raise TypeError("a recorded number takes whole powers; use sqrt")
        if whole == 0:
            return 1.0
        result: Any = None
        base: Any = self
        for bit in reversed(bin(abs(whole))[2:]):
            if bit == "1":
                result = base if result is None else result * base
            base = base * base if abs(whole) > 1 else base
        return 1.0 / result if whole < 0 else result

    def apply(self, name: str) -> "VariedNumber":
        """sin, cos, sqrt of it."""
        return VariedNumber(getattr(math, name)(float(self)), FormulaNode(name, (self.node,)))


def turn_to(y: Any, x: Any) -> VariedNumber:
    """atan2(y, x), one of them recorded."""
    return VariedNumber(math.atan2(float(y), float(x)), FormulaNode("atan2", (_argument(y), _argument(x))))


def choose_positive(condition: Any, if_positive: Any, otherwise: Any) -> Any:
    """As `select`, one of the three recorded; both ways stay recorded."""
    value = float(if_positive) if float(condition) > 0 else float(otherwise)
    return VariedNumber(value, FormulaNode("select", tuple(map(_argument, (condition, if_positive, otherwise)))))


def plain_number(value: Any) -> float:
    """A number without its unit; one that is recorded stays so."""
    return value if isinstance(value, VariedNumber) else float(value)


def array_of(values: Any) -> np.ndarray:
    """An array of numbers: of doubles, or of objects where one of them is recorded; with slopes where one has a slope."""
    array = np.array(values, dtype=object)
    if any(isinstance(x, VariedNumber) for x in array.flat):
        return array
    return array.astype(complex if any(isinstance(x, complex) for x in array.flat) else float)


def variables_of(nodes: Iterable[FormulaNode]) -> set[str]:
    """Names of the variables that nodes depend on."""
    found: set[str] = set()
    seen: set[int] = set()
    left = list(nodes)
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if node.op == "variable":
                found.add(node.args[0])
            else:
                left += [x for x in node.args if isinstance(x, FormulaNode)]
    return found


def ordered_nodes(nodes: Sequence[FormulaNode]) -> list[FormulaNode]:
    """All nodes that these are made of, each after its own arguments."""
    order: list[FormulaNode] = []
    seen: set[int] = set()
    left: list[tuple[FormulaNode, bool]] = [(node, False) for node in reversed(nodes)]
    while left:
        node, ready = left.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            left.append((node, True))
            left += [(x, False) for x in node.args if isinstance(x, FormulaNode)]
    return order


def value_by(node: FormulaNode, known: Mapping[int, Any]) -> list[Any]:
    """The arguments of a node from the values of others, by their ids."""
    return [known[id(x)] if isinstance(x, FormulaNode) else x for x in node.args]


def _node_after(_: tuple[FormulaNode, ...], op: str, args: tuple[Any, ...]) -> FormulaNode:
    """A node from a pickle in which others stand before it."""
    return FormulaNode(op, args)


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray)


def _each(array: np.ndarray, operate: Any) -> np.ndarray:
    out = np.empty(array.shape, dtype=object)
    for index, x in np.ndenumerate(array):
        out[index] = operate(x)
    return out


def _argument(x: Any) -> Any:
    return x.node if isinstance(x, VariedNumber) else float(x)


def _record(op: str, a: Any, b: Any) -> Any:
    """a op b, one of them recorded."""
    if not (isinstance(a, float | int | np.number) and isinstance(b, float | int | np.number)):
        return NotImplemented
    x, y = float(a), float(b)
    left, right = (None if isinstance(k, VariedNumber) else float(k) for k in (a, b))
    match op:
        case "add":
            if left == 0.0 or right == 0.0:
                return b if left == 0.0 else a
            value = x + y
        case "sub":
            if right == 0.0:
                return a
            if left == 0.0:
                return -b
            value = x - y
        case "mul":
            if left == 0.0 or right == 0.0:
                return 0.0
            if left == 1.0 or right == 1.0:
                return b if left == 1.0 else a
            value = x * y
        case _:
            if left == 0.0:
                return 0.0
            if right == 1.0:
                return a
            value = x / y
    return VariedNumber(value, FormulaNode(op, (_argument(a), _argument(b))))
