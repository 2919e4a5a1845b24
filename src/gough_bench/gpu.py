"""Figures of a GPU where there is one: states a second and shares of its double-precision issue and memory bandwidth."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gough.errors import GoughError
from gough_bench.peer import Case

STATES = 1 << 22
ROUNDS = 10
FUSED_PER_CLOCK = {(6, 0): 32, (7, 0): 32, (8, 0): 64, (9, 0): 64}
"""Double-precision multiply-adds a clock of one multiprocessor, by compute capability; 2 on all others."""


def unavailable() -> str:
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
    reason = unavailable()
    if reason:
        return {"reason": reason}
    try:
        function = case.model.function(case.function).compile(backend="cuda")
    except GoughError as error:
        return {"reason": str(error)}
    cupy: Any = import_module("cupy")

    inputs = {k: cupy.asarray(x) for k, x in case.inputs(case.states.repeated(STATES)).items()}
    function(**inputs)
    best = float("inf")
    for _ in range(ROUNDS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        function(**inputs)
        end.record()
        end.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    return {"reason": "", "states": STATES, "states_per_s": STATES / best, **_shares(case, inputs, best)}


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
        "share_of_fp64_issue": case.model.count(case.function).instructions * STATES / seconds / fused,
        "share_of_bandwidth": moved * STATES / seconds / wide,
    }
