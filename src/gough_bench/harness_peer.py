"""Peers that are C++ programs of their own: started once with files of robot and states, then asked line by line; the compiler
and the folder where executables are kept."""

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from gough.backends.cache import cache_folder, make_own_folder, reason_for_distrust
from gough.errors import GoughError
from gough_bench.machine import cpu_name
from gough_bench.peer import Case, Peer


class BuildError(GoughError):
    """A harness does not compile."""


def compiler() -> str:
    """The C++ compiler, "" where there is none."""
    return shutil.which(os.environ.get("CXX", "g++")) or shutil.which("clang++") or ""


def kept_executable(name: str, command: Sequence[str], sources: Sequence[Path]) -> Path:
    """Where the executable of a command and its sources is kept, built or not."""
    text = "\n".join([*command, cpu_name(), _cpu_flags(), *(s.read_text() for s in sources)])
    return executables_folder() / f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_built(target: Path) -> bool:
    """Whether an executable is there that nobody else can have written."""
    return target.exists() and not reason_for_distrust(target)


def run_compiler(command: Sequence[str]) -> None:
    """Run a compiler; BuildError with its words."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise BuildError("the C++ harness does not compile: " + "; ".join(errors[:3]))


def executables_folder() -> Path:
    """Where executables are kept: beside the compiled programs, or in a temporary folder of this process where that cannot be
    written or others could have written there."""
    folder = cache_folder()
    if folder is not None and not reason_for_distrust(folder / "bench"):
        folder = folder / "bench"
        with suppress(OSError):
            make_own_folder(folder)
            if os.access(folder, os.W_OK):
                return folder
    return Path(_temporary().name)


@cache
def _temporary() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="gough-bench-")


def _cpu_flags() -> str:
    """-march=native means this CPU: its features are part of the executable's key."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        return platform.machine()


class HarnessPeer(Peer):
    """States are evaluated one after the other inside the harness; nothing but the evaluation is timed.

    A harness takes two files, robot.txt and states.bin, and lines `time ROUTE REPEATS THREADS` and `write ROUTE PATH`.
    """

    _case: Case
    _route = ""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory | None = None
        self._process: subprocess.Popen | None = None
        self._per_state: dict[int, float] = {}

    def _make_folder(self) -> Path:
        self._folder = tempfile.TemporaryDirectory(prefix="gough-bench-")
        self._place = Path(self._folder.name)
        return self._place

    def _start(self, executable: Path) -> None:
        command = [str(executable), str(self._place / "robot.txt"), str(self._place / "states.bin")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, budget: float, threads: int = 1) -> float:
        n = len(self._case.states)
        guess = self._per_state.get(threads, 0.0)
        repeats = max(1, round(budget / (guess * n))) if guess else 1
        took = float(self._ask(f"time {self._route} {repeats} {threads}"))
        self._per_state[threads] = took / (repeats * n)
        return took / (repeats * n * threads)

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._folder = None

    def _ask(self, line: str) -> str:
        assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise GoughError(f"the C++ harness stopped at {line!r}: {answer or 'no answer'}")
        return answer


def file_row(*values: object) -> str:
    """Numbers as a harness reads them, all digits."""
    return " ".join(f"{float(x):.17g}" for value in values for x in np.ravel(np.asarray(value, dtype=float)))
