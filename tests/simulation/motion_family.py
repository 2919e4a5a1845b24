"""One motion of every family, in all kinds, with what must hold for it."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from gough import Motion, motions

POSES = (
    {"position": [0.0, 0.0, 1.0]},
    {"position": ["50 mm", -0.2, 1.1], "rpy_zyx": ["130 deg", 0.2, -0.4]},
    {"position": [0.0, 0.1, 0.9], "rpy_zyx": [0.3, -0.5, 0.2]},
)
DRIVES = {"q11": [0.0, 0.25, 0.1], "q21": [0.0, -0.1, 0.3]}
TIMES = np.array([0.0, 0.3, 0.5, 1.0, 1.2, 1.4, 1.9, 2.5])


def samples() -> np.ndarray:
    """Poses (8, 7) of a wandering frame; neighbours at most a radian apart."""
    random = np.random.default_rng(5)
    turns = Rotation.identity()
    rows = []
    for k in range(len(TIMES)):
        turns = Rotation.from_rotvec(random.uniform(-0.5, 0.5, 3)) * turns
        x, y, z, w = turns.as_quat()
        sign = -1.0 if k % 3 == 1 else 1.0  # both signs of a quaternion are the same orientation
        rows.append([*random.uniform(-0.3, 0.3, 3), sign * w, sign * x, sign * y, sign * z])
    return np.array(rows)


@dataclass(frozen=True)
class Member:
    """smooth: number of derivatives that are continuous (at least 1). rests: starts and ends at rest. exact: its table is
    made of its own polynomials."""

    motion: Motion
    smooth: int
    rests: bool
    exact: bool


def _wave(t):
    return [0.1 * np.sin(3 * t), t**2 / 5, 1 / (1 + t), 0.3 * np.cos(t), 0.2 * t, np.exp(-t)]


def members() -> dict[str, Member]:
    poses = {"poses": POSES, "durations": [0.8, 0.6]}
    wander = samples()
    closed = np.concatenate([wander, wander[:1]])
    round_times = np.append(TIMES, 2.8)
    tail = motions.quintic(poses=POSES[::-1], durations=0.7)
    walk = motions.trapezoid(poses=POSES, durations=0.8, ramps=[0.1, 0.4], turn_ramps=[0.3, 0.2], rests=[0.1, 0.2, 0])
    kinked = motions.function(
        lambda t: [np.where(t < 0.5, t**3, 0.125 + 0.75 * (t - 0.5)), np.sin(t)],
        1.0,
        kind="joints",
        names=["a", "b"],
        kinks=[0.5],
    )
    return {
        "quintic": Member(motions.quintic(**poses, rests=[0.5, 0.0, 0.25]), 2, True, True),
        "quintic angles": Member(motions.quintic(**poses, orientation="rpy_zyx"), 2, True, False),
        "quintic bryant": Member(
            motions.quintic(poses=samples()[:4], durations=0.5, orientation="bryant_xyz", offsets_from=samples()[6]),
            2,
            True,
            False,
        ),
        "quintic drives": Member(motions.quintic(drives=DRIVES, times=[0, 1, 3], rests=0.25), 2, True, True),
        "septic": Member(motions.septic(**poses, rests=[0.5, 0.0, 0.25]), 3, True, True),
        "septic angles": Member(motions.septic(**poses, orientation="rpy_zyx"), 3, True, False),
        "s_curve": Member(
            motions.s_curve(poses=POSES, rests=0.1, speed=0.4, jerk=20, turn_acceleration=3, turn_jerk=90),
            2,
            True,
            True,
        ),
        "s_curve snap": Member(
            motions.s_curve(drives=DRIVES, speed=[0.4, 0.3], acceleration=2, jerk=40, snap=4e3), 3, True, True
        ),
        "trapezoid": Member(walk, 1, True, True),
        "trapezoid speeds": Member(motions.trapezoid(joints=DRIVES, durations=1.5, speeds=[0.25, 0.4]), 1, True, True),
        "trigonometric": Member(motions.trigonometric(**poses), 2, True, False),
        "trigonometric point": Member(
            motions.trigonometric(points=[[0, 0, 1], [1, 2, 0.5]], durations=2.0, frame="tool"), 2, True, False
        ),
        "circle": Member(motions.circle(pose=POSES[1], radius=0.1, duration=3.0, normal=[1, 2, 1]), 2, True, False),
        "circle turning": Member(
            motions.circle(
                pose=POSES[1], radius=0.1, duration=3.0, turning=True, law="trapezoid", ramp=0.5, turns=-1.5
            ),
            1,
            True,
            False,
        ),
        "circle constant": Member(
            motions.circle(
                drives={"a": 0.2, "b": 0.0, "c": 1.0}, plane=("c", "a"), radius=0.3, law="constant", speed=0.5
            ),
            2,
            False,
            False,
        ),
        "polygon": Member(
            motions.polygon(drives=DRIVES, durations=1.8, law="trapezoid", ramps=0.2, period=6.25), 1, True, True
        ),
        "square": Member(
            motions.square(pose=POSES[2], side=0.2, durations=0.5, normal=[0, 1, 0], rests=0.1), 2, True, True
        ),
        "spline": Member(motions.spline(poses=wander, times=TIMES), 2, False, False),
        "spline quintic": Member(motions.spline(poses=wander, times=TIMES, degree=5), 4, True, False),
        "spline free": Member(
            motions.spline(joints={"a": wander[:, 0]}, times=TIMES, degree=5, ends="free"), 4, False, True
        ),
        "spline natural": Member(motions.spline(drives=wander[:, :3], times=TIMES, ends="natural"), 2, False, True),
        "spline periodic": Member(
            motions.spline(points=closed[:, :3], times=round_times, ends="periodic", degree=5, frame="tip"),
            4,
            False,
            True,
        ),
        "fourier": Member(
            motions.fourier(period=3.0, drives={"a": 0.2, "b": -1.0}, cosines={"a": [0.3, 0.1]}, sines={"b": [0.2]}),
            4,
            False,
            False,
        ),
        "function": Member(motions.function(_wave, 2.0), 4, False, False),
        "function angles": Member(motions.function(_wave, 2.0, orientation="bryant_xyz"), 4, False, False),
        "function quaternion": Member(
            motions.function(lambda t: [t, t * 0, 1, 1 + t, np.sin(t), t**2, 0.5], 1.5, orientation="quaternion_wxyz"),
            4,
            False,
            False,
        ),
        "function kinked": Member(kinked, 1, False, False),
        "shaped": Member(
            motions.shape(motions.quintic(**poses), shaper="zvd", frequency=3.0, damping=0.05), 2, True, False
        ),
        "shaped trapezoid": Member(
            motions.shape(motions.trapezoid(joints=DRIVES, durations=1.5, ramps=0.3), frequency=2.0), 1, True, False
        ),
        "slower": Member(walk.slower(1.7), 1, True, True),
        "then": Member(walk.then(tail).hold(0.3), 1, True, True),
        "spline then slower": Member(
            motions.spline(poses=wander, times=TIMES, degree=5).hold(0.5).slower(0.5), 2, True, False
        ),
    }


MEMBERS = members()
