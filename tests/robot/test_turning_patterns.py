"""Circular patterns whose copies turn by themselves, and pairs of them: poses by SciPy's rotations, and written out."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import DescriptionError, Pose, dumps, loads

HEAD = """
format: 2
name: ring
variables: {radius: 500 mm, spread: 12 deg, lean: 7 deg, height: 700 mm}
platform: {mass: 5, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.2}}
templates:
  ups:
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]]}
      - {name: slide, type: prismatic, drive: {}, body: {mass: 1}}
    cut: {type: spherical}
home: {pose: {position: [0, 0, height]}}
legs:
"""
LEG = """
  - pattern: {PATTERN}
    like: ups
    base: {position: [radius, -30 mm, 0.02], SEQUENCE: [3 deg, lean, 0.1]}
    on_platform: {position: [0.3, 0.1, 0], orientation: null}
"""


def matrix(pose: Pose) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = pose.rotation(), pose.position
    return out


def turn(axis: str, degrees: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    return out


def sequence(axis: str) -> str:
    return {"x": "bryant_xyz", "z": "rpy_zyx"}[axis]


@pytest.mark.parametrize("axis", ["x", "z"])
@pytest.mark.parametrize(("start", "begin"), [(None, 0.0), ("10 deg", 10.0), ("spread", 12.0), ("-spread", -12.0)])
@pytest.mark.parametrize("count", [4, 5])
def test_copies_are_the_first_one_turned(axis: str, start: str | None, begin: float, count: int) -> None:
    told = f"circular: {count}, about: {axis}" + (f", start: {start}" if start else "")
    robot = loads(HEAD + LEG.replace("PATTERN", told).replace("SEQUENCE", sequence(axis)))
    at_zero = loads(HEAD + LEG.replace("PATTERN", "circular: 1").replace("SEQUENCE", sequence(axis))).legs[0]
    assert [leg.name for leg in robot.legs] == [f"leg{k}" for k in range(count)]
    for k, leg in enumerate(robot.legs):
        wanted = turn(axis, begin + 360 * k / count)
        np.testing.assert_allclose(matrix(leg.base), wanted @ matrix(at_zero.base), atol=1e-15)
        np.testing.assert_allclose(matrix(leg.on_platform), wanted @ matrix(at_zero.on_platform), atol=1e-15)
    assert loads(dumps(robot)) == robot
    other = robot.with_variables({"spread": "20 deg", "radius": "0.4 m", "lean": "1 deg"})
    again = loads(dumps(robot).replace("12 deg", "20 deg").replace("500 mm", "0.4 m").replace("7 deg", "1 deg"))
    for a, b in zip(other.legs, again.legs, strict=True):
        np.testing.assert_allclose(matrix(a.base), matrix(b.base), atol=1e-15)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_mirrored_pairs_are_images(axis: str) -> None:
    text = LEG.replace("PATTERN", f"circular: 3, start: spread, mirrored: [left, right], about: {axis}")
    text = text.replace("    like", "    name: <label><turn>\n    like")
    text = text.replace("SEQUENCE: [3 deg, lean, 0.1]", "") if axis == "y" else text.replace("SEQUENCE", sequence(axis))
    robot = loads(HEAD + text)
    assert [leg.name for leg in robot.legs] == [f"{side}{k}" for k in range(3) for side in ("left", "right")]
    mirror = np.eye(4)
    flipped = {"z": 1, "x": 2, "y": 0}[axis]
    mirror[flipped, flipped] = -1
    for k in range(3):
        left, right = robot.legs[2 * k : 2 * k + 2]
        for a, b in ((left.base, right.base), (left.on_platform, right.on_platform)):
            upright = turn(axis, -120 * k) @ matrix(a)
            np.testing.assert_allclose(turn(axis, -120 * k) @ matrix(b), mirror @ upright @ mirror, atol=1e-15)
    assert loads(dumps(robot)) == robot


def test_words_of_pairs() -> None:
    legs = """
  - pattern: {circular: 3, start: spread, mirrored: [left, right]}
    name: <label><turn>
    like: ups
    base: {position: [radius*cos(<angle>), radius*sin(<angle>), 10 mm*<i>]}
    on_platform: {position: [300 mm*cos(<angle> + <side>*30 deg), 300 mm*sin(<angle> + <side>*30 deg), 0]}
