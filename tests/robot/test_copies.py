"""Changed copies of descriptions: what would not be read is refused, and what is read is what the model has."""

from __future__ import annotations

import pytest

import gough
from gough.robot import loads

ARM = """
format: 2
name: arm
variables: {m_a: 2 kg}
bodies: [{name: arm, BODY}]
joints: [{name: turn, type: revolute, parent: world, child: arm, drive: {}}]
"""
BODIES = {
    "shape": "shape: {rod: {mass: 2, axis: x, length: 0.4}}",
    "shape of a variable": "shape: {rod: {mass: m_a, axis: x, length: 0.4}}",
    "parameters": "parameters: {M: 2, MX: 0.4, ZZ: 0.1}",
    "mass": "mass: 2",
    "mass of a variable": "mass: m_a",
}


def mass_of(robot: gough.Robot) -> float:
    model = gough.build(robot)
    return float(model.parameters[model.parameter_names.index("arm.M")])


@pytest.mark.parametrize("body", BODIES)
def test_a_mass_is_used_or_refused(body: str) -> None:
    robot = loads(ARM.replace("BODY", BODIES[body]))
    arm = robot.bodies[0]
    if body.startswith("mass"):
        changed = arm.model_copy(update={"mass": 9.0})
    else:
        key = body.split()[0]
        with pytest.raises(gough.UsageError, match=f"mass of a Body follows from its `{key}`"):
            arm.model_copy(update={"mass": 9.0})
        with pytest.raises(gough.UsageError, match="center_of_mass"):
            arm.model_copy(update={"center_of_mass": (1.0, 0.0, 0.0)})
        assert float(arm.model_copy(update={"mass": arm.mass, "name": "other"}).mass) == 2.0
        changed = arm.model_copy(update={"mass": 9.0, key: () if key == "shape" else None})
    assert mass_of(robot) == 2.0 and mass_of(robot.model_copy(update={"bodies": (changed,)})) == 9.0


def test_a_field_that_is_none_is_refused() -> None:
    robot = loads(ARM.replace("BODY", BODIES["mass"]))
    with pytest.raises(gough.UsageError, match="a Body has no field 'mas'; use 'mass'"):
        robot.bodies[0].model_copy(update={"mas": 9.0})


def test_variables_are_changed_by_with_variables() -> None:
    robot = loads(ARM.replace("BODY", BODIES["mass of a variable"]))
    with pytest.raises(gough.UsageError, match=r"variables of a Robot .*with_variables"):
        robot.model_copy(update={"variables": {"m_a": 5.0}})
    assert mass_of(robot.with_variables({"m_a": 5.0})) == 5.0
    assert robot.model_copy(update={"variables": robot.variables}) == robot
