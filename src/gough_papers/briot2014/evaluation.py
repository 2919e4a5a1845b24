"""How long one evaluation of the model takes when deformations and their rates are given [Briot 2014, section 6].

Counted: the inverse model from positions of all joints, elastic coordinates, their rates and the drives' accelerations to the
drives' forces and the elastic accelerations. Apart: the passive joints from the slides and the deformations (the closed loop).
Not counted: measuring, filtering, input and output of a controller.
"""

import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough import Model
from gough.backends.llvm.target import host
from gough_papers.comparison import Demonstration
from gough_papers.section import Grid

SAMPLING = 40.0
"""µs: of the hammer test, the one sampling time that the paper prints; that of its controller it does not."""
CALLS, STATES = 400, 4000
"""Single calls; states of a batch, few enough to stay on one thread."""


@dataclass(frozen=True)
class EvaluationTimes:
    """µs, medians. block: of compiled code for as many states as the machine's vectors have lanes; a state alone fills a block,
    too. call: one state a call from Python. closing, closing_call: the passive joints, a state of a batch and a call."""

    block: float
    call: float
    closing: float
    closing_call: float
    lanes: int
    operations: int

    def grid(self) -> Grid:
        """With what was counted."""
        batch = f"one thread, batch of {STATES} states"
        rows = (
            ("inverse model, compiled", f"{self.block:.2f}", f"{self.lanes} states side by side, or one; {batch}"),
            ("the same, a state", f"{self.block / self.lanes:.2f}", f"of {self.lanes} side by side"),
            ("inverse model, called", f"{self.call:.0f}", f"one state a call from Python, median of {CALLS}"),
            ("passive joints, a state of a batch", f"{self.closing:.1f}", f"Newton's method from home; {batch}"),
            ("passive joints, called", f"{self.closing_call:.0f}", f"one state a call from Python, median of {CALLS}"),
            ("sampling time of the paper's hammer test", f"{SAMPLING:.0f}", "its controller's is not printed"),
        )
        title = f"An evaluation with deformations given: {self.operations} operations; {machine()}"
        return Grid(("time", "µs", "what was counted"), rows, ("µs",), title)

    def demonstrations(self) -> list[Demonstration]:
        """“compatible with real time applications” [Briot 2014, section 6]."""
        what = f"an evaluation of the inverse model, compiled, joints known; sampling time of the hammer test {SAMPLING:.0f} µs"
        value = f"{self.block:.2f} µs for {self.lanes} states side by side, or for one"
        return [Demonstration(what, value, "the paper prints neither its own time nor its controller's sampling time")]


def evaluation_times(model: Model) -> EvaluationTimes:
    """At states of the workspace that are deformed and move."""
    rng, layout = np.random.default_rng(2), model.layout
    tips = {"x": 1e-7, "y": 2e-3, "rz": 1e-2}
    size = np.array([tips[name.split(".")[-1]] for name in layout.v_names[model.mobility :]])
    drives, elastic = rng.uniform(0.0, 0.25, (STATES, 2)), size * rng.uniform(-1, 1, (STATES, len(size)))
    q = model.configuration(drives=drives, elastic=elastic, near=model.home)
    v = np.concatenate([rng.uniform(-0.15, 0.15, (STATES, 2)), 30 * elastic], axis=1)
    acceleration = rng.uniform(-1, 1, (STATES, 2))
    function = model.function("inverse_dynamics")
    function.compile()
    lanes = host().lanes
    batch = _median(lambda: model.inverse_dynamics(q, v, acceleration), 20) / STATES
    single = _median(lambda: model.inverse_dynamics(q[0], v[0], acceleration[0]), CALLS)

    def close(drives: np.ndarray, elastic: np.ndarray) -> np.ndarray:
        return model.configuration(drives=drives, elastic=elastic, near=model.home)

    closing = _median(lambda: close(drives, elastic), 5) / STATES
    closing_call = _median(lambda: close(drives[0], elastic[0]), CALLS)
    operations = model.count("inverse_dynamics").operations
    return EvaluationTimes(lanes * batch, single, closing, closing_call, lanes, operations)


def _median(call: Callable[[], Any], times: int) -> float:
    """µs of a call, after two that warm up."""
    spent = []
    for _ in range(times + 2):
        begin = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begin)
    return 1e6 * float(np.median(spent[2:]))


def machine() -> str:
    """The CPU and how many cores this process may use."""
    name, cores = platform.processor() or platform.machine(), os.cpu_count() or 1
    if sys.platform.startswith("linux"):
        cores = len(os.sched_getaffinity(0))
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    return f"{name}, {cores} cores, other work on it not known"
