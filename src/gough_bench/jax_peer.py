"""JAX on the same program: `to_jax`, which XLA compiles, on all states in one call."""

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gough import Function
from gough_bench.casadi_peer import EVERY
from gough_bench.peer import Case, Peer, seconds_per_call

BATCH = 1024
"""States of one timed call."""


class Jax(Peer):
    """XLA chooses its own threads, so this is a figure of the whole machine; XLA_FLAGS may hold it to one."""

    name = "JAX"
    call = "jit on a batch"
    functions = tuple(EVERY)
    remark = "parameters as numbers in its code; XLA chooses its own threads"

    def available(self) -> str:

        if not find_spec("jax"):
            return "not installed: `pip install jax`"
        return "" if hasattr(Function, "to_jax") else "this version of gough has no to_jax"

    def prepare(self, case: Case) -> str:
        jax: Any = import_module("jax")

        jax.config.update("jax_enable_x64", True)
        self._case = case
        function = case.model.function(case.function)
        self._function = function.to_jax()  # type: ignore[attr-defined]
        self._batch = BATCH // len(case.states) * len(case.states) or len(case.states)
        many = case.inputs(case.states.repeated(self._batch))
        self._arrays = {k: jax.numpy.asarray(x) for k, x in many.items() if k != "parameters"}
        return ""

    def answers(self) -> np.ndarray:
        found = self._function(**self._arrays)
        slots = self._case.model.function(self._case.function).program.outputs
        return Case.flat({s.name: np.asarray(found[s.name])[: len(self._case.states)] for s in slots})

    def seconds(self, budget: float, threads: int = 1) -> float:
        jax: Any = import_module("jax")

        call = partial(self._function, **self._arrays)
        return seconds_per_call(lambda: jax.block_until_ready(call()), budget) / self._batch
