"""Robots along motions: configurations where the motion says, velocities and accelerations that are their derivatives."""

import numpy as np
import pytest

from gough import laws, motions
from gough.errors import UsageError
from papers.library import model
from simulation.differences import rotation

TURN = {"rpy_zyx": [0.1, -0.05, 0.15]}


def poses(*entries):
    return motions.quintic(poses=[{"position": p, **more} for p, more in entries], durations=1.0)


CASES = {
    "platform": ("pedrammehr2012", lambda: poses(([0.1, 0, 0.5], {}), ([0.2, 0.05, 0.55], TURN))),
    "three freedoms": ("delta", lambda: poses(([0, 0, -1.1], {}), ([0.1, 0.05, -1], {}))),
    "tool of a platform": (
        "delta",
        lambda: motions.circle(pose={"position": [0, 0, -1.2]}, radius=0.1, duration=1.0, frame="tool"),
    ),
    "drives": (
        "five_bar",
        lambda: motions.quintic(drives={"right_motor": [1.0, 1.4], "left_motor": [2.1, 2.3]}, durations=1.0),
    ),
    "joints": (
        "five_bar",
        lambda: motions.quintic(joints={"left_motor": [2.1, 1.9], "right_elbow": [1.4, 1.5]}, durations=1.0),
    ),
    "point": (
        "five_bar",
        lambda: motions.circle(point=[0, 0.45, -0.05], radius=0.05, duration=1.0, frame="left_rod.tool"),
    ),
    "flexible drives": ("dualemps", lambda: motions.quintic(drives=[[0, 0], [0.2, 0.1]], durations=1.0)),
}


@pytest.fixture(scope="module", params=list(CASES))
def case(request):
    name, make = CASES[request.param]
    return model(name), make()


def test_they_are_derivatives(case):
    robot, motion = case
    t, h = np.linspace(0.1, 0.9, 9) * motion.duration, 1e-3
    at = motions.states_along(robot, motion, t)
    near = {s: motions.states_along(robot, motion, t + s * h) for s in (-2, -1, 1, 2)}
    assert not at.status.any() and at.missed.max() < 1e-12
    for name, found in (("q", robot.configuration_rate(at.q, at.v)), ("v", at.acceleration)):
        d1, d2 = ((getattr(near[s], name) - getattr(near[-s], name)) / (2 * s * h) for s in (1, 2))
        slope = ((4 * d1 - d2) / 3)[:, : found.shape[1]]
        assert np.abs(slope - found).max() < 1e-6 * np.abs(found).max()
    assert robot.closure_error(at.q).max() < 1e-10


def test_they_are_where_the_motion_says(case):
    robot, motion = case
    t = np.linspace(0, motion.duration, 61)
    at, wanted = motions.states_along(robot, motion, t), motion.at(t)
    if motion.kind in ("drives", "joints"):
        names = robot.layout.drive_names if motion.names[0] == "drive0" else motion.names
        found = np.stack([at.q[:, robot.layout.index(n)] for n in names], axis=1)
        assert np.abs(found - wanted.position).max() < 1e-9
        return
    frame = motion.frame or "platform"
    position, R = robot.frame_pose(at.q, frame)
    twist = robot.frame_twist(at.q, at.v, frame)
    assert np.abs(position - wanted.position[:, :3]).max() < 1e-9
    if motion.kind == "pose":
        assert np.abs(R - rotation(wanted.position).as_matrix()).max() < 1e-9
        assert np.abs(twist - wanted.velocity).max() < 1e-9
    else:
        assert np.abs(twist[:, :3] - wanted.velocity).max() < 1e-9


BAD = {
    "has no platform": ("five_bar", lambda: motions.quintic(poses=[{}, {"position": [0, 0, 1]}], durations=1.0)),
    "has no frame 'tool'": ("five_bar", lambda: motions.quintic(points=[[0, 0, 0], [0, 0, 1]], durations=1.0, frame="tool")),
    "those of five_bar are left_motor, right_motor": ("five_bar", lambda: motions.quintic(drives={"a": [0, 1]}, durations=1.0)),
    "no scalar joint hinge": ("five_bar", lambda: motions.quintic(joints={"hinge": [0, 1]}, durations=1.0)),
}  # fmt: skip


@pytest.mark.parametrize("message", list(BAD))
def test_what_cannot_be_asked(message):
    name, make = BAD[message]
    with pytest.raises(UsageError, match=message):
        motions.states_along(model(name), make(), [0.0])


