"""Constant forces of joints become preloads: drives bear them, and the sign is that of the regressor's column."""

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import load
from reference.designs import design

STATE = (np.array([0.3, -0.2]), np.array([1.0, 2.0]))


def test_a_drive_bears_its_offset() -> None:
    model = gough.build("five_bar")
    new = gough.build(model.robot.with_parameters({"left_motor.offset": 2.5}))
    force = [m.inverse_dynamics(m.home, *STATE).tau for m in (model, new)]
    assert np.allclose(force[1] - force[0], [2.5, 0.0], atol=1e-12)
    y = gough.regressor(model, "left_motor.offset")(model.home, *STATE)
    assert np.allclose(y.Y[:, 0] * 2.5, force[1] - force[0], atol=1e-12)
    spring: Any = new.robot.joints[0].spring
    assert spring.preload == -2.5 and "preload" in spring.source


def test_an_offset_adds_to_a_preload() -> None:
    robot = load("five_bar").with_parameters({"left_motor.offset": 2.5})
    again: Any = robot.with_parameters({"left_motor.offset": 1.0}, "second")
    assert again.joints[0].spring.preload == -3.5
    assert again.joints[0].spring.source == "changed: preload; second"
    both: Any = robot.with_parameters({"left_motor.offset": 1.0, "left_motor.spring.preload": -1.0})
    assert both.joints[0].spring.preload == -2.0


def test_one_freedom_of_several_and_all_legs() -> None:
    robot = design("ups", 1)
    universal = next(j.name for j in robot.legs[0].chain if j.type == "universal")
    new = robot.with_parameters({f"leg*.{universal}_2.offset": 0.5})
    for leg in new.legs:
        joint = next(j for j in leg.chain if j.name == universal)
        assert joint.spring[0] is None and joint.spring[1].preload == -0.5


def test_what_has_no_preload_is_refused() -> None:
    with pytest.raises(gough.UsageError, match=r"no coordinate for 'nobody\.offset'; use"):
        load("five_bar").with_parameters({"nobody.offset": 1.0})
    robot = design("idle_rods", 1)
    model = gough.build(robot)
    ball = next(n for n in model.layout.u_names if n.endswith("_wx"))
    with pytest.raises(gough.UsageError, match="about all axes has no preload"):
        robot.with_parameters({f"{ball}.offset": 1.0})
    coupled = load("geared_gripper")
    name = next(n for n in gough.build(coupled).parameter_names if n.endswith(".offset"))
    assert coupled.with_parameters({name: 0.01}) != coupled  # of a coupling, which has its own
