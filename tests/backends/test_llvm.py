"""Compiled kernels against the interpreter: every operation, random and large programs, tails, uniform inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backends.kernels import choose_writer, run
from gough import scalar
from gough.backends.llvm._body import SPLIT_ABOVE
from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from inner.backends import Kernel
from inner.program import Op
from program.specimens import OPERATIONS, N, random_program, specimen


def rows(program: Program, n: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng([seed, n])
    return [rng.uniform(0.5, 1.5, (1 if s.uniform else n, s.size)) for s in program.inputs]


def interpreted(program: Program, inputs: list[np.ndarray], n: int) -> list[np.ndarray]:
    named = {s.name: x.reshape(len(x), *s.shape) for s, x in zip(program.inputs, inputs, strict=True)}
    out = evaluate(program, named)
    return [np.broadcast_to(out[s.name], (n, *s.shape)).reshape(n, s.size) for s in program.outputs]


def assert_same(program: Program, n: int, seed: int = 0, tolerance: float = 1e-12) -> None:
    inputs = rows(program, n, seed)
    found, status = run(Kernel(program), inputs, n)
    assert not status.any()
    for ours, truth in zip(found, interpreted(program, inputs, n), strict=True):
        assert ours.shape == truth.shape
        np.testing.assert_allclose(ours, truth, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str) -> None:
    assert_same(specimen(name), 19, tolerance=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    assert_same(random_program(seed, 120), 21, seed)


def test_random_programs_use_every_smooth_operation() -> None:
    seen = {op for seed in range(8) for op in random_program(seed, 120).ops}
    scalars = {op for op in Op if not Op.FMA <= op < Op.BLOCK} - {Op.ROUND}
    assert scalars <= seen


@pytest.mark.slow
def test_large_programs_are_split_and_the_same() -> None:
    program = random_program(100, SPLIT_ABOVE + 1500)
    assert len(program.ops) > SPLIT_ABOVE
    inputs = rows(program, 9)
    found, _ = run(Kernel(program), inputs, 9)
    for ours, truth in zip(found, interpreted(program, inputs, 9), strict=True):
        np.testing.assert_allclose(ours, truth, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", range(1, 18))
def test_tails(n: int) -> None:
    """Every number of states, also where the last vector is not full; nothing is written beyond the rows."""
    program = random_program(1, 40)
    kernel = _tail_kernel()
    inputs = rows(program, n)
    found, status = run(kernel, inputs, n)
    assert len(status) == n and all(len(x) == n for x in found)
    for ours, truth in zip(found, interpreted(program, inputs, n), strict=True):
        np.testing.assert_allclose(ours, truth, rtol=1e-12, atol=1e-12)


_kept: list[Kernel] = []


def _tail_kernel() -> Kernel:
    if not _kept:
        _kept.append(Kernel(random_program(1, 40)))
    return _kept[0]


def test_no_states() -> None:
    found, status = run(_tail_kernel(), [np.zeros((0, N)), np.zeros((0, 3))], 0)
    assert len(status) == 0 and [len(x) for x in found] == [0, 0, 0]


def test_one_row_serves_all_states() -> None:
    """A slot that is not uniform may still be given as one row; rows may be strided."""
    rng = np.random.default_rng(0)
    x, p = rng.uniform(0.5, 1.5, (13, N)), rng.uniform(0.5, 1.5, (1, 3))
    one, _ = run(_tail_kernel(), [x, p], 13)
    many, _ = run(_tail_kernel(), [x, np.repeat(p, 13, axis=0)], 13)
    wide = np.zeros((13, 2 * N))
    wide[:, :N] = x
    strided, _ = run(_tail_kernel(), [wide[:, :N], p], 13)
    for a, b, c in zip(one, many, strided, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


@pytest.mark.parametrize("seed", range(3))
def test_uniform_and_per_state_parameters_agree(seed: int) -> None:
    program = random_program(seed, 60, uniform=True)
    free = replace(program, inputs=tuple(replace(s, uniform=False) for s in program.inputs))
    rng = np.random.default_rng(seed)
    x, p = rng.uniform(0.5, 1.5, (11, N)), rng.uniform(0.5, 1.5, (1, 3))
    a, _ = run(Kernel(program), [x, p], 11)
    b, _ = run(Kernel(free), [x, np.repeat(p, 11, axis=0)], 11)
    for first, second in zip(a, b, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-13, atol=1e-14)


def test_status_words_tell_checks_from_results() -> None:
    def equations(x):
        scalar.check(Status.OUT_OF_REACH.at("leg0"), x[0], 0.0)
        scalar.check(Status.FOLDED.at("leg1"), x[1], 0.5)
        return {"y": 1.0 / x[2]}

    kernel = Kernel(trace(equations, [Slot("x", (3,))]))
    x = np.ones((11, 3))
    x[2, 0], x[5, 1], x[7, 2], x[9, 0] = -1.0, 0.0, 0.0, np.nan
    _, status = run(kernel, [x], 11)
    assert status.tolist() == [0, 0, 2, 0, 0, 2, 0, 1, 0, 2, 0]


def test_many_checks() -> None:
    """More checks than bits of a word: every failure is flagged."""

    def equations(x):
        for k in range(80):
            scalar.check(Status.FOLDED.at(f"leg{k}"), x[k], 0.0)
        return {"y": x[0]}

    kernel = Kernel(trace(equations, [Slot("x", (80,))]))
    x = np.ones((81, 80)) - 2 * np.eye(81, 80)
    _, status = run(kernel, [x], 81)
    assert (status[:80] != 0).all() and status[80] == 0


@pytest.mark.parametrize("name", ["sign", "abs", "select", "atan2"])
def test_special_values(name: str) -> None:
    """Zeros, infinities and NaN as the interpreter has them."""
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310])
    a, b = (x.ravel() for x in np.meshgrid(special, special))
    functions = {
        "sign": lambda x: scalar.sign(x[0]),
        "abs": lambda x: scalar.abs_(x[0]),
        "select": lambda x: scalar.select(x[0], x[1], 2.0 * x[1]),
        "atan2": lambda x: scalar.atan2(x[0], x[1]),
    }
    program = trace(lambda x: {"y": functions[name](x)}, [Slot("x", (2,))])
    inputs = [np.stack([a, b], axis=1)]
    found, _ = run(Kernel(program), inputs, len(a))
    truth = interpreted(program, inputs, len(a))
    np.testing.assert_allclose(found[0], truth[0], rtol=1e-15)


@pytest.mark.quick_cases("0-llvm", "1-llvm")
@pytest.mark.parametrize("assembler", [False, True], ids=["llvm", "assembler"])
@pytest.mark.parametrize("seed", range(6))
def test_both_tiers_give_the_same(seed: int, assembler: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies written by LLVM and by the assembler, on programs with many live values."""
    from inner.backends import host

    if assembler and not host().assembler:
        pytest.skip("this CPU has no AVX-512")
    choose_writer(monkeypatch, assembler)
    assert_same(without_arc_tangents(random_program(seed, 400)), 21, seed, 1e-11)


def without_arc_tangents(program: Program) -> Program:
    """The program with atan2(y, x) replaced by select(y, x, y): the assembler has no arc tangent."""
    ops = [Op.SELECT if op == Op.ATAN2 else op for op in program.ops]
    args = [(*a, a[0]) if op == Op.ATAN2 else a for op, a in zip(program.ops, program.args, strict=True)]
    return replace(program, ops=ops, args=args)
