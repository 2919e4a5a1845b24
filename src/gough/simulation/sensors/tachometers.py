"""Tachometers of the drives: their rates."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.simulation.sensors.sensor import Memory, Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Tachometers(Sensor):
    """Rates of all drives (m/s, rad/s), instead of the differences of `Encoders` beside them; see `Sensor` for the rest."""

    name = "tachometers"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "noise": ("speed", "angular speed"),
        "bias": ("speed", "angular speed"),
        "resolution": ("speed", "angular speed"),
        "delay": ("time",),
        "period": ("time",),
    }

    @property
    def structure(self) -> Hashable:
        """See `Sensor`."""
        return None

    def channels(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Sensor`."""
        names = tuple(f"v.{name}" for name in model.layout.drive_names)
        return names, tuple(f"{model.layout.q_units[k]}/s" for k in model.drive_index)

    def truth(self, measured: Any, memory: Memory, numbers: Memory) -> Vector:
        """See `Sensor`."""
        return measured.drive_rates
