"""MJCF as MuJoCo reads it: the same dynamics, assembled at home; what cannot be said is refused by name."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import gough
from gough.robot import dumps, gallery, loads

from .subjects import CORNERS, REDUCED, TOLERANCE, TWINS, built, kinds_refused, with_slow, written
from .written_trees import WrittenMujoco, largest_error

REFUSED = {
    "delta_flexible": {"flexible"},
    "dualemps": {"flexible", "friction"},
    "dualemps_8": {"flexible", "friction"},
    "dualemps_refined": {"flexible", "friction"},
    "flexible_slider_crank": {"flexible"},
    "fried": {"telescopic", "inertia"},
    "hexapod_flexible": {"flexible"},
    "long2014": {"flexible", "inertia"},
    "long2014_rigid": {"inertia"},
    "lopes_simplified": {"massless"},
    "orthoglide": {"smoothing"},
    "pedrammehr2012": {"inertia", "friction"},
    "spin_up_beam": {"flexible"},
}
SAID = [name for name in (*gallery(), *CORNERS) if name not in REFUSED]


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_dynamics_are_those_of_the_robot(name: str, tmp_path: Path) -> None:
    model = built(name)
    assert largest_error(model, WrittenMujoco(model, written(name, tmp_path, ".xml"))) < TOLERANCE


@pytest.mark.parametrize("name", with_slow(SAID, TWINS))
def test_opens_assembled_at_home(name: str, tmp_path: Path) -> None:
    robot = mujoco.MjModel.from_xml_path(str(written(name, tmp_path, ".xml")))
    data = mujoco.MjData(robot)
    mujoco.mj_forward(robot, data)
    own = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert np.abs(own).max(initial=0.0) < 1e-12
    np.testing.assert_allclose(robot.key("home").qpos, robot.qpos0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", with_slow(REFUSED, REDUCED))
def test_what_cannot_be_said_is_refused(name: str, tmp_path: Path) -> None:
    assert kinds_refused(name, tmp_path, ".xml") == REFUSED[name]
    mujoco.MjModel.from_xml_path(str(written(name, tmp_path, ".xml", tuple(REFUSED[name]))))


def test_massless_bodies_that_are_left_out_weigh_next_to_nothing(tmp_path: Path) -> None:
    model = built("lopes_simplified")
    peer = WrittenMujoco(model, written("lopes_simplified", tmp_path, ".xml", ("massless",)))
    assert largest_error(model, peer) < TOLERANCE


def test_steps_stay_finite_and_closed(tmp_path: Path) -> None:
    robot = mujoco.MjModel.from_xml_path(str(written("lopes", tmp_path, ".xml")))
    robot.opt.timestep = 5e-4
    data = mujoco.MjData(robot)
    for _ in range(200):
        mujoco.mj_step(robot, data)
    assert np.isfinite(data.qpos).all()
    assert np.abs(data.efc_pos[data.efc_type == 0]).max() < 1e-2


def test_bounds_and_motors(tmp_path: Path) -> None:
    text = dumps(built("five_bar").robot).replace(
        "drive: {}", "drive: {force_limit: 3, stroke: [0.2, 2.9], speed_limit: 4}"
    )
    file = tmp_path / "bounded.xml"
    gough.save(loads(text), file)
    robot = mujoco.MjModel.from_xml_path(str(file))
    for name in ("left_motor", "right_motor"):
        np.testing.assert_array_equal(robot.joint(name).range, [0.2, 2.9])
        np.testing.assert_array_equal(robot.actuator(f"{name}_drive").ctrlrange, [-3, 3])
    assert not robot.jnt_limited[robot.joint("left_elbow").id]


def test_a_ball_screw_is_driven_by_its_torque(tmp_path: Path) -> None:
    robot = mujoco.MjModel.from_xml_path(str(written("odd_arm", tmp_path, ".xml")))
    h = -0.04 / (2 * np.pi)
    assert robot.actuator("lift_drive").gear[0] == pytest.approx(1 / h, rel=1e-15)
    np.testing.assert_allclose(robot.joint("lift").range, [5 * h, -4 * h], rtol=1e-15)
    np.testing.assert_allclose(robot.actuator("lift_drive").ctrlrange, [-3, 3], rtol=1e-15)


def test_geoms_neither_weigh_nor_touch(tmp_path: Path) -> None:
    robot = mujoco.MjModel.from_xml_path(str(written("delta", tmp_path, ".xml")))
    assert robot.ngeom and not robot.geom_contype.any() and not robot.geom_conaffinity.any()
    assert robot.body("platform").mass[0] == built("delta").robot.platform.body.central_inertia()[0]  # type: ignore[union-attr]


@pytest.mark.parametrize("suffix", [".obj", ".ply"])
def test_meshes_of_the_user(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "parts" / f"arm{suffix}").write_text(corners)
    text = (
        "format: 1\nname: arm\nbodies:\n"
        "  - {name: arm, mass: 1, center_of_mass: [0.1, 0, 0], "
        f"mesh: {{file: parts/arm{suffix}, scale: 0.1, color: [255, 0, 51]}}}}\n"
        "joints: [{name: hinge, type: revolute, parent: world, child: arm, drive: {}}]\n"
    )
    (tmp_path / "arm.yaml").write_text(text)
    out = tmp_path / "out" / "arm.xml"
    robot = gough.load(tmp_path / "arm.yaml")
    if suffix == ".ply":
        with pytest.warns(gough.ConversionWarning, match="drawn as rods"):
            gough.save(robot, out)
        assert mujoco.MjModel.from_xml_path(str(out)).nmesh == 0
        return
    gough.save(robot, out)
    read = mujoco.MjModel.from_xml_path(str(out))
    assert read.nmesh == 1
    assert 'file="../parts/arm.obj"' in out.read_text()
    assert read.body("arm").mass[0] == 1.0


def test_thin_plates_are_inside_what_mujoco_takes(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for k in range(20):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        spread = turn @ np.diag([*rng.uniform(0.1, 1, 2), 0.0]) @ turn.T * 10 ** rng.uniform(-5, 1)
        tensor = np.trace(spread) * np.eye(3) - spread
        at = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        entries = ", ".join(f"{key}: {float(tensor[i])!r}" for key, i in at.items())
        text = (
            "format: 1\nname: plate\nbodies:\n"
            f"  - {{name: plate, mass: 1, inertia: {{about: center_of_mass, {entries}}}}}\n"
            "joints: [{name: flight, type: free, parent: world, child: plate}]\nplatform: plate\nvelocities: platform\n"
        )
        file = tmp_path / f"plate{k}.xml"
        gough.save(loads(text), file)
        read = mujoco.MjModel.from_xml_path(str(file))
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, read.body("plate").iquat)
        found = R.reshape(3, 3) @ np.diag(read.body("plate").inertia) @ R.reshape(3, 3).T
        np.testing.assert_allclose(found, tensor, rtol=0, atol=1e-13 * np.abs(tensor).max())
