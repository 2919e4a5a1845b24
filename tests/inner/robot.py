"""Inner names of `gough.robot`."""

from gough.robot.friction import change_friction
from gough.robot.tree import bodies, placed_joints, placed_loops, platform_body, platform_name
from gough.robot.units import UNITS, Quantity, UnitError, convert, misfit, parse

__all__ = [
    "UNITS",
    "Quantity",
    "UnitError",
    "bodies",
    "change_friction",
    "convert",
    "misfit",
    "parse",
    "placed_joints",
    "placed_loops",
    "platform_body",
    "platform_name",
]