"""
    robot = loads(HEAD + legs)
    for i, leg in enumerate(robot.legs):
        k, side = i // 2, (1, -1)[i % 2]
        angle = math.radians(120 * k + side * 12)
        np.testing.assert_allclose(
            leg.base.position, [0.5 * math.cos(angle), 0.5 * math.sin(angle), 0.01 * i], atol=1e-15
        )
        top = angle + side * math.radians(30)
        np.testing.assert_allclose(leg.on_platform.position, [0.3 * math.cos(top), 0.3 * math.sin(top), 0], atol=1e-15)
    turning = legs.replace("right]}", "right], about: z}").replace(
        "[radius*cos(<angle>), radius*sin(<angle>), 10 mm*<i>]", "[radius, 0, 10 mm*<i>]"
    )
    turning = turning.replace(
        "300 mm*cos(<angle> + <side>*30 deg), 300 mm*sin(<angle> + <side>*30 deg)",
        "300 mm*cos(30 deg), 300 mm*sin(30 deg)",
    )
    for a, b in zip(loads(HEAD + turning).legs, robot.legs, strict=True):
        np.testing.assert_allclose(a.base.position, b.base.position, atol=1e-15)
        np.testing.assert_allclose(a.on_platform.position, b.on_platform.position, atol=1e-15)


def test_zeros_and_right_angles_are_exact() -> None:
    leg = "  - {pattern: {circular: 4, about: z}, like: ups, base: {position: [radius, 0, 0]}, "
    leg += "on_platform: {position: [0.3, 0, 0]}}"
    bases = [leg.base.position for leg in loads(HEAD + leg).legs]
    assert [tuple(map(float, p)) for p in bases] == [(0.5, 0, 0), (0, 0.5, 0), (-0.5, 0, 0), (0, -0.5, 0)]
    three = [leg.on_platform.position for leg in loads(HEAD + leg.replace("4", "3")).legs]
    assert three[1][0] == three[2][0] == -0.15 and three[1][1] == -three[2][1] == 0.3 * math.sqrt(3) / 2


TREE = """
format: 2
name: spider
bodies:
  - {name: hub, mass: 1}
  - {pattern: {circular: 3}, name: arm<i>, mass: 1, center_of_mass: [0.1, 0, 0]}
joints:
  - {name: spin, type: revolute, parent: world, child: hub, drive: {}}
  - pattern: {circular: 3, about: z}
    name: knee<i>
    type: revolute
    axis: [0, 1, 0]
    parent: hub
    child: arm<i>
    pose: {position: [0.2, 0, 0]}
    drive: {}
springs:
  - pattern: {circular: 3, about: z}
    name: s<i>
    from: {body: world, position: [0.3, 0, 1]}
    to: {body: arm<i>, position: [0.1, 0, 0]}
    stiffness: 10
"""


def test_joints_and_springs_on_a_common_body() -> None:
    robot = loads(TREE)
    for k, joint in enumerate(robot.joints[1:]):
        start = np.eye(4)
        start[0, 3] = 0.2
        np.testing.assert_allclose(matrix(joint.placement), turn("z", 120 * k) @ start, atol=1e-15)
    for k, spring in enumerate(robot.springs):
        np.testing.assert_allclose(spring.from_.position, turn("z", 120 * k)[:3, :3] @ [0.3, 0, 1], atol=1e-15)
        assert spring.to.position == (0.1, 0, 0)
    model = gough.build(robot)
    assert np.ptp(model.inverse_dynamics(model.home, np.zeros(4), np.zeros(4)).tau[1:]) < 1e-12


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (("{circular: 3}, name: arm", "{circular: 3, about: z}, name: arm"), "bodies[1].pattern", "nothing here stands on"),
        (("pose: {position: [0.2, 0, 0]}", "mdh: {d: 0.2}"), "joints[1].mdh", "mdh in a pattern that turns"),
        (("[0.2, 0, 0]}", "[0.2, 0, 0], quaternion_wxyz: [1, 0, 0, 0]}"), "joints[1].pose", "in a pattern about z"),
        (("[0.2, 0, 0]}", "[0.2, 0, nought]}"), "joints[1].pose.position[2]", ""),
        (("[0.2, 0, 0]}", "[0.2, 0]}"), "joints[1].pose.position", "2 entries instead of 3"),
        (("[0.2, 0, 0]}", "[0.2, {}, 0]}"), "joints[1].pose.position[1]", "not a number"),
    ],
)  # fmt: skip
def test_what_cannot_turn_is_told(change: tuple[str, str], place: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        loads(TREE.replace(*change))
    found: list[Any] = caught.value.problems
    assert any(p.path == place and message in p.message for p in found), caught.value
