"""The gallery's numbers against values typed from the papers, and its geometry against their closed forms."""

import math

import numpy as np
import pytest

from gough.robot import Robot, gallery, load
from inner.robot import platform_body
from papers.vectors import rotation_x, rotation_y, rotation_z
from robot.documents import cut_of, platform_of

pytestmark = pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")


def axis_rotation(axis, angle: float) -> np.ndarray:
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def closure(robot: Robot, index: int) -> np.ndarray:
    """Distance (3,) between the leg's end at the home joint values and its platform point at the home pose."""
    leg = robot.legs[index]
    rotation, position = leg.base.rotation(), np.array(leg.base.position)
    for joint in leg.chain:
        position = position + rotation @ np.array(joint.placement.position)
        rotation = rotation @ joint.placement.rotation()
        q = robot.home.joints[f"{leg.name}.{joint.name}"]
        if joint.type == "prismatic":
            position = position + rotation @ np.array(joint.axis) * q[0]
        elif joint.type == "revolute":
            rotation = rotation @ axis_rotation(joint.axis, q[0])
        elif joint.type == "universal":
            assert joint.axes is not None
            rotation = rotation @ axis_rotation(joint.axes[0], q[0]) @ axis_rotation(joint.axes[1], q[1])
    end = position + rotation @ np.array(cut_of(leg).on_leg.position)
    pose = robot.home.pose
    assert pose is not None
    return end - (np.array(pose.position) + pose.rotation() @ np.array(leg.on_platform.position))


def points(robot: Robot, name: str) -> np.ndarray:
    return np.array([getattr(leg, name).position for leg in robot.legs]).T


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("pedrammehr2012", 2e-6),
        ("lopes", 2e-6),
        ("lopes_simplified", 2e-6),
        ("fried", 2e-6),
        ("long2014_rigid", 1.2e-3),
    ],
)
def test_home_is_assembled(name, tolerance):
    """To the digits of the home joint values: six in ours, three in Long's Table 4."""
    robot = load(name)
    assert max(np.abs(closure(robot, i)).max() for i in range(6)) < tolerance


@pytest.mark.parametrize("name", gallery())
def test_every_robot_says_where_its_numbers_come_from(name):
    robot = load(name)
    assert any(robot.source.get(key) for key in ("paper", "benchmark", "design"))
    assert robot.source["assumed"]
    platform = platform_body(robot)
    assert platform is None or platform.source
    assert robot.home.source
    assert robot.name == name
    assert robot.title


def test_pedrammehr():
    robot = load("pedrammehr2012")
    a = [[0.3, 0.3, 0.0, -0.2, -0.15, 0.15], [0.0, 0.2, 0.3, 0.1, -0.20, -0.15], [0.1, 0.0, 0.0, -0.1, -0.05, -0.05]]
    b = [[0.6, 0.1, -0.3, -0.3, 0.2, 0.5], [0.2, 0.5, 0.3, -0.4, -0.3, -0.2], [0.0, 0.1, 0.1, 0.0, -0.05, 0.0]]
    np.testing.assert_array_equal(points(robot, "on_platform"), a)
    np.testing.assert_array_equal(points(robot, "base"), b)
    mass, center, tensor = platform_of(robot).body.central_inertia()
    assert mass == 40
    np.testing.assert_array_equal(center, [0.04, 0.03, -0.06])
    np.testing.assert_array_equal(tensor, [[0.05, 0.003, 0.004], [0.003, 0.04, 0.003], [0.004, 0.003, 0.10]])
    for leg in robot.legs:
        lower, upper = (joint.body.central_inertia() for joint in leg.chain)
        assert (lower[0], upper[0]) == (3.0, 1.0)
        np.testing.assert_array_equal(lower[1], [0.4, 0.14, -0.18])
        np.testing.assert_array_equal(upper[1], [-0.6, -0.08, -0.08])
        np.testing.assert_array_equal(lower[2], [[0.01, 0.005, 0.007], [0.005, 0.002, 0.003], [0.007, 0.003, 0.001]])
        np.testing.assert_array_equal(upper[2], [[0.005, 0.002, 0.002], [0.002, 0.002, 0.001], [0.002, 0.001, 0.003]])
        assert leg.chain[0].friction.viscous == 0.0001
        assert leg.chain[1].drive is not None and leg.chain[1].drive.viscous == 0.001
        assert cut_of(leg).friction.viscous == 0.0002


