"""[Lopes, section 4]: the motion P1 → P2 → P1 and the forces known for it.

Not printed, chosen: 2 s each way; s(t) = 1/2 - 9/16 cos(πt/T) + 1/16 cos(3πt/T), a trigonometric spline of third order
that starts and ends at rest without acceleration, on all of x y z yaw pitch roll at once.
"""

import numpy as np

from gough_papers.known import INDEPENDENT, Known, first_sample, middle_sample, smallest_and_largest
from gough_papers.states import States, from_rpy_zyx

ROBOT = "lopes"
SIMPLIFIED = "lopes_simplified"
P1 = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
P2 = np.array([-0.1, -0.2, 2.5, *np.radians([15.0, -15.0, 15.0])])


def p1p2p1(duration: float = 2.0, samples: int = 401) -> States:
    """There and back, `duration` (s) each way; `samples` (odd) in all, the middle one is P2."""
    t = np.linspace(0.0, 2.0 * duration, samples)
    one_way = np.where(t <= duration, t, 2.0 * duration - t)
    w = np.pi / duration
    s = 0.5 - 9 / 16 * np.cos(w * one_way) + 1 / 16 * np.cos(3 * w * one_way)
    sd = w * (9 / 16 * np.sin(w * one_way) - 3 / 16 * np.sin(3 * w * one_way)) * np.where(t <= duration, 1.0, -1.0)
    sdd = w**2 * 9 / 16 * (np.cos(w * one_way) - np.cos(3 * w * one_way))
    return from_rpy_zyx(t, P1 + np.outer(s, P2 - P1), np.outer(sd, P2 - P1), np.outer(sdd, P2 - P1))


KNOWN = (
    Known("f at P1", (7.3608,) * 6, "N", 0.00005, INDEPENDENT, first_sample),
    Known("f at P2", (5.3106, 8.1697, 4.2965, 11.2868, 7.5115, 7.5895), "N", 0.00005, INDEPENDENT, middle_sample),
    Known("range of f", (3.566, 11.287), "N", 0.0005, INDEPENDENT, smallest_and_largest),
)
KNOWN_SIMPLIFIED = (Known("f at P1", (7.3510,) * 6, "N", 0.00005, INDEPENDENT, first_sample),)

COMPLETE_MINUS_SIMPLIFIED = {2.0: (0.177, 0.0005), 0.5: (2.85, 0.005)}
"""{duration (s): (largest difference (N), tolerance)}; from the same independent model."""
