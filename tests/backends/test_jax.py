"""`to_jax`: values against the interpreter and 50 digits; jit, vmap, grad, jacfwd, jacrev; never float32; misuse.

XLA takes seconds to compile, so the quick tests take one small robot and programs of a few operations.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough import scalar
from gough.backends.jax import PolynomialRun, schedule, to_jax
from gough.program import Program, Slot, evaluate, trace
from inner.dynamics import CATALOGUE
from inner.program import inline_calls
from program import precise
from program.specimens import N, random_program, specimen

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    """64 bits for the tests of this file."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@cache
def model_of(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def states_of(model: gough.Model, names: list[str], n: int = 3) -> dict[str, np.ndarray]:
    states = model.sampled_states
    return {k: x if k == "parameters" else x[:n] for k, x in states.items() if k in names}


def check(robot: str, function: str) -> None:
    """A batch of states at once."""
    model = model_of(robot)
    f = model.function(function)
    given = states_of(model, [s.name for s in f.program.inputs])
    truth = evaluate(f.program, given)
    found = f.to_jax()(**{k: x for k, x in given.items() if k != "parameters"})
    for key, value in truth.items():
        assert found[key].dtype == np.float64 and found[key].shape == value.shape
        np.testing.assert_allclose(found[key], value, rtol=0, atol=1e-10 * np.abs(value).max(initial=1e-2), err_msg=key)


def test_values() -> None:
    check("five_bar", "forward_dynamics")


@pytest.mark.parametrize("name", ["select", "abs", "atan2", "sign", "call"])
def test_operations_a_robot_seldom_has(name: str) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, N)
    truth = np.array([float(y) for y in precise.evaluate(specimen(name), x)])
    np.testing.assert_allclose(to_jax(specimen(name))(x)["y"], truth, rtol=0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("function", CATALOGUE)
def test_every_function(function: str) -> None:
    check("five_bar", function)


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["pedrammehr2012", "lopes", "delta", "four_bar_chain", "redundant_planar"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_robots(robot: str, function: str) -> None:
    check(robot, function)


@pytest.mark.slow
def test_all_operations_and_blocks_against_50_digits() -> None:
    program = random_program(1, 70)
    x, p = np.random.default_rng(1).uniform(0.5, 1.5, N), np.full(3, 0.8)
    truth = np.array([float(y) for y in precise.evaluate(program, np.concatenate([x, p]))])
    out = to_jax(program)(x, p)
    found = np.concatenate([np.ravel(out[s.name]) for s in program.outputs])
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-12 * np.abs(truth).max())


def small() -> Program:
    """A loop of sums and products, a sine, a division and a solve."""

    def equations(x: Any, p: Any) -> dict[str, Any]:
        A = np.array(
            [[2.0 + x[0], x[1] * p[0], x[2]], [p[1], 3.0 + x[3], x[4] * x[5]], [x[0], p[2], 4.0]], dtype=object
        )
        b = np.array([scalar.sin(x[1] * x[2] - x[3]), x[4] + p[0], x[5] * x[5]], dtype=object)
        return {"y": scalar.solve(A, b)}

    return trace(equations, [Slot("x", (N,)), Slot("p", (3,))], "small")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "thorough"),
    [
        (small, False),
        pytest.param(small, True, marks=pytest.mark.slow),
        pytest.param(lambda: random_program(2, 40), True, marks=pytest.mark.slow),
    ],
)
def test_derivatives_jit_and_vmap(make: Callable[[], Program], thorough: bool) -> None:
    """All of JAX's ways to a Jacobian against 50-digit differences."""
    program = make()
    x, p = np.random.default_rng(2).uniform(0.5, 1.5, N), np.full(3, 0.8)
    k = sum(s.size for s in program.outputs[:1])
    truth = np.array([precise.derivative(program, np.concatenate([x, p]), e) for e in np.eye(9)[:N]]).T[:k]
    f = to_jax(program)

    def y(x):
        return f(x=x, p=p)["y"]

    size = np.abs(truth).max()
    gradient = jax.jit(jax.grad(lambda x: y(x).sum()))(x)
    np.testing.assert_allclose(gradient, truth.sum(axis=0), rtol=0, atol=1e-11 * size * k)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(y))(x), truth, rtol=0, atol=1e-11 * size)
    if thorough:
        np.testing.assert_allclose(jax.jacrev(y)(x), truth, rtol=0, atol=1e-11 * size)
        np.testing.assert_allclose(jax.jit(jax.jacrev(y))(x), truth, rtol=0, atol=1e-11 * size)
    many = np.stack([x, x + 0.01])
    np.testing.assert_allclose(jax.vmap(y)(many), f(many, p)["y"], rtol=1e-12)


def test_runs_are_few() -> None:
    """The longest program of a small robot becomes a handful of loops."""
    program = inline_calls(model_of("pedrammehr2012").function("inverse_dynamics").program)
    plan = schedule(program)
    assert sum(isinstance(part, PolynomialRun) for part in plan.parts) < 20 < len(plan.parts) * 20
    assert len(plan.parts) < 60


def test_shapes_broadcast() -> None:
    f = to_jax(small())
    out = f(np.ones((4, 1, N)), np.ones((5, 3)))
    assert out["y"].shape == (4, 5, 3) and f(np.ones((0, N)), np.ones(3))["y"].shape == (0, 3)


def test_slots_without_entries() -> None:
    """A robot without drives has an input, or an output, of size 0."""
    program = trace(lambda x, tau: {"y": 2.0 * x, "none": tau}, [Slot("x", (2,)), Slot("tau", (0,))], "undriven")
    f = to_jax(program)
    out = f(np.ones((4, 1, 2)), np.ones((5, 0)))
    assert out["y"].shape == (4, 5, 2) and out["none"].shape == (4, 5, 0)
    assert f(np.ones(2), np.ones(0))["y"].tolist() == [2.0, 2.0] and f(np.ones((0, 2)), np.ones(0))["y"].shape == (0, 2)


def test_never_float32() -> None:
    f = to_jax(small())
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(gough.UsageError, match="jax_enable_x64"):
        f(np.ones(N), np.ones(3))
    with pytest.raises(gough.UsageError, match="JAX_ENABLE_X64=1"):
        to_jax(small())


def test_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    f = to_jax(small())
    for arguments, named in (((np.ones(N),), {}), ((np.ones(N), np.ones(3)), {"p": 1}), ((), {"x": 1, "q": 2})):
        with pytest.raises(gough.UsageError, match="takes"):
            f(*arguments, **named)
    with pytest.raises(gough.UsageError, match="shape"):
        f(np.ones(4), np.ones(3))
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(gough.UsageError, match=r'pip install "gough\[jax\]"'):
        model_of("five_bar").function("mass_matrix").to_jax()
