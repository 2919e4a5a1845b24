"""Drive forces that hold the robot's weight where it is."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.inverse import needed_force, share_among_drives
from gough.dynamics.projection import drive_columns
from gough.errors import UsageError
from gough.scalar import zeros
from gough.simulation.control.law import Here, Law
from gough.simulation.control.own_robot import demand_own_model

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray


def holding_forces(here: Here) -> Vector:
    """tau (drives,) that hold the rigid freedoms of the robot where it is, at rest: against its weight and springs."""
    loops, n = here.loops, here.model.layout.mobility
    still = zeros(here.model.layout.nv)
    needed = needed_force(loops, still, still)[:n]
    return share_among_drives(here.numbers, drive_columns(loops)[:n], needed)


def demand_drives(model: "Model", what: str) -> None:
    """UsageError where drives cannot hold the robot. what: asks for it."""
    if not model.driven:
        raise UsageError(f"{what}: {model.robot.name} has fewer drives than freedoms, they cannot hold it")


@dataclass(frozen=True)
class GravityCompensation(Law):
    """Drive forces that hold the robot against gravity and springs where it is; of a flexible robot, as it is bent, its rigid
    freedoms. It follows no motion: the robot floats. model: another one to compute with; nominal, limit: see `Law`."""

    model: "Model | None" = field(default=None, kw_only=True)
    name = "gravity compensation"

    def __post_init__(self) -> None:
        super().__post_init__()
        demand_own_model(self.model)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        demand_drives(model, self.name)

    def forces(self, here: Here) -> Vector:
        """tau (drives,)."""
        return holding_forces(here)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return super().describe() | ({} if self.model is None else {"model": self.model.robot.name})
