"""An accelerometer at a frame.

a_k = Rᵀ ((v_k - v_{k-1}) / T - g)      v: velocity of the frame's origin, R: its rotation, both at the sample; T: period
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.dynamics.twists import frame_pose, frame_twist
from gough.errors import UsageError
from gough.robot.item import nearest
from gough.scalar import select
from gough.simulation.sensors.sensor import Memory, Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
AXES = ("x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class Accelerometer(Sensor):
    """Acceleration less gravity of the origin of a named frame, in its axes (m/s²), as a mean over the period: what a sensor
    tells that integrates between samples. At its first sample it is at rest. See `Sensor` for noise and the rest."""

    frame: str
    name = "accelerometer"
    carried = ("velocity",)
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "noise": ("acceleration",),
        "bias": ("acceleration",),
        "resolution": ("acceleration",),
        "delay": ("time",),
        "period": ("time",),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.frame, str):
            raise UsageError(f"{self.name}: frame={self.frame!r}: give the name of a frame")

    @property
    def structure(self) -> Hashable:
        """See `Sensor`."""
        return self.frame

    def check(self, model: "Model") -> None:
        """See `Sensor`."""
        known = list(model.mechanism.frames)
        if self.frame not in known:
            raise UsageError(
                f"{self.name}: {model.robot.name} has no frame {self.frame!r}; use {nearest(self.frame, known)}"
            )
        super().check(model)

    def channels(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Sensor`."""
        return tuple(f"{self.frame}.{axis}" for axis in AXES), ("m/s2",) * 3

    def memory(self, model: "Model", period: float, key: Vector, begin: float = 0.0) -> Memory:
        """See `Sensor`: and the velocity at the sample before."""
        return super().memory(model, period, key, begin) | {"velocity": np.zeros(3)}

    def _velocity(self, measured: Any) -> Vector:
        return frame_twist(measured.loops.posture, measured.rates, self.frame)[:3]

    def truth(self, measured: Any, memory: Memory, numbers: Memory) -> Vector:
        """See `Sensor`."""
        rotation = frame_pose(measured.loops.posture, self.frame)[1]
        period, begins = numbers["line.period"][0], memory["line.fresh"][0]
        change = (self._velocity(measured) - memory["velocity"]) * (1.0 / period)
        speeds = np.array([select(begins, 0.0, x) for x in change], dtype=object)
        return rotation.T @ (speeds - measured.numbers.gravity())

    def remember(self, values: Vector, memory: Memory, due: Any, measured: Any) -> Memory:
        """See `Sensor`."""
        now = self._velocity(measured)
        return {
            "velocity": np.array(
                [select(due, a, b) for a, b in zip(now, memory["velocity"], strict=True)], dtype=object
            )
        }
