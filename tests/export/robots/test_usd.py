"""USD as OpenUSD reads it: bodies with their mass where they are at home, joints whose two sides meet there."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import gough
from gough.robot import gallery
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
    "welded": {"springs"},
}
FLEXIBLE = flexible_names()
SAID = [name for name in (*gallery(), *CORNERS) if name not in (*KINDS, *FLEXIBLE, "odd_arm")]
SINGLE = 1e-6


def frame(position: Any, wxyz: Any) -> Gf.Matrix4d:
    turn = Gf.Matrix4d().SetRotate(Gf.Quatd(wxyz.GetReal(), Gf.Vec3d(wxyz.GetImaginary())))
    return turn * Gf.Matrix4d().SetTranslate(Gf.Vec3d(position))


def stage_of(name: str, folder: Path, leave_out: tuple[str, ...] = ()) -> Any:
    return Usd.Stage.Open(str(written(name, folder, ".usda", leave_out)))


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_bodies_weigh_and_stand_as_described(name: str, tmp_path: Path) -> None:
    model, stage = built(name), stage_of(name, tmp_path)
    cache = UsdGeom.XformCache()
    for full, body in bodies(model.robot).items():
        prim = stage.GetPrimAtPath(f"/{name}/{full.replace('.', '_')}")
        api = UsdPhysics.MassAPI(prim)
        mass, center, tensor = body.central_inertia()
        assert api.GetMassAttr().Get() == pytest.approx(mass, rel=SINGLE, abs=1e-14)
        if mass:
            np.testing.assert_allclose(api.GetCenterOfMassAttr().Get(), center, rtol=0, atol=SINGLE)
        moments = np.sort(np.array(api.GetDiagonalInertiaAttr().Get()))
        if np.linalg.eigvalsh(tensor)[0] > 0:
            np.testing.assert_allclose(moments, np.linalg.eigvalsh(tensor), rtol=1e-5)
        place = np.array(cache.GetLocalToWorldTransform(prim))
        there, turn = model.frame_pose(model.home, full)
        np.testing.assert_allclose(place[3, :3], there, rtol=0, atol=1e-12)
        np.testing.assert_allclose(place[:3, :3].T, turn, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_both_sides_of_joints_meet_at_home(name: str, tmp_path: Path) -> None:
    model, stage = built(name), stage_of(name, tmp_path)
    joints = [UsdPhysics.Joint(prim) for prim in stage.Traverse() if prim.IsA(UsdPhysics.Joint)]
    closing = {loop.name.replace(".", "_") for loop in placed_loops(model.robot)}
    carried = [j for j in placed_joints(model.robot) if j.joint.type != "free"]
    assert len(joints) == len(closing) + len(carried)
    cache = UsdGeom.XformCache()
    for joint in joints:
        sides = []
        for k in (0, 1):
            targets = (joint.GetBody0Rel() if k == 0 else joint.GetBody1Rel()).GetTargets()
            prim = joint.GetPrim()
            local = frame(
                prim.GetAttribute(f"physics:localPos{k}").Get(), prim.GetAttribute(f"physics:localRot{k}").Get()
            )
            body = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(targets[0])) if targets else Gf.Matrix4d(1.0)
            sides.append(np.array(local * body))
        gap = sides[1][3, :3] - sides[0][3, :3]
        kind = joint.GetPrim().GetTypeName()
        if kind == "PhysicsPrismaticJoint":
            gap = gap - (gap @ sides[0][2, :3]) * sides[0][2, :3]
        if kind == "PhysicsDistanceJoint":
            length = UsdPhysics.DistanceJoint(joint.GetPrim()).GetMaxDistanceAttr().Get()
            assert np.linalg.norm(gap) == pytest.approx(length, rel=SINGLE)
            continue
        np.testing.assert_allclose(gap, 0.0, atol=SINGLE)
        if kind == "PhysicsRevoluteJoint":
            np.testing.assert_allclose(sides[0][2, :3], sides[1][2, :3], atol=SINGLE)
        if (
            kind == "PhysicsJoint"
        ):  # of these robots all are universal: y of the first is perpendicular to x of the second
            assert abs(sides[0][1, :3] @ sides[1][0, :3]) < SINGLE
        assert bool(joint.GetExcludeFromArticulationAttr().Get()) == (joint.GetPrim().GetName() in closing)


@pytest.mark.parametrize("name", with_slow(SAID, ["screw_hexapod"]))
@pytest.mark.filterwarnings("ignore")
def test_masses_and_bounds_return_with_all_digits(name: str, tmp_path: Path) -> None:
    mine, file = built(name).robot, written(name, tmp_path, ".usda")
    read = gough.load(file)
    theirs = bodies(read)
    for full, body in bodies(mine).items():
        mass, _, tensor = body.central_inertia()
        moments = np.linalg.eigvalsh(tensor)  # in whatever axes: a reader may place a body's frame at its joint
        if moments[0] <= 0:  # written with a little more, for programs that take no thin rods
            continue
        found = theirs[full.replace(".", "_")].central_inertia()
        assert found[0] == pytest.approx(mass, rel=1e-15)
        np.testing.assert_allclose(np.linalg.eigvalsh(found[2]), moments, rtol=0, atol=1e-12 * moments[2])
    strokes = {j.name: j.joint.drive.stroke for j in placed_joints(read) if j.joint.drive is not None}
    for joint in placed_joints(mine):
        drive = joint.joint.drive
        if drive is not None and drive.stroke is not None and joint.joint.type in ("revolute", "prismatic"):
            assert strokes[joint.name.replace(".", "_")] == pytest.approx(drive.stroke, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", with_slow(KINDS, ["screw_hexapod"]))
def test_what_cannot_be_said_is_refused(name: str, tmp_path: Path) -> None:
    assert kinds_refused(name, tmp_path, ".usda") == KINDS[name]
    assert stage_of(name, tmp_path, tuple(KINDS[name]))


def test_units_and_gravity(tmp_path: Path) -> None:
    stage = stage_of("welded", tmp_path, ("springs",))
    assert UsdGeom.GetStageMetersPerUnit(stage) == UsdPhysics.GetStageKilogramsPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    scene = UsdPhysics.Scene(stage.GetPrimAtPath("/physicsScene"))
    g = np.array(scene.GetGravityDirectionAttr().Get()) * scene.GetGravityMagnitudeAttr().Get()
    np.testing.assert_allclose(g, [0.5, -9, 0.3], atol=SINGLE)


def test_screws_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(gough.UsageError, match=r"screw: a helical joint \(which cannot be left out\)"):
        gough.save(built("odd_arm").robot, tmp_path / "arm.usda", leave_out=["all"])


RACK = """format: 2
name: press
bodies:
  - {name: wheel, mass: 1, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}}
  - {name: ram, mass: 0.8, center_of_mass: [0, 0.1, 0]}
  - {name: idler, mass: 0.3, center_of_mass: [0.05, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}}
