"""Moves through points: quintic, trapezoid, trigonometric; polygons, squares, circles; what they refuse."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from gough import motions
from gough.errors import UsageError
from simulation.differences import rotation
from simulation.motion_family import DRIVES, POSES

START, END = {"position": [0, 0, 0]}, {"position": [1, 2, 3], "rpy_zyx": [0.4, -0.3, 1.0]}


def test_quintic_is_the_polynomial_with_six_end_conditions():
    """x, ẋ, ẍ at both ends, by solving for the coefficients."""
    T = 1.7
    rows = [[T**k * np.prod(np.arange(k, k - d, -1)) / T**d if k >= d else 0 for k in range(6)] for d in range(3)]
    c = np.linalg.solve([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], *rows], [0.2, 0, 0, 0.9, 0, 0])
    t = np.linspace(0, T, 50)
    found = motions.quintic(joints={"a": [0.2, 0.9]}, durations=T).at(t)
    assert np.abs(found.position[:, 0] - np.polynomial.polynomial.polyval(t, c)).max() < 1e-13
    assert np.abs(found.acceleration[:, 0] - np.polynomial.Polynomial(c).deriv(2)(t)).max() < 1e-12


@pytest.mark.parametrize("make", [motions.quintic, motions.trigonometric])
def test_shortest_turns_are_about_one_axis(make):
    """R(t) = exp(s φ̂) R_0 with the s of the translation; φ from the matrix logarithm of SciPy."""
    motion = make(poses=[POSES[1], END], durations=2.0)
    t = np.linspace(0, 2, 21)
    found = motion.at(t)
    a, b = (np.array(motion.at(x).position) for x in (0.0, 2.0))
    assert np.abs(rotation(b).as_matrix() - Rotation.from_euler("ZYX", END["rpy_zyx"]).as_matrix()).max() < 1e-15
    phi = (rotation(b) * rotation(a).inv()).as_rotvec()
    s = (found.position[:, 2] - a[2]) / (b[2] - a[2])
    hat = np.array([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]])
    for k in range(len(t)):
        R = expm(s[k] * hat) @ rotation(a).as_matrix()
        assert np.abs(rotation(found.position[k]).as_matrix() - R).max() < 1e-13
    rates = np.gradient(s, t, edge_order=2)
    assert np.abs(found.velocity[:, 3:] - rates[:, None] * phi).max() < 0.05
    assert np.abs(np.cross(found.velocity[:, 3:], phi)).max() < 1e-13


def test_angles_go_their_own_way():
    """With orientation="rpy_zyx" each angle follows the law, several turns too."""
    motion = motions.quintic(poses=[START, {"rpy_zyx": [9.0, 0.5, -4.0]}], durations=1.0, orientation="rpy_zyx")
    assert np.allclose(
        motion.at(0.5).velocity[3:], _euler_rate([4.5, 0.25, -2.0], 1.875 * np.array([9.0, 0.5, -4.0])), atol=1e-12
    )
    half = rotation(motion.at(0.5).position).as_matrix()
    assert np.abs(half - Rotation.from_euler("ZYX", [4.5, 0.25, -2.0]).as_matrix()).max() < 1e-14


def _euler_rate(angles, rates):
    """ω = Σ rate_k axis_k by SciPy: each axis turned by the rotations before it."""
    z, zy = Rotation.from_euler("Z", angles[0]), Rotation.from_euler("ZY", angles[:2])
    return rates[0] * np.array([0, 0, 1]) + rates[1] * z.apply([0, 1, 0]) + rates[2] * zy.apply([1, 0, 0])


def test_offsets_are_in_world_axes():
    home = {"position": [1.0, 0, 2.0], "rpy_zyx": [0.5, 0.2, 0.1]}
    for how in ("shortest", "rpy_zyx"):
        end = motions.quintic(poses=[START, END], durations=1.0, offsets_from=home, orientation=how).at(1.0).position
        assert np.allclose(end[:3], [2, 2, 5], rtol=0, atol=1e-15)
        R = Rotation.from_euler("ZYX", END["rpy_zyx"]) * Rotation.from_euler("ZYX", home["rpy_zyx"])
        assert np.abs(rotation(end).as_matrix() - R.as_matrix()).max() < 1e-15


def test_times_rests_and_durations():
    a = motions.quintic(drives=DRIVES, durations=[0.75, 1.75], rests=[0.5, 0.25, 0.25])
    b = motions.quintic(drives=DRIVES, times=[0, 1.25, 3.25], rests=[0.5, 0.25, 0.25])
    assert np.allclose(a.breaks, [0, 0.5, 1.25, 1.5, 3.25, 3.5], rtol=0, atol=1e-15)
    assert np.allclose(a.breaks, b.breaks, rtol=0, atol=1e-15)
    assert np.allclose(a.at([0.3, 1.25, 1.4, 3.4]).position, [[0, 0], [0.25, -0.1], [0.25, -0.1], [0.1, 0.3]])


def test_trapezoid_speeds_and_ramps():
    """Distance 0.4 in 2 s at 0.25: 2 - 0.4/0.25 = 0.4 s of ramp, 0.25/0.4 of acceleration."""
    motion = motions.trapezoid(joints={"a": [0, 0.4], "b": [1.0, 0.8]}, durations=2.0, speeds=0.25)
    assert np.allclose(motion.kinks, [0, 0.4, 1.6, 2.0])
    found = motion.at([0.1, 1.0, 1.9])
    assert np.allclose(found.velocity[1], [0.25, -0.125]) and np.allclose(found.acceleration[:, 0], [0.625, 0, -0.625])
    triangle = motions.trapezoid(joints={"a": [0, 1]}, durations=2.0, ramps=1.0)
    assert list(triangle.breaks) == [0, 1, 2] and triangle.at(1.0, "left").velocity == 1.0


def test_trapezoid_of_poses_turns_by_its_own_ramps():
    motion = motions.trapezoid(poses=[START, END], durations=2.0, ramps=0.5, turn_speeds=0.7)
    angle = float(np.linalg.norm(Rotation.from_euler("ZYX", END["rpy_zyx"]).as_rotvec()))
    ramp = 2.0 - angle / 0.7
    assert np.allclose(motion.kinks, sorted([0, 0.5, 1.5, 2, ramp, 2 - ramp]))
    assert np.linalg.norm(motion.at(1.0).velocity[3:]) == pytest.approx(0.7, abs=1e-14)


def test_square_and_polygon():
    motion = motions.square(drives={"a": 0.1, "b": 0.2, "c": 5.0}, plane=("b", "a"), side=0.2, durations=1.0, rests=0.5)
    corners = motion.at([0, 1.5, 3.0, 4.5, 6.0]).position
    assert np.allclose(corners, [[0, 0.1, 5], [0, 0.3, 5], [0.2, 0.3, 5], [0.2, 0.1, 5], [0, 0.1, 5]])
    poses = motions.square(pose=END, side=2.0, durations=1.0, normal=[0, 0, 2], towards=[0, 1, 0.5])
    assert np.allclose(
        poses.at([0, 1, 2, 3, 4]).position[:, :3], [[2, 1, 3], [2, 3, 3], [0, 3, 3], [0, 1, 3], [2, 1, 3]]
    )
    assert np.abs(poses.at(np.linspace(0, 4, 9)).velocity[:, 3:]).max() == 0
    walk = motions.polygon(points=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], frame="tip", durations=1.0, period=2.0)
    assert walk.duration == 6.0 and np.allclose(walk.at(6.0).position, 0)


def test_circle():
    """Distance from the centre, the plane, the angle swept, centripetal acceleration."""
    center, normal = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]) / 3
    motion = motions.circle(
        point=center, radius=0.5, normal=3 * normal, law="constant", speed=0.25, turns=2, frame="tip"
    )
    assert motion.duration == pytest.approx(2 * np.pi * 0.5 * 2 / 0.25)
    found = motion.at(np.linspace(0, motion.duration, 77))
    arm = found.position - center
    assert np.abs(np.linalg.norm(arm, axis=1) - 0.5).max() < 1e-15 and np.abs(arm @ normal).max() < 1e-15
    assert np.abs(found.velocity - np.cross(normal, arm) * 0.5).max() < 1e-14  # 0.25 m/s over 0.5 m
    assert np.abs(found.acceleration + 0.25 * arm).max() < 1e-14
    backwards = motions.circle(point=center, radius=0.5, duration=1.0, turns=-0.25, frame="tip", start_angle=np.pi / 2)
    assert np.allclose(backwards.at([0.0, 1.0]).position - center, [[0, 0.5, 0], [0.5, 0, 0]], atol=1e-15)


def test_turning_circle_keeps_facing_its_centre():
    motion = motions.circle(pose=END, radius=0.5, duration=2.0, turning=True, normal=[1, 1, 0])
    found = motion.at(np.linspace(0, 2.0, 33))
    arm = rotation(found.position).inv().apply(found.position[:, :3] - [1, 2, 3])
    assert np.abs(arm - arm[0]).max() < 1e-14


BAD = {
    "exactly one of poses": lambda: motions.quintic(durations=1.0),
    "given: poses, drives": lambda: motions.quintic(poses=POSES, drives=DRIVES, durations=1.0),
    "unknown arguments pose;": lambda: motions.quintic(pose=POSES, durations=1.0),  # type: ignore[call-arg]
    "at least 2": lambda: motions.quintic(poses=POSES[:1], durations=1.0),
    "either durations= of the moves or times=": lambda: motions.quintic(poses=POSES),
    "durations: 3 given for 2 moves": lambda: motions.quintic(poses=POSES, durations=[1, 2, 3]),
    "a move takes a positive time": lambda: motions.quintic(poses=POSES, durations=[1, 0]),
    "rests: 2 given for 3 points": lambda: motions.quintic(poses=POSES, durations=1.0, rests=[0, 1]),
    "a rest cannot be negative": lambda: motions.quintic(poses=POSES, durations=1.0, rests=-0.1),
    "no time is left to move from point 1": lambda: motions.quintic(poses=POSES, times=[0, 1, 2], rests=[0, 1, 0]),
    "a motion begins at 0": lambda: motions.quintic(poses=POSES, times=[1, 2, 3]),
    "durations='soon'": lambda: motions.quintic(poses=POSES, durations="soon"),
    "half a turn apart": lambda: motions.quintic(poses=[START, {"rpy_zyx": [np.pi, 0, 0]}], durations=1.0),
    r"poses\[1\]: .*norm": lambda: motions.quintic(poses=[START, [0, 0, 0, 2, 0, 0, 0]], durations=1.0),
    r"poses\[1\]: .*a quaternion": lambda: motions.quintic(
        poses=[START, {"quaternion_wxyz": [2, 0, 0, 0]}], durations=1.0
    ),
    r"poses\[0\]: pose has shape": lambda: motions.quintic(poses=[[0, 0, 0], [1, 1, 1]], durations=1.0),
    "has no bryant_xyz angles": lambda: motions.quintic(
        poses=[{"bryant_xyz": [0, 0, 1]}, END], durations=1.0, orientation="bryant_xyz"
    ),
    "orientation='spherical'": lambda: motions.quintic(poses=POSES, durations=1.0, orientation="spherical"),
    "go with poses=": lambda: motions.quintic(drives=DRIVES, durations=1.0, offsets_from=START),
    "name the frame": lambda: motions.quintic(points=[[0, 0, 0], [1, 1, 1]], durations=1.0),
    r"points has shape \(2, 2\)": lambda: motions.quintic(points=[[0, 0], [1, 1]], durations=1.0, frame="tip"),
    "frame= goes with poses= and points=": lambda: motions.quintic(drives=DRIVES, durations=1.0, frame="tip"),
    "NaN or infinite values at entry 1": lambda: motions.quintic(drives={"a": [0, np.nan]}, durations=1.0),
    "list of the same length": lambda: motions.quintic(drives={"a": [0, 1], "b": [0]}, durations=1.0),
    "give {name: values}, or names=": lambda: motions.quintic(joints=[[0, 1], [1, 1]], durations=1.0),
    "one name for each": lambda: motions.quintic(drives=[[0, 1], [1, 1]], names=["a", "a"], durations=1.0),
    "give a list of poses": lambda: motions.quintic(poses=5, durations=1.0),
    r"drives\['a'\]=.*another dimension": lambda: motions.quintic(drives={"a": ["1 mm", "1 kg"]}, durations=1.0),
    "points=.*not numbers": lambda: motions.quintic(points=[[0, 0, "x"]], durations=1.0, frame="tip"),
    "extend='stay'": lambda: motions.quintic(drives=DRIVES, durations=1.0, extend="stay"),
    "give ramps= ": lambda: motions.trapezoid(drives=DRIVES, durations=1.0),
    "move 1: a ramp of 0.6 s does not fit": lambda: motions.trapezoid(drives=DRIVES, durations=1.0, ramps=[0.5, 0.6]),
    "between 1 and 2 /s, not 3": lambda: motions.trapezoid(drives={"a": [0, 1]}, durations=1.0, speeds=3),
    "not both": lambda: motions.trapezoid(poses=POSES, durations=1.0, ramps=0.1, turn_ramps=0.1, turn_speeds=1),
    "turn_ramps= and turn_speeds= go": lambda: motions.trapezoid(
        drives=DRIVES, durations=1.0, ramps=0.1, turn_ramps=0.1
    ),
    "velocity would jump": lambda: motions.trapezoid(drives=DRIVES, durations=1.0, ramps=0),
    "law='cubic'": lambda: motions.polygon(drives=DRIVES, durations=1.0, law="cubic"),
    "give its ramps=": lambda: motions.polygon(drives=DRIVES, durations=1.0, law="trapezoid"),
    "shorter than the moves": lambda: motions.polygon(drives=DRIVES, durations=1.0, period=0.5),
    "rests= or period=": lambda: motions.polygon(drives=DRIVES, durations=1.0, period=2.0, rests=1.0),
    "side=-1": lambda: motions.square(pose=START, side=-1, durations=1.0),
    "the centre as exactly one": lambda: motions.circle(radius=1.0, duration=1.0),
    "radius=0": lambda: motions.circle(pose=START, radius=0, duration=1.0),
    "give duration=, or speed=": lambda: motions.circle(pose=START, radius=1, duration=1.0, speed=1.0),
    "speed= goes with law='constant'": lambda: motions.circle(pose=START, radius=1, speed=1.0),
    "ramps go with a trapezoid only": lambda: motions.circle(pose=START, radius=1, duration=1.0, ramp=0.1),
    "turns=0": lambda: motions.circle(pose=START, radius=1, duration=1.0, turns=0),
    "along the normal": lambda: motions.circle(pose=START, radius=1, duration=1.0, towards=[0, 0, 1]),
    "length zero": lambda: motions.circle(pose=START, radius=1, duration=1.0, normal=[0, 0, 0]),
    "plane=.*name two of a, b": lambda: motions.circle(
        drives={"a": 0, "b": 0}, plane=["a", "c"], radius=1, duration=1.0
    ),
    "plane= goes with drives=": lambda: motions.circle(pose=START, plane=["a", "c"], radius=1, duration=1.0),
    "turning= goes with pose=": lambda: motions.circle(drives={"a": 0, "b": 0}, radius=1, duration=1.0, turning=True),
}


@pytest.mark.parametrize("message", list(BAD))
def test_what_is_refused(message):
    with pytest.raises(UsageError, match=message):
        BAD[message]()
