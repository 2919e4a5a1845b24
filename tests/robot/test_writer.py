"""What is written reads back equal, sources included."""

import pickle
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gough.errors import UnitWarning
from gough.robot import Body, Limits, Platform, Robot, dump, dumps, gallery, load, loads
from gough.text import one_line, unprintable
from inner.robot import document
from robot.documents import VALID
from robot.forms import DELTA, FIVE_BAR, MIXED

pytestmark = pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")

EVERYTHING = VALID.replace(
    "      - name: slide",
    """\
      - {name: r, type: revolute, mdh: {gamma: 0.1, alpha: 90 deg, r: 0.2, source: sheet 3}, source: old}
      - {name: c, type: cylindrical, pose: {axes: {x: [0, 1, 0], z: [1, 0, 0], source: eye}, position: [1, 2, 3]}}
      - {name: p, type: planar, pose: {quaternion_wxyz: [0.6, 0, 0.8, 0]}, axis: [1, 0, 0]}
      - {name: s, type: spherical, pose: {bryant_xyz: [0.1, 0.2, 0.3]}}
      - {name: f, type: free, pose: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}
      - {name: x, type: fixed, body: {parameters: {M: 3, MX: 0.1, XX: 2, YY: 2, ZZ: 3, source: identified}}}
      - name: slide""",
).replace("home:\n", "initial: {joints: {leg1.c: [0.1, 20 mm]}, source: measured}\nhome:\n")


OPEN = VALID.replace("    cut: {name: ball", "    loops: []\n    cut: {name: ball").replace(
    "  - {name: back,", "  - {cut: null, name: back,"
)
ON_BASE = DELTA.replace("on: motor", "on: base").replace("velocities: [vx, vy, vz]", "velocities: drives")
LOOSE = FIVE_BAR.split("loops:")[0] + "initial: {joints: {motor1: 1}}\n"
FREE = MIXED.replace("platform: plate", "platform: {name: top, mass: 3}").replace("home: {", "home: {pose: {}, ")
EXTRA = DELTA.replace(
    "  - like: arm\n    name: third\n",
    """\
  - like: arm
    name: third
    loops: [{name: rope, type: constant_length, length: 1, first: {body: world}, second: {body: arm}}]
    joints: {right: {on: base}}
""",
)


@pytest.mark.parametrize(
    "document", [VALID, EVERYTHING, FIVE_BAR, DELTA, MIXED, OPEN, ON_BASE, LOOSE, FREE, EXTRA], ids=range(10)
)
def test_round_trip(document):
    robot = loads(document)
    again = loads(dumps(robot))
    assert again == robot
    assert dumps(again) == dumps(robot)


@pytest.mark.parametrize("name", gallery())
def test_gallery_round_trip(name, tmp_path):
    robot = load(name)
    dump(robot, tmp_path / "robot.yaml")
    again = load(tmp_path / "robot.yaml")
    assert again == robot
    assert again.file == str(tmp_path / "robot.yaml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mass: 4\n", "mass: 0\n"),
        ("  mass: 4\n  center_of_mass: [0.01, 0, 0]", "  mass: 0"),
        ("mass: 3 kg", "mass: 0"),
        ("mass: 2, center", "mass: 0, center"),
        ("viscous: 1e-4", "viscous: 0"),
        ("drive: {rotor_inertia: 0.5", "drive: {rotor_inertia: -0.0"),
    ],
)
def test_zeros_survive(old, new):
    robot = loads(VALID.replace(old, new))
    assert loads(dumps(robot)) == robot


def test_sources_survive():
    written = dumps(loads(EVERYTHING))
    for source in ("sheet 3", "old", "eye", "identified", "measured", "rebuilt", "workshop drawing 7"):
        assert source in written
    assert loads(written).source == {"paper": "none", "page": 3}


