"""Derivatives of robots' functions against 50-digit differences of the programs in mpmath, and their counts."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.model.functions import no_load
from gough.model.tangent import tangent_derivation
from gough.program import Program, evaluate
from inner.dynamics import CATALOGUE, FunctionKey
from inner.model import trace_entry
from inner.program import drop_checks, expand_blocks, jacobian, jvp, operations, vjp
from program import precise

PAGE = Path(__file__).resolve().parents[2] / "docs" / "derivatives.md"
MANY = ("pedrammehr2012", "lopes", "fried", "delta", "five_bar", "four_bar_chain", "redundant_planar", "andrews")


@cache
def model_of(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def state_of(model: gough.Model, program: Program, k: int = 2) -> dict[str, np.ndarray]:
    states = model.sampled_states
    return {s.name: np.broadcast_to(states[s.name], (len(states["q"]), s.size))[k].copy() for s in program.inputs}


def flat(program: Program, given: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([given[s.name] for s in program.inputs])


def check_products(robot: str, function: str) -> None:
    """jvp along all inputs at once, and vjp, against one directional difference."""
    model = model_of(robot)
    program = drop_checks(model.function(function).program)
    names = [s.name for s in program.inputs]
    given = state_of(model, program)
    rng = np.random.default_rng(5)
    moves = {k: rng.normal(size=x.shape) * np.maximum(np.abs(x), 0.1) for k, x in given.items()}
    moves["parameters"][list(model.pattern)] = 0.0
    truth = np.array(precise.derivative(program, flat(program, given), flat(program, moves)))
    size = np.abs(truth).max(initial=1.0)
    out = evaluate(jvp(program, names), given | {f"d_{k}": x for k, x in moves.items()})
    pushed = np.concatenate([out[f"d_{s.name}"].ravel() for s in program.outputs])
    np.testing.assert_allclose(pushed, truth, rtol=0, atol=1e-10 * size)
    weights = {f"bar_{s.name}": rng.normal(size=s.shape) for s in program.outputs}
    out = evaluate(vjp(program, names), given | weights)
    pulled = sum(float(out[f"bar_{k}"] @ moves[k]) for k in names)
    expected = np.concatenate([weights[f"bar_{s.name}"].ravel() for s in program.outputs]) @ truth
    assert abs(pulled - expected) <= 1e-9 * size * len(truth)


@pytest.mark.parametrize("function", CATALOGUE)
def test_products_of_every_function(function: str) -> None:
    check_products("five_bar", function)


@pytest.mark.parametrize("robot", ["lopes", "redundant_planar"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_products(robot: str, function: str) -> None:
    check_products(robot, function)


@pytest.mark.slow
@pytest.mark.parametrize("robot", MANY)
def test_products_of_every_function_and_robot(robot: str) -> None:
    for function in CATALOGUE:
        if function != "inverse_dynamics" or model_of(robot).driven:
            check_products(robot, function)


@pytest.mark.parametrize(
    ("robot", "function"),
    [("lopes", "inverse_dynamics"), ("redundant_planar", "inverse_dynamics"), ("five_bar", "forward_dynamics")],
)
@pytest.mark.parametrize("mode", ["auto", "reverse"])
def test_jacobian_by_every_slot(robot: str, function: str, mode: str) -> None:
    model = model_of(robot)
    program = drop_checks(model.function(function).program)
    given = state_of(model, program)
    names = [s.name for s in program.inputs]
    out = evaluate(jacobian(program, names, mode), given)
    rng = np.random.default_rng(6)
    for slot in program.inputs:
        move = rng.normal(size=slot.size)
        if slot.name == "parameters":
            move *= np.abs(given["parameters"])
            move[list(model.pattern)] = 0.0
        along = {k: np.zeros_like(x) for k, x in given.items()} | {slot.name: move}
        truth = np.array(precise.derivative(program, flat(program, given), flat(program, along)))
        found = out[f"{program.outputs[0].name}_{slot.name}"] @ move
        np.testing.assert_allclose(found, truth, rtol=0, atol=1e-10 * max(1.0, np.abs(truth).max()), err_msg=slot.name)


def check_tangent(robot: str, function: str) -> None:
    """By motions: along q̇ = N(q) v, each motion against the difference along the N that 50 digits give."""
    model = model_of(robot)
    program = drop_checks(model.function(function).program)
    rates = drop_checks(model.function("configuration_rate").program)
    given = state_of(model, program)
    nv, output = model.layout.nv, program.outputs[0].name
    J = evaluate(tangent_derivation(model, program, ("q",)).jacobian(), given)[f"{output}_q"].reshape(-1, nv)
    scale = max(1.0, np.abs(J).max())
    rng = np.random.default_rng(7)
    for v in (np.eye(nv)[nv - 1], rng.normal(size=nv)):
        inputs = {"q": given["q"], "v": v, "parameters": given["parameters"]}
        qdot = np.array([float(x) for x in precise.evaluate(rates, flat(rates, inputs))])
        along = {k: np.zeros_like(x) for k, x in given.items()} | {"q": qdot}
        truth = precise.derivative(program, flat(program, given), flat(program, along))[: len(J)]
        np.testing.assert_allclose(J @ v, truth, rtol=0, atol=1e-10 * scale * max(1.0, np.abs(v).max()))
    weights = rng.normal(size=len(J))
    bars = {f"bar_{s.name}": np.zeros(s.shape) for s in program.outputs}
    bars[f"bar_{output}"] = weights.reshape(program.outputs[0].shape)
    pulled = evaluate(tangent_derivation(model, program, ("q",)).vjp(), given | bars)["bar_q"]
    np.testing.assert_allclose(pulled, weights @ J, rtol=0, atol=1e-10 * scale * len(J))
    pushed = evaluate(tangent_derivation(model, program, ("q",)).jvp(), given | {"d_q": v})[f"d_{output}"].ravel()
    np.testing.assert_allclose(pushed, J @ v, rtol=0, atol=1e-10 * scale * 10)


@pytest.mark.parametrize(
    ("robot", "function"), [("lopes", "inverse_dynamics"), ("five_bar", "forward_dynamics"), ("ankle", "mass_matrix")]
)
def test_by_motions(robot: str, function: str) -> None:
    check_tangent(robot, function)


@pytest.mark.slow
@pytest.mark.parametrize("robot", [*MANY, "tripod_wrist", "bricard", "ankle"])
def test_by_motions_of_every_robot(robot: str) -> None:
    for function in ("forward_dynamics", "mass_matrix", "configuration_rate", "joint_reactions"):
        check_tangent(robot, function)
    if model_of(robot).driven:
        check_tangent(robot, "inverse_dynamics")


# ---------------------------------------------------------------- counts, as docs/derivatives.md shows them


def plain_program(robot: str, function: str) -> Program:
    """By the counting rules: no wrench, no friction, parameters as inputs."""
    model = model_of(robot)
    numbers = dict(model.pattern) | {i: 0.0 for i, n in enumerate(model.parameter_names) if ".friction." in n}
    return model.order_solves(trace_entry(model.mechanism, FunctionKey.of(function), numbers, no_load(model.mechanism)))


STATE = {"inverse_dynamics": ("q", "v", "acceleration"), "forward_dynamics": ("q", "v", "tau")}
ROWS = [
    ("pedrammehr2012", "inverse_dynamics"),
    ("pedrammehr2012", "forward_dynamics"),
    ("five_bar", "forward_dynamics"),
]


def counted(robot: str, function: str) -> list[int]:
    """Operations of the function, of its Jacobian by the state (chosen, forward, reverse) and of its gradient."""
    program = plain_program(robot, function)

    def ready(*more: str):
        return tangent_derivation(model_of(robot), program, (*STATE[function], *more))

    made = [program, *(ready().jacobian(mode) for mode in ("auto", "forward", "reverse")), ready("parameters").vjp()]
    return [operations(expand_blocks(drop_checks(p), checks=False)) for p in made]


@pytest.mark.parametrize(
    ("robot", "function"), [ROWS[-1], *(pytest.param(*r, marks=pytest.mark.slow) for r in ROWS[:-1])]
)
def test_counts_are_those_of_the_page(robot: str, function: str) -> None:
    line = re.search(rf"^\| `{robot}` \| {function} \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert line, f"docs/derivatives.md has no row for {robot} {function}"
    shown, found = [int(x) for x in line[1].split("|")], counted(robot, function)
    row = " | ".join(map(str, found))
    assert shown == found, f"the programs changed; the row in docs/derivatives.md: | `{robot}` | {function} | {row} |"
