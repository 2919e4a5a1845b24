"""Numbers that users give to laws: one for all entries, or one each."""

from numbers import Real
from typing import Any

import numpy as np

from gough.arguments import numbers, take
from gough.errors import UsageError


def floats(name: str, value: Any) -> np.ndarray:
    """An array of real numbers; UsageError for texts, functions, ragged lists, complex or endless numbers."""
    return np.array(take(name, numbers, value), dtype=float)


def is_number(value: Any) -> bool:
    """Whether it is a finite real number (no text, no truth)."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:  # a whole number of hundreds of digits
        return False


def as_numbers(name: str, value: Any, least: float | None = None, empty: bool = False) -> Any:
    """A float, or a tuple of floats; finite, and not below `least`; () only where `empty`."""
    x = take(name, numbers, value)
    if empty and x.shape == (0,):
        return ()
    if x.ndim > 1 or x.size == 0 or not np.isfinite(x).all():
        raise UsageError(f"{name}={value!r}: give a finite number, or one each")
    if least is not None and (x < least).any():
        raise UsageError(f"{name}={value!r}: must not be below {least:g}")
    return float(x) if x.ndim == 0 else tuple(map(float, x))


def entries(name: str, value: Any, size: int, what: str) -> np.ndarray:
    """The numbers (size,) of as many `what`."""
    x = np.asarray(value, dtype=float)
    if x.ndim == 1 and len(x) != size:
        raise UsageError(f"{name}: {len(x)} numbers are given, the robot has {size} {what}")
    return np.broadcast_to(x, (size,)).copy()