def test_loops_that_legs_share_are_written_once():
    written = dumps(loads(DELTA))
    assert written.count("name: left_ball") == 1
    assert written.count("like: leg") == 3
    assert written.count("on: motor") == 1
    assert "-0.501" in written.split("legs:")[1]
    assert "-0.501" not in written.split("legs:")[0]


def test_the_second_form_is_written_as_it_is_read():
    written = dumps(loads(FIVE_BAR))
    assert "legs" not in written
    assert "platform" not in written
    keys = [line.partition(":")[0] for line in written.splitlines() if line[0] not in " -"]
    assert keys[-6:] == ["joints", "loops", "springs", "velocities", "drive_sharing", "home"]
    assert "- {name: crank2, mass: 1.0}" in written
    assert "velocities: [motor1, motor2]" in written


def test_a_body_called_like_the_default_keeps_its_name():
    robot = loads(FIVE_BAR.replace("crank1", "body"))
    assert "name: body" in dumps(robot)
    assert loads(dumps(robot)) == robot


def test_what_legs_share_is_written_once():
    written = dumps(load("long2014_rigid"))
    assert written.count("30.176") == 1
    assert written.count("like: leg") == 6
    assert "gamma: 0.4636476090008061" in written


SHOWN = st.text().filter(lambda text: unprintable(text) is None)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    SHOWN,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False) | SHOWN,
        lambda inner: st.lists(inner) | st.dictionaries(SHOWN, inner),
    ),
)
def test_any_title_and_source(title, source):
    robot = loads(VALID).model_copy(update={"title": one_line(title), "source": source})
    assert loads(dumps(robot)) == robot


@pytest.mark.slow
@settings(max_examples=30)
@given(st.floats(-1e50, 1e50))  # beyond which numbers are refused
def test_numbers_return_to_the_last_bit(value):
    robot = loads(VALID).model_copy(update={"gravity": (value, -0.0, 1e-300)})
    assert repr(loads(dumps(robot)).gravity) == repr(robot.gravity)


def test_a_robot_built_from_models_is_the_robot_read():
    robot = loads(VALID)
    fields = {name: getattr(robot, name) for name in Robot.model_fields}
    assert Robot(**fields) == robot
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert robot != robot.model_copy(update={"title": "other"})


def test_a_platform_s_name_and_source_are_those_of_its_body():
    platform = Platform(name="plate", source="a", body=Body(mass=1, source="b"))
    assert (platform.body.name, platform.body.source, platform.source) == ("plate", "a; b", None)
    robot = loads(VALID.split("springs:")[0] + "home: {pose: {}}\n").model_copy(update={"platform": platform})
    assert loads(dumps(robot)) == robot


TURNS = """
format: 2
name: screw
variables: {theta: 40, arm: 300 mm}
bodies: [{name: nut, mass: 1, center_of_mass: [arm, 0, 0]}, {name: arm_1, mass: 1}]
joints:
  - name: screw
    type: ball_screw
    lead: 5 mm
    parent: world
    child: nut
    drive: {stroke: [100 rev, 140 rev]}
    limits: {lower: 90 rev, upper: 900 rad}
  - {name: pin, type: revolute, parent: nut, child: arm_1, pose: {rpy_zyx: [400 deg, 0, 0]}, spring: {rest: 3 rev, stiffness: 2}}
home: {joints: {screw: 120 rev}}
initial: {joints: {screw: 130 rev, pin: 10}}
"""


def test_angles_of_many_turns_are_written_with_a_unit() -> None:
    with pytest.warns(UnitWarning, match=r"initial\.joints\.pin"):
        robot = loads(TURNS)
    text = dumps(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = loads(text)
    assert again == robot
    assert "100 rev" in text and "120 rev" in text and "3 rev" in text and "10.0 rad" in text
    assert document(robot)["variables"]["theta"] == 40
    made = robot.joints[0].model_copy(update={"limits": Limits(lower=-30.0, upper=700.0)})
    plain = robot.model_copy(update={"joints": (made, robot.joints[1])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert loads(dumps(plain)) == plain
