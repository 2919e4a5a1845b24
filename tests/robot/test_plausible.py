"""Numbers that can hardly be meant are told with their place and value; robots that were meant are not doubted."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import gough
from cli.command import gough_json
from gough.errors import UnitWarning
from gough.robot import load, loads
from gough.robot.loader import gallery
from gough.robot.plausible import description_doubts

ROOT = Path(__file__).parents[2]
IDLE = ROOT / "tests" / "compilation" / "hexapod_idle_rods.yaml"
MEANT = [*gallery(), *sorted(str(p) for folder in ("examples", "tests") for p in (ROOT / folder).rglob("*.yaml"))]

HARDLY = [
    ("[0, 0, 136 mm]", "[0, 0, 136]", "home.pose", "136 m "),
    ("[0, 0, 70 mm]", "[0, 0, 70]", "leg0.rod", "70 m "),
    ("rpy_zyx: [102 deg", "rpy_zyx: [102", "base.rpy_zyx", "102 rad"),
    ("rpy_zyx: [-102 deg", "rpy_zyx: [-102", "base.rpy_zyx", "-102 rad"),
    ("mass: 300 g", "mass: 300", "platform", "300 kg"),
    ("mass: 5 g", "mass: 5", "leg0.horn", "5 kg"),
    ("xx: 0.00027, yy: 0.00027, zz: 0.00054", "xx: 270, yy: 270, zz: 540", "platform", "540 kg m²"),
    ("drive: {}", "drive: {}\n        limits: {lower: -90, upper: 90}", "limits.upper", "90 rad"),
    ("drive: {}", "drive: {stroke: [-45, 45]}", "drive.stroke", "45 rad"),
    ("position: [78.25180805870446 mm, 16", "position: [78.25180805870446, 16", "base.position", "m, where all other"),
    ("home: {", "home: {joints: {leg0.servo: 20}, ", "leg0.servo", "20 rad"),
]


@pytest.mark.parametrize(("written", "instead", "place", "value"), HARDLY, ids=[case[1][:30] for case in HARDLY])
def test_a_number_that_can_hardly_be_meant_is_told(written, instead, place, value):
    text = IDLE.read_text()
    assert written in text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = description_doubts(loads(text.replace(written, instead)))
    read = [str(w.message) for w in caught if w.category is UnitWarning]
    told = [any(place in doubt and value in doubt for doubt in doubts) for doubts in (found, read)]
    assert sum(told) == 1, (found, read)  # when it is read or when it is looked at, not both


@pytest.mark.parametrize("name", MEANT, ids=[Path(n).stem for n in MEANT])
def test_robots_that_are_meant_are_not_doubted(name):
    try:
        robot = load(name)
    except gough.DescriptionError:
        pytest.skip("not a robot")
    assert description_doubts(robot) == []


@pytest.mark.parametrize("turns", ["6.5", "720 deg"])
def test_several_turns_of_a_joint_may_be_meant(turns):
    text = IDLE.read_text().replace("drive: {}", f"drive: {{}}\n        limits: {{lower: -{turns}, upper: {turns}}}")
    assert description_doubts(loads(text)) == []


def test_a_base_in_millimetres_is_told_and_no_other_leg_is_blamed(tmp_path):
    """One of five unequal legs: the others reach the platform as they did."""
    text = (ROOT / "tests" / "analysis" / "five_unequal_legs.yaml").read_text()
    (tmp_path / "far.yaml").write_text(text.replace("position: [0.5, 0.03, 0]", "position: [500, 30, 0]"))
    with pytest.raises(gough.StructureError) as caught:
        gough.build(tmp_path / "far.yaml")
    said = str(caught.value)
    assert "arm.ball stays" in said and "legs[arm].base.position" in said and "millimetres" in said
    assert not any(f"{leg}.ball" in said for leg in ("gantry", "strut", "crank", "prop"))
    (report,) = gough_json("check", tmp_path / "far.yaml", code=1)["problems"]
    assert "millimetres" in report["message"]


def test_a_robot_far_from_the_world_s_origin_is_not_doubted():
    shifted = load(IDLE)
    legs = [
        leg.model_copy(update={"base": leg.base.model_copy(update={"position": (500.0, 30.0 + k / 10, 0.0)})})
        for k, leg in enumerate(shifted.legs)
    ]
    home = shifted.home.model_copy(
        update={"pose": shifted.home.pose.model_copy(update={"position": (500.0, 30.2, 0.1)})}
    )
    assert description_doubts(shifted.model_copy(update={"legs": tuple(legs), "home": home})) == []


def test_a_platform_that_no_drive_moves_is_told(tmp_path):
    text = IDLE.read_text().replace("axis: [0, -1, 0]", "axis: [1, 0, 0]").replace("velocities:", "source:")
    text = text.replace(
        "type: spherical\n        pose", "type: universal\n        axes: [[1, 0, 0], [0, 1, 0]]\n        pose"
    )
    (tmp_path / "horn.yaml").write_text(text)
    report = gough_json("check", tmp_path / "horn.yaml")
    assert any("platform cannot move" in text and "leg0.servo" in text for text in report["warnings"])


def test_a_drive_that_turns_in_place_is_told(tmp_path):
    """A motor with a pin on its own axis to a body that another motor swings."""
    (tmp_path / "idle.yaml").write_text(
        """
format: 1
name: idle
bodies:
  - {name: a, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: motor, type: revolute, parent: world, child: a, drive: {}}
  - {name: swing, type: revolute, parent: world, child: b, drive: {}}
loops:
  - {name: pin, type: revolute, first: {body: a, pose: {position: [0, 0, 0.2]}}, second: {body: b, pose: {position: [0, 0, 0.2]}}}
"""
    )
    report = gough_json("check", tmp_path / "idle.yaml")
    assert any("motor" in text and "moves no loop" in text for text in report["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery())
def test_gallery_robots_pass_the_check_in_silence(name):
    assert not [
        text for text in gough_json("check", name)["warnings"] if "cannot move" in text or "moves no loop" in text
    ]
