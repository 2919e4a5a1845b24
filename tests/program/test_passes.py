"""Passes keep values: dead code, hoisting of uniform work, multiply-adds, inlining, expansion; on random programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.order import order_for_latency
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.reciprocals import expand_reciprocals, share_reciprocals
from inner.program import (
    HOISTED,
    Call,
    Op,
    contract_multiply_add,
    drop_checks,
    expand_blocks,
    factor_sums,
    inline_calls,
    minimise,
    operations,
    pull_constants,
    share_scaled,
    split_uniform,
)
from program import precise
from program.specimens import OPERATIONS, SUB_PROGRAM, random_program, specimen

PASSES = {
    "dead_code": remove_dead_code,
    "drop_checks": drop_checks,
    "expand_blocks": expand_blocks,
    "inline_calls": inline_calls,
    "reciprocals": lambda p: share_reciprocals(expand_blocks(p)),
    "expand_reciprocals": lambda p: expand_reciprocals(share_reciprocals(expand_blocks(p))),
    "expand_angles": lambda p: expand_angles(expand_blocks(p)),
    "expand_angles_unfused": lambda p: expand_angles(expand_blocks(p), fused=False),
    "order": lambda p: order_for_latency(expand_blocks(p)),
    "multiply_add": lambda p: contract_multiply_add(expand_blocks(p)),
    "factor_sums": lambda p: factor_sums(expand_blocks(p)),
    "pull_constants": lambda p: pull_constants(expand_blocks(p)),
    "share_scaled": lambda p: share_scaled(expand_blocks(p)),
    "minimise": lambda p: minimise(expand_blocks(p)),
}


def inputs(program: Program, seed: int = 0, n: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {s.name: rng.uniform(0.5, 1.5, (n, *s.shape)) for s in program.inputs}


def assert_same(a: Program, b: Program, seed: int = 0, rtol: float = 1e-12) -> None:
    given = inputs(a, seed)
    first, second = evaluate(a, given), evaluate(b, given)
    assert first.keys() == second.keys()
    for key in first:
        np.testing.assert_allclose(second[key], first[key], rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("seed", range(8))
def test_values_are_kept(name: str, seed: int) -> None:
    program = random_program(seed, 80)
    changed = PASSES[name](program)
    assert_same(program, changed, seed)
    assert changed.inputs == program.inputs and changed.outputs == program.outputs


@pytest.mark.parametrize("seed", range(8))
def test_minimising_never_adds_work(seed: int) -> None:
    program = expand_blocks(random_program(seed, 200))
    assert operations(minimise(program)) <= operations(program)
    polynomial = products_and_sums(seed)
    assert operations(minimise(polynomial)) <= operations(polynomial)
    assert_same(polynomial, minimise(polynomial), seed)


def products_and_sums(seed: int) -> Program:
    """Sums of products with shared factors and constants: what factoring and scaling act on."""
    rng = np.random.default_rng(seed)

    def equations(x):
        pool = [*x]
        for _ in range(40):
            terms = []
            for _ in range(int(rng.integers(2, 5))):
                a, b = (pool[int(k)] for k in rng.integers(len(pool), size=2))
                terms.append(float(rng.choice([1.0, -1.0, 2.0, 0.3, -0.7])) * a * b)
            pool.append(0.2 * sum(terms[1:], terms[0]))
        return {"y": pool[-12:]}

    return trace(equations, [Slot("x", (6,))])


@pytest.mark.parametrize("name", OPERATIONS)
def test_interpreter_means_what_mathematics_means(name: str) -> None:
    """Every operation and block against 50 digits."""
    program = specimen(name)
    x = np.random.default_rng(3).uniform(0.5, 1.5, 6)
    truth = [float(y) for y in precise.evaluate(program, x)]
    np.testing.assert_allclose(evaluate(program, {"x": x})["y"], truth, rtol=1e-14, atol=1e-15)


def test_dead_code_goes_and_inputs_keep_their_places() -> None:
    program = trace(lambda x: {"y": [x[2] * 2.0], "unused": scalar.sin(x[0])}, [Slot("x", (3,))])
    cut = remove_dead_code(replace(program, outputs=program.outputs[:1], results=program.results[:1]))
    assert [Op(op).name for op in cut.ops if op > Op.CONST] == ["MUL"]
    assert cut.n_inputs == 3
    assert evaluate(cut, {"x": np.array([np.nan, np.nan, 3.0])})["y"] == [6.0]


def test_what_a_check_needs_is_alive() -> None:
    def equations(x):
        scalar.check(Status.RESIDUAL.at("x"), scalar.sin(x[0]), 0.0)
        return {"y": x[1]}

    program = trace(equations, [Slot("x", (2,))])
    assert Op.SIN in program.ops
    assert Op.SIN not in drop_checks(program).ops


@pytest.mark.parametrize("seed", range(8))
def test_hoisting_splits_without_change(seed: int) -> None:
    program = expand_blocks(random_program(seed, 80, uniform=True))
    once, each = split_uniform(program)
    given = inputs(program, seed)
    given["p"] = given["p"][0]
    hoisted = evaluate(once, given | {"x": np.full(6, np.nan)})[HOISTED]
    assert np.isfinite(hoisted).all(), "what is hoisted may depend on uniform inputs alone"
    if hoisted.size:
        given[HOISTED] = hoisted
    first, second = evaluate(program, {k: given[k] for k in ("x", "p")}), evaluate(each, given)
    for key in first:
        np.testing.assert_allclose(second[key], first[key], rtol=1e-12, atol=1e-13)
    uniform = [op for op in once.ops if op > Op.CONST]
    assert len([op for op in each.ops if op > Op.CONST]) <= len([op for op in program.ops if op > Op.CONST]) - (
        1 if uniform else 0
    )


def test_a_result_that_is_uniform_alone() -> None:
    program = trace(lambda x, p: {"y": x[0], "z": p[0] * p[1]}, [Slot("x", (1,)), Slot("p", (2,), uniform=True)])
    once, each = split_uniform(program)
    p = np.array([3.0, 4.0])
    hoisted = evaluate(once, {"x": np.zeros(1), "p": p})[HOISTED]
    out = evaluate(each, {"x": np.array([[1.0], [2.0]]), "p": p, HOISTED: hoisted})
    np.testing.assert_array_equal(out["z"], [12.0, 12.0])


def test_uniform_terms_of_a_sum_are_added_once_per_design() -> None:
    """p0 + x0 - p1 + x1 has one hoisted term; a sum that others read, too, is not taken apart."""
    slots = [Slot("x", (2,)), Slot("p", (3,), uniform=True)]
    program = trace(lambda x, p: {"y": p[0] + x[0] - p[1] + x[1], "z": (x[0] + p[2]) * 2.0}, slots)
    once, each = split_uniform(program)
    assert [op for op in once.ops if op > Op.CONST] == [Op.SUB]
    assert sum(op in (Op.ADD, Op.SUB) for op in each.ops) == 3
    p, x = np.array([3.0, 4.0, 5.0]), np.array([[1.0, 2.0], [-7.0, 0.5]])
    given = {"x": x, "p": p, HOISTED: evaluate(once, {"x": x[0], "p": p})[HOISTED]}
    np.testing.assert_allclose(evaluate(each, given)["y"], x.sum(axis=1) - 1.0, rtol=1e-15)
    shared = trace(lambda x, p: {"y": x[0] + p[0], "z": x[0] + p[0] + p[1]}, slots)
    assert sum(op == Op.ADD for op in split_uniform(shared)[1].ops) == 2


def test_multiply_adds_take_products_used_once() -> None:
    program = trace(
        lambda x: {"a": x[0] * x[1] + x[2], "b": x[0] * x[2] - x[1], "c": x[0] - x[1] * x[2], "d": x[1] * x[2]},
        [Slot("x", (3,))],
    )
    kinds = [Op(op).name for op in contract_multiply_add(program).ops if op > Op.CONST]
    assert sorted(kinds) == ["FMA", "FMS", "MUL", "SUB"]  # x1 x2 is also a result: it stays


def test_inlining_leaves_no_call_and_checks_come_along() -> None:
    def inner(x):
        scalar.check(Status.RESIDUAL.at("inner"), x[0], 0.25)
        return {"y": [x[0] * x[1]]}

    sub = trace(inner, [Slot("x", (2,))])
    program = trace(lambda x: {"y": scalar.call(sub, x[:2]) + scalar.call(sub, x[1:])}, [Slot("x", (3,))])
    flat = inline_calls(program)
    assert not any(op == Op.BLOCK for op in flat.ops)
    assert [str(c.failure) for c in flat.checks] == ["residual:inner", "residual:inner"]
    assert_same(program, flat)
    nested = trace(lambda x: {"y": scalar.call(SUB_PROGRAM, scalar.call(flat, x).repeat(3))}, [Slot("x", (3,))])
    assert not any(isinstance(a[0], Call) for a in inline_calls(nested).args if a)
    assert_same(nested, inline_calls(nested))
