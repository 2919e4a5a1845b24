"""The variables of a description, and the numbers that expressions in them give, with their dimensions."""

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gough.frozen import FrozenDict
from gough.robot.checks.suggestions import meant_word
from gough.robot.expressions._grammar import (
    FUNCTIONS,
    ExpressionError,
    FormulaTree,
    is_unit_like,
    parse_expression,
    reserved_meaning,
)
from gough.robot.item import Fault
from gough.robot.units import (
    EXPRESSIONS,
    UNIT_LIKE,
    Dimension,
    Quantity,
    UnitError,
    demand_clear,
    dimension_in_words,
    parse,
    unit_of,
)
from gough.scalar import FormulaNode, VariedNumber, atan2, cos, select, sin, sqrt

NUMBER: Dimension = (0, 0, 0, 0)
ANGLE: Dimension = (0, 0, 0, 1)
MOST_POWER = 64
MOST_VARIABLES = 1000
WRONG_ITSELF, EXPRESSIONS_NEED = "is wrong itself", "expressions need"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BEGINS_A_PRODUCT = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)\s*[*/]")
_QUANTITY_LIKE = re.compile(r"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?[^()+]*")


class Expression(VariedNumber, Quantity):
    """A number of a description that is written as an expression of variables. bound: what its key demands of the value."""

    bound: str = "any"

    def __new__(cls, value: VariedNumber, written: str, dimension: Dimension) -> "Expression":
        """value: for the variables as they are, in SI units."""
        made = float.__new__(cls, value)
        made.node, made.written, made.dimension = value.node, written, dimension
        return made

    def __reduce__(self) -> Any:
        return _expression, (float(self), self.node, self.written, self.dimension, self.bound)

    def follows_as(self, other: object) -> bool:
        return isinstance(other, Expression) and self.written == other.written and float(self) == float(other)


def _expression(value: float, node: FormulaNode, written: str, dimension: Dimension, bound: str) -> Expression:
    made = Expression(VariedNumber(value, node), written, dimension)
    made.bound = bound
    return made


Variables = FrozenDict[str, Quantity]
"""By name: a `Quantity` that may be changed, or an `Expression` that follows from others."""


