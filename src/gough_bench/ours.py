"""The library itself, timed the same way: a batch on one core or all, and one state a call."""

import re
import tempfile
from itertools import cycle
from pathlib import Path

import numpy as np

from gough import UsageError
from gough.export import export
from gough_bench.peer import Case, CLoop, Peer, c_compiler, seconds_per_call

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
        self._take(case.inputs(case.states.repeat(self._size)))
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
        self._take(_pose_inputs(case.inputs(case.states.repeat(self._size))))
        return ""

    def answers(self) -> np.ndarray:
        return Case.flat(self._function(**_pose_inputs(self._case.inputs(self._case.states))).outputs)


def _pose_inputs(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {k: x for k, x in inputs.items() if k != "q"} | {"pose": np.ascontiguousarray(inputs["q"][..., :7])}


class OurSingle(Ours):
    """One state a call, from Python."""

    call = "Function, one state a call"
    threads = False
    single = True

    def __init__(self) -> None:
        super().__init__(1)

    def seconds(self, budget: float, threads: int = 1) -> float:
        slots = self._case.model.function(self._case.function).program.inputs
        many = self._case.inputs(self._case.states)
        own = [s.name for s in slots if many[s.name].ndim > len(s.shape)]
        rows = [many | {name: many[name][k].copy() for name in own} for k in range(len(self._case.states))]
        out, turn = {name: x[0] for name, x in self._out.items()}, cycle(rows)
        return seconds_per_call(lambda: self._function(**next(turn), out=out), budget)


class OurCall(Peer):
    """`model.inverse_dynamics` or `model.forward_dynamics`, one state a call from Python, other arrays at every call."""

    name = "gough"
    single = True

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return f"model.{self._function}, one state a call"

    _function = "forward_dynamics"

    def take_function(self, function: str) -> None:
        self._function = function

    def available(self) -> str:
        return ""

    def prepare(self, case: Case) -> str:
        if case.function not in ("inverse_dynamics", "forward_dynamics"):
            return "the row before is the only way"
        self._function = case.function
        self._call = getattr(case.model, case.function)
        states, rigid = case.states, case.model.mobility
        last = states.acceleration[:, :rigid] if case.function == "inverse_dynamics" else states.tau
        self._rows = [tuple(x.copy() for x in row) for row in zip(states.q, states.v, last, strict=True)]
        return ""

    def answers(self) -> np.ndarray:
        found = [self._call(*row) for row in self._rows]
        if self._function == "forward_dynamics":
            return np.array([x.vdot for x in found])
        return np.array([np.concatenate([x.tau, x.free_acceleration]) for x in found])

    def seconds(self, budget: float, threads: int = 1) -> float:
        turn = cycle(self._rows)
        return seconds_per_call(lambda: self._call(*next(turn)), budget)


# ---- its exported C, one state a call: what a controller would run

NAME = "subject"


class OurC(Peer):
    """`gough export` with the design's numbers in the code, without wrench and checks, compiled for this CPU."""

    name = "gough"
    call = "exported C, one state a call"
    remark = "parameters as numbers in its code"

    def available(self) -> str:
        return "" if c_compiler() else "no C compiler (gcc, clang or CC)"

    def prepare(self, case: Case) -> str:
        self._case = case
        self._folder = tempfile.TemporaryDirectory(prefix="gough-bench-")
        place = Path(self._folder.name)
        export(case.model, case.function, place, name=NAME, baked=True, wrench=False, checks=False)
        arguments = _arguments((place / f"{NAME}.h").read_text())
        inputs, slots = case.inputs(case.states), case.model.function(case.function).program.outputs
        self._results = {s.name: np.full((len(case.states), *s.shape), np.nan) for s in slots}
        known = inputs | self._results
        unknown = [name for name in arguments if name not in known]
        if unknown:
            return f"its arguments {', '.join(unknown)} are not known here"
        arrays = [
            np.ascontiguousarray(np.broadcast_to(known[k], (len(case.states), *known[k].shape[1:]))) for k in arguments
        ]
        self._results = {k: x for k, x in zip(arguments, arrays, strict=True) if k in self._results}
        (place / "loop.c").write_text(_loop([x[0].size for x in arrays]))
        self._loop = CLoop(place / "loop.c", arrays, len(case.states))
        return self._loop.problem

    def answers(self) -> np.ndarray:
        self._loop()
        slots = self._case.model.function(self._case.function).program.outputs
        return Case.flat({s.name: self._results[s.name] for s in slots})

    def seconds(self, budget: float, threads: int = 1) -> float:
        return seconds_per_call(self._loop, budget) / len(self._case.states)

    def close(self) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _arguments(header: str) -> list[str]:
    """Names of the arguments of the function of a state, in order."""
    found = re.search(rf"uint64_t\s+{NAME}\(([^)]*)\)", header)
    return re.findall(r"double\s+(\w+)\[", found[1]) if found else []


def _loop(sizes: list[int]) -> str:
    arguments = ", ".join(f"rows[{i}] + k*{size}" for i, size in enumerate(sizes))
    return f"""#include "{NAME}.c"
int evaluate_all(double** rows, long long n) {{
  uint64_t status = 0;
  for (long long k = 0; k < n; ++k) status |= {NAME}({arguments});
  return (int)(status != 0);
}}
"""
