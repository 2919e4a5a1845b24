"""[Pedrammehr 2012, Appendix 2]: the three paths and the drive forces known for them.

Not printed, chosen: path 1 has constant velocity (0.5 m in 6 s; the printed 0.08 m/s would not arrive). On paths 2 and 3
translation and rotation have trapezoidal speeds that take the whole time each: ramp = T - distance/speed, so the ramps
differ (path 2: 2.4645 s and 1.0 s). Samples at t = (k + 1/2) T/601: none falls on a jump of acceleration.
"""

import numpy as np

from gough_papers.known import INDEPENDENT, Known, first_sample, largest, root_mean_square
from gough_papers.states import States, from_rpy_zyx

SAMPLES = 601
ROBOT = "pedrammehr2012"

_START, _END = np.array([0.1, 0.0, 0.4]), np.array([0.3, 0.0, 0.6])
_YAW_START, _TURN = -0.2, 0.4


def path1() -> States:
    """Along x at constant speed, 0.5 m in 6 s, without turning."""
    T = 6.0
    t = _times(T)
    x, xd = np.zeros((SAMPLES, 6)), np.zeros((SAMPLES, 6))
    x[:, 2] = 0.5
    x[:, 0], xd[:, 0] = 0.1 + 0.5 * t / T, 0.5 / T
    return from_rpy_zyx(t, x, xd, np.zeros((SAMPLES, 6)))


def path2() -> States:
    """Up a slope while turning about z, at most 0.08 m/s and 0.08 rad/s, 6 s."""
    return _slope(6.0, 0.08)


def path3() -> States:
    """As path 2, ten times as fast: 0.8 m/s and 0.8 rad/s, 0.6 s."""
    return _slope(0.6, 0.8)


def _slope(T: float, speed: float) -> States:
    t = _times(T)
    distance = float(np.linalg.norm(_END - _START))
    along = np.zeros(6)
    along[:3] = (_END - _START) / distance
    about = np.zeros(6)
    about[3] = 1.0
    start = np.concatenate([_START, [_YAW_START, 0.0, 0.0]])
    way, turn = _trapezoid(t, T, distance, speed), _trapezoid(t, T, _TURN, speed)
    x, xd, xdd = (np.outer(s, along) + np.outer(a, about) for s, a in zip(way, turn, strict=True))
    return from_rpy_zyx(t, start + x, xd, xdd)


def _times(T: float) -> np.ndarray:
    return (np.arange(SAMPLES) + 0.5) * T / SAMPLES


def _trapezoid(t: np.ndarray, T: float, distance: float, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Length, rate and second rate (n,): equal ramps at both ends, `speed` between them."""
    ramp = T - distance / speed
    left = np.minimum(t, T - t)  # time from the nearer end: the profile is symmetric
    ramping = left < ramp
    gone = np.where(ramping, 0.5 * speed / ramp * left**2, speed * (left - 0.5 * ramp))
    length = np.where(t < 0.5 * T, gone, distance - gone)
    rate = np.where(ramping, speed / ramp * left, speed)
    second = np.where(ramping, np.where(t < 0.5 * T, 1.0, -1.0) * speed / ramp, 0.0)
    return length, rate, second


def _known(largest_force: float, rms: float, first: tuple[float, ...] = ()) -> tuple[Known, ...]:
    known = [
        Known("max |f|", (largest_force,), "N", 0.05, INDEPENDENT, largest),
        Known("rms f", (rms,), "N", 0.05, INDEPENDENT, root_mean_square),
    ]
    if first:
        known.append(Known("f at first sample", first, "N", 0.0005, INDEPENDENT, first_sample))
    return tuple(known)


KNOWN_PATH1 = _known(1152.3, 630.0)
KNOWN_PATH2 = _known(1683.2, 694.0, (271.010, -1270.130, 1683.231, -719.764, -248.035, 692.075))
KNOWN_PATH3 = _known(2377.4, 872.3, (145.366, -1692.133, 2377.362, -997.397, -548.394, 1244.382))
"""Positive forces lengthen the leg."""
