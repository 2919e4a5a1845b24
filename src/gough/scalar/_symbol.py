"""CasADi expressions as scalars. A bare SX swallows NumPy arrays it is multiplied with, so equations get this wrapper.
Which kind of number a value is: the other files of `scalar` dispatch on the answer."""

from collections.abc import Iterable
from typing import Any

import numpy as np


class Symbol:
    """One CasADi SX scalar; `expression` is the SX."""

    __slots__ = ("expression",)

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def _with(self, other: Any, operation: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Symbol(operation(self.expression, other.expression if isinstance(other, Symbol) else other))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __neg__(self) -> "Symbol":
        return Symbol(-self.expression)

    def __abs__(self) -> "Symbol":
        import casadi

        return Symbol(casadi.fabs(self.expression))

    def apply(self, name: str, *others: Any) -> "Symbol":
        """casadi.<name>(self, *others)."""
        import casadi

        plain = [x.expression if isinstance(x, Symbol) else x for x in others]
        return Symbol(getattr(casadi, name)(self.expression, *plain))


def casadi_symbols(vector: Any) -> np.ndarray:
    """Object array (n,) of scalars from a CasADi SX column (n, 1)."""
    out = np.empty(vector.numel(), dtype=object)
    for k in range(vector.numel()):
        out[k] = Symbol(vector[k])
    return out


def casadi_vector(values: Any) -> Any:
    """CasADi SX column of an array of scalars."""
    import casadi

    return casadi.vertcat(*[x.expression if isinstance(x, Symbol) else x for x in np.ravel(values)])


def tracer_of(values: Iterable[Any]) -> Any:
    """The tracer of the first traced scalar among `values`, or None when there is none."""
    for value in values:
        tracer = getattr(value, "tracer", None)
        if tracer is not None:
            return tracer
    return None


def is_mpmath(value: Any) -> bool:
    """True for mpmath numbers (checked by name so that mpmath need not be installed)."""
    return type(value).__module__.startswith("mpmath")
