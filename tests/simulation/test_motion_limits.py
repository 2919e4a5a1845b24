"""What is wrong with a motion is found, all of it, when and where it happens; each by a calculation of its own."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import gough
from gough import motions
from gough.errors import UsageError
from gough.robot import loads
from papers.library import model

TEXT = """
format: 1
name: limited
platform: {mass: 5, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.2}}
templates:
  ups:
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]], limits: {cone: 80 deg}}
      - {name: slide, type: prismatic, drive: {stroke: [0.4, 0.85], speed_limit: 0.5, force_limit: 13 N}}
    cut: {type: spherical}
home: {pose: {position: [0, 0, 0.6]}}
legs:
"""
BASE, TOP = (np.deg2rad(60 * np.arange(6) + s * np.where(np.arange(6) % 2, 1, -1)) for s in (8, -22))
BASE, TOP = (r * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1) for r, a in ((0.5, BASE), (0.25, TOP)))


@pytest.fixture(scope="module")
def hexapod() -> gough.Model:
    legs = [
        f"  - like: ups\n    base: {{position: {a.tolist()}}}\n    on_platform: {{position: {b.tolist()}}}\n"
        for a, b in zip(BASE, TOP, strict=True)
    ]
    return gough.build(loads(TEXT + "".join(legs)))


def lift(height, T, **more):
    return motions.quintic(poses=[{"position": [0, 0, 0.6]}, {"position": [0, 0, 0.6 + height]}], durations=T, **more)


def test_a_good_motion(hexapod):
    report = gough.check_motion(hexapod, lift(0.1, 2.0))
    assert report.ok and report.require() is report and "no problem found" in str(report)
    assert report.tau.shape == report.drives.shape == (len(report.t), 6)


def test_strokes_speeds_and_forces_all_at_once(hexapod):
    """Straight up, all legs alike: length √(z² + d²), its rate, and forces by Newton's law of a mass on six massless legs."""
    motion = lift(0.6, 0.8)
    report = gough.check_motion(hexapod, motion)
    d = np.linalg.norm(BASE[0] - TOP[0])
    t = report.t
    at = motion.at(t)
    z, zd, zdd = at.position[:, 2], at.velocity[:, 2], at.acceleration[:, 2]
    length = np.hypot(z, d)
    speed, force = z * zd / length, 5 * (zdd + 9.81) * length / z / 6
    assert np.allclose(report.drives, length[:, None]) and np.allclose(report.tau, force[:, None], atol=1e-9)
    found = {p.place: p for p in report.problems}
    assert len(report.problems) == 18 and not report.ok
    for name, over, worst in (
        ("stroke upper", length > 0.85, length.max() - 0.85),
        ("speed", speed > 0.5, speed.max() - 0.5),
        ("force", np.abs(force) > 13, np.abs(force).max() - 13),
    ):
        for leg in range(6):
            problem = found[f"leg{leg}.slide {name}"]
            assert problem.kind == "limit" and problem.worst == pytest.approx(worst)
            assert problem.spans[0][0] == t[over][0] and problem.spans[-1][1] == t[over][-1]
    text = str(report)
    assert "18 problems" in text and "leg3.slide speed: beyond its limit, by up to" in text
    with pytest.raises(UsageError, match="18 problems"):
        report.require()


def test_crossing_a_singularity(hexapod):
    """A semi-regular hexapod with its platform level at the centre is singular at 90 degrees of yaw [Fichter 1986]."""
    poses = [{"position": [0, 0, 0.6]}, {"position": [0, 0, 0.6], "rpy_zyx": ["110 deg", 0, 0]}]
    motion = motions.quintic(poses=poses, durations=1.0, orientation="rpy_zyx")
    when: Any = brentq(lambda r: 110 * r**3 * (10 - 15 * r + 6 * r**2) - 90, 0, 1)
    report = gough.check_motion(hexapod, motion, samples=301)
    crossing = [p for p in report.problems if p.kind == "crossing"]
    assert [p.place for p in crossing] == ["drives"]
    assert crossing[0].spans[0][0] <= when <= crossing[0].spans[0][1]
    near = [p for p in report.problems if p.kind == "singular"]
    assert near and near[0].spans[0][0] < when < near[0].spans[0][1] and near[0].at == pytest.approx(when, abs=0.01)
    assert "crosses a parallel singularity" in str(report)


