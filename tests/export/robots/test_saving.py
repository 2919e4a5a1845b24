"""`gough.save`: formats by suffix, all that cannot be said at once, nothing half written."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.robot import dumps, loads

from .subjects import built


def test_a_description_is_written_as_one(tmp_path: Path) -> None:
    robot = built("lopes").robot
    assert gough.save(robot, tmp_path / "lopes.yaml") == [tmp_path / "lopes.yaml"]
    assert gough.load(tmp_path / "lopes.yaml") == robot


def test_files_are_named(tmp_path: Path) -> None:
    robot = built("five_bar").robot
    assert [f.name for f in gough.save(robot, tmp_path / "a.urdf")] == ["a.urdf", "a.loops.yaml"]
    assert [f.name for f in gough.save(robot, tmp_path / "a.xml")] == ["a.xml"]


def test_suffixes_that_are_no_format(tmp_path: Path) -> None:
    with pytest.raises(gough.UsageError, match=r"no format of that suffix; use one of \.yaml, .*\.usda"):
        gough.save(built("five_bar").robot, tmp_path / "five.step")


def test_everything_that_cannot_be_said_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "fried.xml"
    with pytest.raises(gough.UsageError) as caught:
        gough.save(built("fried").robot, file)
    told = str(caught.value)
    for leg in range(6):
        assert f"leg{leg}.link2: inertia that follows joint slide" in told
    assert told.endswith("--leave-out telescopic --leave-out inertia (leave_out=['telescopic', 'inertia'])")
    assert not file.exists()
    with pytest.warns(gough.ConversionWarning, match="left out, its inertia at home"):
        gough.save(built("fried").robot, file, leave_out=["telescopic", "inertia"])
    assert file.exists()


@pytest.mark.parametrize("suffix", [".sdf", ".usda", ".urdf"])
def test_shares_of_a_weight(suffix: str, tmp_path: Path) -> None:
    """Files with words for none of a weight have none for a part of it."""
    robot = loads(dumps(built("floating").robot).replace("weight_share: 0.0", "weight_share: 0.4"))
    with pytest.raises(
        gough.UsageError, match=r"rod: a body of whose weight the share 0\.4 acts\nTo .* --leave-out weight"
    ):
        gough.save(robot, tmp_path / f"rod{suffix}")
    with pytest.warns(gough.ConversionWarning, match="left out, all of its weight acts"):
        gough.save(robot, tmp_path / f"rod{suffix}", leave_out=["weight"])


@pytest.mark.parametrize("suffix", [".xml", ".urdf", ".sdf"])
def test_meshes_of_the_user_return(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "parts" / "arm.obj").write_text(corners)
    text = """format: 2
name: arm
bodies:
  - name: arm
    mass: 1
    inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}
    mesh:
      - {file: parts/arm.obj, scale: 0.1, color: [255, 0, 51], pose: {position: [0.1, 0.2, 0.3], rpy_zyx: [0.3, 0.2, 0.1]}}
      - {file: parts/arm.obj, stretch: [0.1, -0.2, 0.3], color: [0, 0, 51]}
joints: [{name: hinge, type: revolute, parent: world, child: arm, drive: {}}]
"""
    (tmp_path / "arm.yaml").write_text(text)
    mine = gough.load(tmp_path / "arm.yaml")
    theirs = gough.load(gough.save(mine, tmp_path / f"arm{suffix}")[0])
    for one, other in zip(mine.bodies[0].mesh, theirs.bodies[0].mesh, strict=True):
        assert (other.file, other.color) == (one.file, one.color)
        assert other.stretch == pytest.approx(one.stretch) and other.scale == pytest.approx(one.scale)
        np.testing.assert_allclose(other.placement.position, one.placement.position, atol=1e-6)  # MuJoCo's are single
        np.testing.assert_allclose(other.placement.rotation(), one.placement.rotation(), atol=1e-6)


def test_unknown_kinds(tmp_path: Path) -> None:
    with pytest.raises(gough.UsageError, match=r"'colour' is none of flexible, .*, all"):
        gough.save(built("five_bar").robot, tmp_path / "f.xml", leave_out=["colour"])


@pytest.mark.parametrize("suffix", [".xml", ".urdf", ".sdf", ".usda"])
def test_texts_are_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    robot = built("delta").robot
    texts = []
    for k in range(2):
        with pytest.warns(gough.ConversionWarning) if suffix in (".sdf", ".usda") else nullcontext():
            texts.append([file.read_text() for file in gough.save(robot, tmp_path / f"{k}" / f"delta{suffix}")])
    assert texts[0] == texts[1]


FOREIGN = """<robot name="arm">
  <link name="base_link"/><link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tool0"/>
  <joint name="swing" type="revolute"><parent link="base_link"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="7" velocity="3"/></joint>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="tool0"/><origin xyz="0.2 0 0"/></joint>