class Scope:
    """The variables under which a description is read. given: raw, {name: a number, a text with a unit, an expression}.

    format: of the file; before the second there are no expressions. faults: of the variables themselves.
    """

    def __init__(self, given: Any, format: int) -> None:
        self.format = format
        self.faults: list[Fault] = []
        self.known: dict[str, Quantity] = {}
        self.broken: set[str] = set()
        self.local: dict[str, Quantity] = {}
        raw = given if isinstance(given, Mapping) else {}
        self._given = {name: x.written if isinstance(x, Quantity) else x for name, x in raw.items()}
        self._trees: dict[str, FormulaTree] = {}
        self._nodes: dict[str, FormulaNode] = {}
        if given is not None and not isinstance(given, Mapping):
            self.faults.append(Fault((), given, "not a mapping", "variables by name, {radius: 80 mm}"))
        if len(self._given) > MOST_VARIABLES:
            self.faults.append(Fault((), "", f"{len(self._given)} variables", f"at most {MOST_VARIABLES}"))
            self._given = {}
        self._unit_like = frozenset(name for name in self._given if isinstance(name, str) and is_unit_like(name))
        token = UNIT_LIKE.set(self._unit_like)
        try:
            for name in self._given:
                self._define(name)
        finally:
            UNIT_LIKE.reset(token)

    @contextmanager
    def reading(self) -> Iterator["Scope"]:
        """Inside, texts of numbers may be expressions."""
        token, names = EXPRESSIONS.set(self.read), UNIT_LIKE.set(self._unit_like)
        try:
            yield self
        finally:
            EXPRESSIONS.reset(token)
            UNIT_LIKE.reset(names)

    @property
    def variables(self) -> Variables:
        """As the robot keeps them, in the order of the description."""
        return FrozenDict({name: self.known[name] for name in self._given if name in self.known})

    def read(self, text: str) -> Quantity | None:
        """The number of an expression, which follows the variables it has; None of a text that is none."""
        if not self._is_expression(text):
            return None
        if self.format < 2:
            raise UnitError(f"not a number with a unit; {EXPRESSIONS_NEED} `format: 2` at the top of the file")
        return self._evaluate(text)

    def _is_expression(self, text: str) -> bool:
        words = _NAME.findall(text)
        named = any(word in self.known or word in self.broken or word in self.local or word == "pi" for word in words)
        if "," in text and not any(word in FUNCTIONS for word in words):
            return False  # a decimal comma
        if (
            _QUANTITY_LIKE.fullmatch(text)
            and not _BEGINS_A_PRODUCT.match(text)
            and not named
            and "**" not in text
            and not re.search(r"\s-|[*/]\s*[-0-9.]", text)
        ):
            return False  # a number with a unit that is not known
        return self.format >= 2 or named or bool(re.search(r"[A-Za-z0-9_)]\s*[-+*/(]", text))

    def _evaluate(self, text: str) -> Quantity:
        tree = self._trees.get(text)
        if tree is None:
            tree = self._trees[text] = parse_expression(text)
        value, dimension = self.value(tree)
        written = text.strip()
        if isinstance(value, VariedNumber):
            return Expression(value, written, dimension)
        return Quantity(float(value), written, dimension)

    def _define(self, name: Any) -> None:
        """Evaluate a variable, those that it needs first."""
        way = {} if self._is_settled(name) else {name: self._needs(name)}  # each after the one that needs it
        while way:
            last, needs = next(reversed(way.items()))
            need = next((word for word in needs if not self._is_settled(word)), None)
            if need is not None and need not in way:
                way[need] = self._needs(need)
                continue
            self._settle(last, [] if need is None else list(way)[list(way).index(need) :])
            del way[last]

    def _is_settled(self, name: Any) -> bool:
        return name in self.known or name in self.broken

    def _needs(self, name: Any) -> Iterator[str]:
        """Variables in the text of one; none in that of a number with its unit."""
        if isinstance(raw := self._given[name], str):
            try:
                parse(raw)
            except UnitError:
                yield from (word for word in dict.fromkeys(_NAME.findall(raw)) if word in self._given)

    def _settle(self, name: Any, circle: list[str]) -> None:
        """Evaluate a variable whose needs are known or broken. circle: those by which it would follow from itself."""
        fault, raw = _name_fault(name), self._given[name]
        if fault is None:
            try:
                self.known[name] = self._variable(raw, circle)
                return
            except UnitError as error:
                fault = Fault((name,), raw, str(error), "a number, a text with a unit, or an expression of variables")
        self.broken.add(name)
        self.faults.append(fault)

    def _variable(self, raw: Any, circle: list[str]) -> Quantity:
        if circle:
            way = [*(circle if len(circle) < 10 else [*circle[:9], "…"]), circle[0]]
            raise UnitError(f"variables that follow from each other: {' → '.join(way)}; give one of them a number")
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise UnitError("not a number")
        if isinstance(raw, str):
            try:
                value, dimension = parse(raw)
            except UnitError:
                if not self._is_expression(raw):
                    raise
                found = self._evaluate(raw)
            else:
                demand_clear(raw)
                found = Quantity(value, raw.strip(), dimension)
        else:
            found = Quantity(raw if abs(raw) <= sys.float_info.max else math.inf, repr(raw), NUMBER)
        if "Hz" in found.written and not isinstance(found, Expression):
            raise UnitError("Hz counts turns: write rev/s, rpm or rad/s, or 1/s")
        if not math.isfinite(found):
            raise UnitError("not a finite number")
        return found

    # Trees to numbers and dimensions.

    def value(self, tree: FormulaTree) -> tuple[Any, Dimension]:
        """The number of an expression in SI units, and its dimension."""
        op = tree.op
        if op == "number":
            return tree.args
        if op == "name":
            return self._named(tree.args[0], tree.column)
        values = [self.value(arg) for arg in tree.args]
        try:
            return _OPERATIONS[op](tree, values)
        except ExpressionError:
            raise
        except ValueError:  # the sine of what is infinite
            raise ExpressionError("no number comes of this", tree.column) from None
        except ZeroDivisionError:
            raise ExpressionError("a division by zero", tree.column) from None
        except OverflowError:
            raise ExpressionError("a number beyond all doubles", tree.column) from None

    def _named(self, name: str, column: int) -> tuple[Any, Dimension]:
        if name == "pi":
            return math.pi, NUMBER
        found = self.local.get(name, self.known.get(name))
        if found is None:
            if name in self.broken:
                raise ExpressionError(f"the variable {name!r} {WRONG_ITSELF}", column)
            meaning = reserved_meaning(name)
            if meaning:
                raise ExpressionError(f"{name!r} is {meaning} and stands after a number, as in '80 mm'", column)
            near = meant_word(name, [*self.local, *self._given, *FUNCTIONS])
            remedy = f", did you mean {near!r}?" if near else "; define it under `variables`"
            raise ExpressionError(f"no variable or function {name!r}{remedy}", column)
        if isinstance(found, VariedNumber):
            return VariedNumber(float(found), found.node), found.dimension
        if name in self.local:
            return float(found), found.dimension
        node = self._nodes.setdefault(name, FormulaNode("variable", (name,)))
        return VariedNumber(float(found), node), found.dimension


