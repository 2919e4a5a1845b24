"""The papers' motions as data, against transcriptions of them and the numbers known for them."""

import numpy as np
import pytest

from gough import motions
from gough.errors import UsageError
from gough.robot import gallery
from gough.simulation.motion.files import read_named_motion
from inner.spatial import rotation_of_quaternion
from papers import lopes as printed_lopes
from papers.long2014.path import poses_path


def close(a, b):
    assert np.max(np.abs(a - b)) <= 1e-12 * max(1.0, np.max(np.abs(b)))


@pytest.mark.parametrize(("number", "time", "speed"), [(1, 6.0, 0.5 / 6.0), (2, 6.0, 0.08), (3, 0.6, 0.8)])
def test_pedrammehr_paths(number, time, speed):
    """As the paper has them: where they begin and end, how long they take, how fast they are at most, ramps that follow."""
    motion = motions.named_motion(f"pedrammehr2012_path{number}")
    assert motion.duration == time
    first, last = ([0.1, 0, 0.5], [0.6, 0, 0.5]) if number == 1 else ([0.1, 0, 0.4], [0.3, 0, 0.6])
    turn = 0.0 if number == 1 else 0.2
    ends = motion.at([0.0, time])
    close(
        ends.position, np.array([[*x, np.cos(a / 2), 0, 0, np.sin(a / 2)] for x, a in ((first, -turn), (last, turn))])
    )
    found = motion.at(np.linspace(0.0, time, 1001))
    step = np.subtract(last, first)
    ways = [(slice(0, 3), step / np.linalg.norm(step), np.linalg.norm(step)), (slice(3, 6), np.eye(3)[2], 2 * turn)]
    for part, way, distance in ways:
        v, a = found.velocity[:, part] @ way, found.acceleration[:, part] @ way
        close(found.velocity[:, part], np.outer(v, way))
        assert v.max() == pytest.approx(speed if distance else 0.0, rel=1e-12) and v.min() >= -1e-12
        steepest = speed / (time - distance / speed) if number > 1 else 0.0
        assert np.abs(a).max() == pytest.approx(steepest, rel=1e-9)
    ramps = {1: [], 2: [1.0, 2.4645], 3: [0.1, 0.24645]}[number]
    assert np.allclose(motion.kinks, sorted([0, *ramps, *(time - r for r in ramps), time]), atol=1e-4)


def test_lopes():
    states = list(zip(*printed_lopes.trajectory(21, 2.0), strict=True))
    found = motions.named_motion("lopes_p1p2p1").at(np.linspace(0, 4.0, 41))
    for k, state in enumerate(states):
        position, rotation, twist, acceleration = printed_lopes.world_state(*state)
        close(found.position[k, :3], position)
        close(rotation_of_quaternion(found.position[k, 3:]), rotation)
        close(found.velocity[k], twist)
        close(found.acceleration[k], acceleration)


def test_long2014():
    motion = motions.named_motion("long2014_poses")
    assert motion.duration == pytest.approx(4.2) and list(motion.kinks) == [0, motion.duration]
    times = np.linspace(0.0, 4.2, 43)  # the poses and both rests among them
    found = motion.at(times)
    for k, t in enumerate(times):
        position, rotation, twist, acceleration = poses_path(t)
        close(found.position[k, :3], position)
        close(rotation_of_quaternion(found.position[k, 3:]), rotation)
        close(found.velocity[k], twist)
        close(found.acceleration[k], acceleration)
    still = motion.at([0.0, 0.5, 1.3, 2.1, 2.9, 3.7, 4.2])
    assert np.abs(still.velocity).max() < 1e-12 and np.abs(still.acceleration).max() < 1e-10


def test_briot2014_square():
    motion = motions.named_motion("briot2014_square")
    assert motion.kind == "drives" and motion.names == ("q11", "q21") and motion.duration == 25.0
    corners = motion.at([0, 1.8, 6.25, 8.05, 12.5, 14.3, 18.75, 20.55, 25.0]).position
    wanted = [[0, 0], [0.25, 0], [0.25, 0], [0.25, 0.25], [0.25, 0.25], [0, 0.25], [0, 0.25], [0, 0], [0, 0]]
    assert np.allclose(corners, wanted, rtol=0, atol=1e-15)
    assert np.abs(motion.at(np.linspace(1.8, 6.2, 9)).velocity).max() == 0
    assert motion.at(0.9).velocity[0] == pytest.approx(0.25 / 1.6) and motion.at(0.1).acceleration[0] == pytest.approx(
        0.25 / 0.32
    )


def test_briot2014_circle():
    motion = motions.named_motion("briot2014_circle")
    found = motion.at(np.linspace(0, motion.duration, 50))
    assert motion.frame == "link17" and motion.duration == pytest.approx(np.pi)
    assert np.allclose(np.linalg.norm(found.position - [0.28, 0, 0.9], axis=1), 0.1)
    assert np.allclose(np.linalg.norm(found.velocity, axis=1), 0.2) and np.abs(found.position[:, 1]).max() == 0


@pytest.mark.parametrize("name", motions.motion_names())
def test_every_motion_has_its_robot_and_title(name):
    made = read_named_motion(name)
    assert made.name == name and made.title and made.robot in gallery()


def test_unknown_name():
    with pytest.raises(UsageError, match="briot2014_square"):
        motions.named_motion("briot_square")
    with pytest.raises(FileNotFoundError, match="briot2014_square"):
        motions.load_motion("briot_square")
