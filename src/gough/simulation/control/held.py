"""Drive forces that come from outside, step by step."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from gough.simulation.control.law import Here, Law

Vector = np.ndarray


@dataclass(frozen=True)
class Held(Law):
    """Drive forces that are given for every step, and held during it: what drives a `Stepper` without a controller."""

    name = "given step by step"
    computes = False
    held = True

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return True

    def forces(self, here: Here) -> Vector:
        """The forces held, which stand in the row."""
        return here.now.position