def test_leaving_the_reach():
    """Drives pull the elbows of a five-bar apart until its rods are in line: out of reach from then on."""
    robot = model("five_bar")
    start, end = robot.drives(robot.home), robot.drives(robot.home) + [1.5, -1.2]
    motion = motions.quintic(drives=[start, end], durations=0.8)

    def apart(t):
        a, b = motion.at(t).position
        left, right = (
            np.array([-0.12 + 0.25 * np.cos(a), 0.25 * np.sin(a)]),
            np.array([0.12 + 0.25 * np.cos(b), 0.25 * np.sin(b)]),
        )
        return np.linalg.norm(left - right) - 0.7

    when: Any = brentq(apart, 0, 0.8)
    report = gough.check_motion(robot, motion, samples=201)
    reach = [p for p in report.problems if p.kind == "reach"]
    assert reach and abs(reach[0].spans[0][0] - when) <= 0.8 / 200 and reach[-1].spans[-1][1] == 0.8
    assert np.isnan(report.q[report.t > when + 0.01]).all() and (report.status[report.t < when - 0.01] == 0).all()
    assert "five_bar: motion of drives" in str(report)


def test_a_leg_that_cannot_reach_is_named():
    """Up beyond the links of a 6-PUS whose carriages cannot follow sideways: the link is too short at |d| = L."""
    robot = model("lopes")
    motion = motions.quintic(poses=[{"position": [0, 0, 2]}, {"position": [1.5, 0, 2]}], durations=1.0)
    report = gough.check_motion(robot, motion, forces=False)
    reach = [p for p in report.problems if p.kind == "reach"]
    angles = np.deg2rad([15.0, 105.0, 135.0, 225.0, 255.0, 345.0]), np.deg2rad([60.0, 60.0, 180.0, 180.0, 300.0, 300.0])
    base, top = (r * np.stack([np.cos(a), np.sin(a)], axis=1) for r, a in zip((1.5, 0.75), angles, strict=True))
    x = motion.at(report.t).position[:, 0]
    flat = np.linalg.norm(base[:, None] - top[:, None] - np.stack([x, 0 * x], axis=1), axis=2)  # (legs, times)
    first = int(np.flatnonzero((flat > 1.837).any(axis=0))[0])
    assert reach[0].spans[0][0] == report.t[first]
    assert reach[0].place in {f"leg{k}" for k in np.flatnonzero(flat[:, first] > 1.837)}
    assert np.isnan(report.tau).all() and "OUT_OF_REACH at leg" in str(report)
    lost = (flat > 1.837).any(axis=0)
    assert report.unreached == lost.sum() == sum(p.samples for p in reach)
    first, second = str(report).splitlines()[:2]
    said = f"out of reach: {lost.sum()} of {len(report.t)} samples, first at {report.t[lost][0]:.4g} s, last at 1 s ("
    assert "problem" in first and second.strip().startswith(said) and reach[0].place in second


def test_what_is_out_of_reach_stands_before_everything_else():
    """Beyond the reach of a five-bar, whose singularity is met before that."""
    robot = model("five_bar")
    start = robot.drives(robot.home)
    report = gough.check_motion(
        robot, motions.quintic(drives=[start, start + [1.5, -1.2]], durations=0.8), condition=0.2
    )
    kinds = [p.kind for p in report.problems]
    assert kinds[0] == "singular" and kinds[-1] == "reach"  # by time
    lines = str(report).splitlines()
    assert "out of reach" in lines[1] and "NOT_CONVERGED" in lines[2] and "near a" in lines[3]


