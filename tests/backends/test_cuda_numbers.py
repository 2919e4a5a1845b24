"""The arithmetic of GPU kernels without a GPU: their text, compiled for the CPU, against the interpreter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backends.cuda_host import COMPILER, HostKernel
from gough import scalar
from gough.backends.cuda import _kernel as making
from gough.errors import Failure
from gough.program import Program, Slot, evaluate, trace
from inner.backends import GpuKernel
from program.specimens import OPERATIONS, N, random_program, specimen

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler (g++ or c++) on the PATH")


def rows(program: Program, n: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng([seed, n])
    return [rng.uniform(0.5, 1.5, (1 if s.uniform else n, s.size)) for s in program.inputs]


def interpreted(program: Program, inputs: list[np.ndarray], n: int) -> list[np.ndarray]:
    named = {s.name: x.reshape(len(x), *s.shape) for s, x in zip(program.inputs, inputs, strict=True)}
    out = evaluate(program, named)
    return [np.broadcast_to(out[s.name], (n, *s.shape)).reshape(n, s.size) for s in program.outputs]


def assert_same(kernel: GpuKernel, n: int, tolerance: float, seed: int = 0) -> None:
    inputs = rows(kernel.program, n, seed)
    found, status = HostKernel(kernel)(inputs, n)
    assert not status.any()
    for ours, truth in zip(found, interpreted(kernel.program, inputs, n), strict=True):
        np.testing.assert_allclose(ours, truth, rtol=tolerance, atol=tolerance)


def all_operations() -> Program:
    """Every specimen in one program: one compilation serves them all."""
    return trace(lambda x: {name: make(x) for name, make in OPERATIONS.items()}, [Slot("x", (N,))], "all operations")


@pytest.mark.parametrize("precision", ["fast", "ieee"])
def test_every_operation(precision: str) -> None:
    assert_same(GpuKernel(all_operations(), precision), 7, 3e-14)


def test_single_precision() -> None:
    kernel = GpuKernel(all_operations(), dtype="float32")
    inputs = rows(kernel.program, 9)
    found, status = HostKernel(kernel)(inputs, 9)
    assert found[0].dtype == np.float32 and not status.any()
    assert 1e-9 < kernel.measure_error(found, interpreted(kernel.program, inputs, 9)) < 1e-4
    assert kernel.relative_error is not None


@pytest.mark.parametrize("seed", range(2))
def test_random_programs_with_uniform_inputs(seed: int) -> None:
    program = random_program(seed, 120, uniform=True)
    assert GpuKernel(program).signature["once"] is not None
    assert_same(GpuKernel(program), 5, 1e-12, seed)


@pytest.mark.quick_cases("12-8")
@pytest.mark.parametrize(("room", "cheap"), [(12, 0), (12, 8), (20, 64)])
def test_few_registers_change_nothing(room: int, cheap: int, monkeypatch: pytest.MonkeyPatch, limits) -> None:
    """Stored, loaded and recomputed values are the same values."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    program = random_program(5, 200)
    wide = GpuKernel(program)
    monkeypatch.setitem(making.ROOM, "float64", room)
    limits(cuda_cheap=(cheap,))
    narrow = GpuKernel(program)
    assert "NEAR(near" in narrow.source and "NEAR(near" not in wide.source
    inputs = rows(program, 4)
    for a, b in zip(HostKernel(wide)(inputs, 4)[0], HostKernel(narrow)(inputs, 4)[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_scratch_beyond_shared_memory(monkeypatch: pytest.MonkeyPatch, limits) -> None:
    """Inputs read in place, results written in place, scratch in local memory."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    monkeypatch.setitem(making.ROOM, "float64", 10)
    limits(cuda_scratch_bytes=64 * 8 * 6)
    kernel = GpuKernel(random_program(5, 200))
    assert "far[" in kernel.source and not kernel.signature["staged"]
    assert_same(kernel, 5, 1e-12)


def test_rows_of_any_stride() -> None:
    program = specimen("mul")
    kernel = HostKernel(GpuKernel(program))
    x = rows(program, 6)[0]
    wide = np.zeros((6, 2 * N))
    wide[:, ::2] = x
    plain = kernel([x], 6)[0][0]
    np.testing.assert_array_equal(plain, kernel([wide[:, ::2]], 6)[0][0])
    np.testing.assert_array_equal(plain, kernel([np.asfortranarray(x)], 6)[0][0])
    np.testing.assert_array_equal(plain[:1], kernel([x[:1]], 3)[0][0][2:])


def test_many_uniform_numbers_are_read_from_memory() -> None:
    slots = [Slot("x", (1,)), Slot("p", (600,), uniform=True)]
    program = trace(lambda x, p: {"y": sum(x[0] * p[k] for k in range(600))}, slots)
    assert_same(GpuKernel(replace(program, checks=())), 3, 1e-12)


def test_status_bits_name_the_failed_checks() -> None:
    def equations(x):
        scalar.check(Failure.parse("out_of_reach:leg0"), x[0], 0.0)
        scalar.check(Failure.parse("folded:leg1"), x[1], 0.5)
        scalar.check(Failure.parse("residual:solve"), x[3], -1e-3)
        return {"y": 1.0 / x[2]}

    kernel = GpuKernel(trace(equations, [Slot("x", (4,))]))
    x = np.ones((11, 4))
    x[2, 0], x[5, 1], x[7, 2], x[9, 0], x[10, 3], x[1, 3] = -1.0, 0.4999, 0.0, np.nan, -0.01, -1e-4
    _, status = HostKernel(kernel)([x], 11)
    names = [{kernel.bits[b] for b in range(len(kernel.bits)) if word >> b & 1} for word in status.tolist()]
    expected: list[set[str]] = [set() for _ in range(11)]
    expected[2], expected[5], expected[7] = {"out_of_reach:leg0"}, {"folded:leg1"}, {"not_finite:result"}
    expected[9], expected[10] = {"out_of_reach:leg0"}, {"residual:solve"}
    assert names == expected


def test_special_values_are_the_interpreters() -> None:
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310])
    x = np.stack([g.ravel() for g in np.meshgrid(special, special)], axis=1)
    program = trace(
        lambda x: {
            "y": [scalar.sign(x[0]), scalar.abs_(x[0]), scalar.select(x[0], x[1], 2.0 * x[1]), scalar.atan2(x[0], x[1])]
        },
        [Slot("x", (2,))],
    )
    found, _ = HostKernel(GpuKernel(program))([x], len(x))
    np.testing.assert_allclose(found[0], interpreted(program, [x], len(x))[0], rtol=1e-15)


def test_angles_far_from_zero_are_flagged_or_right() -> None:
    program = trace(lambda x: {"y": [scalar.sin(x[0]), scalar.cos(x[0])]}, [Slot("x", (1,))])
    x = np.array([[0.0], [1e3], [-12345.678], [1e6], [1e22], [np.inf]])
    found, status = HostKernel(GpuKernel(program))([x], len(x))
    assert (status[:4] == 0).all() and (status[4:] != 0).all()
    np.testing.assert_allclose(
        found[0][:4], np.concatenate([np.sin(x[:4]), np.cos(x[:4])], axis=1), rtol=1e-14, atol=1e-15
    )
