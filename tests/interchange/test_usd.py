"""USD as read: the dynamics of what a stage says is that of the mechanism it was written from, in all units and axes."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.interchange import ConversionWarning
from interchange.facts import WORLD, BodyFact, Facts, JointFact, largest_difference
from interchange.usd_writing import Frame, UsdWriting

CLOSE = 1e-9
DRIVE = ("PhysicsDriveAPI:angular",)
UNITS = [(1.0, 1.0, "Z", 1.0), (0.01, 1.0, "Y", 1.0), (1.0, 0.5, "Z", 2.0), (0.01, 0.001, "Y", 0.5)]


def saved(folder: Path, text: str, name: str = "robot.usda") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def read_quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        return gough.load(*args, **options)


def about(X: Frame, axis: int, angle: float) -> np.ndarray:
    """Displacement (4, 4) of a turn about an axis of a frame."""
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()
    return X.matrix @ turn @ np.linalg.inv(X.matrix)


@pytest.mark.parametrize(("meters", "kilograms", "up", "scale"), UNITS)
def test_a_four_bar_in_all_units(tmp_path, meters, kilograms, up, scale):
    rig = UsdWriting(4, meters, kilograms, up, scale)
    for name in ("crank", "coupler", "rocker"):
        rig.body(name)
    q = np.array([0.8, 0.6, 0, 0])
    points = [np.array(p) for p in ([0, 0, 0], [0.12, 0.3, 0.02], [0.6, 0.42, -0.04], [0.5, 0, 0.02])]
    turn = Rotation.from_quat(np.roll(q, -1)).as_matrix()
    pins = [Frame(turn @ p, q) for p in points]
    rig.joint("pin_a", "Revolute", WORLD, "crank", at=pins[0], schemas=DRIVE)
    rig.joint("pin_b", "Revolute", "crank", "coupler", at=pins[1])
    rig.joint("pin_c", "Revolute", "coupler", "rocker", at=pins[2])
    rig.joint("pin_d", "Revolute", "rocker", WORLD, at=pins[3], words="bool physics:excludeFromArticulation = true")
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert [loop.name for loop in robot.loops] == ["pin_d"]
    assert [j.name for j in robot.joints if j.drive is not None] == ["pin_a"]
    assert largest_difference(gough.build(robot), rig.facts(), rig.zero()) < CLOSE


def test_a_tree_that_does_not_stand_at_zero(tmp_path):
    rig = UsdWriting(8)
    rig.body("carriage")
    slide = rig.frames["carriage"] @ rig.frame()
    rig.frames["arm"] = rig.frame()
    elbow = rig.frames["arm"] @ rig.frame()
    shown = about(elbow, 0, 0.4)
    arm = rig.frames.pop("arm")
    rig.frame = lambda: arm  # type: ignore[method-assign]
    rig.body("arm", turned=shown)
    rig.joint("slide", "Prismatic", WORLD, "carriage", "Y", slide)
    rig.joint("elbow", "Revolute", "carriage", "arm", "X", elbow, "float newton:armature = 0.02", armature=0.02)
    robot = read_quietly(saved(tmp_path, rig.text()))
    model = gough.build(robot)
    assert model.home[model.layout.index("elbow")] == pytest.approx(0.4, abs=1e-12)
    assert largest_difference(model, rig.facts(), rig.zero()) < CLOSE


def test_a_spatial_loop_with_joints_of_six_axes(tmp_path):
    rig = UsdWriting(15)
    for name in ("crank", "coupler", "rocker"):
        rig.body(name)
    locked = [f"limit:{k}:physics" for k in ("transX", "transY", "transZ", "rotZ")]
    words = "\n".join(f"float {k}:low = 1\nfloat {k}:high = -1" for k in locked)
    schemas = tuple(f"PhysicsLimitAPI:{k}" for k in ("transX", "transY", "transZ", "rotZ"))
    cross = rig.frames["coupler"] @ rig.frame()
    R = cross.matrix[:3, :3]
    rig.joint("motor", "Revolute", WORLD, "crank", "X", schemas=DRIVE)
    rig.joint("cross", "", "crank", "coupler", "Y", cross, words, schemas, type="universal", axis2=R[:, 0])
    rig.joint("ball", "Spherical", "coupler", "rocker")
    rig.joint("hinge", "Revolute", WORLD, "rocker", "Y")
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert len(robot.loops) == 1 and robot.loops[0].name == "ball"
    assert largest_difference(gough.build(robot), rig.facts(), rig.zero()) < CLOSE


def test_what_nothing_holds_floats(tmp_path):
    rig = UsdWriting(21)
    rig.body("base")
    rig.body("arm")
    rig.joint("shoulder", "Revolute", "base", "arm", "Y")
    robot = read_quietly(saved(tmp_path, rig.text()))
    facts = rig.facts()
    floats = Facts(facts.bodies, {"base_floats": JointFact("free", WORLD, "base"), **facts.joints}, facts.gravity)
    assert [j.type for j in robot.joints] == ["free", "revolute"]
    assert largest_difference(gough.build(robot), floats, rig.zero()) < CLOSE


def test_axes_of_one_joint_in_a_row(tmp_path):
    rig = UsdWriting(33)
    rig.body("table")
    at = rig.frames["table"] @ rig.frame()
    R = at.matrix[:3, :3]
    keys = ("transZ", "rotX", "rotY")
    words = "\n".join(f"float limit:{k}:physics:low = 1\nfloat limit:{k}:physics:high = -1" for k in keys)
    schemas = tuple(f"PhysicsLimitAPI:{k}" for k in keys)
    rig.joint("plane", "", WORLD, "table", "Z", at, words, schemas)
    robot = read_quietly(saved(tmp_path, rig.text()))
    assert [j.name for j in robot.joints] == ["plane_transX", "plane_transY", "plane_rotZ"]
    cart = {f"plane_{k}_carriage": BodyFact(0.0, np.zeros(3), np.zeros((3, 3))) for k in ("transX", "transY")}
    row = [WORLD, *cart, "table"]
    kinds = (("transX", "prismatic", 0), ("transY", "prismatic", 1), ("rotZ", "revolute", 2))
    joints = {
        f"plane_{key}": JointFact(kind, row[k], row[k + 1], at.p, R[:, axis])
        for k, (key, kind, axis) in enumerate(kinds)
    }
    facts = Facts({**cart, **rig.bodies}, joints, (0.0, 0.0, -9.5))
    zero = {**rig.zero(), **dict.fromkeys(cart, at.matrix)}
    assert largest_difference(gough.build(robot), facts, zero) < CLOSE
