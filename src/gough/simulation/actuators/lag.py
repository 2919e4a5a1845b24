"""A motor whose force follows its command with a lag of first order: its current loop, most often."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.simulation.actuators.actuator import Actuator, Flow, Memory

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
SIZE = 100.0
"""Of a force (N, N·m): errors of steps are relative to it."""


@dataclass(frozen=True, kw_only=True)
class Lag(Actuator):
    """time ḟ = command - f: after time (s) a force has done 63 % of a step."""

    time: float | Sequence[float]
    plain = True
    name = "lag"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {"time": ("time",)}

    def flow(self, model: "Model", drives: Vector, rates: Vector) -> Flow:
        """See `Actuator`: the forces."""
        names = model.layout.drive_names
        none = np.zeros(len(names))
        return Flow(tuple(f"motor.{name}" for name in names), model.layout.drive_units, none, none + SIZE)

    def own_poles(self, model: "Model") -> Vector:
        """See `Actuator`."""
        return -1.0 / self.numbers(model)["time"]

    def rest(self, command: Vector, measured: Any, numbers: Memory) -> Vector:
        """See `Actuator`."""
        return command

    def act(self, command: Vector, states: Vector, measured: Any, numbers: Memory) -> tuple[Vector, Vector]:
        """See `Actuator`."""
        return states, (command - states) / numbers["time"]
