"""The same program on other machines: CasADi's virtual machine and its generated C, compiled with the optimiser on; JAX, whose
XLA compiles `to_jax` for all states in one call."""

import os
import tempfile
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gough import Function
from gough.errors import GoughError
from gough_bench.peer import Case, CLoop, Peer, c_compiler, seconds_per_call

EVERY = "inverse_dynamics forward_dynamics mass_matrix bias_force gravity_force drive_map energies configuration_rate".split()


class CasadiMachine(Peer):
    """A `casadi.Function` mapped over the states: its virtual machine runs the list of operations for each."""

    name = "CasADi VM"
    call = "Function.map, its buffers"
    functions = tuple(EVERY)
    remark = "parameters as numbers in its code"

    def available(self) -> str:

        if not find_spec("casadi"):
            return "not installed: `pip install casadi`"
        return "" if hasattr(Function, "to_casadi") else "this version of gough has no to_casadi"

    def prepare(self, case: Case) -> str:
        self._case = case
        self._function = case.model.function(case.function).to_casadi()  # type: ignore[attr-defined]
        inputs = case.inputs(case.states)
        names = self._function.name_in()
        n = len(case.states)
        shared = [k for k, name in enumerate(names) if inputs[name].ndim == 1]  # one row for all states
        self._rows = [np.ascontiguousarray(inputs[name], dtype=float) for name in names]
        self._strides = [0 if k in shared else self._function.nnz_in(k) for k in range(len(names))]
        mapped = self._function.map("all_states", "serial", n, shared, [])
        self._results = [np.zeros((n, self._function.nnz_out(k))) for k in range(self._function.n_out())]
        self._buffer, self._evaluate = mapped.buffer()  # arrays are read and written where they lie
        for k, x in enumerate(self._rows):
            self._buffer.set_arg(k, x.data)
        for k, x in enumerate(self._results):
            self._buffer.set_res(k, x.data)
        return ""

    def answers(self) -> np.ndarray:
        self._evaluate()
        return gather_outputs(self._case, self._function, self._results)

    def seconds(self, budget: float, threads: int = 1) -> float:
        return seconds_per_call(self._evaluate, budget) / len(self._case.states)


class CasadiC(CasadiMachine):
    """The same function as C, one state a call, in a loop compiled with it."""

    name = "CasADi C"
    call = "generated C, -O3 -march=native"

    def available(self) -> str:
        return super().available() or ("" if c_compiler() else "no C compiler (gcc, clang or CC)")

    def prepare(self, case: Case) -> str:
        reason = super().prepare(case)
        if reason:
            return reason
        self._folder = tempfile.TemporaryDirectory(prefix="gough-bench-")
        place = Path(self._folder.name)
        back = os.getcwd()
        os.chdir(place)  # CasADi writes the file into the current folder
        try:
            self._function.generate("peer.c")
        finally:
            os.chdir(back)
        sizes = [x.shape[1] for x in self._results]
        (place / "loop.c").write_text(_loop(self._function.name(), self._strides, sizes))
        self._loop = CLoop(place / "loop.c", [*self._rows, *self._results], len(case.states))
        return self._loop.problem

    def answers(self) -> np.ndarray:
        for x in self._results:
            x[:] = np.nan
        self._run()
        return gather_outputs(self._case, self._function, self._results)

    def seconds(self, budget: float, threads: int = 1) -> float:
        return seconds_per_call(self._run, budget) / len(self._case.states)

    def close(self) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _run(self) -> None:
        if self._loop():
            raise GoughError("CasADi's C reports an error")


def gather_outputs(case: Case, function: Any, results: list[np.ndarray]) -> np.ndarray:
    """The program's outputs (n, k) from the nonzeros (n, nnz) of CasADi's, which stand column by column."""
    n, found = len(case.states), {}
    for k, (name, values) in enumerate(zip(function.name_out(), results, strict=True)):
        sparsity = function.sparsity_out(k)
        full = np.zeros((n, *sparsity.shape))
        full[:, np.array(sparsity.row(), int), np.array(sparsity.get_col(), int)] = values
        found[name] = full
    return Case.flat({slot.name: found[slot.name] for slot in case.model.function(case.function).program.outputs})


def _loop(name: str, inputs: list[int], outputs: list[int]) -> str:
    arguments = "\n".join(f"    arg[{i}] = rows[{i}] + k*{size};" for i, size in enumerate(inputs))
    results = "\n".join(f"    res[{i}] = rows[{len(inputs) + i}] + k*{size};" for i, size in enumerate(outputs))
    return f"""#include "peer.c"
#include <stdlib.h>
int evaluate_all(double** rows, long long n) {{
  casadi_int na, nr, ni, nw, failed = 0;
  {name}_work(&na, &nr, &ni, &nw);
  const double** arg = malloc((na + 1)*sizeof(double*));
  double** res = malloc((nr + 1)*sizeof(double*));
  casadi_int* iw = malloc((ni + 1)*sizeof(casadi_int));
  double* w = malloc((nw + 1)*sizeof(double));
  for (long long k = 0; k < n; ++k) {{
{arguments}
{results}
    failed |= {name}(arg, res, iw, w, 0);
  }}
  free(arg); free(res); free(iw); free(w);
  return (int)failed;
}}
"""


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
        many = case.inputs(case.states.repeat(self._batch))
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
