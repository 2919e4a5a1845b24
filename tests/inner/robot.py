"""Inner names of `gough.robot`."""

from gough.robot.checks.plausible import description_doubts
from gough.robot.closures import CutType
from gough.robot.expressions import Expression, Scope
from gough.robot.friction import change_friction
from gough.robot.item import FORMAT, Item, faults_of, oldest_format
from gough.robot.joint import MovingType
from gough.robot.tree import bodies, placed_joints, placed_loops, platform_body, platform_name
from gough.robot.units import UNITS, Quantity, UnitError, convert, misfit, parse
from gough.robot.upgrade import upgrade_text
from gough.robot.writer import document

__all__ = [
    "FORMAT",
    "UNITS",
    "CutType",
    "Expression",
    "Item",
    "MovingType",
    "Quantity",
    "Scope",
    "UnitError",
    "bodies",
    "change_friction",
    "convert",
    "description_doubts",
    "document",
    "faults_of",
    "misfit",
    "oldest_format",
    "parse",
    "placed_joints",
    "placed_loops",
    "platform_body",
    "platform_name",
    "upgrade_text",
]
