"""Numbers behind the reports' figures, against what shares no formula with them."""

import math
import warnings

import numpy as np
import pytest

import gough
from gough.spatial import rotation_from_quaternion_wxyz
from gough_papers.briot2014.runs import CENTRE, RADIUS, SPEED, acceleration_of_P
from gough_papers.fried.carry import ANGLES, active_joints, carry
from gough_papers.long2014.initial_pose import joint_comparisons, joint_values
from gough_papers.long2014.runs import deformation
from gough_papers.lopes.paper import DURATIONS, Sweep
from papers.fried import bryant
from reference.flexible.described import elastic_bodies


def build(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


@pytest.fixture(scope="module")
def long2014():
    return build("long2014")


def test_the_tool_of_fried_keeps_its_orientation_and_its_rates_are_derivatives():
    run = carry(build("fried"), samples=3001)
    np.testing.assert_allclose(bryant(rotation_from_quaternion_wxyz(run.q[7, 3:7]).astype(float)), ANGLES, atol=1e-15)
    step = run.time[1] - run.time[0]
    np.testing.assert_allclose(np.gradient(run.q[:, :3], step, axis=0)[1:-1], run.v[1:-1, :3], atol=3e-6)
    np.testing.assert_allclose(np.gradient(run.v, step, axis=0)[1:-1], run.acceleration[1:-1], atol=2e-5)
    assert np.abs(run.v[[0, -1]]).max() < 1e-15 and np.ptp(run.q[[0, -1], :7], axis=0).max() < 1e-15


def test_active_joints_of_fried():
    run = carry(build("fried"), samples=1501)
    found = active_joints(run)
    step = run.time[1] - run.time[0]
    np.testing.assert_allclose(np.gradient(found.l, step, axis=0)[1:-1], found.rate[1:-1], atol=2e-5)
    np.testing.assert_allclose(np.gradient(found.rate, step, axis=0)[1:-1], found.acceleration[1:-1], atol=1e-4)
    assert all(c.within for c in found.comparisons())


def test_deformation_is_where_the_material_is(long2014):
    """Against the poses of frames tied to the plate; rotations are small, so that vectors and matrices agree to second order."""
    rng = np.random.default_rng(3)
    elastic = 1e-4 * rng.standard_normal((4, 10))
    q = long2014.configuration(pose=np.tile(long2014.home[:7], (4, 1)), elastic=elastic)
    held = np.array([[0.5, 0.0, 0.0]])
    found = deformation(elastic, elastic_bodies(long2014.robot)["platform"], held)
    for name, way, rest in (("center", found.origin, np.zeros(3)), ("vertex", found.held[:, 0], held[0])):
        position, _ = long2014.frame_pose(q, name)
        np.testing.assert_allclose(position - q[:, :3] - rest, way, atol=1e-12)
    _, R = long2014.frame_pose(q, "center")
    turned = np.stack([R[:, 2, 1], R[:, 0, 2], R[:, 1, 0]], axis=1)
    np.testing.assert_allclose(turned, found.turned, atol=1e-7)
    assert np.abs(found.turned).max() > 1e-5


def test_table_4_reads_the_joints_of_the_right_leg(long2014):
    """The slide's value is the distance of the two points of a leg."""
    found = joint_values(long2014.home, long2014.layout.q_names)
    base = np.array([[0.1, -0.2, 0], [0.3, -0.2, 0], [1.3, 0.4, 0], [1.0, 1.0, 0], [-0.2, 0.9, 0], [-0.7, 0.5, 0]])
    held = long2014.home[:3] + np.array([leg.on_platform.position for leg in long2014.robot.legs])
    np.testing.assert_allclose(found[2], np.linalg.norm(held - base, axis=1), atol=1e-9)
    assert all(c.within for c in joint_comparisons(found))


def test_acceleration_across_link_17():
    """Both slides swing together: everything moves along z0 with them, and link 17 stands at 70.53° to it … measured from x0."""
    model = build("dualemps_refined")
    t = np.arange(0.0, 2.0, 1e-3)
    w, size = 2 * math.pi * 3.0, 0.01
    layout = model.layout
    q, v = np.tile(model.home, (len(t), 1)), np.zeros((len(t), layout.nv))
    for name in ("q11", "q21"):
        q[:, layout.q_names.index(name)] = size * np.sin(w * t)
        v[:, layout.v_names.index(name)] = size * w * np.cos(w * t)
    found_t, found = acceleration_of_P(gough.Run.from_states(model, t, q, v, np.zeros((len(t), 2))))
    wanted = -size * w**2 * np.sin(w * found_t) * math.cos(math.radians(70.5287793655093))
    middle = (found_t > 0.3) & (found_t < 1.7)
    np.testing.assert_allclose(found[middle], wanted[middle], atol=5e-3 * size * w**2)


def test_the_circle_is_the_papers():
    motion = gough.motions.load_motion("briot2014_circle", build("dualemps_refined"))
    at = motion.at(np.linspace(0.0, motion.duration, 50))
    np.testing.assert_allclose(
        np.hypot(at.position[:, 0] - CENTRE[0], at.position[:, 2] - CENTRE[1]), RADIUS, atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.norm(at.velocity, axis=1), SPEED, atol=1e-12)


def test_how_slow_is_slow_enough():
    made = Sweep(np.full(len(DURATIONS), 10.0), 0.4 / np.array(DURATIONS), np.zeros(len(DURATIONS)))
    assert 0.75 <= made.good_until(0.04) <= 1.0 + 1e-12 and made.share[2] == pytest.approx(0.02)
