"""Functions on arrays of a GPU, with the GPU played by the CPU: rows, batches, strides, bad states, wrong arrays.

The stand-in for CuPy keeps its arrays in host memory; kernels run as the C++ their text is.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from backends.cuda_host import COMPILER, HostKernel
from gough import Function, scalar
from gough.backends.cuda.runtime import StateKernel
from gough.compilation._device import compile_for_device, device_kernel, evaluate
from gough.compilation.arrays import on_gpu
from gough.errors import Status, UsageError
from gough.program import Slot, trace


class DeviceArray(np.ndarray):
    @property
    def __cuda_array_interface__(self) -> dict:
        return {}

    def get(self) -> np.ndarray:
        return np.array(self.view(np.ndarray))


def device(x, dtype=None) -> DeviceArray:
    return np.array(x, dtype=dtype).view(DeviceArray)


def as_cupy(x, dtype=None) -> DeviceArray:
    return x if isinstance(x, DeviceArray) else device(x, dtype)


class OneDesign:
    """A table of parameters that refuses the first to be zero."""

    def guard(self, pattern: dict):
        def check(parameters: np.ndarray) -> None:
            if (parameters[..., 0] == 0).any():
                raise UsageError("pattern broken")

        return check


def equations(x, parameters):
    scalar.check(Status.OUT_OF_REACH.at("leg0"), x[0], 0.0)
    root = scalar.sqrt(parameters[0] * parameters[1])
    return {"y": [x[0] * root + scalar.sin(x[1]), x[2] / x[0]], "fixed": [x[1] * 1.0, scalar.cos(x[2]) * parameters[2]]}


PROGRAM = trace(equations, [Slot("x", (3,)), Slot("parameters", (3,), uniform=True)], "demo")
NUMBERS = np.array([2.0, 3.0, 0.5])


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Function:
    if COMPILER is None:
        pytest.skip("no C++ compiler (g++ or c++) on the PATH")
    cupy = ModuleType("cupy")
    for name in ("broadcast_to", "ascontiguousarray"):
        setattr(cupy, name, getattr(np, name))
    cupy.asarray = as_cupy
    cupy.asnumpy = lambda x: np.array(x.view(np.ndarray))
    cupy.empty = lambda shape, dtype=float: device(np.full(shape, 7, dtype))
    cupy.zeros = lambda shape, dtype=float: device(np.zeros(shape, dtype))
    cupy.flatnonzero = lambda x: device(np.flatnonzero(x))
    cupy.cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: 1))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    compiled: dict[str, HostKernel] = {}

    def launch(self, rows, uniform, n, outputs):
        if self.source not in compiled:
            compiled[self.source] = HostKernel(SimpleNamespace(signature=self.signature, source=self.source))
        status = compiled[self.source].fill({k: x.view(np.ndarray) for k, x in rows.items()}, uniform, n, outputs)
        return device(status), device([np.count_nonzero(status)])

    monkeypatch.setattr(StateKernel, "launch", launch)
    monkeypatch.setattr(StateKernel, "registers", 255)
    return Function(PROGRAM, OneDesign(), {})  # type: ignore[arg-type]


def test_batches_strides_and_host_arrays(function: Function) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 1.5, (4, 5, 3))
    truth = function.values(x=x, parameters=NUMBERS)
    wide = device(np.repeat(x, 2, axis=-1))[..., ::2]
    for given in (device(x), wide, device(np.swapaxes(np.swapaxes(x, 0, 1).copy(), 0, 1))):
        assert on_gpu(given)
        found = evaluate(function, {"x": given, "parameters": NUMBERS})
        assert found.good and found.batch == (4, 5) and isinstance(found.outputs["y"], DeviceArray)
        assert found.codes.shape == (4, 5) and not found.codes.any()
        for name, y in truth.items():
            np.testing.assert_allclose(found.outputs[name], y, rtol=1e-14)
    many = np.stack([NUMBERS, 2 * NUMBERS])
    found = evaluate(function, {"x": device(x[0, :2]), "parameters": many})
    truth = function.values(x=x[0, :2], parameters=many)
    np.testing.assert_allclose(found.outputs["y"], truth["y"], rtol=1e-14)
    found = evaluate(function, {"x": x[0, 0], "parameters": device(NUMBERS)})
    np.testing.assert_allclose(found.outputs["y"], function.values(x=x[0, 0], parameters=NUMBERS)["y"], rtol=1e-14)
    assert evaluate(function, {"x": device(np.zeros((0, 3))), "parameters": NUMBERS}).outputs["y"].shape == (0, 2)


def test_bad_states_are_judged_on_the_host(function: Function) -> None:
    x = np.ones((6, 3))
    x[1, 0], x[3, 2], x[4, 1] = -1.0, np.nan, 1e22  # out of reach; not finite; an angle only the host can reduce
    found = evaluate(function, {"x": device(x), "parameters": NUMBERS})
    assert found.bad.tolist() == [1, 3] and list(found.failed) == [
        Status.OUT_OF_REACH.at("leg0"),
        Status.NOT_FINITE.at("input x"),
    ]
    assert found.codes.tolist() == [0, Status.OUT_OF_REACH, 0, Status.NOT_FINITE, 0, 0]
    assert np.isnan(found.outputs["y"][[1, 3]]).all()
    np.testing.assert_allclose(found.outputs["y"][4, 0], np.sqrt(6.0) + np.sin(1e22), rtol=1e-14)
    assert evaluate(function, {"x": device(x), "parameters": NUMBERS}, checked=False).good


def test_single_precision_on_request(function: Function) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, (9, 3))
    single = device(x, np.float32)
    with pytest.raises(UsageError, match=r"x is float32 on the GPU.*compile\(backend='cuda', dtype='float32'\)"):
        evaluate(function, {"x": single, "parameters": NUMBERS})
    kernel = compile_for_device(function, "float32")
    found = evaluate(function, {"x": single, "parameters": NUMBERS})
    assert found.outputs["y"].dtype == np.float32
    assert kernel.relative_error is not None and 1e-9 < kernel.relative_error < 1e-5
    assert device_kernel(function, dtype="float32") is kernel


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"x": device(np.ones((2, 3), int)), "parameters": NUMBERS}, "x is int64 on the GPU"),
        ({"x": device(np.ones((2, 4))), "parameters": NUMBERS}, r"shape \(2, 4\); expected \(\.\.\., 3\)"),
        ({"x": device(np.ones((2, 3)))}, "takes"),
        ({"x": device(np.ones((2, 3))), "parameters": np.zeros(3)}, "pattern broken"),
        ({"x": device(np.ones((2, 3))), "parameters": np.ones((3, 3))}, "do not broadcast"),
    ],
)
def test_arrays_that_cannot_be_right(function: Function, inputs: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        evaluate(function, inputs)


def test_arrays_of_a_gpu_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match=r"demo: GPU arrays need CuPy.*pip install"):
        evaluate(Function(PROGRAM, OneDesign(), {}), {"x": device(np.ones((2, 3))), "parameters": NUMBERS})  # type: ignore[arg-type]
