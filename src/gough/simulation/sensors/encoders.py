"""Encoders of the drives: positions, and rates from their differences."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import number, take
from gough.scalar import select
from gough.simulation.sensors.sensor import Memory, Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Encoders(Sensor):
    """Positions of all drives (m, rad); see `Sensor` for noise, bias, resolution, delay, period and lost. Rates are differences
    of two samples over the period, smoothed by a low pass of first order where bandwidth (Hz) is given; that of the first
    sample is exact, as of a controller that was on before."""

    bandwidth: float | None = None
    name = "encoders"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "noise": ("length", "angle"),
        "bias": ("length", "angle"),
        "resolution": ("length", "angle"),
        "delay": ("time",),
        "period": ("time",),
        "bandwidth": ("frequency",),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bandwidth is not None:
            object.__setattr__(self, "bandwidth", take("bandwidth (Hz)", number(above=0), self.bandwidth))

    @property
    def structure(self) -> Hashable:
        """See `Sensor`."""
        return self.bandwidth is None

    def channels(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Sensor`."""
        return model.layout.drive_names, tuple(model.layout.q_units[k] for k in model.drive_index)

    def readings(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Sensor`: rates after positions."""
        names, units = self.channels(model)
        return (*names, *(f"v.{name}" for name in names)), (*units, *(f"{unit}/s" for unit in units))

    def truth(self, measured: Any, memory: Memory, numbers: Memory) -> Vector:
        """See `Sensor`."""
        return measured.drives

    def numbers(self, model: "Model", period: float) -> Memory:
        """See `Sensor`: and the part of a new difference in the rate."""
        found, own = super().numbers(model, period), period if self.period is None else self.period
        if self.bandwidth is None:
            return found
        return found | {"part": np.array([1.0 - np.exp(-2.0 * np.pi * self.bandwidth * own)])}

    def memory(self, model: "Model", period: float, key: Vector, begin: float = 0.0) -> Memory:
        """See `Sensor`: and the rates."""
        return super().memory(model, period, key, begin) | {"rate": np.zeros(len(self.channels(model)[0]))}

    def follow(self, x: Vector, memory: Memory, numbers: Memory, period: Any, measured: Any) -> Vector:
        """See `Sensor`."""
        rate = (x - memory["last"]) / period
        if self.bandwidth is not None:
            rate = memory["rate"] + numbers["part"][0] * (rate - memory["rate"])
        begins, true = memory["line.fresh"][0], measured.drive_rates
        first = [select(begins, a, b) for a, b in zip(true, rate, strict=True)]
        return np.concatenate([x, np.array(first, dtype=object)])

    def remember(self, values: Vector, memory: Memory, due: Any, measured: Any) -> Memory:
        """See `Sensor`."""
        rate = values[len(values) // 2 :]
        return {"rate": np.array([select(due, a, b) for a, b in zip(rate, memory["rate"], strict=True)], dtype=object)}
