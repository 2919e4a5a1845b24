"""Moves under limits: against linear programming, averages by numbers, and what end conditions demand."""

import numpy as np
import pytest
from scipy.optimize import linprog

import gough
from gough import motions
from gough.errors import UsageError


def largest(motion, order):
    """Of a derivative (order 1, 2, …) of every coordinate, from the table's polynomials at ends and middles of its pieces."""
    table = motion.table()
    peak = np.zeros(len(motion.names))
    for row, h in zip(table.coefficients, np.diff(table.breaks), strict=True):
        for k, c in enumerate(row):
            values = np.polynomial.Polynomial(c).deriv(order)(np.linspace(0.0, h, 41))
            peak[k] = max(peak[k], np.abs(values).max())
    return peak


def farthest(T, limits, steps=240):
    """The farthest move in time T from rest to rest whose derivatives obey the limits, by linear programming over a last
    derivative that is constant in equal steps; limits are demanded where steps meet."""
    h, n = T / steps, len(limits)
    A = np.eye(n)  # derivatives 0 … n - 1 after a step from those before it, and from the last derivative
    for i in range(n):
        for j in range(i + 1, n):
            A[i, j] = A[i, j - 1] * h / (j - i)
    b = np.array([h ** (n - i) / np.prod(np.arange(1, n - i + 1)) for i in range(n)])
    rows = np.zeros((steps + 1, n, steps))
    for k in range(steps):
        rows[k + 1] = A @ rows[k]
        rows[k + 1][:, k] += b
    bounded = [(rows[1:-1, d], limits[d - 1]) for d in range(1, n)]
    above = np.concatenate([m for m, _ in bounded] + [-m for m, _ in bounded])
    most = np.concatenate([np.full(len(m), limit) for m, limit in bounded] * 2)
    found = linprog(-rows[-1, 0], above, most, rows[-1, 1:], np.zeros(n - 1), (-limits[-1], limits[-1]), method="highs")
    return -found.fun


@pytest.mark.parametrize(
    "limits", [(0.5, 2.0, 15.0), (1.5, 2.0, 15.0), (0.5, 20.0, 15.0), (9.0, 1.2, 40.0), (9.0, 90.0, 15.0)]
)
def test_no_move_of_limited_jerk_is_faster(limits):
    """All five kinds: with and without constant speed and constant acceleration."""
    speed, acceleration, jerk = limits
    motion = motions.s_curve(joints={"a": [0.0, 0.3]}, speed=speed, acceleration=acceleration, jerk=jerk)
    assert farthest(motion.duration, limits) == pytest.approx(0.3, rel=2e-3)


@pytest.mark.parametrize("limits", [(0.5, 2.0, 15.0, 900.0), (0.5, 2.0, 40.0, 300.0), (9.0, 2.0, 15.0, 900.0)])
def test_limited_snap_is_nearly_the_fastest_and_keeps_all_limits(limits):
    names = ("speed", "acceleration", "jerk", "snap")
    motion = motions.s_curve(joints={"a": [0.0, 0.3]}, **dict(zip(names, limits, strict=True)))
    peaks = [largest(motion, order)[0] for order in (1, 2, 3, 4)]
    assert all(peak <= limit * (1 + 1e-9) for peak, limit in zip(peaks, limits, strict=True))
    assert peaks[3] == pytest.approx(limits[3])
    best = farthest(motion.duration, limits)
    assert best * (1 + 2e-3) >= 0.3 and best < 0.3 * 1.1


def test_it_is_a_step_averaged_three_times():
    """By sums over 0.1 ms: the mean over T1, then over T2, then over T3; times from the textbook for limits that are reached."""
    D, speed, acceleration, jerk = 0.4, 0.5, 2.0, 20.0
    motion = motions.s_curve(joints={"a": [0.0, D]}, speed=speed, acceleration=acceleration, jerk=jerk)
    widths = (D / speed, speed / acceleration, acceleration / jerk)
    assert motion.duration == pytest.approx(sum(widths))
    h = 1e-4
    x = np.full(int(2 * motion.duration / h), D)
    for width in widths:
        count = round(width / h)
        x = np.convolve(x, np.full(count, 1.0 / count))[: len(x)]
    t = np.arange(0.0, motion.duration - h, 50 * h)
    assert np.abs(motion.at(t).position[:, 0] - x[(t / h).round().astype(int)]).max() < 2e-4


def test_coordinates_arrive_together_and_the_strictest_limit_counts():
    drives = {"a": [0.0, 0.3, 0.3], "b": [0.2, -0.4, -0.3]}
    speed, acceleration, jerk = limits = [0.5, 0.6], [4.0, 3.0], [80.0, 60.0]
    motion = motions.s_curve(drives=drives, speed=speed, acceleration=acceleration, jerk=jerk)
    peaks = np.array([largest(motion, order) for order in (1, 2, 3)])
    reached = peaks / np.array(limits)
    assert (reached < 1 + 1e-9).all() and reached[:, 1] == pytest.approx(1.0)
    first = motion.at(np.linspace(0.0, motion.duration, 400)).position
    on_the_way = first[first[:, 0] < 0.3 - 1e-9]
    assert on_the_way[:, 1] == pytest.approx(0.2 - 2.0 * on_the_way[:, 0])


