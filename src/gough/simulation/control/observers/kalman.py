"""The steady Kalman observer: one gain, of the robot in equilibrium at a configuration."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.simulation.control.observers.design import Schedule, first_covariance
from gough.simulation.control.observers.observer import Observer

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Kalman(Observer):
    """Steady Kalman filter: its gain is that of the exact linear model from sample to sample at `at`; between samples the
    estimate follows the forward dynamics of the whole robot, so that it goes along on large motions. See `Observer`."""

    name = "Kalman observer"

    def schedule(self, model: "Model", numbers: Vector, period: float, motion: "Motion | None", place: Any) -> Schedule:
        """See `Observer`."""
        found = place(self.rest_at(model, numbers))
        return Schedule(np.zeros(1), (found,), (first_covariance(self.name, found),))
