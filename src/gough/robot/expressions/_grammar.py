"""Texts such as "80 mm*cos(a) + r/2" to trees.

    sum      = product (("+" | "-") product)*
    product  = sign (("*" | "/") sign)*
    sign     = ("+" | "-") sign | power
    power    = atom ["**" sign]
    atom     = number [unit] | name | function "(" sum ("," sum)* ")" | "(" sum ")"

A unit belongs to the number before it and goes on as far as units follow: "9.81 m/s2", "2 kg*m2", "5 m**2" are one number each,
as they are outside of expressions; "20 s-1", which might be a difference, is refused. Names of units are no names of variables.
Those with an exponent (m1, m2) may be: they are the unit right behind a number, the variable elsewhere, and refused behind a unit
and * or /, where both could be meant ("2 kg*m2").
"""

import re
from dataclasses import dataclass
from typing import Any

from gough.robot.units import UNITS, Dimension, UnitError, demand_clear, quantity_of

MOST_LENGTH = 1000
"""Characters of an expression."""
MOST_NESTED = 40
"""Brackets, signs and powers inside each other."""
MOST_OPERATIONS = 200
FUNCTIONS = {
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "sqrt": 1,
    "abs": 1,
    "min": None,
    "max": None,
}
"""With the number of their arguments, None for one or more."""

_NAMES = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_UNIT = rf"(?:{_NAMES})(?:(?:\^|\*\*)-?\d|\d)?(?![A-Za-z0-9_°µ(])(?!\s*\()"
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER})(?:\s*(?P<unit>(?:/\s*)?{_UNIT}(?:\s*(?:[./·]|\*(?!\*))\s*{_UNIT})*))?"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/(),]))"
)
_UNIT_LIKE = re.compile(rf"(?:{_NAMES})\d")


class ExpressionError(UnitError):
    """A text that is no expression, or one whose units do not fit together; it says at which character."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message}, at character {column} of the expression")


@dataclass(frozen=True)
class FormulaTree:
    """An operation on trees: "number" (value and dimension), "name", a sign or a function. column: of its text, from 1."""

    op: str
    args: tuple[Any, ...]
    column: int


def reserved_meaning(name: str) -> str:
    """What a name means already in expressions; "" where nothing."""
    if name in FUNCTIONS:
        return "a function"
    if name == "pi":
        return "a number"
    return "a unit" if name in UNITS else ""


def is_unit_like(name: str) -> bool:
    """Whether a name is a unit and an exponent too: m2, s1."""
    return _UNIT_LIKE.fullmatch(name) is not None


def parse_expression(text: str) -> FormulaTree:
    """The tree of a text; raises ExpressionError."""
    if len(text) > MOST_LENGTH:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {MOST_LENGTH}, use variables", 1)
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth, self.count = text, 0, 0, 0
        self.kind, self.token, self.unit, self.column = "", "", "", 1
        self.step()

    def parse(self) -> FormulaTree:
        tree = self.sum()
        if self.kind:
            raise self.wrong("an operator")
        return tree

    def step(self) -> None:
        """The next token."""
        self.count += 1
        if self.count > 2 * MOST_OPERATIONS:
            raise ExpressionError(f"more than {MOST_OPERATIONS} operations; use variables", self.column)
        rest = self.text[self.at :]
        self.column = self.at + 1 + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind, self.token, self.unit = "", "", ""
            return
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise ExpressionError(f"{rest.strip()[0]!r} has no meaning{_remedy(rest.strip())}", self.column)
        self.kind = next(kind for kind in ("number", "name", "sign") if found[kind] is not None)
        self.token, self.unit, self.at = found[self.kind], found["unit"] or "", found.end()
        demand_clear(self.unit)
        if self.unit and re.match(r"-[0-9]", self.text[self.at :]):
            message = f"a minus and a digit right behind the unit {self.unit!r}"
            raise ExpressionError(f"{message}: write blanks around the minus, or ^- for an exponent", self.at + 1)

    def wrong(self, expected: str) -> ExpressionError:
        if not self.kind:
            return ExpressionError(f"the expression ends where {expected} should be", len(self.text) + 1)
        hint = "; products are written with *" if expected == "an operator" and self.kind in ("name", "number") else ""
        return ExpressionError(f"{self.token!r} where {expected} should be{hint}", self.column)

    def take(self, *signs: str) -> str:
        if self.kind != "sign" or self.token not in signs:
            return ""
        taken = self.token
        self.step()
        return taken

    def sum(self) -> FormulaTree:
        left = self.product()
        while True:
            column = self.column
            sign = self.take("+", "-")
            if not sign:
                return left
            left = FormulaTree(sign, (left, self.product()), column)

    def product(self) -> FormulaTree:
        left = self.sign()
        while True:
            column = self.column
            sign = self.take("*", "/")
            if not sign:
                return left
            left = FormulaTree(sign, (left, self.sign()), column)

    def sign(self) -> FormulaTree:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise ExpressionError(f"nested more than {MOST_NESTED} deep; use variables", self.column)
        column = self.column
        sign = self.take("+", "-")
        if sign:
            tree = self.sign() if sign == "+" else FormulaTree("negative", (self.sign(),), column)
        else:
            tree = self.power()
        self.depth -= 1
        return tree

    def power(self) -> FormulaTree:
        unit = self.unit if self.kind == "number" else ""
        base, column = self.atom(), self.column
        if not self.take("**"):
            return base
        if unit:
            raise ExpressionError(f"a power of a number with a unit; write brackets, (… {unit})**…", column)
        return FormulaTree("**", (base, self.sign()), column)

    def atom(self) -> FormulaTree:
        column, kind, token = self.column, self.kind, self.token
        if kind == "number":
            value, dimension = self._literal()
            self.step()
            return FormulaTree("number", (value, dimension), column)
        if kind == "name":
            self.step()
            return self._call(token, column) if token in FUNCTIONS else FormulaTree("name", (token,), column)
        if self.take("("):
            tree = self.sum()
            if not self.take(")"):
                raise self.wrong("')'")
            return tree
        raise self.wrong("a number, a variable or '('")

    def _literal(self) -> tuple[float, Dimension]:
        if not self.unit:
            return float(self.token), (0, 0, 0, 0)
        if "Hz" in self.unit:
            raise ExpressionError("Hz counts turns: write rev/s, rpm or rad/s, or 1/s", self.column)
        try:
            return quantity_of(self.token, self.unit)
        except UnitError as error:
            raise ExpressionError(str(error), self.column) from None

    def _call(self, name: str, column: int) -> FormulaTree:
        if not self.take("("):
            raise self.wrong(f"'(' after {name}")
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        if not self.take(")"):
            raise self.wrong("')'")
        wanted = FUNCTIONS[name]
        if wanted is not None and len(args) != wanted:
            raise ExpressionError(f"{name} of {len(args)} arguments; it takes {wanted}", column)
        return FormulaTree(name, tuple(args), column)


def _remedy(rest: str) -> str:
    if rest[0] == "^":
        return "; powers are written **"
    if rest[0] in "\u2212\u2013":
        return "; minus is written -"
    if rest[0] in "·×":
        return "; products are written with *"
    return "; there are + - * / ** ( ) , numbers with units, variables and functions"
