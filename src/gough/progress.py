"""What takes long says what it is doing, to whoever listens: commands show it on a terminal, so that nobody waits in silence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident

Listener = Callable[[str], None]
"""Takes what is being done now, in words; "" when that is over."""
_listeners: list[tuple[int, Listener]] = []
"""With the thread that each listens to; the last one hears."""
_doing: list[str] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` hear what this thread does meanwhile, and no other one."""
    entry = (get_ident(), listener)
    _listeners.append(entry)
    try:
        yield
    finally:
        _listeners.remove(entry)


@contextmanager
def doing(words: str) -> Iterator[None]:
    """Something that may take long. Within another one it takes its place until it is over."""
    if not _listeners or _listeners[-1][0] != get_ident():
        yield
        return
    _doing.append(words)
    _tell()
    try:
        yield
    finally:
        _doing.pop()
        _tell()


def _tell() -> None:
    if _listeners:
        _listeners[-1][1](_doing[-1] if _doing else "")
