"""What users give as numbers, names and objects: taken, or refused with what to give instead."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from gough.arguments import numbers, show_value, take
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


def demand_model(model: Any, caller: str) -> None:
    """UsageError where the first argument is no model."""
    from gough.model import Model

    if not isinstance(model, Model):
        made = f"gough.build({model!r})" if isinstance(model, str) else "gough.build(robot)"
        raise UsageError(f"{caller}: the first argument is {show_value(model)}; give a gough.Model, which {made} makes")
