"""A number that is an expression equals and hashes as the number it is; descriptions tell formulas apart."""

import operator

from gough.robot import dumps, loads
from inner.robot import document

TEXT = """
format: 2
name: pendulum
variables: {arm: 300 mm, nothing: 0 kg, other: 300 mm, rub: 0 N.m.s/rad}
bodies: [{name: rod, mass: 2, center_of_mass: [arm, 0, 0]}]
joints: [{name: pin, type: revolute, axis: [0, 1, 0], parent: world, child: rod, friction: {viscous: rub}}]
"""


def test_numbers_are_compared_by_value() -> None:
    robot = loads(TEXT)
    x = robot.bodies[0].center_of_mass[0]
    number = 0.3
    assert x == number and number == x and not operator.ne(x, number) and x != 0.4
    assert hash(x) == hash(0.3) and x in {0.3} and 0.3 in {x} and {x: 1}[0.3] == 1
    assert robot.bodies[0].center_of_mass == (0.3, 0.0, 0.0)
    other = loads(TEXT.replace("[arm, 0, 0]", "[other, 0, 0]")).bodies[0].center_of_mass[0]
    assert x == other and len({x, other, 0.3}) == 1
    assert robot.joints[0].friction.viscous == 0


def test_descriptions_with_other_formulas_differ() -> None:
    robot = loads(TEXT)
    assert robot == loads(TEXT)
    assert robot != loads(TEXT.replace("[arm, 0, 0]", "[other, 0, 0]"))
    assert robot != loads(TEXT.replace("[arm, 0, 0]", "[0.3, 0, 0]"))
    assert robot.bodies[0] != loads(TEXT.replace("[arm, 0, 0]", "[other, 0, 0]")).bodies[0]


def test_a_zero_that_a_variable_moves_is_written_and_acts() -> None:
    text = TEXT.replace("mass: 2, center_of_mass: [arm, 0, 0]", "mass: nothing")
    robot = loads(text)
    assert robot.bodies[0].mass == 0 and document(robot)["bodies"][0]["mass"] == "nothing"
    assert "rub" in dumps(robot) and loads(dumps(robot)) == robot
    assert robot.joints[0].friction.acts
