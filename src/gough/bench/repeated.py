"""Timing a Python call: as many rounds as fill a budget, the garbage collector off."""

import gc
import time
from collections.abc import Callable


def seconds_per_call(call: Callable[[], object], budget: float) -> float:
    """Mean time (s) of one call over about `budget` seconds; of a single call where that takes longer."""
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-9)
    if once > budget:
        return once
    rounds = max(1, min(1_000_000, round(budget / once)))
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
