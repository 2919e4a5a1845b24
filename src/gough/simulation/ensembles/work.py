"""Doing the parts of an ensemble: on the threads of a CPU one by one, on a GPU many at once."""

import os
import sys
import time as clock
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from threading import Event
from typing import Any

import numpy as np

from gough.compilation.service import Marched, compile_loop
from gough.program import Program
from gough.simulation.ensembles.parts import Parts

Array = np.ndarray
Found = dict[str, Array]
Go = Callable[[Any, Array, Array, Callable[[float], None]], Found]
"""go(time loop, its table, numbers of runs, tick): results of these runs."""
Tell = Callable[[int, int], None]
PART, LEAST, PARTS = 256, 8, 16
"""Runs of a part, at most and at least, and how many parts of these there are where runs are few: what is lost by Ctrl-C is
little, and all cores work. The same on every machine, so that a folder can be taken elsewhere."""
GROUP = 64 * PART
"""Runs that a GPU does at once, at most."""
FEWEST, QUICK = 32, 0.1
"""Steps of a CPU's first stretch, and how long one takes (s): between two Ctrl-C is heard."""
DEVICES = ("cpu", "cuda")


class CpuLoop:
    """A time loop of this CPU as an ensemble calls it."""

    def __init__(self, program: Program) -> None:
        self.march = compile_loop(program)
        self.table = self.march.table

    def __call__(
        self, state: Array, steps: int, table: Array, given: Array, own: Array | None, every: int, first: int, tick: Any
    ) -> Marched:
        """See `CompiledLoop`. tick: called with the turns done, several times a second; what it raises ends the loop."""
        done, size = 0, FEWEST
        x, failed, status = state, np.full(len(state), -1), np.zeros(len(state), dtype=np.int64)
        records = []
        while done < steps:
            n, began = min(size, steps - done), clock.perf_counter()
            begin = first - done if done < first else every - (done - first) % every
            found = self.march(x, n, table, given, own, every=every, first=begin)
            lost = failed >= 0  # before: they stay as they are
            x = np.where(lost[:, None], x, found.state)
            status = np.where(lost, status, found.status)
            failed = np.where(lost | (found.failed < 0), failed, done + found.failed)
            records.append(found.record)
            done += found.turns
            tick(done)
            if found.turns < n:
                break
            size = max(int(size * min(QUICK / max(clock.perf_counter() - began, 1e-9), 4.0)), 1)
        return Marched(x, np.concatenate(records), done, failed, status)


def time_loop(program: Program, device: str) -> Any:
    """The compiled time loop of a program on one of DEVICES."""
    return CpuLoop(program) if device == "cpu" else compile_loop(program, device)


def part_of(runs: int) -> int:
    """Runs of a part of so many."""
    return min(max(-(-runs // (PARTS * LEAST)) * LEAST, LEAST), PART)


class Work:
    """Parts to be done."""

    def __init__(self, runs: int, parts: Parts) -> None:
        self.runs, self.parts, self.part = runs, parts, part_of(runs)
        self.count = -(-runs // self.part)
        self.found = {k: kept for k in range(self.count) if (kept := parts.read(k)) is not None}
        self.missing = [k for k in range(self.count) if k not in self.found]
        self.resumed = runs - sum(len(self.rows(k)) for k in self.missing)

    def rows(self, k: int) -> range:
        """Runs of part k."""
        return range(k * self.part, min((k + 1) * self.part, self.runs))

    def run_on_cpu(self, go: Go, loop: Any, table: Array, threads: int | None, tell: Tell | None) -> None:
        """All missing parts, several threads. tell: called with (runs done, all), now and then."""
        ended = Event()

        def tick(part: float) -> None:
            if ended.is_set():
                raise InterruptedError

        def work(k: int) -> None:
            self._keep(k, go(loop, table, np.array(self.rows(k)), tick))

        done = self.resumed
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            jobs = {pool.submit(work, k): k for k in self.missing}
            try:
                for job in as_completed(jobs):
                    job.result()
                    done += len(self.rows(jobs[job]))
                    if tell is not None:
                        tell(done, self.runs)
            except BaseException:
                ended.set()
                for job in jobs:
                    job.cancel()
                raise

    def run_on_gpu(self, go: Go, loop: Any, table: Array, room: int, tell: Tell | None) -> None:
        """All missing parts, many in one launch; each is kept for itself. room: runs there is memory for."""
        done, size = self.resumed, max(min(GROUP, room) // self.part, 1)
        for begin in range(0, len(self.missing), size):
            group = self.missing[begin : begin + size]
            runs = np.concatenate([np.array(self.rows(k)) for k in group])

            def tick(part: float, before: int = done, count: int = len(runs)) -> None:
                if tell is not None and part < 1.0:
                    tell(before + int(part * count), self.runs)

            found = go(loop, table, runs, tick)
            at = 0
            for k in group:
                n = len(self.rows(k))
                self._keep(k, {key: x if key == "time" else x[at : at + n] for key, x in found.items()})
                at += n
            done += len(runs)
            if tell is not None:
                tell(done, self.runs)

    def join_parts(self) -> Found:
        """Results of all runs."""
        parts = [self.found[k] for k in range(self.count)]
        joined = {key: np.concatenate([p[key] for p in parts]) for key in parts[0] if key != "time"}
        return joined | {"time": parts[0]["time"]}

    def _keep(self, k: int, found: Found) -> None:
        self.parts.write(k, found)
        self.found[k] = found


@contextmanager
def telling(progress: Tell | bool | None) -> Iterator[Tell | None]:
    """What is called with (done, runs). progress True: a bar, where the error output is a terminal."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress or not sys.stderr.isatty():
        yield None
    else:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("runs", total=None)
            yield lambda done, runs: bar.update(task, completed=done, total=runs)
