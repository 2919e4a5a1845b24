"""Static structure of a robot: tree, cuts, closures, coordinate layout, parameter vector, structural zeros."""

from gough.structure._couplings import LinearClosure
from gough.structure.build import build_structure
from gough.structure.changing.change import stated_parameters
from gough.structure.layout import Layout
from gough.structure.mechanism import WORLD, CutJoint, DrivenLink, Frame, LegLinks, Link, Mechanism, Structure
from gough.structure.parameters import ParameterTable
from gough.structure.selection import Block, Selection

__all__ = [
    "WORLD",
    "Block",
    "CutJoint",
    "DrivenLink",
    "Frame",
    "Layout",
    "LegLinks",
    "LinearClosure",
    "Link",
    "Mechanism",
    "ParameterTable",
    "Selection",
    "Structure",
    "build_structure",
    "stated_parameters",
]
