"""The three paths of [Pedrammehr 2012, Appendix 2], from the library's motions.

Samples lie at t = (k + 1/2) T/601: none falls on a jump of forces.
"""

from dataclasses import dataclass

import numpy as np

from gough import named_motion
from papers.states import along

SAMPLES = 601


@dataclass(frozen=True)
class Path:
    """Sampled motion of the platform origin, world axes.

    t (n,), position (n, 3), rotation (n, 3, 3), twist and acceleration (n, 6), linear first.
    """

    t: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray

    @property
    def state(self):
        """position, rotation, twist, acceleration."""
        return self.position, self.rotation, self.twist, self.acceleration


def path(number, samples=SAMPLES):
    """Path 1, 2 or 3."""
    name = f"pedrammehr2012_path{number}"
    t = (np.arange(samples) + 0.5) * named_motion(name).duration / samples
    return Path(t, *along(name, t))
