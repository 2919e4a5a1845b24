"""The robot as its sensors tell it to a law."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.own_robot import Measured
from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.dynamics.numbers import Numbers
    from gough.model import Model

Vector = np.ndarray


class Sensed(Measured):
    """As `Measured`, of what sensors show: drives (drives,) and drive_rates (drives,)."""

    def __init__(self, model: "Model", numbers: "Numbers", drives: Vector, rates: Vector) -> None:
        given: dict[str, Any] = {"model": model, "numbers": numbers, "shown": (drives, rates)}
        vars(self).update(given)

    @property
    def q(self) -> Vector:  # type: ignore[override]
        """Configuration (nq,)."""
        raise _unseen("q")

    @property
    def v(self) -> Vector:  # type: ignore[override]
        """Velocities (nv,)."""
        raise _unseen("v")

    @property
    def drives(self) -> Vector:
        """Drive coordinates (drives,)."""
        return vars(self)["shown"][0]

    @property
    def drive_rates(self) -> Vector:
        """Their rates (drives,)."""
        return vars(self)["shown"][1]


def _unseen(what: str) -> UsageError:
    return UsageError(f"the controller asks for {what} of the robot, its encoders tell drives alone")


def seen_by(sensors: Sequence[Sensor], measured: Measured, shown: Sequence[Vector]) -> Measured:
    """What a law sees through its sensors, which show these numbers; without any the robot's state."""
    if not sensors:
        return measured
    n = len(measured.model.mechanism.drives)
    for sensor, x in zip(sensors, shown, strict=True):
        if isinstance(sensor, Encoders):
            return Sensed(measured.model, measured.numbers, x[:n], x[n:])
    raise UsageError("sensors=: no encoders among them; give gough.sensors.Encoders()")
