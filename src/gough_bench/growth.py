"""How cost grows: with legs, loops, links in a loop, and states. One core; every program compiled fresh."""

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.compilation import Model, build
from gough.robot import Robot
from gough.robots import four_bar_chain
from gough_bench.growth_robots import closed_chain, legs_on_platform
from gough_bench.machine import machine
from gough_bench.ours import Ours
from gough_bench.peer import Case
from gough_bench.states import random_states

BATCH = 4096
ROUNDS = 40
CHUNK = 1 << 16
"""States of one chunk where the states of a call grow."""


@dataclass(frozen=True)
class Series:
    """Robots of growing size and the function timed on them."""

    axis: str
    what: str
    function: str
    robot: Callable[[int], Robot]
    sizes: tuple[int, ...]


SERIES = {
    "legs_forward": Series(
        "legs",
        "forward dynamics of a platform on n UPS legs",
        "forward_dynamics",
        legs_on_platform,
        (3, 4, 6, 8, 12, 16, 24),
    ),
    "legs_inverse": Series(
        "legs",
        "inverse dynamics of the same, least-norm forces",
        "inverse_dynamics",
        legs_on_platform,
        (6, 8, 12, 16, 24),
    ),
    "loops": Series(
        "loops", "forward dynamics of n four-bars in a row", "forward_dynamics", four_bar_chain, (1, 2, 5, 10, 20, 50)
    ),
    "chain": Series(
        "links", "inverse dynamics of one loop of n links", "inverse_dynamics", closed_chain, (6, 8, 12, 16, 24, 32)
    ),
}
STATES = tuple(10**k for k in range(9))


def grow(quick: bool = False, say: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Points of all series; Ctrl-C ends early with what is done. quick: two sizes of each, up to 1e4 states."""
    result: dict[str, Any] = {"format": 1, "machine": machine(), "series": {}, "interrupted": False}
    try:
        _warm()
        for name, series in SERIES.items():
            points: list[dict[str, Any]] = []
            result["series"][name] = {"axis": series.axis, "what": series.what, "points": points}
            for size in series.sizes[:2] if quick else series.sizes:
                say(f"{series.what}, n = {size}")
                points.append(point(series, size, 2 if quick else ROUNDS))
        points = []
        result["series"]["states"] = {
            "axis": "states",
            "what": f"inverse dynamics of 6 legs, chunks of {CHUNK} states, all cores",
            "points": points,
        }
        model = _quiet(legs_on_platform, 6)
        for n in STATES[:5] if quick else STATES:
            say(f"{n} states")
            points.append(states_point(model, n))
    except KeyboardInterrupt:
        result["interrupted"] = True
    return result


def point(series: Series, size: int, rounds: int) -> dict[str, Any]:
    """build_s, compile_s (trace and compile), operations, instructions, best_ns of one state on one core, its spread."""
    start = time.perf_counter()
    model = _quiet(series.robot, size)
    built = time.perf_counter()
    with no_cache():
        model.function(series.function).compile()
    compiled = time.perf_counter()
    case = Case(model, series.function, random_states(model, 64))
    ours = Ours(BATCH)
    ours.prepare(case)
    times = [ours.seconds(0.002) for _ in range(rounds)]
    count = model.count(series.function)
    return {
        "size": size,
        "build_s": built - start,
        "compile_s": compiled - built,
        "operations": count.operations,
        "instructions": count.instructions,
        "best_ns": min(times) * 1e9,
        "spread": float(np.median(times)) / min(times) - 1,
    }


def states_point(model: Model, n: int) -> dict[str, Any]:
    """seconds of n states, given as a view that repeats some, and how much the process' memory grew (bytes)."""
    function = model.function("inverse_dynamics").compile()
    few = min(n, 500)
    states = random_states(model, few)
    inputs = Case(model, "inverse_dynamics", states).inputs(states)
    wide: dict[str, Any] = {
        k: np.broadcast_to(inputs[k], (n // few, few, inputs[k].shape[-1])) for k in ("q", "v", "acceleration")
    }
    before = _memory()
    start = time.perf_counter()
    done = 0
    for part in function.chunks(CHUNK, **{**inputs, **wide}):
        done += part.batch[0]
    took = time.perf_counter() - start
    assert done == n
    return {"size": n, "seconds": took, "memory_bytes": _memory() - before}


def exponent(points: list[dict[str, Any]], key: str) -> float | None:
    """Slope of log(key) against log(size) over the larger half of the sizes: 1 is linear."""
    rest = [p for p in points if p.get(key)][len(points) // 2 :]
    if len(rest) < 2:
        return None
    return float(np.polyfit(np.log([p["size"] for p in rest]), np.log([p[key] for p in rest]), 1)[0])


@contextmanager
def no_cache() -> Iterator[None]:
    """Compile as if nothing had been compiled before."""
    before = os.environ.get("GOUGH_CACHE_DIR")
    os.environ["GOUGH_CACHE_DIR"] = ""
    try:
        yield
    finally:
        if before is None:
            del os.environ["GOUGH_CACHE_DIR"]
        else:
            os.environ["GOUGH_CACHE_DIR"] = before


def _quiet(robot: Callable[[int], Robot], size: int) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(robot(size))


def _warm() -> None:
    """The compiler's own start is no robot's cost."""
    with no_cache():
        _quiet(four_bar_chain, 1).function("mass_matrix").compile()


def _memory() -> int:
    """Largest resident memory of this process so far (bytes); 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
