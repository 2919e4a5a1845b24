"""The library itself, timed the same way: a batch on one core or all, and one state a call."""

import numpy as np

from gough.bench.peer import Case, Peer
from gough.bench.repeated import seconds_per_call

BATCH = 1 << 14
"""States of one timed call: short enough to fit between two interruptions, long enough to hide the call itself."""


class Ours(Peer):
    """`model.function(name)` on a batch of row-major arrays; results and statuses are allocated by the call."""

    name = "gough"
    call = "Function on a batch"
    threads = True

    def __init__(self, batch: int = BATCH) -> None:
        self._size = batch

    def available(self) -> str:
        return ""

    def prepare(self, case: Case) -> str:
        self._case = case
        self._function = case.model.function(case.function).compile()
        self._inputs = case.inputs(case.states.repeated(self._size))
        return ""

    def answers(self) -> np.ndarray:
        states = self._case.states
        return Case.flat(self._function(**self._case.inputs(states)).outputs)

    def seconds(self, budget: float, threads: int = 1) -> float:
        return seconds_per_call(lambda: self._function(**self._inputs, threads=threads), budget) / self._size


class OurSingle(Ours):
    """One state a call, from Python."""

    call = "Function, one state a call"
    threads = False

    def __init__(self) -> None:
        super().__init__(1)
