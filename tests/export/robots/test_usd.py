"""USD as OpenUSD reads it: bodies with their mass where they are at home, joints whose two sides meet there."""

from __future__ import annotations

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
    "geared_gripper": {"couplings"},
    "long2014_rigid": {"inertia"},
    "lopes_simplified": {"massless"},
    "orthoglide": {"smoothing"},
    "pedrammehr2012": {"inertia", "friction"},
    "screw_hexapod": {"armature", "couplings"},
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
