"""How long the work takes that [Pedrammehr 2012] gives a time for: forces of all samples of its paths."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gough import Run
from gough_papers.pedrammehr2012.pods import Pods, pod_forces

REPEATS = 5


@dataclass(frozen=True)
class Spent:
    """Seconds of one round over all paths: of the clock, the median and the shortest of REPEATS."""

    median: float
    shortest: float


def library_time(runs: Sequence[Run]) -> Spent:
    """From the platform's poses to drive forces, compiled before: the joints are closed anew each time."""
    model = runs[0].model
    given = [(run.q[:, :7], run.v, run.acceleration) for run in runs]
    model.function("inverse_dynamics").compile()

    def work() -> None:
        for pose, v, acceleration in given:
            model.inverse_dynamics(model.configuration(pose=pose), v, acceleration)

    return _measure(work)


def equations_time(pods: Pods, runs: Sequence[Run]) -> Spent:
    """The paper's equations, corrected, in NumPy: all samples of a path at once."""

    def work() -> None:
        for run in runs:
            pod_forces(pods, run.q[:, :7], run.v, run.acceleration)

    return _measure(work)


def _measure(work: Callable[[], None]) -> Spent:
    work()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return Spent(sorted(times)[REPEATS // 2], min(times))


def this_machine() -> str:
    """Processor and cores, as far as the system tells."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), name)
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{name}, {cores} cores"
