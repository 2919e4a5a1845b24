"""Large blocks that run as loops: the same results and the same flags as when they are written out, and as LAPACK's."""

from __future__ import annotations

import numpy as np
import pytest

from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.scalar import call, check, product, solve_spd, sqrt
from inner.backends import Kernel
from inner.program import Machine, Op, cut_at_blocks, expand_others

STATES = 11  # a whole tile of vectors and a part of one


@pytest.fixture(autouse=True)
def small_loops(monkeypatch: pytest.MonkeyPatch, limits) -> None:
    limits(loop_least=20, loop_straight=1e6)
    monkeypatch.setitem(trace.__globals__, "LARGE_PRODUCT", 50)


def run(program: Program, inputs: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rows = [np.ascontiguousarray(inputs[s.name].reshape(-1, s.size)) for s in program.inputs]
    outputs = [np.empty((STATES, s.size)) for s in program.outputs]
    bad, _ = Kernel(program)(rows, STATES, outputs)
    found = {s.name: x.reshape(STATES, *s.shape) for s, x in zip(program.outputs, outputs, strict=True)}
    return found, bad


def spd(n: int, seed: int) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(STATES, n, n))
    return a @ a.transpose(0, 2, 1) + n * np.eye(n)


@pytest.mark.parametrize(("n", "m"), [(5, 1), (8, 4), (9, 3), (14, 6), (21, 5)])
def test_solve(n: int, m: int) -> None:
    program = trace(
        lambda a, b: {"x": solve_spd(a, b, Status.SINGULAR.at("here"))}, [Slot("a", (n, n)), Slot("b", (n, m))]
    )
    assert any(op == Op.BLOCK for op in expand_others(program).ops)
    a, b = spd(n, 0), np.random.default_rng(1).normal(size=(STATES, n, m))
    found, bad = run(program, {"a": a, "b": b})
    assert len(bad) == 0
    np.testing.assert_allclose(found["x"], np.linalg.solve(a, b), rtol=0, atol=1e-14)


@pytest.mark.parametrize(("n", "k", "m"), [(4, 8, 4), (7, 9, 5), (1, 60, 1), (13, 6, 2)])
@pytest.mark.parametrize("uniform", [False, True])
def test_product(n: int, k: int, m: int, uniform: bool) -> None:
    program = trace(lambda a, b: {"x": product(a, b)}, [Slot("a", (n, k), uniform=uniform), Slot("b", (k, m))])
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(1 if uniform else STATES, n, k)), rng.normal(size=(STATES, k, m))
    found, bad = run(program, {"a": a, "b": b})
    assert len(bad) == 0
    np.testing.assert_allclose(found["x"], a @ b, rtol=0, atol=1e-13)


def sums_of_half(c: np.ndarray, upper: bool) -> dict:
    """Sums along rows of one half of a matrix: nobody reads the other one."""
    n = len(c)
    return {"x": np.array([c[i, i:].sum() if upper else c[i, : i + 1].sum() for i in range(n)], dtype=object)}


@pytest.mark.parametrize("n", [8, 11])
@pytest.mark.parametrize("upper", [False, True])
def test_half_a_product(n: int, upper: bool) -> None:
    program = trace(lambda a, b: sums_of_half(product(a, b), upper), [Slot("a", (n, 3)), Slot("b", (3, n))])
    assert any(op == Op.BLOCK for op in expand_others(program).ops)
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(STATES, n, 3)), rng.normal(size=(STATES, 3, n))
    found, bad = run(program, {"a": a, "b": b})
    assert len(bad) == 0
    half = np.triu(a @ b) if upper else np.tril(a @ b)
    np.testing.assert_allclose(found["x"], half.sum(axis=2), rtol=0, atol=1e-13)


@pytest.mark.slow
def test_many_numbers_of_a_design() -> None:
    """Room for them would not fit on a stack."""
    n, k = 700, 200
    program = trace(lambda a, b: {"x": product(a, b)}, [Slot("a", (n, k), uniform=True), Slot("b", (k,))])
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(1, n, k)), rng.normal(size=(STATES, k))
    found, bad = run(program, {"a": a, "b": b})
    assert len(bad) == 0
    np.testing.assert_allclose(found["x"], b @ a[0].T, rtol=0, atol=1e-12)


def chained(a: np.ndarray, p: np.ndarray, b: np.ndarray) -> dict:
    """Blocks that feed each other, numbers and inputs among operands and results, checks on all kinds of nodes."""
    x = solve_spd(a, b, Status.SINGULAR.at("first"))
    y = product(p, x[:, :1] * b[:, :1] + 1.0)
    matrix = a + product(y, y.T) * 0.01
    matrix[0, 1] = matrix[1, 0] = 0.0
    z = solve_spd(matrix, y, Status.SINGULAR.at("second"))
    check(Status.RESIDUAL.at("first item"), x[0, 0] * 1.0, -1e3)
    check(Status.RESIDUAL.at("second item"), z[0, 0], -1e3)
    check(Status.RESIDUAL.at("third input"), a[0, 0], 0.5)
    return {"z": z[:, 0], "square": sqrt(y[0, 0] * y[0, 0] + 1.0), "known": np.array([1.5, a[1, 1]], dtype=object)}


