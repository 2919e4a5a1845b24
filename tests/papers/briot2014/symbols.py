"""Scalars that write down what is done with them, to count it: an own counter, no part of the library.

Rules: a sign is free; what is 0, 1 or a number is folded; sines and cosines stand apart; work on parameters alone stands apart.
Shared: an operation on the same operands is done once, in either order. Not shared: every one is done where it is written.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Book:
    """All operations in their order: (name, first, second) with operands as places in the list; inputs have a name alone."""

    shared: bool = True
    lines: list[tuple] = field(default_factory=list)
    varying: list[bool] = field(default_factory=list)
    places: dict[tuple, int] = field(default_factory=dict)

    def symbol(self, name: str, varying: bool = True) -> "Symbol":
        """An input; not varying: a parameter."""
        return Symbol(self, 1, self.place((name,), varying, True))

    def place(self, line: tuple, varying: bool, shared: bool) -> int:
        """Where a line stands; a new one where it must."""
        if shared and line in self.places:
            return self.places[line]
        self.lines.append(line)
        self.varying.append(varying)
        self.places[line] = len(self.lines) - 1
        return self.places[line]

    def operation(self, name: str, *operands: int) -> int:
        """Its place."""
        return self.place((name, *operands), any(self.varying[k] for k in operands), self.shared)

    def number(self, x: float) -> int:
        """The place of a positive number."""
        return self.place((float(x),), False, True)

    def count(self, *outputs: object) -> tuple[int, int]:
        """(additions, multiplications and divisions) that outputs need, work on parameters alone left out."""
        needed = self.needed(outputs)
        names = [self.lines[k][0] for k in needed if self.varying[k] and len(self.lines[k]) > 1]
        return sum(n in "+-" for n in names), sum(n in "*/" for n in names)

    def needed(self, outputs: tuple) -> list[int]:
        """Lines that outputs need, first ones first."""
        left = [x.place for a in outputs for x in np.ravel(np.asarray(a, dtype=object)) if isinstance(x, Symbol)]
        found = set()
        while left:
            k = left.pop()
            if k not in found:
                found.add(k)
                left += self.lines[k][1:]
        return sorted(found)

    def values(self, inputs: dict[str, float], outputs: object) -> np.ndarray:
        """Outputs in numbers."""
        did = {
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
            "/": lambda a, b: a / b,
            "sin": np.sin,
            "cos": np.cos,
        }
        known = {}
        for k in self.needed((outputs,)):
            name, *of = self.lines[k]
            known[k] = did[name](*(known[i] for i in of)) if of else inputs[name] if isinstance(name, str) else name
        array = np.asarray(outputs, dtype=object)
        found = [x.sign * known[x.place] if isinstance(x, Symbol) else float(x) for x in array.ravel()]
        return np.array(found, dtype=float).reshape(array.shape)


@dataclass(frozen=True, eq=False)
class Symbol:
    """sign × the line at a place. Results that are numbers come back as floats."""

    book: Book
    sign: int
    place: int

    def _of(self, other):
        """(sign, place) of the other operand."""
        if isinstance(other, Symbol):
            return other.sign, other.place
        return (1 if other > 0 else -1), self.book.number(abs(other))

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Symbol) and other == 0:
            return self
        sign, place = self._of(other)
        first, last = sorted((self.place, place))
        if sign == self.sign:
            return Symbol(self.book, sign, self.book.operation("+", first, last))
        if place == self.place:
            return 0.0
        return Symbol(self.book, self.sign if first == self.place else sign, self.book.operation("-", first, last))

    __radd__ = __add__

    def __neg__(self):
        return Symbol(self.book, -self.sign, self.place)

    def __sub__(self, other):
        return NotImplemented if isinstance(other, np.ndarray) else self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Symbol) and abs(other) in (0, 1):
            return 0.0 if other == 0 else self if other > 0 else -self
        sign, place = self._of(other)
        return Symbol(self.book, sign * self.sign, self.book.operation("*", *sorted((self.place, place))))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        sign, place = self._of(other)
        return Symbol(self.book, sign * self.sign, self.book.operation("/", self.place, place))

    def __rtruediv__(self, other):
        sign, place = self._of(other)
        return 0.0 if other == 0 else Symbol(self.book, sign * self.sign, self.book.operation("/", place, self.place))

    def cos(self):
        """Cosine."""
        return Symbol(self.book, 1, self.book.place(("cos", self.place), self.book.varying[self.place], True))

    def sin(self):
        """Sine."""
        return Symbol(self.book, self.sign, self.book.place(("sin", self.place), self.book.varying[self.place], True))
