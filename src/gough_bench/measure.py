"""Peers checked, then timed in turn, round after round, so that a noisy moment hits all alike; limits of core and GPU."""

import ctypes
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gough.backends.llvm.target import LoadedObject, compile_object, host
from gough.errors import GoughError
from gough_bench.peer import Case, Peer, difference

# ---- the core's peak rate of multiply-adds, measured with a loop of independent ones
# The share of the issue limit of a program is (its instructions / lanes) / (this rate) / (its time a state): 1 where every
# issue slot for arithmetic holds one of its instructions.

CHAINS = 12
"""Independent chains: enough for two ports of latency 5, and all fit with both factors into 16 registers."""
ROUNDS = 200_000


class Peak:
    """A compiled loop of multiply-adds on full vectors."""

    def __init__(self) -> None:
        target = host()
        self.lanes = target.lanes
        self._code = LoadedObject(compile_object(_loop(target.lanes, target.fused), target))
        address = self._code.address("peak")
        self._run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, ctypes.c_double)(address)
        self._run(ROUNDS, 0.5, 1.0)

    def instructions_per_second(self) -> float:
        """Vector multiply-adds a second, measured once (some ms)."""
        start = time.perf_counter()
        self._run(ROUNDS, 0.5, 1.0)
        return ROUNDS * CHAINS / (time.perf_counter() - start)


def _loop(lanes: int, fused: bool) -> str:
    T = f"<{lanes} x double>"
    lines = [f"  %a{k}.next = call {T} @llvm.fma.v{lanes}f64({T} %a{k}, {T} %f, {T} %g)" for k in range(CHAINS)]
    if not fused:  # a CPU without them issues a product and a sum; count the pair as one
        lines = [
            f"  %p{k} = fmul {T} %a{k}, %f\n  %a{k}.next = fadd {T} %p{k}, %g" for k in range(CHAINS)
        ]  # fmt: skip
    heads = [f"  %a{k} = phi {T} [ %g, %entry ], [ %a{k}.next, %loop ]" for k in range(CHAINS)]
    sums = [f"  %s{k + 1} = fadd {T} %s{k}, %a{k + 1}.next" for k in range(CHAINS - 1)]
    sums[0] = sums[0].replace("%s0", "%a0.next")
    splat = f"shufflevector {T} %{{0}}1, {T} poison, <{lanes} x i32> zeroinitializer"
    return "\n".join(
        [
            "define double @peak(i64 %n, double %x, double %y) {",
            "entry:",
            f"  %f1 = insertelement {T} poison, double %x, i32 0",
            f"  %f = {splat.format('f')}",
            f"  %g1 = insertelement {T} poison, double %y, i32 0",
            f"  %g = {splat.format('g')}",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]",
            *heads,
            *lines,
            "  %i.next = add i64 %i, 1",
            "  %more = icmp slt i64 %i.next, %n",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *sums,
            f"  %r = extractelement {T} %s{CHAINS - 1}, i32 0",
            "  ret double %r",
            "}",
            f"declare {T} @llvm.fma.v{lanes}f64({T}, {T}, {T})",
        ]
    )


@dataclass
class TimedLine:
    """One row of the result. difference: NaN where there is no answer. seconds: every measurement of one state's time;
    reason: why there is none; fault: what is wrong with an answer that is timed nevertheless; spent: time (s) all
    measurements took."""

    peer: Peer
    threads: int
    difference: float = math.nan
    reason: str = ""
    fault: str = ""
    seconds: list[float] = field(default_factory=list)
    spent: float = 0.0

    def figures(self) -> dict[str, Any]:
        """The row as data; times in ns a state: best, median and spread (median over best - 1)."""
        times = np.array(self.seconds) * 1e9
        return {
            "peer": self.peer.name,
            "call": self.peer.call,
            "threads": self.threads,
            "single": self.peer.single,
            "difference": None if math.isnan(self.difference) else self.difference,
            "reason": self.reason or self.fault,
            "remark": self.peer.remark,
            "best_ns": float(times.min()) if len(times) else None,
            "median_ns": float(np.median(times)) if len(times) else None,
            "spread": float(np.median(times) / times.min() - 1) if len(times) else None,
            "rounds": len(times),
        }


