"""Doing the parts of an ensemble: on the threads of a CPU one by one, on a GPU many at once.

Parts on disk are written whole or not at all, known by what they were made from: every part says which study it belongs to, which
part of it it is, and the hash of its own numbers. One that is damaged, copied from another number or another study is named and
done again.
"""

import hashlib
import json
import os
import sys
import time as clock
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.service import Marched, compile_loop
from gough.errors import FileError, RunWarning, UsageError, warn
from gough.files import make_folder, npz, read_npz, write_file
from gough.program import Program
from gough.simulation.results.robot import robot_hash

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import EnsembleSubject

FORMAT = 3
ABOUT = "about"
Found = dict[str, np.ndarray]
Array = np.ndarray
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


def fingerprint(subject: "EnsembleSubject", plan: Any, states: np.ndarray, own: np.ndarray | None) -> str:
    """Hash of everything the results follow from. own (runs, k): what every run has for itself."""
    model, believed = subject.model, subject.believed
    law = [subject.law.describe(), believed.describe(None)]
    digest = hashlib.sha256(json.dumps([FORMAT, robot_hash(model), law, plan], sort_keys=True).encode())
    for x in (model.parameters, states, own, believed.numbers):
        digest.update(np.ascontiguousarray(np.zeros(0) if x is None else x).tobytes())
    digest.update(repr(sorted(model.pattern.items())).encode())
    return digest.hexdigest()


class Parts:
    """A folder of numbered parts, or none (folder None: nothing is kept). mark: hash of the study."""

    def __init__(self, folder: Path | None, mark: str, count: int) -> None:
        self.folder, self.mark = folder, mark
        if folder is None:
            return
        make_folder(folder)
        head, wanted = folder / "ensemble.json", {"format": FORMAT, "mark": mark, "parts": count}
        known = _head(head)
        if known is None:  # new, or damaged: what is there tells whose it is
            known = wanted if all(self._study(path) in (mark, "") for path in folder.glob("part*.npz")) else None
            if known is not None:
                write_file(head, json.dumps(wanted | {"digest": _digest_of_head(wanted)}))
        if known != wanted:
            raise UsageError(
                f"{folder} holds another ensemble (other robot, states, motion, steps, device or version of gough): give an "
                f"empty folder"
            )

    def path(self, k: int) -> Path:
        """The file of part k."""
        assert self.folder is not None
        return self.folder / f"part{k:06d}.npz"

    def read(self, k: int) -> Found | None:
        """A finished part; None where there is none, or a bad one, which is named in a warning."""
        if self.folder is None or not self.path(k).exists():
            return None
        try:
            about, found = _read(self.path(k))
            told = {"format": FORMAT, "mark": self.mark, "part": k}
            for key, what in (
                ("format", "of another format"),
                ("mark", "of another study"),
                ("part", "a copy of part {}"),
            ):
                if about.get(key) != told[key]:
                    raise FileError(f"{self.path(k)}: {what.format(about.get(key))}")
            if about.get("digest") != _digest(found):
                raise FileError(f"{self.path(k)}: its numbers were changed")
        except FileError as problem:
            warn(f"{problem}; the runs of this part are done again", RunWarning)
            return None
        return found

    def write(self, k: int, found: Found) -> None:
        """Keep a part."""
        if self.folder is not None:
            about = {"format": FORMAT, "mark": self.mark, "part": k, "digest": _digest(found)}
            write_file(self.path(k), npz({ABOUT: np.array(json.dumps(about)), **found}, compressed=False))

    def _study(self, path: Path) -> str:
        """The study a part says it is of; "" where it cannot be read."""
        try:
            return str(_read(path)[0].get("mark", ""))
        except FileError:
            return ""


def _read(path: Path) -> tuple[dict[str, Any], Found]:
    """(what a part says of itself, its arrays)."""
    found = read_npz(path, "a part of an ensemble")
    try:
        about = json.loads(str(found.pop(ABOUT)))
    except (KeyError, ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise FileError(f"{path} is not a part of an ensemble: it says nothing of itself")
    return about, found


def _digest(found: Found) -> str:
    digest = hashlib.sha256()
    for name, x in sorted(found.items()):
        digest.update(repr((name, x.dtype.str, x.shape)).encode())
        digest.update(np.ascontiguousarray(x).tobytes())
    return digest.hexdigest()


def _head(path: Path) -> dict[str, Any] | None:
    """What the folder's file says; None where there is none or a damaged one."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(known, dict) and (known.pop("digest", None) == _digest_of_head(known) or known.get("format") == 1):
        return known
    return None


def _digest_of_head(head: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(head, sort_keys=True).encode()).hexdigest()


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
