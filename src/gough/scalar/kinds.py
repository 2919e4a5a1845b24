"""Which kind of number is this? The other files of `scalar` dispatch on the answer."""

from collections.abc import Iterable
from typing import Any


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
