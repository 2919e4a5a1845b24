"""A line on a terminal while a command derives, compiles and the like: what it does, and for how long."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gough.progress import listening

PATIENCE, EVERY = 0.8, 0.2
"""Seconds before a line appears; and between two looks."""


class WaitingLine:
    """The line; it is taken away as soon as what it tells is over, so that it is never in the way of results."""

    def __init__(self) -> None:
        self.words, self.since, self.shown = "", 0.0, False
        self.lock, self.over = threading.Lock(), threading.Event()

    def tell(self, words: str) -> None:
        """What is being done now; "" for nothing."""
        with self.lock:
            if not words:
                self._clear()
            elif not self.words:
                self.since = time.monotonic()
            self.words = words

    def watch(self) -> None:
        """Until it is over."""
        while not self.over.wait(EVERY):
            with self.lock:
                waited = time.monotonic() - self.since
                if self.words and waited > PATIENCE:
                    sys.stderr.write(f"\r\x1b[2K… {self.words} ({waited:.0f} s)")
                    sys.stderr.flush()
                    self.shown = True

    def end(self) -> None:
        """Take it away."""
        self.over.set()
        with self.lock:
            self.words = ""
            self._clear()

    def _clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self.shown = False


@contextmanager
def waiting() -> Iterator[None]:
    """Tell on a terminal what takes long."""
    if not sys.stderr.isatty():
        yield
        return
    line = WaitingLine()
    thread = threading.Thread(target=line.watch, daemon=True)
    thread.start()
    try:
        with listening(line.tell):
            yield
    finally:
        line.end()
        thread.join(1.0)
