"""[Long 2014]: the motion through four poses, and the forces at the initial pose with a rigid platform.

The paper's poses are not printed; these are ours. Offsets from the initial pose: x y z and a b c with
R = Rz(c) Ry(b) Rx(a); a quintic of 0.8 s between neighbours; rests of 0.5 s at both ends.
"""

import numpy as np

from gough_papers.known import INDEPENDENT, Known, first_sample
from gough_papers.states import States, from_rpy_zyx

ROBOT = "long2014_rigid"
INITIAL = np.array([0.25, np.sqrt(3.0) / 4.0, 1.0, 0.0, 0.0, 0.0])
"""x y z yaw pitch roll of the platform's centre [Long 2014, Table 4]."""

_OFFSETS = np.array(  # x y z, a b c
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.05, 0.04, 0.06, 0.08, -0.06, 0.10],
        [-0.06, 0.02, 0.03, -0.06, 0.08, -0.08],
        [0.02, -0.05, -0.04, 0.05, 0.05, 0.12],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
_MOVE, _REST = 0.8, 0.5


def poses(samples: int = 421) -> States:
    """The motion of 4.2 s; the first and last samples are at rest at the initial pose."""
    points = INITIAL + _OFFSETS[:, [0, 1, 2, 5, 4, 3]]  # a b c are roll, pitch, yaw
    moves = len(points) - 1
    t = np.linspace(0.0, 2 * _REST + moves * _MOVE, samples)
    piece = np.clip(((t - _REST) // _MOVE).astype(int), 0, moves - 1)
    r = np.clip((t - _REST - piece * _MOVE) / _MOVE, 0.0, 1.0)
    s = r**3 * (10 - 15 * r + 6 * r**2)
    sd = 30 * r**2 * (1 - r) ** 2 / _MOVE
    sdd = 60 * r * (1 - r) * (1 - 2 * r) / _MOVE**2
    step = points[piece + 1] - points[piece]
    return from_rpy_zyx(t, points[piece] + s[:, None] * step, sd[:, None] * step, sdd[:, None] * step)


KNOWN = (
    Known(
        "f at the initial pose",
        (-621.7, -400.3, 1950.1, -1003.5, -107.5, 1532.3),
        "N",
        0.05,
        INDEPENDENT,
        first_sample,
    ),
)
