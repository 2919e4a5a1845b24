"""Making configurations: forms of poses, what cannot be reached, what does not converge, assemblies that are kept."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import Status
from gough.robot import loads
from kinematics.hexapods import model
from kinematics.test_stated_home import guided
from laws.subjects import built, described, subject

EYE = np.eye(3)


def test_forms_of_a_pose() -> None:
    m = model()
    R = Rotation.from_euler("ZYX", [0.2, 0.1, -0.1])
    quaternion = np.roll(R.as_quat(), 1)
    p = np.array([0.05, -0.02, 0.72])
    truth = m.configuration(pose=np.concatenate([p, quaternion]))
    for form in ((p, R.as_matrix()), (p, quaternion), (p.tolist(), R.as_matrix().tolist())):
        np.testing.assert_allclose(m.configuration(pose=form), truth, rtol=0, atol=1e-14)
    named = m.configuration(coordinates={"x": 0.05, "y": -0.02, "z": 0.72, "yaw": 0.2, "pitch": 0.1, "roll": -0.1})
    np.testing.assert_allclose(named, truth, rtol=0, atol=1e-14)
    many = m.configuration(pose=(np.tile(p, (4, 1)), R.as_matrix()))
    np.testing.assert_allclose(many, np.tile(truth, (4, 1)), rtol=0, atol=1e-14)


def test_coordinates_change_home_and_leave_the_rest() -> None:
    """A turned home: naming one angle keeps the others."""
    m = built(subject("ups-0").robot)
    R = Rotation.from_quat(np.roll(m.home[3:7], -1))
    yaw, pitch, roll = R.as_euler("ZYX")
    q = m.configuration(coordinates={"pitch": pitch + 0.01})
    expected = Rotation.from_euler("ZYX", [yaw, pitch + 0.01, roll])
    np.testing.assert_allclose(Rotation.from_quat(np.roll(q[3:7], -1)).as_matrix(), expected.as_matrix(), atol=1e-12)
    np.testing.assert_allclose(m.configuration(coordinates={"x": 0.1})[3:7], m.home[3:7], atol=1e-14)
    np.testing.assert_allclose(m.configuration(coordinates={}), m.home, atol=1e-12)


def skewed_guides() -> gough.Robot:
    """A platform on three guides whose legs have no closed form."""
    data = guided()
    for leg in data["legs"]:
        leg["chain"][1]["axes"] = [[1, 0, 0], [0, 0.8, 0.6]]
        spin = {"name": "spin", "type": "revolute", "axis": [0.28, 0, 0.96], "body": {"name": "fork", "mass": 0.1}}
        leg["chain"].append(spin)
        leg["cut"] = {
            "name": "cross",
            "type": "universal",
            "axes": [[1, 0, 0], [0, 1, 0]],
            "on_leg": leg["cut"]["on_leg"],
        }
    return loads(json.dumps(data))


@pytest.mark.quick_cases("ups-0", "delta")
@pytest.mark.parametrize(
    "name", ["generic-0", pytest.param("generic-2", marks=pytest.mark.slow), "ups-0", "delta", "skewed guides"]
)
def test_a_robot_led_by_its_drives_takes_the_same_poses(name: str) -> None:
    """What v is says nothing about where the platform can stand, nor what naming one of its coordinates leaves."""
    robot = skewed_guides() if name == "skewed guides" else described(name)
    by_platform, by_drives = built(robot, velocities="platform"), built(robot, velocities="drives")
    steps = np.random.default_rng(3).uniform(-0.03, 0.03, (8, by_platform.layout.nv))
    q = by_platform.integrate(by_platform.home, steps)
    found = by_drives.assemble(q[:, :7])
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)
    led = by_drives.configuration(drives=by_platform.drives(q), near=q)  # the drives' own way there
    np.testing.assert_allclose(led, found.q, rtol=0, atol=1e-9)
    moved = by_drives.configuration(coordinates={"x": by_drives.home[0] + 0.01})
    expected = by_drives.home[:7] + [0.01, 0, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(moved[:7], expected, rtol=0, atol=1e-9)
    unreachable = by_drives.assemble(expected + [0, 0, 50.0, 0, 0, 0, 0], on_bad_state="mark")
    assert unreachable.status != Status.OK or by_drives.closure_error(unreachable.q) < 1e-10


def test_unreachable_poses_are_marked_and_others_kept() -> None:
    lopes = subject("lopes").model
    positions = np.array([[0, 0, 2.0], [9, 0, 2.0], [0, 0.05, 2.0], [np.nan, 0, 2.0]])
    q = lopes.configuration(pose=(positions, EYE), on_bad_state="mark")
    assert np.isfinite(q[[0, 2]]).all() and np.isnan(q[[1, 3], 7:]).all()
    with pytest.raises(gough.BadStateError) as caught:
        lopes.configuration(pose=(positions, EYE))
    assert "2 of 4" in str(caught.value) and "OUT_OF_REACH" in str(caught.value) and "NOT_FINITE" in str(caught.value)
    np.testing.assert_array_equal(caught.value.result, q)


def test_quaternions_must_be_unit() -> None:
    m = model()
    pose = np.array(m.home[:7])
    pose[3:] *= 1 + 1e-4
    with pytest.raises(gough.BadStateError, match="BAD_QUATERNION"):
        m.configuration(pose=pose)
    with pytest.raises(gough.UsageError, match="orthonormal"):
        m.configuration(pose=([0, 0, 0.7], 1.001 * EYE))
    with pytest.raises(gough.UsageError, match="right-handed"):
        m.configuration(pose=([0, 0, 0.7], np.diag([1.0, 1, -1])))


@pytest.mark.quick_cases("ups-0")
@pytest.mark.parametrize("name", ["generic-0", "ups-0"])
def test_poses_far_away_never_give_open_loops(name: str) -> None:
    """Newton or closed form: what comes back closes, the rest is marked."""
    m = subject(name).model
    steps = np.random.default_rng(0).uniform(-3, 3, (60, 6))
    from inner.spatial import integrate_pose

    q = m.configuration(pose=integrate_pose(m.home[:7], steps), on_bad_state="mark")
    found = np.isfinite(q).all(axis=1)
    if found.any():
        assert (m.closure_error(q[found]) < 1e-10).all()
    assert np.isnan(q[~found][:, 7:]).all()


@pytest.mark.parametrize("name", ["lopes", "ups-0", "generic-0"])
@pytest.mark.parametrize("factor", [0.0, 0.3, 0.8, 1.3, 3.0, -1.0])
def test_drives_that_cannot_be_reached_are_said(name: str, factor: float) -> None:
    """Whatever comes back has exactly the drives asked for and closed loops; the rest is marked."""
    m = subject(name).model
    wanted = m.drives(m.home) * np.array([factor, 1, 1, factor, 1, 1])
    q = m.configuration(drives=wanted, on_bad_state="mark")
    if np.isfinite(q).all():
        np.testing.assert_allclose(m.drives(q), wanted, rtol=0, atol=1e-11)
        assert m.closure_error(q) < 1e-10
    else:
        with pytest.raises(gough.BadStateError):
            m.configuration(drives=wanted)


@pytest.mark.parametrize("what", ["drives", "near"])
@pytest.mark.parametrize("name", ["lopes", "generic-0"])
def test_not_finite_guesses_and_drives(name: str, what: str) -> None:
    m = subject(name).model
    drives, near = m.drives(m.home).copy(), m.home.copy()
    (drives if what == "drives" else near)[1] = np.nan
    q = m.configuration(drives=np.stack([m.drives(m.home), drives]), near=np.stack([m.home, near]), on_bad_state="mark")
    assert np.isfinite(q[0]).all() and np.isnan(q[1]).all()
    with pytest.raises(gough.BadStateError):
        m.configuration(drives=drives, near=near)


def test_near_keeps_turned_angles() -> None:
    """An angle of near beyond a full turn is kept: joints do not jump by 2 pi."""
    m = model()
    near = m.home.copy()
    k = m.layout.index("leg2.hip_1")
    near[k] += 2 * np.pi
    q = m.integrate(near, np.full(6, 0.01))
    assert abs(q[k] - near[k]) < 0.3
    assert m.closure_error(q) < 1e-12


def test_misuse_is_said_at_once() -> None:
    m = model()
    with pytest.raises(gough.UsageError, match="exactly one of"):
        m.configuration()
    with pytest.raises(gough.UsageError, match="exactly one of"):
        m.configuration(pose=m.home[:7], drives=m.drives(m.home))
    with pytest.raises(gough.UsageError, match="near="):
        m.configuration(pose=m.home[:7], near=m.home, branch=(0, 0))
    with pytest.raises(gough.UsageError, match="unknown"):
        m.configuration(coordinates={"psi": 0.1})
    with pytest.raises(gough.UsageError, match="shape"):
        m.configuration(pose=np.zeros(6))
    with pytest.raises(gough.UsageError, match="drives"):
        m.configuration(drives=np.zeros(5))
    for branch in ((2, 0), 3, [(0, 0)] * 5, "ab"):
        with pytest.raises(gough.UsageError, match="branch"):
            m.configuration(pose=m.home[:7], branch=branch)
    with pytest.raises(gough.UsageError):
        m.configuration(pose=np.tile(m.home[:7], (3, 1)), near=np.tile(m.home, (2, 1)))


def test_status_names() -> None:
    assert [s.name for s in Status] == (
        "OK NOT_FINITE BAD_QUATERNION OUT_OF_REACH FOLDED SINGULAR NOT_CONVERGED RESIDUAL OPEN_LOOP LARGE_DEFLECTION "
        "CROSSED STEP STICKING ANGLE ENDED DESIGN".split()
    )
