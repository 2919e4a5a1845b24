"""Numbers with their change along one direction, of any scalar: exact derivatives of equations while these are run or recorded.

    (a, ȧ)(b, ḃ) = (a b, ȧ b + a ḃ),   A x = b:  A ẋ = ḃ - Ȧ x
What is run on them must have nothing but them and plain floats: `as_dual` makes all of an array such, whether it changes or not.
"""

from typing import Any

import numpy as np

from gough.errors import Failure
from gough.scalar._elementary import atan2, cos, select, sign, sin, sqrt
from gough.scalar._linear import constant_matvec, product, solve, solve_spd
from gough.scalar.remarks import check

Array = np.ndarray


def _is_nothing(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


class Dual:
    """One number `value` that changes by `slope`; plain 0.0 stands for no change."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any = 0.0) -> None:
        self.value, self.slope = value, slope

    @property
    def tracer(self) -> "DualTracer":
        """What `gough.scalar` asks for blocks of such numbers."""
        return DUALS

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return _made(self.value + _value(other), _sum(self.slope, _slope(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b = self.value, _value(other)
        return _made(a * b, _sum(_times(self.slope, b), _times(_slope(other), a)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = _value(other)
        ratio = self.value / b
        change = _sum(self.slope, _times(_slope(other), -ratio))
        return _made(ratio, 0.0 if _is_nothing(change) else change / b)

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Dual(other) / self

    def __neg__(self) -> Any:
        return Dual(-self.value, 0.0 if _is_nothing(self.slope) else -self.slope)

    def __pow__(self, exponent: int) -> Any:
        out: Any = self
        for _ in range(exponent - 1):
            out = out * self
        return out

    def __abs__(self) -> Any:
        return _made(abs(self.value), _times(self.slope, sign(self.value)))

    def sin(self) -> Any:
        """Sine."""
        return _made(sin(self.value), _times(self.slope, cos(self.value)))

    def cos(self) -> Any:
        """Cosine."""
        return _made(cos(self.value), _times(self.slope, -sin(self.value)))

    def sqrt(self) -> Any:
        """Square root."""
        root = sqrt(self.value)
        return _made(root, 0.0 if _is_nothing(self.slope) else self.slope / (2.0 * root))

    def sign(self) -> Any:
        """-1, 0 or 1."""
        return Dual(sign(self.value))

    def atan2(self, x: Any, radius: Any = None) -> Any:
        """Angle of the point (x, self)."""
        a, b = self.value, _value(x)
        angle = atan2(a, b, None if radius is None else _value(radius))
        turned = _sum(_times(self.slope, b), _times(_slope(x), -a))
        return _made(angle, 0.0 if _is_nothing(turned) else turned / (a * a + b * b))


class DualTracer:
    """What `gough.scalar` asks of numbers with a change."""

    def lift(self, value: Any) -> Dual:
        """A plain number as one that does not change."""
        return value if isinstance(value, Dual) else Dual(value)

    def select(self, condition: Any, if_positive: Any, otherwise: Any) -> Any:
        """See `scalar.select`."""
        at = _value(condition)
        slopes = _slope(if_positive), _slope(otherwise)
        slope = 0.0 if all(map(_is_nothing, slopes)) else select(at, *slopes)
        return _made(select(at, _value(if_positive), _value(otherwise)), slope)

    def solve(self, matrix: Array, rhs: Array, failure: Failure) -> Array:
        """See `scalar.solve`."""
        return self._solve(lambda A, b: solve(A, b, failure), matrix, rhs)

    def solve_spd(self, matrix: Array, rhs: Array, failure: Failure, negative: tuple[int, ...] = ()) -> Array:
        """See `scalar.solve_spd`."""
        if negative:
            raise NotImplementedError("changes of solutions under constraints")
        lower = np.tril_indices(len(matrix), -1)
        matrix = matrix.copy()
        matrix.T[lower] = matrix[lower]
        return self._solve(lambda A, b: solve_spd(A, b, failure), matrix, rhs)

    def _solve(self, solved: Any, matrix: Array, rhs: Array) -> Array:
        A, b = values_of(matrix), values_of(rhs)
        x = solved(A, b)
        moved = slopes_of(rhs) - slopes_of(matrix) @ x
        if all(map(_is_nothing, moved.flat)):
            return as_dual(x)
        return as_dual(x, solved(A, moved))

    def constant_matvec(self, matrix: Array, vector: Array) -> Array:
        """See `scalar.constant_matvec`."""
        return as_dual(constant_matvec(matrix, values_of(vector)), constant_matvec(matrix, slopes_of(vector)))

    def product(self, left: Array, right: Array) -> Array:
        """See `scalar.product`."""
        a, b = values_of(left), values_of(right)
        return as_dual(product(a, b), product(slopes_of(left), b) + product(a, slopes_of(right)))

    def check(self, failure: Failure, value: Any, minimum: float) -> None:
        """See `scalar.check`."""
        check(failure, _value(value), minimum)


DUALS = DualTracer()


def as_dual(values: Any, slopes: Any = None) -> Array:
    """An array of numbers as those that change by slopes (the same shape), or do not; plain floats that do not stay floats."""
    values = np.asarray(values, dtype=object)
    rates = np.full(values.shape, 0.0, dtype=object) if slopes is None else np.asarray(slopes, dtype=object)
    out = np.empty(values.shape, dtype=object)
    for place, x in np.ndenumerate(values):
        out[place] = _made(x, rates[place])
    return out


def values_of(x: Any) -> Array:
    """Without their changes."""
    return _each(_value, x)


def slopes_of(x: Any) -> Array:
    """Their changes alone."""
    return _each(_slope, x)


def _each(part: Any, x: Any) -> Array:
    x = np.asarray(x, dtype=object)
    out = np.empty(x.shape, dtype=object)
    for place, number in np.ndenumerate(x):
        out[place] = part(number)
    return out


def _made(value: Any, slope: Any) -> Any:
    return value if isinstance(value, float) and _is_nothing(slope) else Dual(value, slope)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Dual) else x


def _slope(x: Any) -> Any:
    return x.slope if isinstance(x, Dual) else 0.0


def _sum(a: Any, b: Any) -> Any:
    return b if _is_nothing(a) else a if _is_nothing(b) else a + b


def _times(slope: Any, factor: Any) -> Any:
    return 0.0 if _is_nothing(slope) or _is_nothing(factor) else slope * factor
