"""Names with stars under home, initial and velocities: they read as the names they stand for, written one by one."""

import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UnitWarning
from gough.robot import DescriptionError, Robot, dumps, load, loads

LEGS = """
format: 2
name: starred
platform: {mass: 2}
templates:
  rus:
    chain:
      - {name: crank, type: revolute, axis: [0, 1, 0], drive: {}, body: {mass: 0.2, center_of_mass: [0.1, 0, 0]}}
      - name: rod
        type: spherical
        pose: {position: [0.2, 0, 0]}
        body: {mass: 0.1, center_of_mass: [0, 0, 0.3], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 1e-4}}
    cut: {name: ball, type: spherical, on_leg: {position: [0, 0, 0.6]}}
legs:
  - pattern: {circular: 6}
    like: rus
    base: {position: [500 mm*cos(<angle>), 500 mm*sin(<angle>), 0], rpy_zyx: [<angle>, 0, 0]}
    on_platform: {position: [400 mm*cos(<angle> + 20 deg), 400 mm*sin(<angle> + 20 deg), 0]}
home:
  pose: {position: [0, 0, 0.6]}
"""
RODS = [f"leg{k}.rod_wz" for k in range(6)]


def spelled(joints: Any = None, velocities: Any = None, initial: Any = None, text: str = LEGS) -> Robot:
    """The robot with these parts."""
    parts = [text]
    parts += [f"  joints: {json.dumps(joints)}\n"] if joints else []
    parts += [f"velocities: {json.dumps(velocities)}\n"] if velocities else []
    parts += [f"initial: {{joints: {json.dumps(initial)}}}\n"] if initial else []
    return loads("".join(parts))


def test_a_star_stands_for_all_that_are_called_so() -> None:
    one_by_one = spelled(
        {f"leg{k}.crank": 0.3 for k in range(6)}, ["vx", *RODS], {f"leg{k}.crank": 0.1 for k in range(6)}
    )
    assert spelled({"leg*.crank": 0.3}, ["vx", "leg*.rod_wz"], {"*.crank": 0.1}) == one_by_one
    assert one_by_one.velocities == ("vx", *RODS)


def test_a_name_beats_a_star_wherever_it_stands() -> None:
    for joints in ({"leg*.crank": 0.3, "leg2.crank": 0.5}, {"leg2.crank": 0.5, "leg*.crank": 0.3}):
        found = spelled(joints).home.joints
        assert {name: x[0] for name, x in found.items()} == {f"leg{k}.crank": 0.5 if k == 2 else 0.3 for k in range(6)}
    chosen = spelled(velocities=["leg3.rod_wz", "leg*.rod_wz"]).velocities
    assert chosen == ("leg3.rod_wz", *(name for name in RODS if name != "leg3.rod_wz"))


def test_written_back() -> None:
    robot = spelled({"leg*.crank": "20 deg", "leg0.crank": 0.1}, ["vx", "vy", "vz", "wx", "wy", "wz", "leg*.rod_wz"])
    assert loads(dumps(robot)) == robot


def test_a_model_is_the_same() -> None:
    twist = ["vx", "vy", "vz", "wx", "wy", "wz"]
    starred = gough.build(spelled({"leg*.crank": 0.3}, [*twist, "leg*.rod_wz"]))
    plain = gough.build(spelled({f"leg{k}.crank": 0.3 for k in range(6)}, [*twist, *RODS]))
    assert starred.layout.v_names == plain.layout.v_names
    np.testing.assert_array_equal(starred.home, plain.home)


def test_python_takes_them_too() -> None:
    robot = load("five_bar")
    data = robot.model_dump(exclude={"file"}, by_alias=True, exclude_none=True) | {"home": {"joints": {"*_elbow": 1.0}}}
    assert set(Robot.model_validate(data).home.joints) == {"left_elbow", "right_elbow"}


@pytest.mark.parametrize(
    ("parts", "path", "message", "expected"),
    [
        ({"joints": {"leg*.crnk": 0.3}}, "home.joints.leg*.crnk", "no joint is called 'leg*.crnk'", "'leg*.crank'"),
        ({"joints": {"leg*.rod": 0.3}}, "home.joints.leg*.rod", "1 coordinates of a spherical joint", "4"),
        ({"joints": {"leg*.crank": "3 mm"}}, "home.joints.leg*.crank", "a unit of another dimension", "an angle"),
        ({"joints": {"leg*.crank": "x"}}, "home.joints.leg*.crank", "", ""),
        ({"joints": {"leg*.crank": 1, "*1.crank": 2}}, "home.joints.*1.crank", "'leg1.crank', for which 'leg*.crank' s", "no"),
        ({"joints": {"*l*e*g*.crank": 1}}, "home.joints.*l*e*g*.crank", "too many stars", "at most"),
        ({"velocities": ["leg*.rod"]}, "velocities[0]", "no velocity is called 'leg*.rod'", "'leg*.rod_w"),
        ({"velocities": ["leg*.rod_wz", "leg*.rod_wz"]}, "velocities[1]", "used twice", ""),
        ({"initial": {"arm*": 1}}, "initial.joints.arm*", "no joint is called 'arm*'", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_where_it_is_written(parts: Any, path: str, message: str, expected: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        spelled(**parts)
    found = [p for p in caught.value.problems if p.path.startswith(path)]
    assert found and len(caught.value.problems) <= 2, caught.value
    assert message in found[0].message and expected in found[0].expected
    if "joints" in parts:
        assert found[0].line == LEGS.count("\n") + 1


def test_only_the_second_format_has_them() -> None:
    old = "format: 1\nname: old\nbodies: [{name: a, mass: 1}]\njoints: [{name: j1, type: revolute, parent: world, child: a}]\n"
    for line in ('home: {joints: {"j*": 1}}', 'velocities: ["j*"]'):
        with pytest.raises(DescriptionError, match="a value of format 2"):
            loads(old + line)
        assert loads((old + line).replace("format: 1", "format: 2"))


def test_degrees_without_their_unit_are_told() -> None:
    with pytest.warns(UnitWarning, match=r"home.joints.leg\*.crank"):
        spelled({"leg*.crank": 30})
