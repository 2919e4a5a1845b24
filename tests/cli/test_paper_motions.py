"""The motions of `gough_papers` against independent versions of them, and their known numbers."""

import numpy as np
import pytest

from gough.spatial.poses import rotation_of_quaternion
from gough_papers import SCENARIOS, long2014, lopes, pedrammehr2012
from papers import lopes as printed_lopes
from papers import pedrammehr2012_paths
from papers.library import drive_forces, model


def close(a, b):
    assert np.max(np.abs(a - b)) <= 1e-12 * max(1.0, np.max(np.abs(b)))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_pedrammehr_paths(number):
    ours = getattr(pedrammehr2012, f"path{number}")()
    other = pedrammehr2012_paths.path(number)
    close(ours.t, other.t)
    close(ours.pose[:, :3], other.position)
    close(rotation_of_quaternion(ours.pose[:, 3:]), other.rotation)
    close(ours.v, other.twist)
    close(ours.acceleration, other.acceleration)


@pytest.mark.parametrize("duration", [2.0, 0.5])
def test_lopes(duration):
    ours = lopes.p1p2p1(duration, samples=41)
    states = list(zip(*printed_lopes.trajectory(21, duration), strict=True))
    for k, state in enumerate(states):
        position, rotation, twist, acceleration = printed_lopes.world_state(*state)
        close(ours.pose[k, :3], position)
        close(rotation_of_quaternion(ours.pose[k, 3:]), rotation)
        close(ours.v[k], twist)
        close(ours.acceleration[k], acceleration)


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_velocities_are_derivatives(name):
    """Between samples: pose' = v and v' = acceleration, by central differences away from jumps."""
    s = SCENARIOS[name].motion() if name != "long2014_poses" else long2014.poses(4201)  # its jerk jumps
    dt = s.t[1] - s.t[0]
    R = rotation_of_quaternion(s.pose[:, 3:])
    slope = (R[2:] - R[:-2]) / (2 * dt)
    spin = slope @ np.swapaxes(R[1:-1], -1, -2)
    w = 0.5 * np.stack(
        [spin[:, 2, 1] - spin[:, 1, 2], spin[:, 0, 2] - spin[:, 2, 0], spin[:, 1, 0] - spin[:, 0, 1]], -1
    )
    v = np.concatenate([(s.pose[2:, :3] - s.pose[:-2, :3]) / (2 * dt), w], axis=1)
    a = (s.v[2:] - s.v[:-2]) / (2 * dt)
    smooth = np.abs(s.acceleration[2:] - s.acceleration[:-2]).max(axis=1) < 0.1 * np.abs(s.acceleration).max() + 1e-9
    assert smooth.mean() > 0.7
    assert np.abs(v - s.v[1:-1])[smooth].max() <= 2e-3 * np.abs(s.v).max()
    assert np.abs(a - s.acceleration[1:-1])[smooth].max() <= 1e-2 * np.abs(s.acceleration).max() + 1e-9


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_known_numbers(name):
    scenario = SCENARIOS[name]
    s = scenario.motion()
    tau = drive_forces(scenario.robot, s.pose[:, :3], rotation_of_quaternion(s.pose[:, 3:]), s.v, s.acceleration)
    assert scenario.known
    for known in scenario.known:
        assert known.within(tau), (known.quantity, known.difference(tau))
        assert not known.within(tau * 1.001)
        assert not known.within(tau * np.nan)


@pytest.mark.parametrize("duration", list(lopes.COMPLETE_MINUS_SIMPLIFIED))
def test_complete_minus_simplified(duration):
    s = lopes.p1p2p1(duration)
    tau = []
    for name in (lopes.ROBOT, lopes.SIMPLIFIED):
        m = model(name)
        tau.append(m.inverse_dynamics(m.configuration(pose=s.pose), s.v, s.acceleration).tau)
    known, tolerance = lopes.COMPLETE_MINUS_SIMPLIFIED[duration]
    assert abs(np.abs(tau[0] - tau[1]).max() - known) <= tolerance


def test_long2014_rests_at_both_ends_and_passes_its_poses():
    s = long2014.poses(samples=421)  # every 10 ms
    still = (s.t <= 0.5) | (s.t >= 3.7)
    assert np.abs(s.v[still]).max() < 1e-9
    assert np.allclose(s.pose[130, :3] - s.pose[0, :3], [0.05, 0.04, 0.06], rtol=0, atol=1e-12)
    assert np.allclose(s.pose[-1], s.pose[0], rtol=0, atol=1e-12)