</robot>"""


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf", ".usda"])
def test_a_foreign_robot_there_and_back(suffix: str, tmp_path: Path) -> None:
    """Frames without mass weigh nothing, limits stay, and what was chosen for it is read again."""
    (tmp_path / "in.urdf").write_text(FOREIGN)
    mine = gough.load(tmp_path / "in.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ConversionWarning)
        theirs = gough.load(gough.save(mine, tmp_path / f"out{suffix}")[0])
    ours, other = gough.build(mine), gough.build(theirs)
    assert other.mass_matrix(other.home) == pytest.approx(ours.mass_matrix(ours.home), rel=1e-12)
    assert other.bias_force(other.home, [0.0]) == pytest.approx(ours.bias_force(ours.home, [0.0]), rel=1e-12)
    [drive] = [j.drive for j in theirs.joints if j.drive is not None]
    assert drive.force_limit == pytest.approx(7.0)
    assert drive.speed_limit == (None if suffix == ".xml" else pytest.approx(3.0))


def test_no_drives_stay_none_or_are_told(tmp_path: Path) -> None:
    (tmp_path / "in.urdf").write_text(FOREIGN)
    free = gough.load(tmp_path / "in.urdf", drives=[])
    again = gough.load(gough.save(free, tmp_path / "out.urdf")[0])
    assert all(j.drive is None for j in again.joints)
    with pytest.warns(gough.ConversionWarning, match="no joint is driven"):
        gough.save(free, tmp_path / "out.sdf")


LOOSE = """format: 2
name: loose
closure_tolerance: 0.02 mm
idle: [wheel]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: rod, mass: 1, center_of_mass: [0.2, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: rocker, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: disc, mass: 1, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}}
joints:
  - {name: motor, type: revolute, parent: world, child: crank, drive: {}}
  - {name: elbow, type: revolute, parent: crank, child: rod, pose: {position: [0.2, 0, 0], rpy_zyx: [0, 2e-6, 0]}}
  - {name: foot, type: revolute, parent: world, child: rocker, pose: {position: [0.3, 0, 0]}}
  - {name: wheel, type: revolute, parent: rocker, child: disc, pose: {position: [0.1, 0, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: rod, pose: {position: [0.4, 0, 0]}}
    second: {body: rocker, pose: {position: [0.35, 0, 0]}}
    axis: [0, 0, 1]
home: {joints: {motor: 60 deg, elbow: -30 deg, foot: 70 deg}}
"""


@pytest.mark.parametrize("suffix", [".xml", ".urdf", ".sdf", ".usda"])
def test_a_tolerance_of_loops_returns(suffix: str, tmp_path: Path) -> None:
    """Axes that are 2e-6 rad out of parallel: without it nothing would move."""
    mine = loads(LOOSE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        theirs = gough.load(gough.save(mine, tmp_path / f"loose{suffix}")[0])
        models = gough.build(mine), gough.build(theirs)
    told = " ".join(str(w.message) for w in caught)
    assert theirs.closure_tolerance == mine.closure_tolerance and "closure_tolerance" not in told
    assert theirs.idle == (mine.idle if suffix == ".urdf" else ())
    assert ("idle is left out" in told or "idle, " in told) == (suffix != ".urdf")
    tau = [m.inverse_dynamics(m.home, [0.3] * m.layout.nv, [0.7]).tau for m in models]
    np.testing.assert_allclose(tau[1], tau[0], rtol=1e-9)


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".xml", ".usda"])
@pytest.mark.filterwarnings("ignore")
def test_armatures_of_driven_joints_are_written(tmp_path, suffix):
    """m l² + I and the armature of both, as the file says them."""
    text = (
        '<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0" armature="0.3"/>'
        '<inertial pos="0.5 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody>'
        '<actuator><motor joint="j"/></actuator></mujoco>'
    )
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    file = gough.save(gough.load(tmp_path / "arm.xml"), tmp_path / f"again{suffix}")[0]
    model = gough.build(file)
    assert model.mass_matrix(model.home)[0, 0] == pytest.approx(2 * 0.5**2 + 0.1 + 0.3, rel=1e-12)