def _name_fault(name: Any) -> Fault | None:
    expected = "a name of letters, digits and _ that starts with a letter"
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > 100:
        return Fault((name if isinstance(name, str) else str(name),), name, "not a name of a variable", expected)
    meaning = reserved_meaning(name)
    if meaning:
        return Fault((name,), name, f"a name that is taken: {name!r} is {meaning}", f"another name, {name}_0 say")
    return None


Values = list[tuple[Any, Dimension]]


def _alike(tree: FormulaTree, values: Values) -> Dimension:
    first = values[0][1]
    for _, dimension in values[1:]:
        if dimension != first:
            what = {"+": "a sum of", "-": "a difference of"}.get(tree.op, f"{tree.op} of")
            message = f"{what} {dimension_in_words(first)} and {dimension_in_words(dimension)}"
            other = unit_of(dimension if first == NUMBER else first)
            hint = f": write the number with its unit, 1.2 {other} say" if NUMBER in (first, dimension) else ""
            raise ExpressionError(f"{message}; both need the same unit{hint}", tree.column)
    return first


def _add(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    dimension = _alike(tree, values)
    (a, _), (b, _) = values
    return (a + b if tree.op == "+" else a - b), dimension


def _multiply(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    (a, x), (b, y) = values
    if tree.op == "*":
        return a * b, _sum(x, y)
    if float(b) == 0.0:
        raise ZeroDivisionError
    return a / b, _sum(x, y, -1)


def _sum(x: Dimension, y: Dimension, factor: int = 1) -> Dimension:
    return (x[0] + factor * y[0], x[1] + factor * y[1], x[2] + factor * y[2], x[3] + factor * y[3])


def _power(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    (base, dimension), (exponent, of_exponent) = values
    if of_exponent != NUMBER:
        raise ExpressionError(f"an exponent that is {dimension_in_words(of_exponent)}; give a number", tree.column)
    if isinstance(exponent, VariedNumber):
        raise ExpressionError("an exponent with a variable in it; exponents are numbers", tree.column)
    if not abs(exponent) <= MOST_POWER or 2 * exponent != round(2 * exponent):
        message = f"the exponent {exponent:g}; there are whole ones and halves up to {MOST_POWER}"
        raise ExpressionError(message, tree.column)
    if exponent < 0 and float(base) == 0.0:
        raise ZeroDivisionError
    if exponent == round(exponent):
        whole = int(exponent)
        if abs(whole) * max(map(abs, dimension)) > 100:
            raise ExpressionError(f"a power of {unit_of(dimension)} that no unit has", tree.column)
        return base**whole, (dimension[0] * whole, dimension[1] * whole, dimension[2] * whole, dimension[3] * whole)
    if dimension != NUMBER:
        raise ExpressionError("a fractional power of a number with a unit; use sqrt", tree.column)
    return _root(tree, base) ** round(2 * exponent), NUMBER


def _root(tree: FormulaTree, x: Any) -> Any:
    if float(x) < 0:
        raise ExpressionError(f"a root of {float(x):g}", tree.column)
    return sqrt(x)


def _sqrt(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    ((x, dimension),) = values
    if any(k % 2 for k in dimension):
        raise ExpressionError(f"a root of {dimension_in_words(dimension)}, which has no unit", tree.column)
    return _root(tree, x), (dimension[0] // 2, dimension[1] // 2, dimension[2] // 2, dimension[3] // 2)


def _trigonometric(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    ((x, dimension),) = values
    if dimension not in (NUMBER, ANGLE):
        raise ExpressionError(f"{tree.op} of {dimension_in_words(dimension)}; it takes an angle", tree.column)
    if tree.op == "sin":
        return sin(x), NUMBER
    return (cos(x) if tree.op == "cos" else sin(x) / cos(x)), NUMBER


def _inverse(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    ((x, dimension),) = values
    if dimension != NUMBER:
        raise ExpressionError(f"{tree.op} of {dimension_in_words(dimension)}; it takes a number", tree.column)
    if tree.op == "atan":
        return atan2(x, 1.0), ANGLE
    if abs(float(x)) > 1:
        raise ExpressionError(f"{tree.op} of {float(x):g}, which is no {tree.op[1:]}", tree.column)
    other = sqrt((1.0 - x) * (1.0 + x))
    return (atan2(x, other) if tree.op == "asin" else atan2(other, x)), ANGLE


def _extreme(tree: FormulaTree, values: Values) -> tuple[Any, Dimension]:
    dimension = _alike(tree, values)
    found = values[0][0]
    for x, _ in values[1:]:
        found = select(x - found, x, found) if tree.op == "max" else select(found - x, x, found)
    return found, dimension


_OPERATIONS: Mapping[str, Callable[[FormulaTree, Values], tuple[Any, Dimension]]] = {
    **dict.fromkeys("+-", _add),
    **dict.fromkeys("*/", _multiply),
    "**": _power,
    "negative": lambda _, values: (-values[0][0], values[0][1]),
    **dict.fromkeys(("sin", "cos", "tan"), _trigonometric),
    **dict.fromkeys(("asin", "acos", "atan"), _inverse),
    "atan2": lambda tree, values: (atan2(values[0][0], values[1][0]), (_alike(tree, values), ANGLE)[1]),
    "sqrt": _sqrt,
    "abs": lambda _, values: (abs(values[0][0]), values[0][1]),
    "min": _extreme,
    "max": _extreme,
}


def scaled_expression(number: float, factor: float) -> float:
    """A number times a plain one; of an expression, the expression that says so."""
    if not isinstance(number, Expression) or factor in (0.0, 1.0):
        return number * factor
    made = Expression(
        VariedNumber.__mul__(number, float(factor)), f"{float(factor)!r}*({number.written})", number.dimension
    )
    made.bound = number.bound
    return made


def spell_number(value: float, dimension: Dimension) -> str:
    """A number in SI units as it is written, "0.08 m"."""
    unit = unit_of(dimension)
    return f"{value!r} {unit}" if unit else repr(value)