def chain() -> Program:
    n = 9
    return trace(chained, [Slot("a", (n, n)), Slot("p", (n, n), uniform=True), Slot("b", (n, 2))])


def chain_inputs() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    return {"a": spd(9, 3), "p": rng.normal(size=(1, 9, 9)), "b": rng.normal(size=(STATES, 9, 2))}


def test_stages_between_blocks() -> None:
    program, inputs = chain(), chain_inputs()
    found, bad = run(program, inputs)
    assert len(bad) == 0
    for name, truth in evaluate(program, inputs).items():
        np.testing.assert_allclose(found[name], truth, rtol=1e-12, atol=1e-13)
    stages = cut_at_blocks(expand_others(program), Machine()).stages
    assert sum(stage.block is not None for stage in stages) == 4


def test_flags() -> None:
    program = chain()
    for state, spoil in enumerate((_not_definite, _input_too_small, _not_a_number)):
        inputs = chain_inputs()
        spoil(inputs, state)
        _, bad = run(program, inputs)
        assert bad.tolist() == [state]


def _not_definite(inputs: dict[str, np.ndarray], state: int) -> None:
    inputs["a"][state] -= 40.0 * np.eye(9)


def _input_too_small(inputs: dict[str, np.ndarray], state: int) -> None:
    inputs["a"][state] *= 0.4 / inputs["a"][state, 0, 0]


def _not_a_number(inputs: dict[str, np.ndarray], state: int) -> None:
    inputs["b"][state, 3, 0] = np.nan


@pytest.mark.parametrize(("n", "dense", "looped"), [(40, False, False), (20, True, False), (90, True, True)])
def test_choice(n: int, dense: bool, looped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of 40 unknowns needs 150 products, not 40³/6: it is written out, as small systems are."""
    monkeypatch.undo()

    def chain_solve(d: np.ndarray, b: np.ndarray) -> dict:
        a = np.full((n, n), 0.0, dtype=object)
        for k in range(n):
            a[k, k] = d[k] + 3.0
            if k:
                a[k, k - 1] = a[k - 1, k] = 1.0
        if dense:
            a = a + np.outer(d, d)
        return {"x": solve_spd(a, b, Status.SINGULAR.at("chain"))}

    program = trace(chain_solve, [Slot("d", (n,)), Slot("b", (n,))])
    assert any(op == Op.BLOCK for op in expand_others(program).ops) == looped


def inner_program(blocks: bool) -> Program:
    def equations(x: np.ndarray, p: np.ndarray) -> dict:
        a = np.array([[x[(i + j) % 4] * x[i % 4] * p[j % 3] * 0.01 for j in range(6)] for i in range(6)], dtype=object)
        a = product(a, a.T) + 3.0 * np.eye(6)
        y = solve_spd(a, x[:6] * p[0], Status.SINGULAR.at("inner")) if blocks else a @ x[:6]
        check(Status.RESIDUAL.at("small inner"), y[0] + 100.0, 0.0)
        return {"y": y}

    return trace(equations, [Slot("x", (6,)), Slot("p", (3,), uniform=True)], "inner")


@pytest.mark.parametrize("blocks", [False, True])
def test_calls(blocks: bool, limits) -> None:
    """A program called three times, with and without loops of its own, is written once and gives the interpreter's numbers."""
    limits(loop_called=10)
    inner = inner_program(blocks)

    def twice(x: np.ndarray, p: np.ndarray) -> dict:
        once = call(inner, np.concatenate([x, p]))
        again = call(inner, np.concatenate([once + x, p]))
        zero = call(inner, np.concatenate([np.full(6, 0.5, dtype=object), p]))
        return {"y": again, "z": once * zero}

    program = trace(twice, [Slot("x", (6,)), Slot("p", (3,), uniform=True)])
    kept = expand_others(program)
    assert sum(op == Op.BLOCK for op in kept.ops) == 3
    rng = np.random.default_rng(5)
    inputs = {"x": rng.normal(size=(STATES, 6)), "p": rng.normal(size=(1, 3))}
    found, bad = run(program, inputs)
    assert len(bad) == 0
    for name, truth in evaluate(program, inputs).items():
        np.testing.assert_allclose(found[name], truth, rtol=1e-12, atol=1e-13)
    inputs["x"][7] = 1e3 * np.array([-1, 0.1, 0.2, 0.1, 0.2, 0.1]) if not blocks else np.nan
    assert run(program, inputs)[1].tolist() == [7]
