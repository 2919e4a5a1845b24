"""A limit of how fast a command may change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.scalar import select
from gough.simulation.actuators.actuator import Actuator, Memory, per_drive

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class RateLimit(Actuator):
    """Commands change from sample to sample by no more than rate (N/s, N·m/s) times the period; the first one is as it is."""

    rate: float | Sequence[float]
    plain = True
    name = "rate limit"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {"rate": ("force per time", "torque per time")}

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Actuator`."""
        return {"rate": tuple(f"{unit}/s" for unit in model.layout.drive_units)}

    def pass_sample(self, command: Vector, before: Vector, begins: Any, numbers: Memory, period: Any) -> Vector:
        """See `Actuator`."""
        out = []
        for x, last, rate in zip(command, before, numbers["rate"], strict=True):
            most = rate * period
            change = select(x - last - most, most, select(last - x - most, -most, x - last))
            out.append(select(begins, x, last + change))
        return per_drive(out)
