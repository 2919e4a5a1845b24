"""Ways to a derivative: forward, reverse and reduced sweeps agree, several slots at once, solves factored once, selects
that guard a bad value, and the work stays linear in the program."""

from __future__ import annotations

import numpy as np
import pytest

from gough import scalar
from gough.errors import UsageError
from gough.program import Program, Slot, evaluate, trace
from inner.program import Op, Solve, derive, drop_checks, expand_blocks, jacobian, jvp, operations, vjp
from program import precise
from program.specimens import N, random_program


def work(program: Program) -> int:
    return operations(expand_blocks(drop_checks(program), checks=False))


@pytest.mark.parametrize("seed", range(6))
def test_all_sweeps_agree_with_differences(seed: int) -> None:
    program = random_program(seed, 80)
    rng = np.random.default_rng([seed, 2])
    given = {"x": rng.uniform(0.5, 1.5, N), "p": rng.uniform(0.5, 1.5, 3)}
    flat = np.concatenate([given["x"], given["p"]])
    J = np.array([precise.derivative(program, flat, e) for e in np.eye(len(flat))]).T
    for mode in ("auto", "forward", "reverse"):
        out = evaluate(jacobian(program, ("x", "p"), mode), given)
        found = [
            np.concatenate([out[f"{o.name}_{s}"].reshape(o.size, -1) for o in program.outputs]) for s in ("x", "p")
        ]
        np.testing.assert_allclose(np.hstack(found), J, rtol=0, atol=1e-11 * max(1.0, np.abs(J).max()), err_msg=mode)


@pytest.mark.parametrize("seed", range(6))
def test_auto_is_never_dearer_than_its_parts(seed: int) -> None:
    """The choice is by an estimate that does not see shared products, so a little slack is allowed."""
    program = random_program(seed, 200)
    best = min(work(jacobian(program, "x", mode)) for mode in ("forward", "reverse"))
    assert work(jacobian(program, "x")) <= 1.1 * best


def test_reduction_finds_a_bottleneck() -> None:
    """12 inputs, a number in the middle, 12 outputs: neither sweep is cheap, through the middle it is."""

    def equations(x):
        middle = x[0]
        for y in x[1:]:
            middle = scalar.sin(middle * y)
        for _ in range(20):
            middle = scalar.sin(middle * middle + 0.3)
        return {"y": [scalar.cos(middle * (k + 2.0)) for k in range(12)]}

    program = trace(equations, [Slot("x", (12,))])
    by_mode = {mode: work(jacobian(program, "x", mode)) for mode in ("auto", "forward", "reverse")}
    assert by_mode["auto"] < 0.75 * min(by_mode["forward"], by_mode["reverse"])


def test_a_solve_is_factored_once() -> None:
    """The derivative of a solve is one more block with all right-hand sides."""

    def equations(x):
        A = np.array([[3.0 + x[i] if i == j else scalar.sin(x[i] * x[j]) for j in range(6)] for i in range(6)])
        return {"y": scalar.solve(A, x)}

    program = trace(equations, [Slot("x", (6,))])
    for mode, columns in (("forward", 6), ("reverse", 6)):
        blocks = [a[0] for op, a in zip(*_nodes(jacobian(program, "x", mode)), strict=True) if op == Op.BLOCK]
        assert sorted(b.m for b in blocks if isinstance(b, Solve)) == [1, columns]


def _nodes(program: Program):
    return program.ops, program.args


def test_the_guarded_side_of_a_select_stays_out() -> None:
    """y = x/|x| guarded at 0: the side that is not taken has no finite derivative and must not poison the sum."""

    def equations(x):
        square = x[0] * x[0]
        return {"y": scalar.select(square, x[0] / scalar.sqrt(square), 3.0 * x[0]) * x[1]}

    program = trace(equations, [Slot("x", (2,))])
    for mode in ("forward", "reverse", "auto"):
        np.testing.assert_allclose(
            evaluate(jacobian(program, "x", mode), {"x": np.array([0.0, 2.0])})["y_x"], [6.0, 0.0]
        )
    out = evaluate(vjp(program, "x"), {"x": np.array([0.0, 2.0]), "bar_y": np.array(1.0)})["bar_x"]
    np.testing.assert_allclose(out, [6.0, 0.0])
    out = evaluate(jvp(program, "x"), {"x": np.array([0.0, 2.0]), "d_x": np.array([1.0, 0.0])})["d_y"]
    np.testing.assert_allclose(out, 6.0)


def test_products_cost_a_few_evaluations() -> None:
    """Along one direction, or backwards from one sum of results, whatever the number of inputs."""
    program = random_program(3, 400, blocks=False)
    once = work(program)
    assert work(jvp(program, ("x", "p"))) < 4 * once
    assert work(vjp(program, ("x", "p"))) < 4 * once


@pytest.mark.parametrize(
    ("wrt", "mode", "words"),
    [
        ("z", "jacobian", "no input 'z'"),
        ((), "jacobian", "one or more"),
        (("x", "x"), "vjp", "different"),
        ("x", "backwards", "mode='backwards'"),
    ],
)
def test_misuse(wrt, mode: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        derive(random_program(0, 30), wrt, mode)


def test_derive_names_all_kinds() -> None:
    program = random_program(0, 30)
    outputs = {mode: [s.name for s in derive(program, ("x", "p"), mode).outputs] for mode in ("jacobian", "jvp", "vjp")}
    assert outputs["jacobian"] == ["y_x", "z_x", "w_x", "y_p", "z_p", "w_p"]
    assert outputs["jvp"] == ["d_y", "d_z", "d_w"] and outputs["vjp"] == ["bar_x", "bar_p"]
