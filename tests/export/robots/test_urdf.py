"""URDF and its loops file as Pinocchio reads them: the same dynamics; what cannot be said is refused by name."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from ruamel.yaml import YAML

import gough
from gough.robot import dumps, gallery, loads

from .subjects import CORNERS, REDUCED, TOLERANCE, TWINS, built, kinds_refused, with_slow, written
from .written_trees import WrittenPinocchio, largest_error

REFUSED = {
    "andrews": {"springs"},
    "delta_flexible": {"flexible"},
    "dualemps": {"flexible"},
    "dualemps_8": {"flexible"},
    "dualemps_refined": {"flexible"},
    "flexible_slider_crank": {"flexible"},
    "fried": {"telescopic"},
    "hexapod_flexible": {"flexible"},
    "long2014": {"flexible"},
    "orthoglide": {"smoothing"},
    "screw_hexapod": {"armature"},
    "spin_up_beam": {"flexible"},
    "floating": {"weight"},
    "odd_arm": {"armature"},
    "welded": {"armature", "springs"},
}
SAID = [name for name in (*gallery(), *CORNERS) if name not in REFUSED]


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_dynamics_are_those_of_the_robot(name: str, tmp_path: Path) -> None:
    model = built(name)
    assert largest_error(model, WrittenPinocchio(model, written(name, tmp_path, ".urdf"))) < TOLERANCE


@pytest.mark.parametrize("name", with_slow(REFUSED, REDUCED))
def test_what_cannot_be_said_is_refused(name: str, tmp_path: Path) -> None:
    assert kinds_refused(name, tmp_path, ".urdf") == REFUSED[name]
    written(name, tmp_path, ".urdf", tuple(REFUSED[name]))


def without_armatures(name: str) -> gough.Model:
    text = dumps(built(name).robot)
    lines = [line for line in text.splitlines() if "armature" not in line or "{" in line]
    kept = "\n".join(lines).replace("armature: [0.4, 0.5, 0.06]", "limits: {}")
    return gough.build(loads(kept))


def test_every_kind_of_joint(tmp_path: Path) -> None:
    model = without_armatures("odd_arm")
    assert "armature" not in dumps(model.robot)
    file = tmp_path / "arm.urdf"
    with pytest.warns(gough.ConversionWarning, match="ball screw is written as a slide"):
        gough.save(model.robot, file)
    assert largest_error(model, WrittenPinocchio(model, file)) < TOLERANCE


def test_the_file_beside_it_has_the_words_of_a_description(tmp_path: Path) -> None:
    file = written("five_bar", tmp_path, ".urdf")
    said = YAML(typ="safe").load(tmp_path / "five_bar.loops.yaml")
    assert said["drives"] == ["left_motor", "right_motor"]
    assert said["gravity"] == [0.0, 0.0, -9.81]
    loop = said["loops"][0]
    assert (loop["name"], loop["type"], loop["axis"]) == ("pin", "revolute", [0.0, 0.0, 1.0])
    assert loop["first"] == {"body": "left_rod", "pose": {"position": [0.35, 0.0, 0.0]}}
    model = built("five_bar")
    assert said["home"]["joints"] == dict(zip(model.layout.q_names, model.home.tolist(), strict=True))
    links = {link.get("name") for link in ElementTree.parse(file).getroot().findall("link")}
    assert {loop["first"]["body"], loop["second"]["body"]} <= links


def test_relations_of_two_joints_are_mimics_where_one_follows(tmp_path: Path) -> None:
    root = ElementTree.parse(written("geared_gripper", tmp_path, ".urdf")).getroot()
    (joint,) = [joint for joint in root.findall("joint") if joint.find("mimic") is not None]
    mimic = joint.find("mimic")
    assert mimic is not None and mimic.get("joint") == "motor"
    assert "couplings" not in YAML(typ="safe").load(tmp_path / "geared_gripper.loops.yaml")
    written("gears", tmp_path, ".urdf")
    said = YAML(typ="safe").load(tmp_path / "gears.loops.yaml")
    assert said["couplings"][0]["coefficients"] == {"planet": 2.0, "ring": -3.0, "carrier": 1.0}


def test_balls_float_and_are_held_by_a_loop(tmp_path: Path) -> None:
    root = ElementTree.parse(written("hobby_6rss", tmp_path, ".urdf")).getroot()
    floating = [joint.get("name") for joint in root.findall("joint") if joint.get("type") == "floating"]
    said = YAML(typ="safe").load(tmp_path / "hobby_6rss.loops.yaml")
    assert len(floating) == 7
    assert {f"{name}_ball" for name in floating} - {loop["name"] for loop in said["loops"]} == {"platform_floats_ball"}


def test_slides_without_bounds_have_far_ones(tmp_path: Path) -> None:
    root = ElementTree.parse(written("odd_rods", tmp_path, ".urdf")).getroot()
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if joint.get("type") == "prismatic":
            assert limit is not None and float(limit.get("upper", 0)) == -float(limit.get("lower", 0)) == 1e6
