"""Timing a Python call: as many rounds as fill a budget, the garbage collector off."""

import gc
import time
from collections.abc import Callable

FEW = 8


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def seconds_per_call(call: Callable[[], object], budget: float) -> float:
    """Time (s) of one call: the mean over about `budget` seconds, or the best of FEW calls in a row where one takes longer.

    Caches, clocks and threads that another peer left behind settle during the first calls. A call of ten times the budget
    is made once.
    """
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-9)
    if once > 10 * budget:
        return once
    if once > budget / FEW:
        return min(_timed(call) for _ in range(FEW))
    rounds = min(1_000_000, round(budget / once))
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        return (time.perf_counter() - start) / rounds
    finally:
        if collecting:
            gc.enable()
