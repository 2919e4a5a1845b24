"""Elementary functions of one scalar of any kind."""

import math
from typing import Any

from gough.scalar._symbol import Symbol, is_mpmath
from gough.scalar._varied import VariedNumber, choose_positive, turn_to


def _unary(name: str, x: Any) -> Any:
    if isinstance(x, float | int):
        return x.apply(name) if isinstance(x, VariedNumber) else getattr(math, name)(x)
    if hasattr(x, "tracer"):
        return getattr(x, name)()
    if isinstance(x, Symbol):
        return x.apply(name)
    if is_mpmath(x):
        import mpmath

        return getattr(mpmath, name)(x)
    return getattr(math, name)(float(x))


def sin(x: Any) -> Any:
    """Sine of an angle in rad."""
    return _unary("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in rad."""
    return _unary("cos", x)


def sqrt(x: Any) -> Any:
    """Square root of x >= 0."""
    return _unary("sqrt", x)


def atan2(y: Any, x: Any, radius: Any = None) -> Any:
    """Angle of the point (x, y), rad; radius: its distance from the origin, for sines and cosines of the angle."""
    if hasattr(y, "tracer"):
        return y.atan2(x, radius)
    if hasattr(x, "tracer"):
        return x.tracer.lift(y).atan2(x, radius)
    if isinstance(y, Symbol):
        return y.apply("atan2", x)
    if isinstance(x, Symbol):
        return (x * 0.0 + y).apply("atan2", x)
    if is_mpmath(x) or is_mpmath(y):
        import mpmath

        return mpmath.atan2(y, x)
    if isinstance(x, VariedNumber) or isinstance(y, VariedNumber):
        return turn_to(y, x)
    return math.atan2(y, x)


def abs_(x: Any) -> Any:
    """Absolute value."""
    return abs(x)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    if hasattr(x, "tracer"):
        return x.sign()
    if isinstance(x, Symbol):
        return x.apply("sign")
    return 1.0 if x > 0 else -1.0 if x < 0 else x * 0.0


def round_(x: Any) -> Any:
    """The nearest whole number, halves to even ones; |x| < 2^51."""
    if hasattr(x, "tracer"):
        return x.round()
    if isinstance(x, Symbol):
        return (x + 0.5).apply("floor")
    if is_mpmath(x):
        import mpmath

        return mpmath.nint(x)
    return float(round(float(x)))


def select(condition: Any, if_positive: Any, otherwise: Any) -> Any:
    """`if_positive` where condition > 0, else `otherwise`; both are evaluated."""
    if hasattr(condition, "tracer"):
        return condition.tracer.select(condition, if_positive, otherwise)
    if isinstance(condition, Symbol):
        return Symbol(condition.expression > 0).apply("if_else", if_positive, otherwise)
    if isinstance(condition, VariedNumber):
        return choose_positive(condition, if_positive, otherwise)
    return if_positive if condition > 0 else otherwise
