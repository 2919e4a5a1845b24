"""Laws of every motion: velocity and acceleration are derivatives, pieces fit together, ends are as promised."""

import pickle

import numpy as np
import pytest

import gough
from gough import motions
from gough.errors import UsageError
from simulation import differences
from simulation.motion_family import DRIVES, MEMBERS, POSES

EVERY = pytest.mark.parametrize("name", list(MEMBERS))


def size(x):
    return max(1e-12, np.abs(x).max())


@EVERY
def test_velocity_is_the_derivative_of_position(name):
    motion = MEMBERS[name].motion
    t, h = differences.inside(motion)
    found = motion.at(t).velocity
    assert np.abs(differences.velocity(motion, t, h) - found).max() <= 1e-8 * size(found)


@EVERY
def test_acceleration_is_the_derivative_of_velocity(name):
    motion = MEMBERS[name].motion
    t, h = differences.inside(motion)
    found = motion.at(t).acceleration
    assert np.abs(differences.acceleration(motion, t, h) - found).max() <= 1e-7 * size(found)


@EVERY
def test_pieces_fit_together(name):
    """At every break position and velocity continue; accelerations jump at kinks only, and nowhere in a smooth motion."""
    member = MEMBERS[name]
    motion = member.motion
    inner = motion.breaks[1:-1]
    left, right = motion.at(inner, "left"), motion.at(inner)
    everywhere = motion.at(np.linspace(0, motion.duration, 301))
    assert np.abs(left.position - right.position).max(initial=0) <= 1e-12 * size(everywhere.position)
    assert np.abs(left.velocity - right.velocity).max(initial=0) <= 1e-11 * size(everywhere.velocity)
    jumps = np.abs(left.acceleration - right.acceleration).max(axis=1, initial=0) > 1e-8 * size(everywhere.acceleration)
    assert np.array_equal(motion.kinks, [0, *inner[jumps], motion.duration])
    if member.smooth >= 2:
        assert not jumps.any()
    else:
        assert jumps.any()


@EVERY
def test_sides_of_a_break_are_limits(name):
    motion = MEMBERS[name].motion
    inner, step = motion.breaks[1:-1], 1e-7 * motion.duration
    scale = [size(x) for x in (motion.at(motion._spread()).velocity, motion.at(motion._spread()).acceleration)]
    for side, shift in (("left", -step), ("right", step)):
        at, near = motion.at(inner, side), motion.at(inner + shift)
        assert np.abs(at.velocity - near.velocity).max(initial=0) <= 1e-4 * scale[0]
        assert np.abs(at.acceleration - near.acceleration).max(initial=0) <= 1e-4 * scale[1]


@EVERY
def test_ends(name):
    member = MEMBERS[name]
    start, end = member.motion.at(0.0), member.motion.at(member.motion.duration)
    assert start.position.shape == (len(member.motion.names),)
    assert start.velocity.shape == (len(member.motion.velocity_names),)
    at_rest = max(np.abs(x.velocity).max() for x in (start, end)) < 1e-12
    assert at_rest == (member.rests or name == "spline")
    if member.rests and member.smooth >= 2:
        assert max(np.abs(x.acceleration).max() for x in (start, end)) < 1e-11


@EVERY
def test_quaternions_are_of_unit_length_and_do_not_jump(name):
    motion = MEMBERS[name].motion
    if motion.kind == "pose":
        q = motion.at(np.linspace(0, motion.duration, 2001)).position[:, 3:]
        assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < 1e-14
        assert np.einsum("ni,ni->n", q[1:], q[:-1]).min() > 0.99


@EVERY
def test_shapes_and_slowness(name):
    motion = MEMBERS[name].motion
    t = np.linspace(0, motion.duration, 24).reshape(2, 3, 4)
    some, slow = motion.at(t), motion.slower(3.0).at(3.0 * t)
    assert some.position.shape == (2, 3, 4, len(motion.names))
    assert motion.at(np.zeros((0, 2))).velocity.shape == (0, 2, len(motion.velocity_names))
    assert np.abs(some.position - slow.position).max() < 1e-12 * size(some.position)
    assert np.abs(some.velocity - 3 * slow.velocity).max() < 1e-11 * size(some.velocity)
    smooth = np.abs(t[..., None] - motion.breaks).min(axis=-1) > 1e-9
    off = some.acceleration - 9 * slow.acceleration
    assert np.abs(off[smooth]).max() < 1e-11 * size(some.acceleration)


@EVERY
def test_outside_of_its_time(name):
    motion = MEMBERS[name].motion
    end = motion.duration
    for t in (-0.1, end + 0.1):
        with pytest.raises(UsageError, match="extend='hold'"):
            motion.at(t)
    assert np.array_equal(motion.at(end * (1 + 1e-14)).position, motion.at(end).position)
    held = motion.extended().at([-5.0, end + 5.0])
    ends = motion.at([0.0, end])
    assert np.array_equal(held.position, ends.position)
    assert not held.velocity.any() and not held.acceleration.any()


def test_then_and_hold():
    first = motions.quintic(drives=DRIVES, durations=1.0)
    back = motions.quintic(drives={n: x[::-1] for n, x in DRIVES.items()}, durations=2.0)
    whole = first.then(back).hold(0.5)
    assert whole.duration == 6.5
    assert np.allclose(whole.at(2.0 + 1.3).position, back.at(1.3).position, rtol=0, atol=1e-15)
    assert np.allclose(whole.at([6.0, 6.2, 6.5]).position, [[0.0, 0.0]] * 3, rtol=0, atol=1e-15)
    assert list(whole.kinks) == [0, 6.5]


def test_what_does_not_follow_is_refused():
    first = motions.quintic(drives=DRIVES, durations=1.0)
    with pytest.raises(UsageError, match=r"begins at 2 s begins elsewhere: q21 is 0 after 0\.3"):
        first.then(first)
    with pytest.raises(UsageError, match="different things"):
        first.then(motions.quintic(poses=POSES, durations=1.0))
    fast = motions.trapezoid(drives={"a": [0, 1]}, durations=2.0, ramps=0)
    with pytest.raises(UsageError, match=r"velocity would jump by 0\.5 at 2 s"):
        fast.hold(1.0)
    stopped = fast.hold(1.0, jump=True)
    assert stopped.at(2.0, "left").velocity == 0.5 and stopped.at(2.0).velocity == 0
    assert list(stopped.kinks) == [0, 2, 3]


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf])
def test_bad_factors_and_times(bad):
    motion = motions.quintic(drives=DRIVES, durations=1.0)
    with pytest.raises(UsageError):
        motion.slower(bad)
    with pytest.raises(UsageError):
        motion.hold(bad)
    with pytest.raises(UsageError):
        motion.at([0.1, bad if bad != 0 else np.nan])
    with pytest.raises(UsageError, match="side"):
        motion.at(0.1, side="above")


def test_public_names():
    assert all(getattr(gough.motions, name) is getattr(motions, name) for name in motions.__all__)
    assert isinstance(MEMBERS["quintic"].motion, gough.Motion)
    assert "drives q11 q21" in repr(MEMBERS["quintic drives"].motion)
    again = pickle.loads(pickle.dumps(MEMBERS["spline"].motion))
    assert np.array_equal(again.at(0.7).position, MEMBERS["spline"].motion.at(0.7).position)
