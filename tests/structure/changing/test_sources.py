"""Where numbers come from is written beside them, and what was said before stays."""

from typing import Any

import pytest

import gough
from gough.robot import dumps, load, loads

pytestmark = pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")


def test_each_item_says_where_its_numbers_come_from() -> None:
    robot = load("five_bar")
    new: Any = robot.with_parameters(
        {"left_crank.M": 1.234, "left_crank.MX": 0.11, "left_motor.friction.viscous": 0.4, "gravity.z": -9.80},
        {"left_crank.M": "identified: M = 1.234 ± 0.005 kg", "left_motor.friction.viscous": "± 0.1"},
    )
    assert new.bodies[0].parameters.source == "identified: M = 1.234 ± 0.005 kg"
    assert new.bodies[0].source == "assumed"
    assert new.joints[0].friction.source == "± 0.1"
    again: Any = loads(dumps(new))
    assert again.bodies[0].parameters.source == new.bodies[0].parameters.source


def test_what_was_said_before_stays() -> None:
    robot = load("pedrammehr2012").with_parameters({"leg0.hip.yaw": 0.1}, "measured")
    assert robot.legs[0].chain[0].placement.source == "assumed; measured"
    assert (
        robot.with_parameters({"leg0.hip.yaw": 0.2}, "measured").legs[0].chain[0].placement.source
        == "assumed; measured"
    )


def test_a_source_is_written_also_where_the_number_is_the_same() -> None:
    robot: Any = load("five_bar")
    new: Any = robot.with_parameters({"left_crank.M": 0.8}, "weighed")
    assert new.bodies[0].mass == 0.8 and "weighed" in dumps(new)


def test_without_sources_items_say_what_was_changed() -> None:
    new: Any = load("five_bar").with_parameters({"left_crank.MX": 0.11, "left_crank.M": 1.2})
    assert new.bodies[0].parameters.source == "changed: MX, M"


def test_gravity_is_the_robots_own() -> None:
    robot = load("five_bar").with_parameters({"gravity.z": -9.80}, "at 1200 m")
    assert "at 1200 m" in robot.source and robot.source[0] == load("five_bar").source
    assert loads(dumps(robot)).source == robot.source


def test_sources_of_what_does_not_change_are_refused() -> None:
    with pytest.raises(gough.UsageError, match=r"'left_crank\.MX' is not among"):
        load("five_bar").with_parameters({"left_crank.M": 1.0}, {"left_crank.MX": "?"})