def test_pedrammehr_s_pod_axes_are_n_v_and_their_product():
    robot = load("pedrammehr2012")
    for i, leg in enumerate(robot.legs):
        a, b = robot.home.joints[f"leg{i}.hip"]
        rotation = leg.chain[0].placement.rotation() @ rotation_z(a) @ rotation_y(b)
        span = np.array([0.1, 0, 0.5]) + np.array(leg.on_platform.position) - np.array(leg.base.position)
        n = span / np.linalg.norm(span)
        v = np.cross([1, 0, 0], n) / np.linalg.norm(np.cross([1, 0, 0], n))
        np.testing.assert_allclose(rotation, np.column_stack([n, v, np.cross(n, v)]), atol=2e-6)


@pytest.mark.parametrize("name", ["lopes", "lopes_simplified"])
def test_lopes_layout(name):
    robot = load(name)
    for key, radius, degrees in (
        ("base", 1.5, [15, 105, 135, 225, 255, 345]),
        ("on_platform", 0.75, [60, 60, 180, 180, 300, 300]),
    ):
        angles = np.radians(degrees)
        expected = radius * np.array([np.cos(angles), np.sin(angles), 0 * angles])
        np.testing.assert_allclose(points(robot, key), expected, atol=1e-15)
    platform = points(robot, "on_platform")
    np.testing.assert_array_equal(platform[:, ::2], platform[:, 1::2])
    assert cut_of(robot.legs[0]).on_leg.position == (0.0, 0.0, 1.837)
    assert robot.home.pose is not None and robot.home.pose.position == (0.0, 0.0, 2.0)


def test_lopes_bodies():
    robot = load("lopes")
    actuator, link = (joint.body for joint in robot.legs[3].chain)
    assert (actuator.mass, link.mass, platform_of(robot).body.mass) == (0.123, 0.389, 1.430)
    assert link.center_of_mass == (0.0, 0.0, pytest.approx(1.837 - 0.918, abs=1e-15))
    np.testing.assert_array_equal(link.central_inertia()[2], np.diag([0.1, 0.1, 0.0]))
    np.testing.assert_array_equal(platform_of(robot).body.central_inertia()[2], np.diag([0.2, 0.2, 0.4]))


