"""The legs of robots are found in their programs, and rolled programs are the programs they come from."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import gough
from gough.backends.c.flat import once_and_each
from gough_bench.growth import legs_on_platform
from inner.export import Options, subject_of
from inner.program import Rolled, evaluate_nodes, roll
from inner.structure import common_pattern


@cache
def model(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def rolled(robot: str, function: str, derivative: str = "", mode: str = "jacobian") -> Rolled:
    """A robot's function, rolled; values and checks are those of the interpreter at random inputs."""
    m = model(robot)
    subject = subject_of(m, function, Options(derivative=derivative, mode=mode), common_pattern(m.mechanism, m.pattern))
    _, each = once_and_each(subject.program, True)
    made = roll(each, least=3)
    assert made is not None
    values = np.random.default_rng(4).uniform(0.3, 1.0, each.n_inputs)
    nodes = evaluate_nodes(each, values)
    truth = np.array([float(nodes[i]) for i in each.results])
    found, checks = made.evaluate_flat(values)
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-9 * np.abs(truth).max())
    assert sorted((str(f), held) for f, held in checks) == sorted(
        (str(c.failure), bool(nodes[c.node] >= c.minimum)) for c in each.checks
    )
    return made


def share(made: Rolled) -> float:
    """Part of the program's operations that runs in lanes."""
    once, lane = made.operations
    return made.lanes * lane / (once + made.lanes * lane)


@pytest.mark.parametrize(
    ("robot", "function", "lanes", "least"),
    [
        ("pedrammehr2012", "inverse_dynamics", 6, 0.7),  # 6-UPS
        ("lopes_simplified", "inverse_dynamics", 6, 0.6),  # 6-PUS
        ("lopes_simplified", "forward_dynamics", 6, 0.7),
        ("lopes_simplified", "joint_motion", 6, 0.9),
        ("delta_fast", "inverse_dynamics", 3, 0.6),
    ],
)
def test_legs_are_found(robot: str, function: str, lanes: int, least: float) -> None:
    made = rolled(robot, function)
    assert made.lanes == lanes
    assert share(made) > least


def test_derivatives_have_legs_too() -> None:
    """Of a Jacobian, the system with a right-hand side a column runs once."""
    for wrt, mode in (("v", "jacobian"), ("q", "jvp"), ("q", "vjp")):
        made = rolled("lopes_simplified", "inverse_dynamics", wrt, mode)
        assert made.lanes == 6
        assert share(made) > 0.4


@pytest.mark.parametrize("legs", [4, 9])
def test_platforms_with_any_number_of_legs(legs: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = gough.build(legs_on_platform(legs))
    _, each = once_and_each(
        subject_of(m, "mass_matrix", Options(), common_pattern(m.mechanism, m.pattern)).program, True
    )
    made = roll(each, least=3)
    assert made is not None and made.lanes == legs and share(made) > 0.6


def test_legs_of_which_each_has_a_pair() -> None:
    """Two rods a leg are alike too: most is done twice as often as there are legs, all of it once a leg."""
    at = {"about": "center_of_mass"}
    thin = {"mass": 0.2, "center_of_mass": (0, 0, -0.4), "inertia": {**at, "xx": 0.02, "yy": 0.02, "zz": 1e-5}}
    arm = {"mass": 1.0, "center_of_mass": (0.2, 0, 0), "inertia": {**at, "xx": 2e-3, "yy": 0.03, "zz": 0.03}}
    plate = {"mass": 0.9, "inertia": {**at, "xx": 1e-3, "yy": 1e-3, "zz": 2e-3}}
    angles, home = (0.1, 2.0, 4.3), (0.03, 0.05, -0.8)
    robot = gough.robots.delta(
        0.2, 0.06, 0.4, 0.9, width=0.1, platform=plate, arm=arm, rod=thin, angles=angles, home=home
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = gough.build(robot)
    for function in ("inverse_dynamics", "mass_matrix"):
        _, each = once_and_each(
            subject_of(m, function, Options(), common_pattern(m.mechanism, m.pattern)).program, True
        )
        made = roll(each, least=3)
        assert made is not None and made.lanes == 3 and share(made) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["fried", "long2014_rigid", "lopes", "pedrammehr2012", "delta", "delta_fast"])
@pytest.mark.parametrize(
    "function", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "energies", "joint_reactions"]
)
def test_every_robot_with_legs(robot: str, function: str) -> None:
    assert share(rolled(robot, function)) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["three_rrr", "redundant_planar", "tripod_wrist"])
def test_legs_whose_loops_are_solved_together(robot: str) -> None:
    """One system couples all loops there: less is alike, values stay."""
    assert rolled(robot, "inverse_dynamics").lanes >= 3


@pytest.mark.slow
def test_large_derivatives() -> None:
    assert share(rolled("pedrammehr2012", "inverse_dynamics", "q")) > 0.6
    assert share(rolled("pedrammehr2012", "forward_dynamics", "parameters", "vjp")) > 0.4
