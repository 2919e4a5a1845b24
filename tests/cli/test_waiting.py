"""Commands on a terminal say what they do while it takes long, and leave no trace of it among their results."""

import io
import os
import pty
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gough import progress
from gough.progress import WaitingLine


def test_words_are_heard_by_the_last_listener_of_the_thread() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with progress.listening(outer.append):
        with progress.doing("a"), progress.doing("b"):
            pass
        with progress.listening(inner.append), progress.doing("c"):
            pass
        other = threading.Thread(target=lambda: progress.doing("d").__enter__())
        other.start()
        other.join()
    with progress.doing("e"):
        pass
    assert outer == ["a", "b", "a", ""]
    assert inner == ["c", ""]


def test_an_error_ends_what_was_told() -> None:
    heard: list[str] = []
    with progress.listening(heard.append), pytest.raises(ValueError, match="x"), progress.doing("a"):
        raise ValueError("x")
    assert heard == ["a", ""]


def test_the_line_comes_late_and_goes_with_what_it_tells() -> None:
    stream = io.StringIO()
    line = WaitingLine(stream, patience=0.5, started=time.monotonic())
    shown = threading.Thread(target=line.show_words)
    shown.start()
    with progress.listening(line.tell):
        with progress.doing("quick"):
            pass
        assert not stream.getvalue()
        with progress.doing("compiling x"):
            while not stream.getvalue():
                time.sleep(0.05)
        told = stream.getvalue()
    line.remove()
    shown.join()
    assert "quick" not in told
    assert "… compiling x (" in told
    assert told.endswith("\r\x1b[2K")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_a_terminal_is_never_silent_for_long(tmp_path: Path) -> None:
    """A first run of a flexible robot, empty cache, on a terminal: words come all the time."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "gough", "simulate", "delta_flexible", "--duration", "0.001"]
    env = {**os.environ, "GOUGH_CACHE": str(tmp_path), "TERM": "xterm", "COLUMNS": "120"}
    made = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    text, longest, last = b"", 0.0, None
    while True:
        ready, _, _ = select.select([leader], [], [], 0.5)
        if ready:
            try:
                found = os.read(leader, 65536)
            except OSError:
                break
            if not found:
                break
            text += found
            now = time.monotonic()
            longest, last = max(longest, 0.0 if last is None else now - last), now
        elif made.poll() is not None:
            break
    assert made.wait() == 0, text.decode()
    assert b"compiling" in text
    assert b"deriving" in text
    print(f"longest silence {longest:.1f} s")
