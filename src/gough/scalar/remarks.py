"""What equations say beside their values: notes, which tie a stretch of them to its source (a tracer writes them into the text of
a program), and checks, named conditions that must hold for a result to mean anything (they become a status per state)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gough.errors import Failure
from gough.scalar._symbol import Symbol, tracer_of


class _Stack(threading.local):
    def __init__(self) -> None:
        self.notes: list[str] = []


_stack = _Stack()


@contextmanager
def note(text: str) -> Iterator[None]:
    """Everything recorded inside belongs to `text`, for instance ``note("F_P [Long 2014, eq. 37]")``."""
    _stack.notes.append(text)
    try:
        yield
    finally:
        _stack.notes.pop()


def current_note() -> str:
    """The innermost note, or an empty string."""
    return _stack.notes[-1] if _stack.notes else ""


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
