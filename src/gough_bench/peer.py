"""What a peer is: another program that answers the same question on the same states; how its calls are timed."""

import ctypes
import gc
import os
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough import Model
from gough_bench.states import PeerStates

EXACT = 1e-6
"""Largest relative difference of a peer that solves the same equations."""


@dataclass(frozen=True)
class Case:
    """One comparison: the function of the model, its states, and the answers (n, k): drive forces or accelerations of v.

    truth: answers found otherwise (`truth.py`); where there are none, peers are compared with the library's.
    """

    model: Model
    function: str
    states: PeerStates
    truth: np.ndarray | None = None

    @property
    def judge(self) -> str:
        """What answers are compared with, in a word."""
        return "gough" if self.truth is None else "the truth"

    @property
    def expected(self) -> np.ndarray:
        """The answer (n, k) at the states."""
        if self.truth is not None:
            return self.truth
        if self.function == "inverse_dynamics" and self.model.layout.nv == self.model.mobility:  # else ë is there too
            return self.states.tau
        if self.function == "forward_dynamics":
            return self.states.acceleration
        return self.flat(self.model.function(self.function)(**self.inputs(self.states)).outputs)

    def inputs(self, states: PeerStates) -> dict[str, Any]:
        """The function's inputs by slot, no load."""
        slots = self.model.function(self.function).program.inputs
        known = {"parameters": self.model.parameters, "vdot": states.acceleration}
        found = {s.name: known.get(s.name, getattr(states, s.name, np.zeros(s.shape))) for s in slots}
        if "acceleration" in found:  # of the rigid part alone
            found["acceleration"] = found["acceleration"][..., : self.model.mobility]
        return found

    @staticmethod
    def flat(outputs: dict[str, np.ndarray]) -> np.ndarray:
        """All outputs side by side (n, k)."""
        return np.concatenate([x.reshape(len(x), -1) for x in outputs.values()], axis=1)


class Peer(ABC):
    """One peer and one way to call it; `prepare` comes before `answers` and `seconds`.

    tolerance: largest relative difference at which it is timed; above EXACT only where it solves other equations, which
    `remark` says. threads: whether it can use more than one. single: whether one state is one call from Python.
    """

    name: str
    call: str
    functions: tuple[str, ...] = ("inverse_dynamics", "forward_dynamics")
    tolerance: float = EXACT
    remark: str = ""
    threads: bool = False
    single: bool = False

    def take_function(self, function: str) -> None:
        """Know what is asked for, so that `call` names it, whether or not the rival is there and has the robot."""
        return

    @abstractmethod
    def available(self) -> str:
        """Why it cannot be used here, with what to install; "" where it can."""

    @abstractmethod
    def prepare(self, case: Case) -> str:
        """Take over robot and states; why it cannot solve this case, "" where it can."""

    @abstractmethod
    def answers(self) -> np.ndarray:
        """Its answers (n, k) at the case's states, in the library's coordinates."""

    @abstractmethod
    def seconds(self, budget: float, threads: int = 1) -> float:
        """Time of one state (s), measured once for about `budget` seconds."""

    def close(self) -> None:
        """Let go of processes and files."""
        return


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest relative difference over all states; infinite where an answer is not finite."""
    if found.shape != expected.shape or not np.isfinite(found).all():
        return np.inf
    scale = np.abs(expected).max(axis=1, initial=0.0)
    return float((np.abs(found - expected).max(axis=1, initial=0.0) / np.maximum(scale, 1e-300)).max(initial=0.0))


# ---- timing a Python call: as many rounds as fill a budget, the garbage collector off

FEW = 8


def _time_call(call: Callable[[], object]) -> float:
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
        return min(_time_call(call) for _ in range(FEW))
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


# ---- C sources with a loop over states around a function of one state: compiled, loaded, called on arrays

FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-w")


def c_compiler() -> str:
    """The C compiler, "" where there is none."""
    return shutil.which(os.environ.get("CC", "gcc")) or shutil.which("clang") or ""


class CLoop:
    """`int evaluate_all(double** rows, long long n)` of a source file on fixed arrays (n, k), inputs then outputs."""

    def __init__(self, source: Path, arrays: Sequence[np.ndarray], states: int) -> None:
        library = source.with_suffix(".so")
        command = [c_compiler(), *FLAGS, source.name, "-o", library.name, "-lm"]
        done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True)
        self.problem = f"its C does not compile: {(done.stderr or ' ').splitlines()[0]}" if done.returncode else ""
        if not self.problem:
            self._evaluate = ctypes.CDLL(str(library)).evaluate_all
            self._arrays = tuple(arrays)  # keeps them alive
            self._rows = (ctypes.c_void_p * len(arrays))(*[x.ctypes.data for x in arrays])
            self._states = ctypes.c_longlong(states)

    def __call__(self) -> int:
        """Evaluate all states; 0 where none failed."""
        return self._evaluate(self._rows, self._states)
