"""Numbers that carry their first two time derivatives, so that any formula of t has exact rates.

A function written with + - * / ** and NumPy's elementary functions runs on a `Jet` as it does on an array:
    (f ∘ x)˙ = f' ẋ,   (f ∘ x)¨ = f'' ẋ² + f' ẍ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gough.errors import UsageError

Table = dict[Any, Callable[[np.ndarray], tuple[Any, ...]]]


def _log(x: np.ndarray) -> tuple:
    return np.log(x), 1 / x, -1 / x**2


def _sqrt(x: np.ndarray) -> tuple:
    root = np.sqrt(x)
    return root, 0.5 / root, -0.25 / (root * x)


def _tan(x: np.ndarray) -> tuple:
    t = np.tan(x)
    return t, 1 + t * t, 2 * t * (1 + t * t)


def _tanh(x: np.ndarray) -> tuple:
    t = np.tanh(x)
    return t, 1 - t * t, -2 * t * (1 - t * t)


UNARY: Table = {
    np.sin: lambda x: (np.sin(x), np.cos(x), -np.sin(x)),
    np.cos: lambda x: (np.cos(x), -np.sin(x), -np.cos(x)),
    np.tan: _tan,
    np.exp: lambda x: (np.exp(x),) * 3,
    np.log: _log,
    np.sqrt: _sqrt,
    np.square: lambda x: (x * x, 2 * x, np.full_like(x, 2.0)),
    np.reciprocal: lambda x: (1 / x, -1 / x**2, 2 / x**3),
    np.sinh: lambda x: (np.sinh(x), np.cosh(x), np.sinh(x)),
    np.cosh: lambda x: (np.cosh(x), np.sinh(x), np.cosh(x)),
    np.tanh: _tanh,
    np.arcsin: lambda x: (np.arcsin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5),
    np.arccos: lambda x: (np.arccos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5),
    np.arctan: lambda x: (np.arctan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    np.absolute: lambda x: (np.abs(x), np.sign(x), np.zeros_like(x)),
    np.sign: lambda x: (np.sign(x), np.zeros_like(x), np.zeros_like(x)),
    np.negative: lambda x: (-x, np.full_like(x, -1.0), np.zeros_like(x)),
    np.positive: lambda x: (x, np.ones_like(x), np.zeros_like(x)),
    np.deg2rad: lambda x: (np.deg2rad(x), np.full_like(x, np.pi / 180), np.zeros_like(x)),
    np.radians: lambda x: (np.radians(x), np.full_like(x, np.pi / 180), np.zeros_like(x)),
}
"""Value and two derivatives of functions of one number."""

COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}


@dataclass(frozen=True, eq=False)
class Jet(NDArrayOperatorsMixin):
    """x, its rate xd and second rate xdd: arrays of one shape."""

    x: np.ndarray
    xd: np.ndarray
    xdd: np.ndarray

    @classmethod
    def time(cls, t: np.ndarray) -> "Jet":
        """The time itself: rate 1."""
        return cls(t, np.ones_like(t), np.zeros_like(t))

    @classmethod
    def of(cls, value: Any, like: np.ndarray) -> "Jet":
        """A jet as it is; a number or an array as one that does not move."""
        if isinstance(value, Jet):
            return value
        x = np.broadcast_to(np.asarray(value, dtype=float), like.shape)
        return cls(x, np.zeros(x.shape), np.zeros(x.shape))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in COMPARISONS:
            return ufunc(*(i.x if isinstance(i, Jet) else i for i in inputs))
        if ufunc in UNARY:
            return _unary(ufunc, self)
        if ufunc in BINARY and len(inputs) == 2:
            a, b = (Jet.of(i, self.x) for i in inputs)
            return BINARY[ufunc](a, b)
        raise UsageError(
            f"a motion's function uses {ufunc.__name__}, whose derivatives are not known here; give velocity= and acceleration="
        )

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            a, b = (Jet.of(i, self.x) for i in inputs[1:])
            return _choose(np.asarray(inputs[0]), a, b)
        raise UsageError(
            f"a motion's function uses {function.__name__}, whose derivatives are not known here; return a list of formulas, "
            f"or give velocity= and acceleration="
        )

    def __bool__(self) -> bool:
        raise UsageError("a motion's function branches on t with if; use numpy.where, and name the times as kinks=")

    def __float__(self) -> float:
        raise UsageError(
            "a motion's function turns t into a plain number (math.sin, float); use NumPy's functions (numpy.sin), "
            "or give velocity= and acceleration="
        )


def _unary(function: Any, a: Jet) -> Jet:
    value, first, second = UNARY[function](a.x)
    return Jet(value, first * a.xd, second * a.xd**2 + first * a.xdd)


def _multiply(a: Jet, b: Jet) -> Jet:
    return Jet(a.x * b.x, a.xd * b.x + a.x * b.xd, a.xdd * b.x + 2 * a.xd * b.xd + a.x * b.xdd)


def _divide(a: Jet, b: Jet) -> Jet:
    return _multiply(a, _unary(np.reciprocal, b))


def _power(a: Jet, b: Jet) -> Jet:
    if not b.xd.any() and not b.xdd.any():
        n = b.x
        first = np.where(n == 0, 0.0, n * a.x ** np.where(n == 0, 0.0, n - 1))
        flat = (n == 0) | (n == 1)
        second = np.where(flat, 0.0, n * (n - 1) * a.x ** np.where(flat, 0.0, n - 2))
        return Jet(a.x**n, first * a.xd, second * a.xd**2 + first * a.xdd)
    return _unary(np.exp, _multiply(b, _unary(np.log, a)))


def _arctan2(a: Jet, b: Jet) -> Jet:
    square = a.x**2 + b.x**2
    cross = a.xd * b.x - a.x * b.xd
    growth = 2 * (a.x * a.xd + b.x * b.xd)
    second = (a.xdd * b.x - a.x * b.xdd) / square - cross * growth / square**2
    return Jet(np.arctan2(a.x, b.x), cross / square, second)


def _choose(first: np.ndarray, a: Jet, b: Jet) -> Jet:
    return Jet(np.where(first, a.x, b.x), np.where(first, a.xd, b.xd), np.where(first, a.xdd, b.xdd))


BINARY: dict[Any, Callable[[Jet, Jet], Jet]] = {
    np.add: lambda a, b: Jet(a.x + b.x, a.xd + b.xd, a.xdd + b.xdd),
    np.subtract: lambda a, b: Jet(a.x - b.x, a.xd - b.xd, a.xdd - b.xdd),
    np.multiply: _multiply,
    np.divide: _divide,
    np.power: _power,
    np.float_power: _power,
    np.arctan2: _arctan2,
    np.hypot: lambda a, b: _unary(np.sqrt, _multiply(a, a) + _multiply(b, b)),
    np.minimum: lambda a, b: _choose(a.x <= b.x, a, b),
    np.maximum: lambda a, b: _choose(a.x >= b.x, a, b),
}
