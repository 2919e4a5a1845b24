"""Slices and threads: every state is run once, flags come back in order, an interrupt stops at once."""

from __future__ import annotations

import _thread
import signal
import threading
import time

import numpy as np
import pytest

from backends.kernels import run
from gough.backends.llvm._kernel import PARALLEL_ABOVE, _pool, over_slices
from inner.backends import Kernel
from program.specimens import N, random_program


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 4096, 4097, 10_000])
def test_every_state_once_and_flags_in_order(n: int, threads: int) -> None:
    seen = np.zeros(n, dtype=int)
    lock = threading.Lock()

    def work(begin: int, end: int, status: np.ndarray) -> bool:
        with lock:
            seen[begin:end] += 1
        status[: end - begin] = np.where(np.arange(begin, end) % 7 == 3, np.arange(begin, end) + 1, 0)
        return bool(status[: end - begin].any())

    states, words = over_slices(work, n, 512, threads)
    assert (seen == 1).all()
    np.testing.assert_array_equal(states, np.arange(n)[np.arange(n) % 7 == 3])
    np.testing.assert_array_equal(words, states + 1)


def test_threads_give_the_same_numbers() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.uniform(0.5, 1.5, (9001, N)), rng.uniform(0.5, 1.5, (1, 3))]
    kernel = Kernel(random_program(3, 60, uniform=True))
    one, _ = run(kernel, rows, 9001, threads=1)
    three, _ = run(kernel, rows, 9001, threads=3)
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_error_in_a_thread_is_raised() -> None:
    def work(begin: int, end: int, status: np.ndarray) -> bool:
        raise ZeroDivisionError("in a slice")

    with pytest.raises(ZeroDivisionError, match="in a slice"):
        over_slices(work, 10_000, 512, 2)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_between_slices(threads: int) -> None:
    """Raised in the main thread while slices run: no slice starts later, none is left running."""
    running = [0]
    started = [0]

    def work(begin: int, end: int, status: np.ndarray) -> bool:
        running[0] += 1
        started[0] += 1
        time.sleep(0.002)
        running[0] -= 1
        return False

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background may ignore it
    try:
        threading.Timer(0.05, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            over_slices(work, 10_000_000, 512, threads)
    finally:
        signal.signal(signal.SIGINT, before)
    assert running[0] <= 1  # the slice of the main thread itself is broken off
    after = started[0]
    time.sleep(0.02)
    assert started[0] == after < 1000


def test_a_busy_pool_holds_up_no_call() -> None:
    """Its threads are at somebody else's work: what the caller has done alone is done."""
    busy, over, done = _pool(2), threading.Event(), []
    jobs = [busy.submit(over.wait) for _ in range(2)]
    n = 5 * PARALLEL_ABOVE
    seen = np.zeros(n, dtype=int)

    def run(begin: int, end: int, status: np.ndarray) -> bool:
        seen[begin:end] += 1
        return False

    caller = threading.Thread(target=lambda: done.append(over_slices(run, n, 1 << 14, 2)), daemon=True)
    caller.start()
    caller.join(60.0)
    alone = bool(done)
    over.set()
    for job in jobs:
        job.result()
    assert alone and not len(done[0][0]) and (seen == 1).all()
