"""Templates, overrides and defaults."""

import numpy as np

from gough.robot import Friction, loads
from robot.documents import VALID, cut_of, platform_of
from robot.forms import DELTA


def test_names_and_defaults():
    robot = loads(VALID)
    assert [leg.name for leg in robot.legs] == ["leg0", "leg1", "back"]
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert platform_of(robot).name == platform_of(robot).body.name == "platform"
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
    assert [cut_of(leg).friction.coulomb for leg in robot.legs] == [0.0, 0.1, 0.0]
    assert [cut_of(leg).friction.viscous for leg in robot.legs] == [2e-4] * 3


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
    assert cut_of(robot.legs[3]).length == 0.7
    assert cut_of(robot.legs[3]).name == "cut"


def test_sources_of_leg_and_template_are_kept():
    robot = loads(VALID)
    assert [leg.source for leg in robot.legs] == [
        "workshop drawing 7",
        "rebuilt; workshop drawing 7",
        "workshop drawing 7",
    ]
    assert robot.source == {"paper": "none", "page": 3}


def test_loops_of_a_template_are_changed_by_name():
    first, second, third = loads(DELTA).legs
    assert [loop.name for loop in second.loops] == ["left_ball", "right_ball"]
    assert [leg.loops[1].first.pose.position[2] for leg in (first, second, third)] == [-0.5, -0.501, -0.5]
    assert second.loops[1].first.body == "right_rod"
    assert second.loops[0] == first.loops[0]
    assert [leg.cut for leg in (first, second, third)] == [None] * 3


def test_a_list_of_loops_is_added_to_the_template_s():
    rope = "    loops: [{name: rope, type: constant_length, length: 1, first: {body: world}, second: {body: arm}}]\n"
    legs = loads(DELTA.replace("    name: third\n", "    name: third\n" + rope)).legs
    assert [[loop.name for loop in leg.loops] for leg in legs[1:]] == [
        ["left_ball", "right_ball"],
        ["left_ball", "right_ball", "rope"],
    ]


def test_a_leg_may_take_the_cut_of_its_template_away():
    legs = loads(VALID.replace("{name: back, like: ups,", "{name: back, like: ups, cut: null,")).legs
    assert [leg.cut is None for leg in legs] == [False, False, True]