def test_poses_are_limited_in_path_and_rotation():
    poses = [[0, 0, 0, 1, 0, 0, 0], {"position": [0.02, 0, 0], "rpy_zyx": [1.0, 0, 0]}]
    motion = motions.s_curve(poses=poses, speed=1.0, jerk=100.0, turn_speed=0.8, turn_acceleration=5.0, turn_jerk=60.0)
    t = np.linspace(0.0, motion.duration, 4001)
    turn = np.abs(motion.at(t).velocity[:, 5]), np.abs(motion.at(t).acceleration[:, 5])
    assert turn[0].max() == pytest.approx(0.8) and turn[1].max() == pytest.approx(5.0)
    assert motion.at(motion.duration).position[:3] == pytest.approx([0.02, 0, 0], abs=1e-15)


def test_more_time_than_needed_is_taken():
    drives = {"a": [0.0, 0.3]}
    fast = motions.s_curve(drives=drives, speed=0.5, jerk=50.0)
    slow = motions.s_curve(drives=drives, speed=0.5, jerk=50.0, durations=3 * fast.duration)
    t = np.linspace(0.0, fast.duration, 50)
    assert slow.at(3 * t).position == pytest.approx(fast.at(t).position, abs=1e-14)


def test_septic_has_eight_end_conditions():
    """x, ẋ, ẍ and the jerk at both ends, by solving for the coefficients."""
    T = 1.3
    factor = [[np.prod(np.arange(k, k - d, -1)) if k >= d else 0.0 for k in range(8)] for d in range(4)]
    rows = [[f * (k == d) for k, f in enumerate(factor[d])] for d in range(4)]
    rows += [[f * T ** (k - d) if k >= d else 0.0 for k, f in enumerate(factor[d])] for d in range(4)]
    c = np.linalg.solve(np.array(rows), [0.2, 0, 0, 0, 0.9, 0, 0, 0])
    t = np.linspace(0.0, T, 50)
    motion = motions.septic(joints={"a": [0.2, 0.9]}, durations=T)
    assert np.abs(motion.at(t).position[:, 0] - np.polynomial.polynomial.polyval(t, c)).max() < 1e-12
    assert np.abs(motion.at(t).acceleration[:, 0] - np.polynomial.Polynomial(c).deriv(2)(t)).max() < 1e-10
    assert motions.circle(point=[0, 0, 0], frame="a", radius=1.0, duration=T, law="septic").duration == T


def test_files_have_units():
    text = """
format: 1
motion:
  s_curve:
    drives: {left_motor: [120 deg, 2.2], right_motor: [1.0, 1.3]}
    speed: 90 deg/s
    acceleration: [20 rad/s^2, 30 rad/s^2]
    jerk: 900 rad/s^3
"""
    model = gough.build("five_bar")
    own = motions.s_curve(
        drives={"left_motor": [np.radians(120), 2.2], "right_motor": [1.0, 1.3]},
        speed=np.pi / 2,
        acceleration=[20, 30],
        jerk=900,
    )
    read = motions.read_motion(text, model=model).motion
    assert read.duration == pytest.approx(own.duration) and read.units == ("rad", "rad")
    with pytest.raises(gough.DescriptionError, match="the acceleration of left_motor is an angular acceleration"):
        motions.read_motion(text.replace("[20 rad/s^2, 30", "[20 m/s^2, 30"), model=model)
    with pytest.raises(gough.DescriptionError, match="a positive jerk in m/s3 or angular jerk in rad/s3"):
        motions.read_motion(text.replace("rad/s^3", "rad/s^2"), model=model)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"drives": {"a": [0, 0.3]}}, "give jerk= or snap="),
        ({"drives": {"a": [0, 0.3]}, "speed": 1.0}, "speed= alone does not limit the jerk"),
        ({"drives": {"a": [0, 0.3]}, "jerk": [1.0, 2.0]}, "give one positive number"),
        ({"drives": {"a": [0, 0.3]}, "jerk": -1.0}, "give one positive number"),
        ({"drives": {"a": [0, 0.3]}, "jerk": 9.0, "turn_jerk": 1.0}, "turn_jerk= goes with poses="),
        ({"drives": {"a": [0.3, 0.3]}, "jerk": 9.0}, "points 0 and 1 are the same"),
        (
            {"drives": {"a": [0, 0.3]}, "jerk": 100.0, "durations": 0.3},
            "takes 0.457886 s under these limits, not 0.3 s",
        ),
        ({"poses": [[0, 0, 0, 1, 0, 0, 0], {"rpy_zyx": [0.3, 0, 0]}], "jerk": 9.0}, "turns 0.3 rad; give turn_jerk="),
    ],
)
def test_misuse_is_named(given, said):
    with pytest.raises(UsageError, match=said):
        motions.s_curve(**given)
