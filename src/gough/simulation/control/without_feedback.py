"""Drive forces that look at nothing: none, the same all the time, or given from outside, step by step."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.scalar import zeros
from gough.simulation.control.law import Here, Law, as_numbers, entries

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray


@dataclass(frozen=True)
class Free(Law):
    """No drive force, or the same all the time: tau (drives,), N or N·m."""

    tau: float | Sequence[float] | np.ndarray = ()
    name = "free"
    computes = False
    dimensions: ClassVar = {"tau": ("force", "torque")}

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tau", as_numbers("tau", self.tau, empty=True))

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return bool(self.tau)

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return True

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        return super().measured_in(model) | {"tau": model.layout.drive_units}

    def own_settings(self, model: "Model") -> Vector:
        """The forces."""
        return entries("tau", self.tau, len(model.mechanism.drives), "drives") if self.tau else np.zeros(0)

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        n = len(here.measured.model.mechanism.drives)
        return here.settings[:n] if self.tau else zeros(n)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return super().describe() | {"tau": np.atleast_1d(self.tau).tolist()}


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
