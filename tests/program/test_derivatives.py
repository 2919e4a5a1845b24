"""jacobian, jvp and vjp of every operation and block against 50-digit differences and complex steps."""

from __future__ import annotations

import numpy as np
import pytest

from gough.program import Program, evaluate
from inner.program import evaluate_nodes, expand_blocks, jacobian, jvp, vjp
from program import precise
from program.specimens import OPERATIONS, N, random_program, specimen

KINKED = ("abs", "sign", "select", "atan2")  # no complex steps through these


def truth(program: Program, x: np.ndarray) -> np.ndarray:
    """Jacobian (results, inputs) by 50-digit differences."""
    return np.array([precise.derivative(program, x, e) for e in np.eye(len(x))]).T


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str) -> None:
    program = specimen(name)
    rng = np.random.default_rng(11)
    x, dx = rng.uniform(0.5, 1.5, N), rng.normal(size=N)
    J = truth(program, x)
    size = max(1.0, np.abs(J).max())
    for version in (program, expand_blocks(program)):
        np.testing.assert_allclose(evaluate(jacobian(version, "x"), {"x": x})["y_x"], J, rtol=0, atol=1e-13 * size)
        pushed = evaluate(jvp(version, ["x"]), {"x": x, "d_x": dx})["d_y"]
        np.testing.assert_allclose(pushed, J @ dx, rtol=0, atol=1e-13 * size * 6)
        weights = rng.normal(size=len(J))
        pulled = evaluate(vjp(version, ["x"]), {"x": x, "bar_y": weights})["bar_x"]
        np.testing.assert_allclose(pulled, weights @ J, rtol=0, atol=1e-13 * size * 6)


@pytest.mark.parametrize("name", [n for n in OPERATIONS if n not in KINKED])
def test_complex_steps(name: str) -> None:
    program = expand_blocks(specimen(name))
    x = np.random.default_rng(12).uniform(0.5, 1.5, N)
    steps = x + 1e-30j * np.eye(N)
    nodes = evaluate_nodes(program, steps)
    J = np.array([np.broadcast_to(nodes[i], N).imag / 1e-30 for i in program.results])
    size = max(1.0, np.abs(J).max())
    np.testing.assert_allclose(evaluate(jacobian(program, "x"), {"x": x})["y_x"], J, rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    program = random_program(seed, 70)
    rng = np.random.default_rng([seed, 1])
    x, p = rng.uniform(0.5, 1.5, N), rng.uniform(0.5, 1.5, 3)
    flat = np.concatenate([x, p])
    J = truth(program, flat)
    size = max(1.0, np.abs(J).max())
    for name, columns in (("x", slice(0, N)), ("p", slice(N, None))):
        out = evaluate(jacobian(program, name), {"x": x, "p": p})
        found = np.concatenate([out[f"{o.name}_{name}"].reshape(o.size, -1) for o in program.outputs])
        np.testing.assert_allclose(found, J[:, columns], rtol=0, atol=1e-11 * size)
    weights = rng.normal(size=len(J))
    bars, k = {}, 0
    for slot in program.outputs:
        bars[f"bar_{slot.name}"] = weights[k : k + slot.size].reshape(slot.shape)
        k += slot.size
    out = evaluate(vjp(program, ["x", "p"]), {"x": x, "p": p} | bars)
    found = np.concatenate([out["bar_x"], out["bar_p"]])
    np.testing.assert_allclose(found, weights @ J, rtol=0, atol=1e-11 * size * 10)
    direction = rng.normal(size=9)
    out = evaluate(jvp(program, ["x", "p"]), {"x": x, "p": p, "d_x": direction[:N], "d_p": direction[N:]})
    found = np.concatenate([out[f"d_{o.name}"].ravel() for o in program.outputs])
    np.testing.assert_allclose(found, J @ direction, rtol=0, atol=1e-11 * size * 10)


def test_second_derivatives() -> None:
    """The derivative of a derivative: symmetric and right."""
    program = specimen("solve_3")
    x = np.random.default_rng(13).uniform(0.5, 1.5, N)
    H = evaluate(jacobian(jacobian(program, "x"), "x"), {"x": x})["y_x_x"]
    np.testing.assert_allclose(H, np.swapaxes(H, 1, 2), rtol=0, atol=1e-12)
    first = jacobian(program, "x")
    J2 = truth(first, x).reshape(3, N, N)
    np.testing.assert_allclose(H, J2, rtol=0, atol=1e-12)


def test_checks_stay_with_the_derivative() -> None:
    program = random_program(0, 40)
    for changed in (jacobian(program, "x"), jvp(program, ["x"]), vjp(program, ["x"])):
        assert [str(c.failure) for c in changed.checks] == [str(c.failure) for c in program.checks]


def test_jacobian_of_an_input_that_is_not_used() -> None:
    from gough.program import Slot, trace

    program = trace(lambda x, p: {"y": x * 2.0}, [Slot("x", (2,)), Slot("p", (3,))])
    np.testing.assert_array_equal(
        evaluate(jacobian(program, "p"), {"x": np.ones(2), "p": np.ones(3)})["y_p"], np.zeros((2, 3))
    )
    out = evaluate(vjp(program, ["p"]), {"x": np.ones(2), "p": np.ones(3), "bar_y": np.ones(2)})
    np.testing.assert_array_equal(out["bar_p"], np.zeros(3))