def check(peer: Peer, case: Case, time_wrong: bool = False) -> TimedLine:
    """A row with the peer's difference, or the reason why it will not be timed; wrong answers are, on request, where finite."""
    line = TimedLine(peer, 1)
    peer.take_function(case.function)
    if case.function not in peer.functions and not peer.name.startswith("gough"):
        line.reason = f"does not have {case.function}"
        return line
    line.reason = peer.available() or peer.prepare(case)
    if line.reason:
        return line
    try:
        found = peer.answers()
    except (RuntimeError, ValueError) as problem:  # what peers raise, LinAlgError among them
        line.reason = f"it stops: {' '.join(str(problem).split())[:160]}"
        return line
    line.difference = difference(found, case.expected)
    if not line.difference <= peer.tolerance:
        shown = f"{line.difference:.1e}" if np.isfinite(line.difference) else "not finite"
        line.fault = f"wrong answer: relative difference {shown} to {case.judge}"
        if not (time_wrong and np.isfinite(line.difference)):
            line.reason, line.fault = line.fault, ""
    return line


def measure(
    lines: Sequence[TimedLine],
    rounds: int,
    budget: float,
    peak: Peak | None = None,
    patience: float = math.inf,
) -> list[float]:
    """Add `rounds` measurements of about `budget` seconds to every row without a reason, in turn.

    Returns the peak rates of multiply-adds (1/s), one a round. patience: seconds after which a slow peer has no more
    rounds.
    """
    rates: list[float] = []
    for _ in range(rounds):
        if peak is not None:
            rates.append(peak.instructions_per_second())
        for line in lines:
            if line.reason or line.spent > patience:
                continue
            start = time.perf_counter()
            line.seconds.append(line.peer.seconds(budget, line.threads))
            line.spent += time.perf_counter() - start
    return rates


# ---- a GPU where there is one: states a second and shares of its double-precision issue and memory bandwidth

GPU_STATES = 1 << 22
GPU_ROUNDS = 10
FUSED_PER_CLOCK = {(6, 0): 32, (7, 0): 32, (8, 0): 64, (9, 0): 64}
"""Double-precision multiply-adds a clock of one multiprocessor, by compute capability; 2 on all others."""


def gpu_missing() -> str:
    """Why there are no figures of a GPU; "" where they can be measured."""
    if not find_spec("cupy"):
        return "cupy is not installed: `pip install cupy-cuda12x`"
    cupy: Any = import_module("cupy")

    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no GPU: {error}"
    return ""


def gpu_figures(case: Case) -> dict[str, Any]:
    """{"reason": …} where there is nothing to measure, else device, driver, states_per_s and the two shares."""
    reason = gpu_missing()
    if reason:
        return {"reason": reason}
    try:
        function = case.model.function(case.function).compile(backend="cuda")
    except GoughError as error:
        return {"reason": str(error)}
    cupy: Any = import_module("cupy")

    inputs = {k: cupy.asarray(x) for k, x in case.inputs(case.states.repeat(GPU_STATES)).items()}
    function(**inputs)
    best = float("inf")
    for _ in range(GPU_ROUNDS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        function(**inputs)
        end.record()
        end.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    return {"reason": "", "states": GPU_STATES, "states_per_s": GPU_STATES / best, **_shares(case, inputs, best)}


def _shares(case: Case, inputs: dict[str, Any], seconds: float) -> dict[str, Any]:
    cupy: Any = import_module("cupy")

    device = cupy.cuda.Device()
    about = device.attributes
    name = cupy.cuda.runtime.getDeviceProperties(device.id)["name"].decode()
    capability = (about["ComputeCapabilityMajor"], about["ComputeCapabilityMinor"])
    clock = about["ClockRate"] * 1e3
    fused = FUSED_PER_CLOCK.get(capability, 2) * about["MultiProcessorCount"] * clock
    wide = 2.0 * about["MemoryClockRate"] * 1e3 * about["GlobalMemoryBusWidth"] / 8
    program = case.model.function(case.function).program
    moved = 8.0 * (sum(s.size for s in program.inputs if not s.uniform) + len(program.results))
    return {
        "device": name,
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "clock_hz": clock,
        "bytes_per_state": moved,
        "share_of_fp64_issue": case.model.count(case.function).instructions * GPU_STATES / seconds / fused,
        "share_of_bandwidth": moved * GPU_STATES / seconds / wide,
    }
