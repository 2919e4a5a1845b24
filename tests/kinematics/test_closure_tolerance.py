"""Over-constrained loops whose lengths are not quite alike: how much they miss is told, and may be allowed."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import gough
from gough.errors import Status
from gough.kinematics.openings import openings
from gough.robot import dumps, loads
from inner.analysis import verify

WIDTH, REACH, LENGTH = 0.06, 0.05, 0.3
TURNS = [np.eye(3), np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0.0]])]
"""Axes of the legs: x, y, z in turn."""
MASS = {
    "mass": 0.3,
    "center_of_mass": [0.02, 0.01, 0.015],
    "inertia": {"about": "center_of_mass", "xx": 1e-3, "yy": 1e-3, "zz": 1e-3},
}


def orthoglide(longer: float, tolerance: str | None = None) -> dict:
    """Three slides at right angles on a plate by parallelograms, all pins; one bar is longer than the other (m)."""
    legs = []
    for k, turn in enumerate(TURNS):
        second = LENGTH + (longer if k == 0 else 0.0)
        chain = [
            {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "drive": {}},
            {"name": "yoke", "type": "revolute", "axis": [0, 1, 0]},
            {"name": "bar", "type": "revolute", "pose": {"position": [0, WIDTH / 2, 0]}},
            {"name": "rod", "type": "revolute", "on": "yoke", "pose": {"position": [0, -WIDTH / 2, 0]}},
            {"name": "coupler", "type": "revolute", "on": "bar", "pose": {"position": [LENGTH, 0, 0]}},
        ]
        for joint in chain:
            joint["body"] = {"name": f"{joint['name']}_body", **MASS}
        pin = {
            "name": "pin",
            "type": "revolute",
            "first": {"body": "rod_body", "pose": {"position": [second, 0, 0]}},
            "second": {"body": "coupler_body", "pose": {"position": [0, -WIDTH, 0]}},
        }
        cut = {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "on_leg": {"position": [0, -WIDTH / 2, 0]}}
        place = [-LENGTH - REACH, 0, 0]
        legs.append(
            {
                "base": {"matrix": turn.tolist(), "position": (turn @ place).tolist()},
                "on_platform": {"matrix": turn.tolist(), "position": (turn @ [-REACH, 0, 0]).tolist()},
                "chain": chain,
                "loops": [pin],
                "cut": cut,
            }
        )
    data = {
        "format": 1,
        "name": "orthoglide",
        "platform": MASS,
        "legs": legs,
        "home": {"pose": {"position": [0, 0, 0]}},
    }
    return data | ({} if tolerance is None else {"closure_tolerance": tolerance})


def built(data: dict) -> gough.Model:
    return gough.build(loads(json.dumps(data)))


def test_how_much_which_closure_misses_is_told() -> None:
    """The pin of the longer bar is open, and the coupler tilted against the plate: together by the 10 µm it is longer."""
    with pytest.raises(gough.StructureError) as caught:
        built(orthoglide(1e-5))
    text = str(caught.value)
    gap, tilt = (
        re.search(r"leg0\.pin stays ([\d.]+) mm", text),
        re.search(r"leg0\.hinge stays axes off by ([\d.]+) deg", text),
    )
    assert gap is not None
    assert tilt is not None
    assert float(gap[1]) * 1e-3 + np.deg2rad(float(tilt[1])) * WIDTH == pytest.approx(1e-5, rel=0.01)
    assert re.search(r"`closure_tolerance: 0\.0\d+ mm`", text)


@pytest.fixture(scope="module")
def fitted() -> gough.Model:
    return built(orthoglide(1e-5, "0.05 mm"))


@pytest.fixture(scope="module")
def exact() -> gough.Model:
    return built(orthoglide(0.0))


def test_the_freedoms_are_those_of_the_robot_that_fits(fitted, exact) -> None:
    assert fitted.layout.v_names == exact.layout.v_names
    assert fitted.mobility == 3
    assert fitted.redundant_closures == exact.redundant_closures
    assert fitted.home[:7] == pytest.approx(exact.home[:7], abs=2e-4)


def test_what_is_left_open_is_within_the_tolerance_everywhere(fitted) -> None:
    steps = np.random.default_rng(4).uniform(-0.05, 0.05, (30, 3))
    q = fitted.integrate(fitted.home, steps)
    for x in (fitted.home, *q):
        left = openings(fitted, x)
        assert max(o.gap for o in left) < 5e-5
        assert sum(o.gap + o.angle * WIDTH for o in left) > 0.9e-5  # it does not close: the bars differ by 10 µm
    assert fitted.closure_error(q).max() == 0.0
    assert fitted.project(q) == pytest.approx(q, abs=1e-12)
    again = fitted.configuration(drives=fitted.drives(q))
    assert again == pytest.approx(q, abs=1e-7)


def test_dynamics_are_those_of_the_robot_that_fits(fitted, exact) -> None:
    """To the share of the misfit, 1e-5 of 0.1 m, amplified by no more than ten."""
    v = [0.3, -0.2, 0.1]
    forces = [m.inverse_dynamics(m.home, v, [1.0, 2.0, -1.0]) for m in (fitted, exact)]
    assert forces[0].status == Status.OK
    assert forces[0].tau == pytest.approx(forces[1].tau, rel=1e-3)
    there = fitted.forward_dynamics(fitted.home, v, forces[0].tau)
    assert there.vdot == pytest.approx([1.0, 2.0, -1.0], rel=1e-9)


def test_beyond_the_tolerance_a_state_is_open(fitted) -> None:
    q = fitted.home.copy()
    q[fitted.layout.q_names.index("leg1.bar")] += 1e-3  # 0.3 mm at its end
    assert fitted.closure_error(q) > 1e-4
    assert fitted.mass_matrix(q, on_bad_state="mark") == pytest.approx(np.full((3, 3), np.nan), nan_ok=True)


@pytest.mark.slow
def test_the_laws_hold_on_the_fit(fitted) -> None:
    """Rates are those of closures that stay open by what they are: power balance and reactions to rounding."""
    assert verify(fitted, states=8).passed


@pytest.mark.slow
def test_a_run_keeps_the_fit(fitted) -> None:
    run = gough.simulate(fitted, duration=0.05, v=[0.5, 0.2, -0.1])
    assert run.summary()["closure_error"] < 1e-10
    assert not run.status.any()


def test_a_tolerance_that_is_too_small_says_what_is_enough() -> None:
    with pytest.raises(gough.StructureError, match=r"closure_tolerance: 0\.0\d+ mm"):
        built(orthoglide(1e-5, "0.5 um"))


def test_a_tolerance_as_large_as_the_robot_is_refused() -> None:
    with pytest.raises(gough.StructureError, match=r"closure_tolerance of 1000 m in a robot of size .* hold nothing"):
        built(orthoglide(0.0, "1 km"))


def test_a_tolerance_changes_nothing_where_loops_fit(exact) -> None:
    allowed = built(orthoglide(0.0, "0.05 mm"))
    assert allowed.home == pytest.approx(exact.home, abs=1e-12)
    assert allowed.redundant_closures == exact.redundant_closures
    assert not allowed.mechanism.selection.offsets


def test_the_key_is_read_written_and_checked() -> None:
    robot = loads(json.dumps(orthoglide(0.0, "0.05 mm")))
    assert robot.closure_tolerance == pytest.approx(5e-5)
    assert loads(dumps(robot)).closure_tolerance == robot.closure_tolerance
    with pytest.raises(gough.DescriptionError, match="closure_tolerance"):
        loads(json.dumps(orthoglide(0.0, "-1 mm")))
    with pytest.raises(gough.DescriptionError, match="closure_tolerance"):
        loads(json.dumps(orthoglide(0.0, "1 deg")))
