"""Named conditions that must hold for a result to mean anything; they become a status per state."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gough.errors import Failure
from gough.scalar.kinds import tracer_of
from gough.scalar.symbol import Symbol


class CheckError(ArithmeticError):
    """A check failed while equations ran on plain numbers."""


class _Recorders(threading.local):
    def __init__(self) -> None:
        self.records: list[list[tuple[Failure, float, float]]] = []


_recorders = _Recorders()


def check(failure: Failure, value: Any, minimum: float) -> None:
    """Demand value >= minimum. Traced: part of the program. Plain numbers: recorded, or raised when nobody records."""
    tracer = tracer_of([value])
    if tracer is not None:
        tracer.check(failure, value, minimum)
    elif isinstance(value, Symbol):
        return
    elif _recorders.records:
        _recorders.records[-1].append((failure, float(value), minimum))
    elif not value >= minimum:
        raise CheckError(f"{failure}: {float(value):.6g} is below {minimum:.6g}")


@contextmanager
def recording_checks() -> Iterator[list[tuple[Failure, float, float]]]:
    """Collect (failure, value, minimum) of all checks on plain numbers instead of raising."""
    record: list[tuple[Failure, float, float]] = []
    _recorders.records.append(record)
    try:
        yield record
    finally:
        _recorders.records.pop()
