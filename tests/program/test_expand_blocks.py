"""Expanding solves: random sparse patterns of every size against LAPACK; singular and badly ordered ones are flagged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.program.passes.order_solves import elimination_order, order_solves
from inner.program import Op, evaluate_nodes, evaluate_with_care, expand_blocks


def sparse_solve(n: int, m: int, pattern: np.ndarray, numbers: np.ndarray | None = None) -> Program:
    """A solve whose structural zeros are where `pattern` is False; entries with a number are constants."""

    def equations(A: Any, B: Any) -> dict[str, Any]:
        A = A.copy()
        A[~pattern] = 0.0
        if numbers is not None:
            for i, j in zip(*np.nonzero(~np.isnan(numbers)), strict=True):
                A[i, j] = float(numbers[i, j])
        return {"X": scalar.solve(A, B, Status.SINGULAR.at("demo"))}

    return trace(equations, [Slot("A", (n, n)), Slot("B", (n, m))])


def sample(rng: np.random.Generator, pattern: np.ndarray, states: int) -> np.ndarray:
    n = len(pattern)
    return np.where(pattern, rng.uniform(-1, 1, (states, n, n)), 0.0)


def full_rank_pattern(rng: np.random.Generator, n: int, density: float) -> np.ndarray:
    pattern = rng.random((n, n)) < density
    pattern[np.arange(n), rng.permutation(n)] = True
    return pattern


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("density", [0.0, 0.25, 0.5, 1.0])
def test_sparse_patterns(n: int, density: float) -> None:
    rng = np.random.default_rng([n, int(10 * density)])
    for m in (1, 3):
        pattern = full_rank_pattern(rng, n, density)
        A, B = sample(rng, pattern, 40), rng.uniform(-1, 1, (40, n, m))
        program = sparse_solve(n, m, pattern)
        samples = np.concatenate([A.reshape(40, -1), B.reshape(40, -1)], axis=1)
        expanded = expand_blocks(order_solves(program, samples))
        assert not any(op == Op.BLOCK for op in expanded.ops)
        nodes = evaluate_nodes(expanded, samples)
        X = evaluate(expanded, {"A": A, "B": B})["X"]
        passed = np.ones(40, bool)
        for check in expanded.checks:
            passed &= np.broadcast_to(nodes[check.node], 40) >= check.minimum
        condition = np.linalg.cond(A)
        sound = passed & (condition < 1e6)
        assert sound.sum() >= 10, "most states of a random system must pass the checks"
        truth = np.linalg.solve(A[sound], B[sound])
        error = np.abs(X[sound] - truth).max((1, 2)) / np.abs(truth).max((1, 2))
        assert (error < 1e-9).all(), "a state that passes all checks is accurate"


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_constants_in_the_matrix(n: int) -> None:
    rng = np.random.default_rng(n)
    pattern = np.ones((n, n), bool)
    numbers = np.full((n, n), np.nan)
    numbers[0, 0], numbers[0, -1], numbers[-1, 0] = 1.0, 0.0, -1.0
    A, B = rng.uniform(-1, 1, (20, n, n)) + 3 * np.eye(n), rng.uniform(-1, 1, (20, n, 1))
    expanded = expand_blocks(sparse_solve(n, 1, pattern, numbers))
    used = np.where(np.isnan(numbers), A, numbers)
    np.testing.assert_allclose(
        evaluate(expanded, {"A": A, "B": B})["X"], np.linalg.solve(used, B), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_symmetric_positive_definite(n: int) -> None:
    rng = np.random.default_rng(n)
    program = trace(lambda A, B: {"X": scalar.solve_spd(A, B)}, [Slot("A", (n, n)), Slot("B", (n, 2))])
    F = rng.normal(size=(30, n, n))
    A, B = F @ np.swapaxes(F, 1, 2) + 0.1 * np.eye(n), rng.normal(size=(30, n, 2))
    for version in (program, expand_blocks(program)):
        np.testing.assert_allclose(
            evaluate(version, {"A": A, "B": B})["X"], np.linalg.solve(A, B), rtol=1e-8, atol=1e-10
        )
    lower = np.tril(A) + np.triu(rng.normal(size=A.shape), 1)  # the upper triangle is not read
    np.testing.assert_allclose(
        evaluate(program, {"A": lower, "B": B})["X"], np.linalg.solve(A, B), rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize(("n", "r"), [(1, 1), (3, 2), (6, 3)])
def test_constrained(n: int, r: int) -> None:
    """Solutions keep the constraints; a constraint that says nothing new, and a matrix that is not definite, fail a check."""
    rng = np.random.default_rng(n)
    slots = [Slot("A", (n, n)), Slot("G", (r, n)), Slot("B", (n + r,))]
    program = trace(lambda A, G, B: {"X": scalar.solve_constrained(A, G, B, Status.SINGULAR.at("here"))}, slots)
    F, G, B = rng.normal(size=(30, n, n)), rng.normal(size=(30, r, n)), rng.normal(size=(30, n + r))
    A = F @ np.swapaxes(F, 1, 2) + np.eye(n)
    samples = [np.concatenate([x.reshape(30, -1) for x in (A, G, B)], axis=1)]
    whole = np.block([[A, np.swapaxes(G, 1, 2)], [G, np.zeros((30, r, r))]])
    program = order_solves(program, samples[0])
    for version in (program, expand_blocks(program)):
        found = evaluate(version, {"A": A, "G": G, "B": B})["X"]
        np.testing.assert_allclose(found, np.linalg.solve(whole, B[..., None])[..., 0], rtol=1e-8, atol=1e-10)
    for spoil in ("A", "G"):
        a, g = A.copy(), G.copy()
        if spoil == "A":
            a[4] = -a[4]
        else:
            g[4, -1] = g[4, 0] if r > 1 else 0.0
        expanded = expand_blocks(program)
        nodes = evaluate_nodes(expanded, np.concatenate([x.reshape(30, -1) for x in (a, g, B)], axis=1))
        bad = np.zeros(30, bool)
        for check in expanded.checks:
            bad |= ~(np.broadcast_to(nodes[check.node], 30) >= check.minimum)
        assert bad[4] and bad.sum() <= 3


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_singular_states_fail_a_check(n: int) -> None:
    """One state of the batch has a singular matrix: that one is flagged, its neighbours are not."""
    rng = np.random.default_rng(n)
    A, B = rng.uniform(-1, 1, (30, n, n)) + 2 * np.eye(n), rng.uniform(-1, 1, (30, n, 1))
    program = sparse_solve(n, 1, np.ones((n, n), bool))
    program = order_solves(program, np.concatenate([A.reshape(30, -1), B.reshape(30, -1)], axis=1))
    A[4, -1] = A[4, 0] if n > 1 else 0.0
    samples = np.concatenate([A.reshape(30, -1), B.reshape(30, -1)], axis=1)
    expanded = expand_blocks(program)
    nodes = evaluate_nodes(expanded, samples)
    bad = np.zeros(30, bool)
    for check in expanded.checks:
        bad |= ~(np.broadcast_to(nodes[check.node], 30) >= check.minimum)
    assert bad[4] and bad.sum() <= 3
    _, failed = evaluate_with_care(program, samples)
    assert [i for i, name in enumerate(failed) if name] == [4] and failed[4] == Status.SINGULAR.at("demo")


def test_elimination_order_avoids_pivots_that_vanish() -> None:
    """A matrix whose diagonal crosses zero within the samples: the order takes other pivots."""
    t = np.linspace(-1, 1, 41)
    A = np.zeros((41, 4, 4))
    A[:, range(4), range(4)] = t[:, None]
    A[:, [0, 1, 2, 3], [1, 2, 3, 0]] = 1.0
    rows, columns = elimination_order(A)
    assert sorted(rows) == sorted(columns) == [0, 1, 2, 3]
    assert next(zip(rows, columns, strict=True)) in [(0, 1), (1, 2), (2, 3), (3, 0)]
    ordered = sparse_solve(4, 1, A[0] != 0)
    B = np.ones((41, 4, 1))
    program = expand_blocks(order_solves(ordered, np.concatenate([A.reshape(41, -1), B.reshape(41, -1)], axis=1)))
    regular = np.abs(np.linalg.det(A)) > 1e-3
    X = evaluate(program, {"A": A[regular], "B": B[regular]})["X"]
    np.testing.assert_allclose(X, np.linalg.solve(A[regular], B[regular]), rtol=1e-10, atol=1e-12)


def test_order_does_not_depend_on_the_scale_of_rows() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(20, 5, 5))
    scale = 10.0 ** rng.integers(-4, 5, 5)
    assert elimination_order(A) == elimination_order(A * scale[None, :, None])


def test_unsolvable_pattern_is_not_silently_solved() -> None:
    """A structurally singular matrix: NaN or infinite results, and a failed check; never a number."""
    pattern = np.ones((3, 3), bool)
    pattern[2] = False
    program = sparse_solve(3, 1, pattern)
    rng = np.random.default_rng(0)
    samples = np.concatenate(
        [np.where(pattern, rng.normal(size=(5, 3, 3)), 0).reshape(5, -1), rng.normal(size=(5, 3))], 1
    )
    _, failed = evaluate_with_care(program, samples)
    assert all(failed)
    try:
        expanded = expand_blocks(program)
    except (ArithmeticError, ValueError):
        return
    nodes = evaluate_nodes(expanded, samples)
    X = np.stack([np.broadcast_to(nodes[i], 5) for i in expanded.results], axis=-1)
    flagged = ~np.isfinite(X).all(1)
    for check in expanded.checks:
        flagged |= ~(np.broadcast_to(nodes[check.node], 5) >= check.minimum)
    assert flagged.all()


@pytest.mark.parametrize("n", [2, 4, 6])
def test_settled_solutions_keep_their_signs(n: int) -> None:
    """The same numbers; a minus before a right-hand side stays with the unknown, and products of unknowns have none."""

    def equations(a: Any, b: Any) -> dict[str, Any]:
        x = scalar.solve(a, np.array([-y for y in b], dtype=object), Status.SINGULAR.at("here"))
        return {"products": [x[i] * x[j] * b[0] for i in range(n) for j in range(i)], "x": x}

    program = trace(equations, [Slot("a", (n, n)), Slot("b", (n,))], "minus")
    rng = np.random.default_rng(n)
    given = {"a": rng.normal(size=(3, n, n)) + 3.0 * np.eye(n), "b": rng.normal(size=(3, n))}
    plain, settled = expand_blocks(program), expand_blocks(program, settled=True)
    for name, y in evaluate(plain, given).items():
        np.testing.assert_allclose(evaluate(settled, given)[name], y, rtol=1e-14)
    assert not any(settled.ops[i] == Op.NEG for i in settled.results)
