"""`to_casadi`: every function of the catalogue against the interpreter and against 50 digits, derivatives, checks, misuse."""

from __future__ import annotations

import sys
import warnings
from functools import cache

import casadi as ca
import numpy as np
import pytest

import gough
from gough.backends.casadi import to_casadi
from gough.program import Program, evaluate
from inner.dynamics import CATALOGUE
from program import precise
from program.specimens import OPERATIONS, N, random_program, specimen

MANY = ("pedrammehr2012", "lopes", "fried", "delta", "four_bar_chain", "redundant_planar", "andrews", "ankle")


@cache
def model_of(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def state_of(model: gough.Model, program: Program, k: int = 2) -> dict[str, np.ndarray]:
    states = model.sampled_states
    return {s.name: np.broadcast_to(states[s.name], (len(states["q"]), s.size))[k] for s in program.inputs}


def check(robot: str, function: str) -> None:
    model = model_of(robot)
    f = model.function(function)
    given = state_of(model, f.program)
    truth = evaluate(f.program, given)
    baked, free = f.to_casadi(), f.to_casadi(parameters="input")
    assert baked.name_in() == [s.name for s in f.program.inputs if s.name != "parameters"]
    assert free.name_in() == [s.name for s in f.program.inputs]
    assert baked.name_out() == [s.name for s in f.program.outputs]
    for found in (baked(**{k: given[k] for k in baked.name_in()}), free(**given)):
        for slot in f.program.outputs:
            size = np.abs(truth[slot.name]).max(initial=1e-2)
            shape = slot.shape if len(slot.shape) == 2 else (slot.size, 1)
            assert found[slot.name].shape == shape
            error = np.abs(np.array(found[slot.name]).ravel() - truth[slot.name].ravel()).max(initial=0.0)
            assert error <= 1e-10 * size, slot.name


@pytest.mark.parametrize("function", CATALOGUE)
def test_every_function_is_the_interpreter(function: str) -> None:
    check("five_bar", function)


@pytest.mark.quick_cases("inverse_dynamics-lopes", "forward_dynamics-redundant_planar")
@pytest.mark.parametrize("robot", ["lopes", "redundant_planar"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_robots(robot: str, function: str) -> None:
    check(robot, function)


@pytest.mark.slow
@pytest.mark.parametrize("robot", MANY)
def test_every_function_of_every_robot(robot: str) -> None:
    for function in CATALOGUE:
        if function != "inverse_dynamics" or model_of(robot).driven:
            check(robot, function)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_against_50_digits(name: str) -> None:
    program = specimen(name)
    x = np.random.default_rng(1).uniform(0.5, 1.5, N)
    truth = np.array([float(y) for y in precise.evaluate(program, x)])
    np.testing.assert_allclose(
        np.array(to_casadi(program)(x=x)["y"]).ravel(), truth, rtol=0, atol=1e-13 * np.abs(truth).max()
    )


@pytest.mark.parametrize("seed", range(3))
def test_casadi_differentiates_it(seed: int) -> None:
    """CasADi's own Jacobian of the function, and ours as a function."""
    program = random_program(seed, 60)
    given = {"x": np.random.default_rng(seed).uniform(0.5, 1.5, N), "p": np.full(3, 0.8)}
    truth = np.array(
        [precise.derivative(program, np.concatenate([given["x"], given["p"]]), e) for e in np.eye(9)[:N]]
    ).T
    f = to_casadi(program)
    x = ca.SX.sym("x", N)
    out = f(x=x, p=given["p"])
    J = ca.Function("J", [x], [ca.jacobian(ca.vertcat(*[ca.vec(out[s.name].T) for s in program.outputs]), x)])
    np.testing.assert_allclose(np.array(J(given["x"])), truth, rtol=0, atol=1e-11 * np.abs(truth).max())


def test_parameters_of_another_design() -> None:
    model = model_of("five_bar")
    f = model.function("inverse_dynamics")
    given = state_of(model, f.program)
    heavier = model.parameters_with({"left_crank.M": 1.7})
    fixed = f.to_casadi(parameters=heavier)
    truth = evaluate(f.program, given | {"parameters": heavier})["tau"]
    np.testing.assert_allclose(
        np.array(fixed(**{k: given[k] for k in fixed.name_in()})["tau"]).ravel(), truth, rtol=1e-12
    )


def test_derivatives_travel_too() -> None:
    model = model_of("five_bar")
    f = model.function("inverse_dynamics").derivative("v")
    given = state_of(model, f.program)
    c = f.to_casadi()
    assert c.size_out("tau_v") == (2, 2)
    np.testing.assert_allclose(
        np.array(c(**{k: given[k] for k in c.name_in()})["tau_v"]), evaluate(f.program, given)["tau_v"], rtol=1e-10
    )


def test_checks_as_an_output() -> None:
    """Margins are positive at an assembled state and not where a loop is open."""
    model = model_of("five_bar")
    f = model.function("inverse_dynamics")
    c = f.to_casadi(checks=True)
    given = {k: x for k, x in state_of(model, f.program).items() if k != "parameters"}
    assert c.name_out()[-1] == "checks" and np.array(c(**given)["checks"]).min() >= 0
    assert np.array(c(**given | {"q": given["q"] + 0.1})["checks"]).min() < 0


def test_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("five_bar")
    f = model.function("mass_matrix")
    with pytest.raises(gough.UsageError, match="'design', 'input'"):
        f.to_casadi(parameters="mine")
    with pytest.raises(gough.UsageError, match="shape"):
        f.to_casadi(parameters=np.ones(3))
    with pytest.raises(gough.PatternError, match="free="):
        f.to_casadi(parameters=model.parameters + 1.0)
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(gough.UsageError, match=r'pip install "gough\[casadi\]"'):
        f.to_casadi()