def test_a_turn_that_a_delta_cannot_make():
    poses = [{"position": [0, 0, -1.1]}, {"position": [0, 0, -1.1], "rpy_zyx": [0, 0, 0.1]}]
    report = gough.check_motion(model("delta"), motions.quintic(poses=poses, durations=1.0), samples=20)
    assert not report.ok and report.problems[0].kind == "reach" and report.status[0] == 0


def test_forces_from_both_sides_of_a_kink():
    """Forces of path 3 jump where ramps end; the largest is the one that the independent model has at its first sample."""
    report = gough.check_motion(model("pedrammehr2012"), motions.named_motion("pedrammehr2012_path3"))
    kinks = report.motion.kinks[1:-1]
    twice = [np.flatnonzero(report.t == k) for k in kinks]
    assert all(len(i) == 2 for i in twice)
    jumps = [np.abs(report.tau[i[1]] - report.tau[i[0]]).max() for i in twice]
    assert min(jumps) > 10.0
    assert np.abs(report.tau).max() == pytest.approx(2377.4, rel=1e-3)


def test_a_velocity_that_jumps_and_one_that_is_there_at_the_start(hexapod):
    up = motions.trapezoid(poses=[{"position": [0, 0, 0.6]}, {"position": [0, 0, 0.65]}], durations=1.0, ramps=0)
    report = gough.check_motion(hexapod, up.hold(0.5, jump=True))
    assert [p.kind for p in report.problems] == ["jump"] and "jumps by 0.05" in str(report)
    assert any("begins with a velocity" in n for n in report.notes)


def test_quasi_static_forces_of_a_flexible_robot():
    """Both slides alike: the robot moves as one body, and the drives' sum is mass × acceleration + friction."""
    robot = model("dualemps")
    motion = motions.trapezoid(drives={"q11": [0, 0.25], "q21": [0, 0.25]}, durations=1.8, ramps=0.2, rests=[0.5, 0.5])
    report = gough.check_motion(robot, motion, samples=50)
    assert report.ok and any("quasi-statically" in n for n in report.notes)
    beams = 2800 * 0.004 * 0.05 * (2 * 0.4505 + 0.14)
    mass = 2 * 95.196 + 2 * 0.843 + 0.396 + 0.177 + 0.190 + beams
    v, a = report.v[:, 0], report.acceleration[:, 0]
    total = mass * a + 2 * (250 * v + 25 * np.sign(v))
    assert np.abs(report.tau.sum(axis=1) - total).max() < 1e-6
    bent = report.q[:, robot.layout.elastic]
    assert np.abs(bent[np.abs(a) > 0]).max() > 1e-5 and np.abs(bent[(v == 0) & (a == 0)]).max() < 1e-12


@pytest.mark.slow
def test_quasi_static_forces_of_long2014_at_rest():
    """Static forces at the initial pose, from an independent model."""
    report = gough.check_motion(model("long2014"), motions.named_motion("long2014_poses"), samples=20)
    assert report.ok
    assert np.abs(report.tau[0] - [-599.8, -409.7, 1918.5, -976.3, -122.8, 1528.0]).max() < 0.06


def test_an_underactuated_robot_has_no_forces():
    robot = model("four_bar_chain")
    names = robot.layout.v_names
    start = [robot.home[robot.layout.index(n)] for n in names]
    motion = motions.quintic(joints={n: [x, x + 0.1] for n, x in zip(names, start, strict=True)}, durations=1.0)
    report = gough.check_motion(robot, motion, samples=10)
    assert np.isnan(report.tau).all() and any("fewer drives" in n for n in report.notes)


def test_bad_options(hexapod):
    with pytest.raises(UsageError, match=r"expected a gough\.Motion"):
        gough.check_motion(hexapod, "lopes_p1p2p1")  # type: ignore[arg-type]
    bad: Any = ({"samples": 1}, {"condition": 1.5})
    for options in bad:
        with pytest.raises(UsageError, match="samples="):
            gough.check_motion(hexapod, lift(0.1, 1.0), **options)
