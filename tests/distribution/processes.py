"""Schedulers and workers as processes of their own, to be killed and started again; work whose every try leaves a trace."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
LIMIT = 90.0
"""Seconds that anything may take to happen."""


@dataclass(frozen=True)
class Squares:
    """factor · x²; every try writes its number into a folder. trouble: (chunk, "fails", "fails once" or "dies")."""

    factor: float
    traces: str
    pause: float = 0.0
    trouble: tuple[tuple[int, str], ...] = ()

    def prepare(self) -> Callable[[Any, Any], dict[str, np.ndarray]]:
        def go(item: tuple[int, np.ndarray], tick: Callable[[float], None]) -> dict[str, np.ndarray]:
            k, x = item
            tried = len(list(Path(self.traces).glob(f"{k}-*")))
            (Path(self.traces) / f"{k}-{time.time_ns()}-{os.getpid()}").touch()
            what = dict(self.trouble).get(k, "")
            if what == "dies":
                os._exit(9)
            if what == "fails" or (what == "fails once" and not tried):
                raise RuntimeError(f"trouble of {k}")
            end = time.time() + self.pause
            while time.time() < end:
                tick(0.5)
                time.sleep(min(0.02, self.pause))
            return {"square": self.factor * x**2, "process": np.array(os.getpid())}

        return go


def items(count: int) -> list[tuple[int, np.ndarray]]:
    return [(k, np.linspace(k, k + 1, 7)) for k in range(count)]


def tries(folder: Path) -> Counter[int]:
    """How often each chunk was begun."""
    return Counter(int(path.name.partition("-")[0]) for path in folder.iterdir())


def wait_for(what: Callable[[], Any]) -> Any:
    """Until it is true."""
    end = time.time() + LIMIT
    while not (found := what()):
        assert time.time() < end, "it did not happen"
        time.sleep(0.02)
    return found


class Processes:
    """A scheduler at one address, and workers of one thread."""

    def __init__(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.running: list[subprocess.Popen[bytes]] = []

    def scheduler(self) -> subprocess.Popen[bytes]:
        made = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        wait_for(self._answers)
        return made

    def worker(self, *more: str) -> subprocess.Popen[bytes]:
        own = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--memory-limit", "0")
        return self._start("worker", self.address, *own, *more)

    def stop(self) -> None:
        for process in reversed(self.running):
            process.kill()
            process.wait()

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        words = (sys.executable, "-m", "dask", *words)
        self.running.append(subprocess.Popen(words, env=environment(), stdout=quiet, stderr=quiet))
        return self.running[-1]

    def _answers(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0


def environment() -> dict[str, str]:
    """Processes find the modules of the tests."""
    paths = [str(TESTS.parent / "src"), str(TESTS), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "CUDA_VISIBLE_DEVICES": ""}
