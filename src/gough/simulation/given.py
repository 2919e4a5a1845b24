"""What users give as numbers, names and objects: taken, or refused with what to give instead."""

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from gough.arguments import numbers, show_value, take
from gough.errors import UsageError
from gough.model import Model

MOST_COUNT = 1 << 60
"""Beyond what any run reaches, and within what machine code counts."""


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


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Several names; UsageError for anything else, one text among them."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0
    found: tuple[Any, ...] | None = tuple(value) if several else None
    if found is None or not all(isinstance(x, str) for x in found):
        raise UsageError(f"{name}={show_value(value)}: give names, a list of texts")
    return found


def demand(kind: type, name: str, value: Any, wanted: str) -> None:
    """UsageError where a value is of another kind."""
    if not isinstance(value, kind):
        raise UsageError(f"{name}={show_value(value)}: give {wanted}")


def seconds(name: str, value: Any) -> float:
    """A positive time."""
    if not is_number(value) or not value > 0:
        raise UsageError(f"{name}={value!r}: give a positive number of seconds")
    return float(value)


def count(name: str, value: Any, of: str) -> int:
    """A positive whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise UsageError(f"{name}={value!r}: give a positive whole number of {of}")
    return min(int(value), MOST_COUNT)


def demand_one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """UsageError for another word than there is."""
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{name}={value!r}; use one of {', '.join(map(repr, known))}")


def demand_callable(name: str, value: Any) -> None:
    """UsageError for what cannot be called (or is no truth, or None)."""
    if value is not None and not isinstance(value, bool) and not callable(value):
        raise UsageError(f"{name}={value!r}: give a function, or None")


def demand_model(model: Any, caller: str) -> None:
    """UsageError where the first argument is no model."""
    if not isinstance(model, Model):
        made = f"gough.build({model!r})" if isinstance(model, str) else "gough.build(robot)"
        raise UsageError(f"{caller}: the first argument is {show_value(model)}; give a gough.Model, which {made} makes")
