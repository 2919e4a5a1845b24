"""What takes long says what it is doing, to whoever listens: commands show it on a terminal, so that nobody waits in silence."""

import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import TextIO

Listener = Callable[[str], None]
"""Takes what is being done now, in words; "" when that is over."""
_listeners: list[tuple[int, Listener, list[str]]] = []
"""With the thread that each listens to, and what that is doing; the last one hears."""
PATIENCE, EVERY = 0.6, 0.1
"""Seconds before a line appears; and between two looks."""
STARTED = time.monotonic()
"""When the library began to load: for who waits, the first thing that takes long has begun then."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` hear what this thread does meanwhile, and no other one."""
    entry = (get_ident(), listener, list[str]())
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
    _, listener, now = _listeners[-1]
    now.append(words)
    listener(words)
    try:
        yield
    finally:
        now.pop()
        listener(now[-1] if now else "")


if hasattr(os, "register_at_fork"):  # a child has no line to write on
    os.register_at_fork(after_in_child=_listeners.clear)


class WaitingLine:
    """What is done, and for how long. It goes as soon as that is over, so that it is never in the way of results."""

    def __init__(self, stream: TextIO, patience: float = PATIENCE, started: float | None = None) -> None:
        """started: when the program did, default `STARTED`; until something was told, people have waited since then."""
        self.stream, self.patience = stream, patience
        self.words, self.since, self.shown = "", math.nan, False
        self.started = STARTED if started is None else started
        self.lock, self.over = threading.Lock(), threading.Event()

    def tell(self, words: str) -> None:
        """What is being done now; "" for nothing."""
        with self.lock:
            if not words:
                self._clear()
            elif not self.words:
                self.since = self.started if math.isnan(self.since) else time.monotonic()
            self.words = words

    def show_words(self) -> None:
        """Until it is over."""
        while not self.over.wait(EVERY):
            with self.lock:
                waited = time.monotonic() - self.since
                if self.words and waited > self.patience:
                    line = f"… {self.words} ({waited:.0f} s)"
                    self.stream.write(f"\r\x1b[2K{line[: shutil.get_terminal_size().columns - 1]}")
                    self.stream.flush()
                    self.shown = True

    def remove(self) -> None:
        """Take it away."""
        self.over.set()
        with self.lock:
            self.words = ""
            self._clear()

    def _clear(self) -> None:
        if self.shown:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
            self.shown = False


@contextmanager
def waiting(started: float | None = None) -> Iterator[None]:
    """Tell on a terminal what takes long. started: since when people wait (`time.monotonic`), default since the program began."""
    if not sys.stderr.isatty():
        yield
        return
    line = WaitingLine(sys.stderr, started=started)
    thread = threading.Thread(target=line.show_words, daemon=True)
    thread.start()
    try:
        with listening(line.tell):
            yield
    finally:
        line.remove()
        thread.join(1.0)