def test_lopes_simplified_moves_the_links_to_their_ends():
    complete, simple = load("lopes"), load("lopes_simplified")
    expected = platform_of(complete).body.ten_parameters()
    for x, y, z in points(complete, "on_platform").T:
        expected += 0.194 * np.array([1, x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
    np.testing.assert_allclose(platform_of(simple).body.ten_parameters(), expected, atol=1e-15)
    assert simple.legs[0].chain[0].body.mass == pytest.approx(0.123 + 0.194, rel=1e-15)
    np.testing.assert_array_equal(simple.legs[0].chain[1].body.ten_parameters(), np.zeros(10))


def test_long():
    robot = load("long2014_rigid")
    b = np.array([[0.1, 0.3, 1.3, 1.0, -0.2, -0.7], [-0.2, -0.2, 0.4, 1.0, 0.9, 0.5], [0.0] * 6])
    gamma = [0, 0, 26.565051, 53.130102, 105.255119, 138.814075]
    link1 = [3.176, 0, 0, 0, 0, 0, 0, 0, 0, 5.11]
    link2 = [30.176, 4.29, -12.628, 0, 4.823, 0.215, 0, 0.945, 0, 5.11]
    link3 = [5.390, 0, 0, -3.018, 1.068, 0, 0, 1.068, 0, 0.0234]
    for i, leg in enumerate(robot.legs):
        first = leg.chain[0]
        np.testing.assert_allclose(np.array(leg.base.position) + first.placement.position, b[:, i], atol=1e-15)
        np.testing.assert_allclose(
            first.placement.rotation(), rotation_z(math.radians(gamma[i])) @ rotation_x(-math.pi / 2), atol=1e-8
        )
        np.testing.assert_array_equal([joint.body.ten_parameters() for joint in leg.chain], [link1, link2, link3])
        assert leg.chain[2].drive is not None and leg.chain[2].drive.rotor_inertia == 45.89
    assert robot.initial == robot.home


def test_long_s_joint_values_follow_from_the_pose():
    """q1 = atan2(-uz, ux), q2 = atan2(hypot(ux, uz), -uy) of the leg's direction in its base frame."""
    robot = load("long2014_rigid")
    assert robot.home.pose is not None
    table = [
        (-1.671, 1.767, 1.025),
        (-1.373, 1.764, 1.039),
        (-2.016, 1.814, 1.142),
        (-1.958, 1.859, 1.126),
        (-1.656, 1.389, 1.0203),
        (-1.936, 1.345, 1.099),
    ]
    for i, leg in enumerate(robot.legs):
        start = np.array(leg.base.position) + leg.chain[0].placement.position
        span = np.array(robot.home.pose.position) + leg.on_platform.position - start
        assert leg.chain[0].mdh is not None
        ux, uy, uz = rotation_z(-leg.chain[0].mdh.gamma) @ span
        q = (math.atan2(-uz, ux), math.atan2(math.hypot(ux, uz), -uy), math.hypot(ux, uy, uz))
        np.testing.assert_allclose(q, table[i], atol=6e-4)
        names = ("first", "second", "slide")
        np.testing.assert_array_equal([robot.home.joints[f"leg{i}.{name}"][0] for name in names], table[i])


def test_long_s_plate_by_integration():
    """The hexagon as six triangles, each integrated exactly (edge midpoints), the thickness in closed form."""
    robot = load("long2014_rigid")
    vertices = points(robot, "on_platform").T[:, :2]
    radius = np.linalg.norm(vertices, axis=1)
    np.testing.assert_allclose(radius, 0.5, atol=1e-16)
    area, moment = 0.0, np.zeros((2, 2))
    for p, q in zip(vertices, np.roll(vertices, -1, axis=0), strict=True):
        part = abs(p[0] * q[1] - p[1] * q[0]) / 2
        area += part
        moment += part / 3 * sum(np.outer(m, m) for m in (p / 2, q / 2, (p + q) / 2))
    mass = 7500 * 0.015 * area
    thick = mass * 0.015**2 / 12
    xx, yy = 7500 * 0.015 * moment[1, 1] + thick, 7500 * 0.015 * moment[0, 0] + thick
    found, _, tensor = platform_of(robot).body.central_inertia()
    assert found == pytest.approx(mass, rel=1e-14)
    assert found == pytest.approx(73.0709, abs=5e-5)
    np.testing.assert_allclose(tensor, np.diag([xx, yy, xx + yy - 2 * thick]), rtol=1e-14)


def test_fried():
    robot = load("fried")
    link1, link2 = (joint.body for joint in robot.legs[0].chain)
    assert (link1.mass, link2.mass, platform_of(robot).body.mass) == (0.5, 1.0, 3.0)
    np.testing.assert_array_equal(link1.central_inertia()[2], np.diag([0.0002, 0.0038, 0.0038]))
    np.testing.assert_array_equal(platform_of(robot).body.central_inertia()[2], np.diag([0.375, 0.1875, 0.1875]))
    assert link2.telescopic is not None
    for theta in (0.7, 0.83, 1.0):
        tensor = link2.central_inertia()[2] + sum(c * theta**k for k, c in enumerate(link2.telescopic.coefficients()))
        a = 6.25 + 830 * (theta - 0.83) ** 2
        np.testing.assert_allclose(tensor, 1e-4 * np.diag([13, a, a]), atol=1e-16)
    lengths = [robot.home.joints[f"leg{i}.slide"][0] for i in range(6)]
    np.testing.assert_allclose(lengths, 0.83, atol=0.01)


@pytest.mark.parametrize(
    ("name", "most"), [("fried", 20), ("lopes", 20), ("pedrammehr2012", 40), ("long2014_rigid", 40)]
)
def test_home_is_not_singular(name, most):
    """Condition of the inverse Jacobian, moments over the platform's size; Long's home is near-singular (28)."""
    robot = load(name)
    assert robot.home.pose is not None
    position, rotation = np.array(robot.home.pose.position), robot.home.pose.rotation()
    rows = []
    for i, leg in enumerate(robot.legs):
        arm = rotation @ np.array(leg.on_platform.position)
        start = np.array(leg.base.position) + np.array(leg.chain[0].placement.position)
        if name == "lopes":
            start = start + np.array([0, 0, robot.home.joints[f"leg{i}.slide"][0]])
        n = position + arm - start
        n = n / np.linalg.norm(n)
        scale = n[2] if name == "lopes" else 1.0
        rows.append(np.concatenate([n, np.cross(arm, n) / np.abs(points(robot, "on_platform")).max()]) / scale)
    assert np.linalg.cond(np.array(rows)) < most
