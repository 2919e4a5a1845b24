"""Scalars that count the operations done with them and keep their values; with them, derivatives by the chain rule.

Counting: an addition or subtraction, a multiplication, a division is one; a sign is free; 0 and ±1 that stand in a matrix
cost nothing, and sums and products of them are never formed. Square roots, sines and cosines are kept apart. Nothing is
shared but what a formula names once.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Tally:
    """Operations so far."""

    add: int = 0
    mul: int = 0
    div: int = 0
    apart: int = 0

    @property
    def count(self):
        """(additions, multiplications, divisions)."""
        return self.add, self.mul, self.div


class Counted:
    """A number that is a symbol of the formula: operations with it count."""

    __slots__ = ("tally", "value")

    def __init__(self, value, tally):
        self.value, self.tally = float(value), tally

    def _made(self, value, kind):
        setattr(self.tally, kind, getattr(self.tally, kind) + 1)
        return Counted(value, self.tally)

    def __add__(self, other):
        if isinstance(other, (Dual, np.ndarray)):
            return NotImplemented
        return self if _is(other, 0) else self._made(self.value + _value(other), "add")

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, (Dual, np.ndarray)):
            return NotImplemented
        return self if _is(other, 0) else self._made(self.value - _value(other), "add")

    def __rsub__(self, other):
        return -self if _is(other, 0) else self._made(_value(other) - self.value, "add")

    def __neg__(self):
        return Counted(-self.value, self.tally)

    def __mul__(self, other):
        if isinstance(other, (Dual, np.ndarray)):
            return NotImplemented
        if _is(other, 0):
            return 0
        if _is(other, 1):
            return self
        return -self if _is(other, -1) else self._made(self.value * _value(other), "mul")

    __rmul__ = __mul__

    def __pow__(self, exponent):
        assert exponent == 2
        return self * self

    def __truediv__(self, other):
        if isinstance(other, (Dual, np.ndarray)):
            return NotImplemented
        if other is self:
            return 1
        return self if _is(other, 1) else self._made(self.value / _value(other), "div")

    def __rtruediv__(self, other):
        return 0 if _is(other, 0) else self._made(_value(other) / self.value, "div")

    def sqrt(self):
        """Square root."""
        return self._made(math.sqrt(self.value), "apart")

    def sin(self):
        """Sine."""
        return self._made(math.sin(self.value), "apart")

    def cos(self):
        """Cosine."""
        return self._made(math.cos(self.value), "apart")


class Dual:
    """A scalar and its derivatives by all coordinates, each a `Counted` or a number: the chain rule, step by step."""

    __slots__ = ("by", "of")

    def __init__(self, of, by):
        self.of, self.by = of, tuple(by)

    def _chain(self, of, *slopes):
        """`of` with the derivatives of sums of slope × operand; slopes: (slope, operand)."""
        total = []
        for k in range(len(self.by)):
            terms = [slope * operand.by[k] for slope, operand in slopes]
            total.append(terms[0] if len(terms) == 1 else terms[0] + terms[1])
        return of if all(_is(x, 0) for x in total) else Dual(of, total)

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Dual):
            return Dual(self.of + other, self.by)
        return self._chain(self.of + other.of, (1, self), (1, other))

    __radd__ = __add__

    def __sub__(self, other):
        return NotImplemented if isinstance(other, np.ndarray) else self + -other

    def __rsub__(self, other):
        return -self + other

    def __neg__(self):
        return Dual(-self.of, [-x for x in self.by])

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Dual):
            return 0 if _is(other, 0) else self._chain(self.of * other, (other, self))
        return self._chain(self.of * other.of, (other.of, self), (self.of, other))

    __rmul__ = __mul__

    def __pow__(self, exponent):
        assert exponent == 2
        return self._chain(self.of * self.of, (2 * self.of, self))

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if other is self:
            return 1
        if not isinstance(other, Dual):
            return self._chain(self.of / other, (1 / other, self))
        quotient, slope = self.of / other.of, 1 / other.of
        return self._chain(quotient, (slope, self), (-quotient * slope, other))

    def __rtruediv__(self, other):
        quotient = other / self.of
        return self._chain(quotient, (-quotient / self.of, self))

    def sqrt(self):
        """Square root."""
        root = np.sqrt(self.of)
        return self._chain(root, (1 / (2 * root), self))

    def sin(self):
        """Sine."""
        return self._chain(np.sin(self.of), (np.cos(self.of), self))

    def cos(self):
        """Cosine."""
        return self._chain(np.cos(self.of), (-np.sin(self.of), self))


def value(x):
    """The number of a scalar."""
    return _value(x.of if isinstance(x, Dual) else x)


def derivative(x, k):
    """∂x/∂x_k as a scalar that counts on, 0 where there is none."""
    return x.by[k] if isinstance(x, Dual) else 0


def values(array):
    """Numbers of an array of scalars."""
    return np.vectorize(value, otypes=[float])(array)


def _value(x):
    return x.value if isinstance(x, Counted) else float(x)


def _is(x, number):
    """Whether x is that number by structure: a zero or a one that stands in a matrix, not a symbol with this value."""
    return not isinstance(x, (Counted, Dual)) and x == number
