"""Notes tie a stretch of equations to its source; a tracer writes them into the program's text."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


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
