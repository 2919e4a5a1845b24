"""Splines: through the samples, as smooth as promised, of the right order, the same in all frames."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough import motions
from gough.errors import UsageError
from simulation.differences import rotation
from simulation.motion_family import TIMES, samples

ENDS = ("rest", "natural", "free", "periodic")


def wxyz(rotations):
    return np.roll(rotations.as_quat(), 1, axis=-1)


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("ends", ENDS)
def test_through_the_samples(degree, ends):
    poses = samples()
    if ends == "periodic":
        poses[-1] = poses[0]
    motion = motions.spline(poses=poses, times=TIMES, degree=degree, ends=ends)
    found = motion.at(TIMES)
    assert np.abs(found.position[:, :3] - poses[:, :3]).max() < 1e-12  # free ends extrapolate far with these times
    assert (rotation(found.position) * rotation(poses).inv()).magnitude().max() < 1e-12
    first, last = motion.at(0.0), motion.at(TIMES[-1])
    if ends == "rest":
        assert np.abs(np.concatenate([first.velocity, last.velocity])).max() < 1e-13
        if degree == 5:
            assert np.abs(np.concatenate([first.acceleration, last.acceleration])).max() < 1e-11
    if ends == "periodic":
        assert np.allclose(first.velocity, last.velocity, atol=1e-12)
        assert np.allclose(first.acceleration, last.acceleration, atol=1e-10)
    if ends == "natural" and degree == 3:
        assert np.abs(first.acceleration[:3]).max() < 1e-12


@pytest.mark.parametrize(("degree", "order"), [(3, 4), (5, 6)])
def test_order_on_a_smooth_turn(degree, order):
    """Samples of R(t) = Rz(sin 2t) Ry(cos t): the error falls with the order of the spline."""

    def turn(t):
        return Rotation.from_euler("ZY", np.stack([np.sin(2 * t), np.cos(t)], axis=-1))

    def error(n):
        t = np.linspace(0, 2, n)
        poses = np.concatenate([np.zeros((n, 3)), wxyz(turn(t))], axis=1)
        fine = np.linspace(0, 2, 997)
        found = motions.spline(poses=poses, times=t, degree=degree, ends="free").at(fine)
        return (rotation(found.position) * turn(fine).inv()).magnitude().max()

    measured = np.log2(error(21) / error(41))
    assert order - 0.6 < measured < order + 1.2


def test_the_same_motion_in_all_frames():
    """Turning the world and turning the frame turns the motion, and nothing else."""
    poses, left, right = samples(), Rotation.from_rotvec([0.3, -1, 0.5]), Rotation.from_rotvec([1, 0.2, 0.7])
    moved = np.concatenate([left.apply(poses[:, :3]), wxyz(left * rotation(poses) * right)], axis=1)
    a, b = (motions.spline(poses=p, times=TIMES) for p in (poses, moved))
    t = np.linspace(0, TIMES[-1], 101)
    one, other = a.at(t), b.at(t)
    assert (rotation(other.position) * (left * rotation(one.position) * right).inv()).magnitude().max() < 1e-14
    assert np.abs(other.velocity[:, 3:] - left.apply(one.velocity[:, 3:])).max() < 1e-12
    assert np.abs(other.acceleration[:, 3:] - left.apply(one.acceleration[:, 3:])).max() < 1e-10


def test_polynomials_are_reproduced():
    """A cubic through a cubic with free ends, a quintic through a quintic."""
    t = np.array([0.0, 0.2, 0.5, 0.6, 1.0, 1.7])
    for degree in (3, 5):
        c = np.random.default_rng(degree).uniform(-1, 1, degree + 1)
        motion = motions.spline(
            joints={"a": np.polynomial.polynomial.polyval(t, c)}, times=t, degree=degree, ends="free"
        )
        fine = np.linspace(0, 1.7, 50)
        assert np.abs(motion.at(fine).acceleration[:, 0] - np.polynomial.Polynomial(c).deriv(2)(fine)).max() < 1e-10


BAD = {
    "rise from 0": {"times": [0, 1, 1], "drives": {"a": [0, 1, 2]}},
    "they must rise": {"times": [1, 2, 3], "drives": {"a": [0, 1, 2]}},
    "times: 2 given for 3 points": {"times": [0, 1], "drives": {"a": [0, 1, 2]}},
    "degree=4": {"times": [0, 1, 2], "drives": {"a": [0, 1, 2]}, "degree": 4},
    "ends='loose'": {"times": [0, 1, 2], "drives": {"a": [0, 1, 2]}, "ends": "loose"},
    "needs 6 points, 3 are given": {"times": [0, 1, 2], "drives": {"a": [0, 1, 2]}, "degree": 5, "ends": "free"},
    "away from the first": {"times": [0, 1, 2, 3], "drives": {"a": [0, 1, 2, 3]}, "ends": "periodic"},
    "shortest way": {"times": [0, 1], "poses": [{}, {"rpy_zyx": [1, 0, 0]}], "orientation": "rpy_zyx"},
    "degrees apart": {"times": [0, 1], "poses": [{}, {"rpy_zyx": [2.5, 0, 0]}]},
}


@pytest.mark.parametrize("message", list(BAD))
def test_what_is_refused(message):
    with pytest.raises(UsageError, match=message):
        motions.spline(**BAD[message])
