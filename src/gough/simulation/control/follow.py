"""Drives that follow a motion exactly."""

from collections.abc import Hashable
from dataclasses import dataclass

from gough.errors import UsageError
from gough.simulation.control.law import Law


@dataclass(frozen=True)
class Follow(Law):
    """The drives follow the motion exactly; what force that takes is a result."""

    name = "prescribed drives"
    prescribed = True
    computes = False
    kinds = ("drives",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.limit is not None:
            raise UsageError("drives that follow a motion exactly take what force they need: limit= needs a controller")

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()
