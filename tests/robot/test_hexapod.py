"""The builder: its robots against the gallery's, closed at home, refusals that say what to do."""

import numpy as np
import pytest

from gough.errors import UsageError
from gough.robot import Body, Drive, Pose, dumps, load, loads
from gough.robots import hexapod
from papers.vectors import rotation_x, rotation_y
from robot.documents import cut_of, platform_of

ANGLES = np.radians([10, 110, 130, 230, 250, 350])
BASE = np.column_stack([0.5 * np.cos(ANGLES), 0.5 * np.sin(ANGLES), 0 * ANGLES])
TOP = np.column_stack([0.3 * np.cos(ANGLES + 0.6), 0.3 * np.sin(ANGLES + 0.6), 0 * ANGLES])
PLATFORM = {"mass": 10, "inertia": {"about": "center_of_mass", "xx": 0.2, "yy": 0.2, "zz": 0.4}}


def end_of(robot, index):
    """Where the leg ends at the home coordinates, world (3,)."""
    leg = robot.legs[index]
    position, rotation = np.array(leg.base.position), leg.base.rotation()
    for joint in leg.chain:
        q = robot.home.joints[f"{leg.name}.{joint.name}"]
        rotation = rotation @ joint.placement.rotation()
        if joint.type == "prismatic":
            position = position + rotation @ np.array(joint.axis) * q[0]
        else:
            rotation = rotation @ rotation_x(q[0]) @ rotation_y(q[1])
    return position + rotation @ np.array(cut_of(leg).on_leg.position)


def goal_of(robot, index):
    pose = robot.home.pose
    return np.array(pose.position) + pose.rotation() @ np.array(robot.legs[index].on_platform.position)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"first_axis": (0, 1, 0)},
        {"first_axis": np.column_stack([-np.sin(ANGLES), np.cos(ANGLES), 0 * ANGLES])},
        {"leg": "pus", "length": 0.7},
        {"leg": "pus", "length": np.linspace(0.6, 0.8, 6), "carriage": "ahead", "rail": (0, 0.6, 0.8)},
    ],
)
def test_home_closes_and_round_trips(options):
    robot = hexapod(
        BASE, TOP, platform=PLATFORM, home=Pose(position=(0.05, 0.02, 0.6), rpy_zyx=(0.2, 0.1, -0.1)), **options
    )
    for index in range(6):
        np.testing.assert_allclose(end_of(robot, index), goal_of(robot, index), atol=1e-14)
    assert loads(dumps(robot)) == robot


def test_defaults():
    robot = hexapod(BASE, TOP, platform=PLATFORM, home=[0, 0, 0.6])
    assert robot.name == "hexapod"
    assert platform_of(robot).name == "platform"
    hip, slide = robot.legs[5].chain
    assert (hip.name, hip.body.name, slide.body.name) == ("hip", "lower", "upper")
    assert slide.drive == Drive()
    assert hip.placement == Pose.identity()


def test_bodies_drives_and_friction_reach_every_leg():
    robot = hexapod(
        BASE,
        TOP,
        platform=Body(name="plate", mass=3),
        home=(0, 0, 0.6),
        lower={"mass": "3 kg", "center_of_mass": [0, 0, 0.2]},
        upper=Body(name="rod", mass=1),
        drive={"rotor_inertia": 2},
        universal_friction={"viscous": 0.1},
        ball_friction={"viscous": 0.2},
        gravity=(0, 0, 0),
        name="mine",
        source="here",
    )
    assert platform_of(robot).name == "plate"
    for leg in robot.legs:
        hip, slide = leg.chain
        assert (hip.body.mass, slide.body.name, hip.friction.viscous, cut_of(leg).friction.viscous) == (
            3,
            "rod",
            0.1,
            0.2,
        )
        assert slide.drive is not None and slide.drive.rotor_inertia == 2


def test_rebuilds_lopes():
    paper = load("lopes")
    points = [np.array([getattr(leg, key).position for leg in paper.legs]) for key in ("base", "on_platform")]
    actuator, link = (joint.body for joint in paper.legs[0].chain)
    robot = hexapod(
        *points, platform=platform_of(paper).body, home=[0, 0, 2], leg="pus", length=1.837, lower=actuator, upper=link
    )
    for ours, theirs in zip(robot.legs, paper.legs, strict=True):
        assert (ours.chain, cut_of(ours).on_leg.position) == (theirs.chain, cut_of(theirs).on_leg.position)
    for name, value in paper.home.joints.items():
        np.testing.assert_allclose(robot.home.joints[name], value, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_points": BASE[:5]}, "5 base points and 6 platform points"),
        ({"base_points": BASE[:, :2]}, "one row per leg"),
        ({"leg": "rus"}, "use 'ups' or 'pus'"),
        ({"leg": "pus"}, "length"),
        ({"length": 1.0}, "length"),
        ({"leg": "pus", "length": 0.1}, "from its rail"),
        ({"first_axis": (0, 0, 1)}, "choose another first_axis"),
        ({"first_axis": (0, 0, 0)}, "length zero"),
    ],
)
def test_refusals(change, message):
    arguments = {"base_points": BASE, "platform_points": TOP, "platform": PLATFORM, "home": [0, 0, 0.6], **change}
    with pytest.raises(UsageError, match=message):
        hexapod(**arguments)


def test_a_bad_number_is_refused_as_in_a_file():
    with pytest.raises(ValueError, match="negative mass"):
        hexapod(BASE, TOP, platform={"mass": -1}, home=[0, 0, 0.6])
