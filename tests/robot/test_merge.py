"""Templates, overrides and defaults."""

import numpy as np

from gough.robot import Friction, loads
from robot.documents import VALID


def test_names_and_defaults():
    robot = loads(VALID)
    assert [leg.name for leg in robot.legs] == ["leg0", "leg1", "back"]
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert robot.platform.name == robot.platform.body.name == "platform"
    hip, slide = robot.legs[0].chain
    assert slide.axis == (0.0, 0.0, 1.0)
    assert hip.axis is None
    assert hip.axes == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert slide.friction == Friction()
    assert hip.drive is None
    assert robot.file == "<text>"
    assert robot.home.joints["leg0.slide"] == (0.7,)
    assert robot.initial is None


def test_overrides_touch_their_leg_only():
    robot = loads(VALID)
    drives = [leg.chain[1].drive for leg in robot.legs]
    assert [drive.viscous for drive in drives if drive] == [10.0, 12.0, 10.0]
    assert [drive.rotor_inertia for drive in drives if drive] == [0.5, 0.5, 0.5]
    assert [leg.chain[0].body.mass for leg in robot.legs] == [3.0, 3.1, 3.0]
    assert [leg.cut.friction.coulomb for leg in robot.legs] == [0.0, 0.1, 0.0]
    assert [leg.cut.friction.viscous for leg in robot.legs] == [2e-4] * 3


def test_a_joint_without_body_carries_a_massless_one():
    document = VALID.replace(
        "      - name: slide", "      - {name: twist, type: revolute, axis: [1, 0, 0]}\n      - name: slide"
    )
    body = loads(document).legs[0].chain[1].body
    assert body.name == "twist_body"
    np.testing.assert_array_equal(body.ten_parameters(), np.zeros(10))


def test_the_default_body_name_can_be_overridden():
    document = VALID.replace("          name: upper\n", "").replace("back.upper", "back.slide_body")
    document = document.replace("bodies: {lower: {mass: 3.1}}", "bodies: {slide_body: {mass: 7}}")
    assert [leg.chain[1].body.mass for leg in loads(document).legs] == [1.0, 7.0, 1.0]


def test_a_leg_without_template():
    leg = """
  - name: strut
    chain: [{name: hip, type: spherical}]
    cut: {type: constant_length, length: 0.7}
"""
    robot = loads(VALID.replace("springs:\n", leg.strip("\n") + "\nsprings:\n"))
    assert robot.legs[3].cut.length == 0.7
    assert robot.legs[3].cut.name == "cut"


def test_sources_of_leg_and_template_are_kept():
    robot = loads(VALID)
    assert [leg.source for leg in robot.legs] == [
        "workshop drawing 7",
        "rebuilt; workshop drawing 7",
        "workshop drawing 7",
    ]
    assert robot.source == {"paper": "none", "page": 3}
