"""A wrench that stays as it is, the same in all runs or one for each."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.simulation.loads.load import TimeLoad, six_numbers

Vector = np.ndarray


@dataclass(frozen=True)
class Constant(TimeLoad):
    """wrench (6,): fx fy fz mx my mz, N and N·m, world axes."""

    wrench: Any
    name: ClassVar[str] = "constant"

    def __post_init__(self) -> None:
        object.__setattr__(self, "wrench", six_numbers("constant: wrench", self.wrench))

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`: the wrench."""
        return np.array(self.wrench)

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`."""
        return numbers


@dataclass(frozen=True, eq=False)
class OfRuns(TimeLoad):
    """Constant wrenches (runs, 6) of many runs."""

    wrenches: Vector
    name: ClassVar[str] = "constant"

    @property
    def varies(self) -> bool:
        """See `TimeLoad`."""
        return len(self.wrenches) > 1

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`."""
        return self.wrenches[run if len(self.wrenches) > 1 else 0]

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`."""
        return numbers
