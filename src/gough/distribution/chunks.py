"""The one door to work in chunks: the same chunks, parts and results by threads of this process or by the workers of a cluster.

    class Squares(NamedTuple):
        factor: float

        def prepare(self):
            return lambda x, tick: {"square": self.factor * x**2}

    for done in run_chunks(Squares(2.0), [np.arange(3.0), np.arange(4.0)], cluster="local:2"):
        print(done.number, done.result)

Where chunks begin and end is the caller's choice and must not depend on who works: then results are the same bit for bit on
machines of one kind. With a store, every result is written before it is handed out, and chunks that are there are not done again.
"""

import os
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from threading import Event
from typing import Any, NamedTuple, Protocol

from gough.arguments import Kind
from gough.distribution.parts import PATIENCE, PartFolder
from gough.errors import GoughError

TRIES = 3
"""Times that a chunk is tried on a cluster."""
LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
ADDRESS = re.compile(r"[a-z]+://\S+")
Tick = Callable[[float], None]
"""Called now and then with the part of a chunk that is done; what it raises ends the chunk."""
Go = Callable[[Any, Tick], Any]


class ChunkWork(Protocol):
    """What is to be done with a chunk, as plain data that can be pickled."""

    def prepare(self) -> Go:
        """A thread-safe function of (chunk, tick): models, machine code. Made once in every process that works."""
        ...


class DoneChunk(NamedTuple):
    """A finished chunk. kept: whether it was in the store before."""

    number: int
    result: Any
    kept: bool


def _cluster(value: Any) -> Any:
    if isinstance(value, str):
        if not (LOCAL.fullmatch(value) or ADDRESS.fullmatch(value)):
            raise ValueError(value)
    elif not hasattr(value, "submit") and not hasattr(value, "scheduler_address"):
        raise TypeError(value)
    return value


a_cluster = Kind("'local:N' for N processes, the address of a scheduler as 'tcp://host:8786', a Dask Client", _cluster)
"""Argument `cluster` of calls."""


def run_chunks(
    work: ChunkWork,
    chunks: Sequence[Any],
    *,
    cluster: Any = None,
    mixed: bool = False,
    device: str = "cpu",
    store: PartFolder | None = None,
    threads: int | None = None,
    tick: Callable[[int, float], None] | None = None,
    tries: int = TRIES,
    patience: float = PATIENCE,
    until: float | None = None,
    again: Callable[[Any], bool] | None = None,
) -> Generator[DoneChunk, None, None]:
    """All chunks as they are finished, in any order, never more than a few in memory.

    chunks: what each of them is given (picklable); asked for by number when its turn comes. cluster: None for threads of this
    process, default all cores; "local:N", an address, or a Client. mixed: whether workers of several kinds of CPU (or GPU) may
    work together. device: "cuda" demands a GPU for each worker. store: where parts are kept. tick: called with (number, part of
    it that is done), by threads of this process alone. tries: of a chunk on a cluster. patience (s): for a folder or a scheduler
    that is gone. until: when (by time.monotonic()) it ends, whatever is left: no chunk begins then, those at work are given up.
    again: whether a result that is in the store is one that was cut short, to be done again.

    An error of gough ends it as it is, with the chunk's number as a note. Ctrl-C and closing the iterator end all chunks that are
    not finished; what is stored stays.
    """
    todo = []
    for k in range(len(chunks)):
        kept = None if store is None else store.read(k)
        if kept is None or (again is not None and again(kept)):
            todo.append(k)
        else:
            yield DoneChunk(k, kept, True)
    if not todo:
        return
    if cluster is None:
        found = _run_in_threads(work, chunks, todo, store, threads, tick, (patience, until))
    else:
        from gough.distribution._dask import run_on_cluster

        found = run_on_cluster(work, chunks, todo, store, cluster, (mixed, device, tries, patience, until))
    with closing(found):
        for k, result in found:
            yield DoneChunk(k, result, False)


@contextmanager
def open_cluster(cluster: Any) -> Iterator[Any]:
    """A cluster for several calls of `run_chunks`, which begins and ends here where it is one of this machine; None for None."""
    if cluster is None:
        yield None
        return
    from gough.distribution._dask import open_client

    with open_client(cluster) as client:
        yield client


def is_over(until: float | None) -> bool:
    """Whether that time has come; None: never."""
    return until is not None and time.monotonic() >= until


def note_chunk(problem: BaseException, k: int) -> None:
    """Say with an error in which chunk it arose."""
    problem.add_note(f"in chunk {k}")


def _run_in_threads(
    work: ChunkWork,
    chunks: Sequence[Any],
    todo: list[int],
    store: PartFolder | None,
    threads: int | None,
    tick: Callable[[int, float], None] | None,
    limits: tuple[float, float | None],
) -> Generator[tuple[int, Any], None, None]:
    ended, go, (patience, until) = Event(), work.prepare(), limits

    def do(k: int) -> Any:
        def tell(part: float) -> None:
            if ended.is_set() or is_over(until):
                raise InterruptedError
            if tick is not None:
                tick(k, part)

        tell(0.0)
        try:
            found = go(chunks[k], tell)
        except GoughError as problem:
            note_chunk(problem, k)
            raise
        if store is not None:
            store.keep(k, found, patience, ended)
        return found

    workers = min(threads or os.cpu_count() or 1, len(todo))
    with ThreadPoolExecutor(workers, thread_name_prefix="chunks") as pool:
        waiting, jobs = list(reversed(todo)), dict[Future[Any], int]()
        try:
            while jobs or (waiting and not is_over(until)):
                while waiting and len(jobs) < 2 * workers and not is_over(until):
                    k = waiting.pop()
                    jobs[pool.submit(do, k)] = k
                done = wait(jobs, return_when=FIRST_COMPLETED).done
                for job in sorted(done, key=lambda x: (x.exception() is not None, jobs[x])):  # what is good first
                    k = jobs.pop(job)
                    if not (is_over(until) and isinstance(job.exception(), InterruptedError)):
                        yield k, job.result()
        except BaseException:
            ended.set()
            for job in jobs:
                job.cancel()
            raise
