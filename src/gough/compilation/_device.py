"""Functions on arrays that live on a GPU: CuPy in, CuPy out, nothing copied that the kernel can read where it lies.

States that a check flags come to the host, are judged there with full care, and are written back.
"""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from gough.compilation.arrays import on_gpu
from gough.compilation.evaluation import Evaluation
from gough.compilation.old_names import current_inputs
from gough.compilation.service import compile_program
from gough.errors import GOOD, UsageError
from gough.program.inputs import demand_inputs
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import Program
from gough.program.verdict import evaluate_with_care, flat_inputs

if TYPE_CHECKING:
    from gough.backends.cuda import GpuKernel
    from gough.compilation.function import Function

SAMPLED = 64
"""States of the first single-precision call that are computed again in double precision for `relative_error`."""

LARGE = 3000
"""Nodes of a program above which one that does the same for every leg is made beside it: its kernel may run in stages."""

_lock = threading.RLock()
_kernels: "WeakKeyDictionary[Function, dict[tuple[bool, str], GpuKernel]]" = WeakKeyDictionary()


class DeviceEvaluation(Evaluation):
    """Outputs and status codes are CuPy arrays; indices of bad states and their checks are on the host."""

    @property
    def codes(self) -> Any:
        """Status code of every state, of the batch's shape."""
        from gough.backends.cuda.runtime import array_module

        cupy = array_module()
        codes = cupy.zeros(int(np.prod(self.batch, dtype=int)), dtype=np.uint8)
        if len(self.bad):
            codes[cupy.asarray(self.bad)] = cupy.asarray([int(x.status) for x in self.failed], dtype=np.uint8)
        return codes.reshape(self.batch)


def device_kernel(function: "Function", uniform: bool = True, dtype: str = "float64") -> "GpuKernel":
    """The GPU kernel of a function; uniform: one design for all states. Its text is made without a GPU."""
    with _lock:
        known = _kernels.setdefault(function, {})
        if (uniform, dtype) not in known:
            program = function._computed.program
            if not uniform:
                program = replace(program, inputs=tuple(replace(s, uniform=False) for s in program.inputs))
            other = None
            if function.alike is not None and len(program) > LARGE:
                other = _as_computed(function, function.alike(), program)
            options = {"precision": function.precision, "dtype": dtype, "alike": other}
            known[uniform, dtype] = compile_program(program, "cuda", **options)
        return known[uniform, dtype]


def _as_computed(function: "Function", other: Program, program: Program) -> Program:
    """The outputs and inputs of `program`, which leaves numbers out, of a program that has all of them."""
    kept = np.isnan(np.concatenate([np.zeros(0), *function._computed.fixed]))
    results = tuple(r for r, wanted in zip(other.results, kept, strict=True) if wanted)
    return remove_dead_code(replace(other, inputs=program.inputs, outputs=program.outputs, results=results))


def compile_for_device(function: "Function", dtype: str | None = None) -> "GpuKernel":
    """Make the kernel now; "float32" allows calls with arrays of that type. UsageError without a GPU or CuPy."""
    kernel = device_kernel(function, dtype=dtype or "float64")
    with _clear_errors(function.name):
        _ = kernel.runtime.registers
    return kernel


def evaluate(function: "Function", inputs: Mapping[str, Any], checked: bool = True) -> Evaluation:
    """Outputs on the GPU for arrays (..., *shape) of which at least one is there, and which states are bad.

    Arrays on the GPU must be float64 (float32 after `compile(backend="cuda", dtype="float32")`); host arrays beside them
    are sent over. checked=False leaves flagged states as they were computed.
    """
    with _clear_errors(function.name):
        return _evaluate(function, inputs, checked)


