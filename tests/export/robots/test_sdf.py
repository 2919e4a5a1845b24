"""SDF as text: links where they are at home, joints and loops where the robot has them, everything called by its own name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import dumps, gallery, loads
from inner.robot import bodies, placed_joints, placed_loops

from .subjects import CORNERS, TWINS, built, flexible_names, kinds_refused, with_slow, written

KINDS = {
    "andrews": {"springs"},
    "differential_wrist": {"couplings"},
    "fried": {"telescopic", "inertia"},
    "long2014_rigid": {"inertia"},
    "lopes_simplified": {"massless"},
    "orthoglide": {"smoothing"},
    "pedrammehr2012": {"inertia", "friction"},
    "screw_hexapod": {"armature"},
    "gears": {"couplings"},
    "odd_rods": {"loops"},
    "welded": {"armature", "springs"},
}
FLEXIBLE = flexible_names()
SAID = [name for name in (*gallery(), *CORNERS) if name not in (*KINDS, *FLEXIBLE, "odd_arm")]


def pose_of(element: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    text = element.findtext("pose")
    six = np.zeros(6) if text is None else np.array(text.split(), float)
    return six[:3], Rotation.from_euler("xyz", six[3:]).as_matrix()


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_links_and_joints_are_where_the_robot_has_them(name: str, tmp_path: Path) -> None:
    model = built(name)
    root = ElementTree.parse(written(name, tmp_path, ".sdf")).getroot()
    model_element = root.find("world/model")
    assert model_element is not None
    links = {link.get("name"): link for link in model_element.findall("link")}
    for full, body in bodies(model.robot).items():
        link = links[full.replace(".", "_")]
        position, R = pose_of(link)
        there, turn = model.frame_pose(model.home, full)
        np.testing.assert_allclose(position, there, rtol=0, atol=1e-12)
        np.testing.assert_allclose(R, turn, rtol=0, atol=1e-12)
        mass = float(link.findtext("inertial/mass") or 0.0)
        assert mass == pytest.approx(body.central_inertia()[0], abs=1e-14)
    joints = {j.get("name"): j for j in model_element.findall("joint")}
    carried = [j for j in placed_joints(model.robot) if j.joint.type != "free"]
    assert len(joints) == len(carried) + len(placed_loops(model.robot))
    for joint in joints.values():
        assert joint.findtext("child") in links and joint.findtext("parent") in {*links, "world"}


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_loops_close_where_links_stand(name: str, tmp_path: Path) -> None:
    """A loop's frame, written on its child, is where the robot's first body has it."""
    model = built(name)
    element = ElementTree.parse(written(name, tmp_path, ".sdf")).getroot().find("world/model")
    assert element is not None
    links = {link.get("name"): pose_of(link) for link in element.findall("link")} | {"world": (np.zeros(3), np.eye(3))}
    joints = {j.get("name"): j for j in element.findall("joint")}
    for loop in placed_loops(model.robot):
        joint = joints.get(loop.name.replace(".", "_"))
        assert joint is not None
        p, R = links[str(joint.findtext("child"))]
        q, _ = pose_of(joint)
        at = loop.first_pose if loop.first_base is None else None
        if at is not None and joint.findtext("parent") == loop.first.replace(".", "_"):
            p_first, R_first = links[loop.first.replace(".", "_")]
            np.testing.assert_allclose(p + R @ q, p_first + R_first @ np.array(at.position), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_names_of_a_model_are_its_own(name: str, tmp_path: Path) -> None:
    element = ElementTree.parse(written(name, tmp_path, ".sdf")).getroot().find("world/model")
    assert element is not None
    named = [child.get("name") for child in element if child.tag != "plugin"]
    assert max(Counter(named).values()) == 1


@pytest.mark.parametrize("name", with_slow(KINDS, ["screw_hexapod"]))
def test_what_cannot_be_said_is_refused(name: str, tmp_path: Path) -> None:
    assert kinds_refused(name, tmp_path, ".sdf") == KINDS[name]
    ElementTree.parse(written(name, tmp_path, ".sdf", tuple(KINDS[name])))


def test_joints_that_sdf_does_not_have_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(gough.UsageError) as caught:
        gough.save(built("odd_arm").robot, tmp_path / "arm.sdf", leave_out=["all"])
    told = str(caught.value)
    assert "ground: a planar joint (which cannot be left out)" in told
    assert "tube: a cylindrical joint" in told
    assert "--leave-out" not in told


def test_coordinates_count_from_home(tmp_path: Path) -> None:
    model = built("ankle")
    robot = loads(dumps(model.robot).replace("drive: {", "drive: {stroke: [-0.4, -0.1], "))
    with pytest.warns(gough.ConversionWarning, match="count from home"):
        gough.save(robot, tmp_path / "ankle.sdf")
    root = ElementTree.parse(tmp_path / "ankle.sdf").getroot()
    for k, name in enumerate(model.layout.drive_names):
        joint = next(j for j in root.iter("joint") if j.get("name") == name.replace(".", "_"))
        lower, home = float(joint.findtext("axis/limit/lower") or 0.0), model.drives(model.home)[k]
        assert lower == pytest.approx(-0.4 - home, abs=1e-15)
