"""The library itself, timed the same way: a batch on one core or all, and one state a call."""

import numpy as np

from gough.errors import UsageError
from gough_bench.peer import Case, Peer
from gough_bench.repeated import seconds_per_call

BATCH = 1 << 14
"""States of one timed call: short enough to fit between two interruptions, long enough to hide the call itself."""


class Ours(Peer):
    """`model.function(name)` on a batch of row-major arrays, results into given arrays."""

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
        self._take(case.inputs(case.states.repeated(self._size)))
        return ""

    def _take(self, inputs: dict[str, np.ndarray]) -> None:
        self._inputs = inputs
        outputs = self._function(**inputs).outputs
        self._out = {name: np.empty_like(x) for name, x in outputs.items()}

    def answers(self) -> np.ndarray:
        states = self._case.states
        return Case.flat(self._function(**self._case.inputs(states)).outputs)

    def seconds(self, budget: float, threads: int = 1) -> float:
        call = lambda: self._function(**self._inputs, threads=threads, out=self._out)  # noqa: E731
        return seconds_per_call(call, budget) / self._size


class OursPosed(Ours):
    """`NAME@pose` with the design's numbers baked in: the pose instead of q, the legs' joints computed on the way."""

    name = "gough @pose"
    call = "Function of the pose, parameters baked, on a batch"

    def prepare(self, case: Case) -> str:
        self._case = case
        try:
            self._function = case.model.function(f"{case.function}@pose", baked=True).compile()
        except UsageError as problem:
            return str(problem)
        self._take(_posed(case.inputs(case.states.repeated(self._size))))
        return ""

    def answers(self) -> np.ndarray:
        return Case.flat(self._function(**_posed(self._case.inputs(self._case.states))).outputs)


def _posed(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {k: x for k, x in inputs.items() if k != "q"} | {"pose": np.ascontiguousarray(inputs["q"][..., :7])}


class OurSingle(Ours):
    """One state a call, from Python."""

    call = "Function, one state a call"
    threads = False

    def __init__(self) -> None:
        super().__init__(1)