def _evaluate(function: "Function", inputs: Mapping[str, Any], checked: bool) -> Evaluation:
    from gough.backends.cuda.runtime import array_module, as_device, rows_of, to_host

    cupy = array_module()
    slots = {s.name: s for s in function.program.inputs}
    if set(inputs) != set(slots):
        inputs = current_inputs(function.program, inputs)
        if set(inputs) != set(slots):
            demand_inputs(function.name, {name: slot.shape for name, slot in slots.items()}, inputs)
    parameters = inputs.get("parameters")
    uniform = parameters is None or int(np.prod(np.shape(parameters)[:-1], dtype=int)) == 1
    kernel = _kernel_for(function, inputs, uniform)
    dtype = kernel.dtype
    fixed = {s.name: to_host(inputs[s.name], s.shape, s.name) for s in kernel.program.inputs if s.uniform}
    if parameters is not None:
        numbers = fixed["parameters"][None] if uniform else _host_rows(parameters)
        function._check_designs({"parameters": numbers})
    arrays = {
        s.name: (as_device(cupy, inputs[s.name], dtype, s.name), s.shape)
        for s in kernel.program.inputs
        if not s.uniform
    }
    rows, batch, n = rows_of(cupy, arrays)
    flat = [cupy.empty((n, s.size), dtype=dtype) for s in kernel.program.outputs]
    status, flagged = kernel.runtime.launch(rows, kernel.runtime.uniform_values(fixed), n, flat)
    if dtype == np.float32 and kernel.relative_error is None and n:
        _report_error(kernel, rows, fixed, flat, min(n, SAMPLED))
    full = _spread(cupy, function, flat, n)
    bad, failed = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=object)
    if checked and n and int(flagged[0]):
        states = cupy.flatnonzero(status)
        careful, names = evaluate_with_care(function._computed.program, _some(kernel.program, rows, fixed, states))
        wrong = np.array([failure != GOOD for failure in names])
        for out, better in zip(full, function._computed.spread(careful), strict=True):
            better[wrong] = np.nan
            out[states] = cupy.asarray(better.astype(dtype))
        bad, failed = cupy.asnumpy(states)[wrong], np.array(names, dtype=object)[wrong]
    named = {s.name: x.reshape((*batch, *s.shape)) for s, x in zip(function.program.outputs, full, strict=True)}
    return DeviceEvaluation(named, bad, failed, batch, function.held)


def _kernel_for(function: "Function", inputs: Mapping[str, Any], uniform: bool) -> "GpuKernel":
    """Single precision where it was asked for and all arrays on the GPU have it."""
    kinds = {str(np.dtype(x.dtype)) for x in inputs.values() if on_gpu(x)}
    single = kinds == {"float32"} and any(dtype == "float32" for _, dtype in _kernels.get(function, {}))
    return device_kernel(function, uniform, "float32" if single else "float64")


def _host_rows(x: Any) -> np.ndarray:
    host = np.asarray(x.get() if hasattr(x, "get") else x, dtype=float)
    return host.reshape(-1, host.shape[-1])


def _some(program: Program, rows: Mapping[str, Any], fixed: Mapping[str, np.ndarray], states: Any) -> np.ndarray:
    """Inputs (k, n_inputs) of chosen states, on the host."""
    host = {name: x[None] for name, x in fixed.items()}
    host |= {name: (x if len(x) == 1 else x[states]).get().astype(float) for name, x in rows.items()}
    return flat_inputs(program, host, len(states))


def _spread(cupy: Any, function: "Function", flat: list[Any], n: int) -> list[Any]:
    """Outputs with the entries that are numbers whatever the inputs."""
    full = []
    for x, numbers in zip(flat, function._computed.fixed, strict=True):
        free = np.isnan(numbers)
        if not free.all():
            out = cupy.empty((n, len(numbers)), dtype=x.dtype)
            out[:] = cupy.asarray(numbers.astype(x.dtype))
            out[:, cupy.asarray(np.flatnonzero(free))] = x
            x = out
        full.append(x)
    return full


def _report_error(
    kernel: "GpuKernel", rows: Mapping[str, Any], fixed: Mapping[str, np.ndarray], flat: list[Any], count: int
) -> None:
    """Compare some states with double precision; bad ones are left out."""
    some = np.linspace(0, max(len(x) for x in flat) - 1, count).astype(np.int64)
    truth, names = evaluate_with_care(kernel.program, _some(kernel.program, rows, fixed, some))
    good = np.array([failure == GOOD for failure in names])
    kernel.measure_error([x[some].get()[good] for x in flat], [y[good] for y in truth])


class _clear_errors:
    """Problems of the GPU's side as errors of the call."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        from gough.backends.cuda.runtime import DeviceProblem

        if isinstance(problem, DeviceProblem):
            raise UsageError(f"{self.name}: {problem}") from None
