"""Derivatives of a motion by differences of its positions and velocities alone; orientations through SciPy's rotations."""

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation


def rotation(pose):
    """SciPy's rotations of poses (..., 7)."""
    return Rotation.from_quat(np.roll(pose[..., 3:], -1, axis=-1))


def change(kind, a, b):
    """What velocity leads from positions a to b (n, …) in one second: of poses with a rotation vector."""
    if kind != "pose":
        return b - a
    turn = (rotation(b) * rotation(a).inv()).as_rotvec()
    return np.concatenate([b[:, :3] - a[:, :3], turn], axis=1)


def inside(motion, each=5):
    """(times, step): times inside the smooth pieces, and a step that stays there."""
    widths = np.diff(motion.breaks)[:, None]
    t = motion.breaks[:-1, None] + widths * np.linspace(0.2, 0.8, each)
    return t.ravel(), np.broadcast_to(0.02 * widths, t.shape).ravel()


def velocity(motion, t, h):
    """By central differences over h, h/2, h/4, extrapolated: error of order h⁶."""
    return _extrapolated(lambda s: change(motion.kind, motion.at(t - s).position, motion.at(t + s).position), h)


def acceleration(motion, t, h):
    """The same of the velocity."""
    return _extrapolated(lambda s: motion.at(t + s).velocity - motion.at(t - s).velocity, h)


def _extrapolated(step, h):
    rows = [step(s) / (2 * s[:, None]) for s in (h, h / 2, h / 4)]
    first = [(4 * b - a) / 3 for a, b in pairwise(rows)]
    return (16 * first[1] - first[0]) / 15
