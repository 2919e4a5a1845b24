"""How calls run: how many threads they use, and whether the first ones are interpreted."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import local
from typing import TypeVar

from gough.arguments import checked, nothing, whole
from gough.errors import UsageError

Part = TypeVar("Part")
Outcome = TypeVar("Outcome")

_chosen: int | None = None
_here = local()
"""What holds for calls of one thread alone."""


@checked(n=whole(1) | nothing)
def set_threads(n: int | None) -> None:
    """Threads of all later calls; None: all cores this process may use (or $GOUGH_NUM_THREADS)."""
    global _chosen
    _chosen = None if n is None else _checked(n)


def thread_count(asked: int | None = None) -> int:
    """Threads of one call: what it asks for, else `calls_here`, else `set_threads`, else the environment, else all cores."""
    if asked is not None:
        return _checked(asked)
    if (here := getattr(_here, "threads", None)) is not None:
        return here
    if _chosen is not None:
        return _chosen
    named = os.environ.get("GOUGH_NUM_THREADS", "")
    if named:
        try:
            return _checked(int(named))
        except ValueError:
            raise UsageError(
                f"the number of threads GOUGH_NUM_THREADS={named!r}: set it to a positive number, or not at all"
            ) from None
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_parts(work: Callable[[Part], Outcome], parts: Sequence[Part]) -> list[Outcome]:
    """What work gives for every part, in their order, on as many threads as a call may use: machine code and reading of several
    parts go on at the same time."""
    workers = min(thread_count(), len(parts))
    if workers <= 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(workers, thread_name_prefix="parts") as pool:
        jobs = [pool.submit(work, part) for part in parts]
        try:
            return [job.result() for job in jobs]
        finally:
            for job in jobs:
                job.cancel()


@contextmanager
def calls_here(threads: int | None = None, steady: bool | None = None) -> Iterator[None]:
    """How calls of this thread run meanwhile, where it is said. threads: of each of them; steady: they go to machine code from
    the first one on, so that results do not depend on how many calls there were before."""
    before = dict(vars(_here))
    vars(_here).update({name: x for name, x in (("threads", threads), ("steady", steady)) if x is not None})
    try:
        yield
    finally:
        vars(_here).clear()
        vars(_here).update(before)


def are_steady() -> bool:
    """Whether calls of this thread go to machine code from the first one on."""
    return getattr(_here, "steady", False)


def _checked(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"threads={n!r}; give a positive number")
    return n