@pytest.mark.slow
def test_a_frame_of_a_flexible_platform_is_refused():
    motion = motions.quintic(poses=[{}, {"position": [0, 0, 1]}], durations=1.0, frame="center")
    with pytest.raises(UsageError, match="flexible platform"):
        motions.states_along(model("long2014"), motion, [0.0])


def test_points_that_leave_freedoms_open_keep_their_orientation():
    """Position, velocity and acceleration are those of one motion, whichever times are asked for."""
    hexapod = model("lopes")
    at = hexapod.home[:3]
    motion = motions.quintic(points=[at, at + [0.02, 0.03, 0.02]], durations=0.5, frame="platform")
    alone = motions.states_along(hexapod, motion, [0.25])
    after = motions.states_along(hexapod, motion, [0.0, 0.1, 0.2, 0.25])
    assert np.abs(alone.q[0] - after.q[-1]).max() < 1e-12
    assert np.abs(alone.q[0, 3:7] - hexapod.home[3:7]).max() < 1e-12
    assert np.abs(alone.q[0, :3] - motion.at(0.25).position).max() < 1e-12
    drives, h = laws.drives_of(hexapod, motion), 1e-4
    for t in (0.1, 0.25, 0.4):
        before, here, behind = (drives.at(t + k * h) for k in (-1, 0, 1))
        assert np.abs((behind.position - before.position) / (2 * h) - here.velocity).max() < 1e-6
        assert np.abs((behind.velocity - before.velocity) / (2 * h) - here.acceleration).max() < 1e-4


def test_motions_that_do_not_say_where_the_robot_is_are_refused():
    hexapod = model("lopes")
    name = next(n for n in hexapod.layout.q_names if n.startswith("leg0.") and n not in hexapod.layout.drive_names)
    at = hexapod.home[hexapod.layout.q_names.index(name)]
    motion = motions.quintic(joints={name: [at, at + 0.05]}, durations=0.5)
    with pytest.raises(UsageError, match=r"leaves . of its 6 freedoms open"):
        motions.states_along(hexapod, motion, [0.0, 0.25])


def test_a_robots_own_coordinates() -> None:
    """A tripod's z, pitch and roll beside its wrist's angles: where they are asked for, rates and accelerations of that way."""
    robot, names = model("tripod_wrist"), ("z", "pitch", "roll", "turn", "tilt")
    ends = [[0.7, 0.0, 0.0, 0.0, 0.0], [0.75, 0.15, -0.12, 0.1, 0.2]]
    motion = motions.quintic(joints=ends, names=names, durations=1.0)
    t, h = np.array([0.2, 0.5, 0.63]), 1e-5
    at, after, before = (motions.states_along(robot, motion, x) for x in (t, t + h, t - h))
    _, R = robot.frame_pose(at.q, "platform")
    yaw, pitch = np.arctan2(R[:, 1, 0], R[:, 0, 0]), -np.arcsin(R[:, 2, 0])
    places = [robot.layout.q_names.index(name) for name in ("z", "turn", "tilt")]
    wanted = motion.at(t).position
    np.testing.assert_allclose(at.q[:, places], wanted[:, [0, 3, 4]], atol=1e-10)
    np.testing.assert_allclose(pitch, wanted[:, 1], atol=1e-10)
    np.testing.assert_allclose(np.arctan2(R[:, 2, 1], R[:, 2, 2]), wanted[:, 2], atol=1e-10)
    assert np.abs(yaw).max() > 1e-4  # it turns about z as it tilts: yaw follows, and was not asked for
    np.testing.assert_allclose(robot.configuration_rate(at.q, at.v), (after.q - before.q) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(at.acceleration, (after.v - before.v) / (2 * h), atol=1e-7)


def test_coordinates_that_say_too_little_or_are_none() -> None:
    robot = model("tripod_wrist")
    few = motions.quintic(joints=[[0.7, 0.0], [0.75, 0.1]], names=("z", "pitch"), durations=1.0)
    with pytest.raises(UsageError, match="leaves 1 of its 5 freedoms open"):
        motions.states_along(robot, few, [0.5])
    wrong = motions.quintic(joints=[[0.7], [0.75]], names=("height",), durations=1.0)
    with pytest.raises(UsageError, match=r"no scalar joint height; there are .*tilt, x, y, z, yaw, pitch, roll"):
        motions.states_along(robot, wrong, [0.5])