joints:
  - {name: motor, type: revolute, parent: world, child: wheel, drive: {}}
  - {name: slide, type: prismatic, axis: [0, 0.6, 0.8], parent: world, child: ram}
  - {name: follower, type: revolute, parent: ram, child: idler, axis: [1, 0, 0], limits: {lower: -3, upper: 3}}
couplings:
  - {name: teeth, type: rack, pinion: motor, slide: slide, radius: 0.05, offset: 0.02}
  - {name: belt, type: mimic, joint: follower, of: slide, ratio: 7, offset: 0.3}
home: {joints: {motor: 0.4}}
"""


def test_relations_of_two_coordinates(tmp_path: Path) -> None:
    """As PhysX has them, in degrees, and as Newton has them, its slope in radians; read again they are the same."""
    robot = gough.robot.loads(RACK)
    file = tmp_path / "press.usda"
    with pytest.warns(gough.ConversionWarning):
        gough.save(robot, file)
    stage, model = Usd.Stage.Open(str(file)), gough.build(robot)
    q = dict(zip(model.layout.q_names, model.home, strict=True))
    for name, leader in (("slide", "motor"), ("follower", "slide")):
        prim = stage.GetPrimAtPath(f"/press/joints/{name}")
        units = [1.0 if n == "slide" else 180 / np.pi for n in (name, leader)]
        assert {"PhysxMimicJointAPI:rotX", "NewtonMimicAPI"} <= set(
            prim.GetMetadata("apiSchemas").GetAddedOrExplicitItems()
        )
        assert [str(p) for p in prim.GetRelationship("physxMimicJoint:rotX:referenceJoint").GetTargets()] == [
            f"/press/joints/{leader}"
        ]
        gearing, offset = (prim.GetAttribute(f"physxMimicJoint:rotX:{n}").Get() for n in ("gearing", "offset"))
        assert q[name] * units[0] + gearing * q[leader] * units[1] + offset == pytest.approx(0, abs=1e-5)
        c0, c1 = (prim.GetAttribute(f"newton:mimicCoef{k}").Get() for k in (0, 1))
        assert q[name] == pytest.approx(c0 / units[0] + c1 * q[leader], abs=1e-6)
    again = gough.load(file)
    assert [dict(c.coefficients or {}) for c in again.couplings] == [
        {"slide": 1.0, "motor": pytest.approx(-0.05, abs=1e-15)},
        {"follower": 1.0, "slide": pytest.approx(-7, abs=1e-13)},
    ]
    theirs = gough.build(again)
    tau = [m.inverse_dynamics(m.home, [0.3], [0.7]).tau for m in (model, theirs)]
    np.testing.assert_allclose(tau[1], tau[0], rtol=1e-12)


def test_relations_that_usd_has_no_words_for(tmp_path: Path) -> None:
    with pytest.raises(gough.UsageError, match=r"mesh: a coupling of more than two joints"):
        gough.save(built("gears").robot, tmp_path / "gears.usda")


def test_frames_return(tmp_path):
    """A frame of the file is where the description has it, and where usd-core puts the prim."""
    text = """format: 2
name: arm
bodies:
  - name: link
    mass: 1
    center_of_mass: [0, 0, 0.1]
    inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}
    frames: {tool: {position: [0.1, 0.2, 0.3], rpy_zyx: [0.1, 0.2, 0.3]}}
joints: [{name: hinge, type: revolute, parent: world, child: link, axis: [0, 1, 0], drive: {}}]
home: {joints: {hinge: 0.4}}
"""
    robot = gough.robot.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = gough.save(robot, tmp_path / "arm.usda")[0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        again = gough.load(file)
    assert not [w for w in told if "frame" in str(w.message)]
    ours, theirs = (gough.build(r) for r in (robot, again))
    poses = [m.frame_pose(m.home, "link.tool") for m in (ours, theirs)]
    for found, expected in zip(*poses, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    stage = Usd.Stage.Open(str(file))
    X = UsdGeom.Imageable(stage.GetPrimAtPath("/arm/link/frame_tool")).ComputeLocalToWorldTransform(0)
    np.testing.assert_allclose(X.ExtractTranslation(), poses[0][0], atol=1e-12)
