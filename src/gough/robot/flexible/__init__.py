"""Flexible bodies as they are written: what they are made of, which shapes they can take, how things hold on to them."""

from gough.robot.flexible.beam import Beam, BeamSection
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.flexible import Flexible, TieRule, Ties
from gough.robot.flexible.modes import MEAN, ORIGIN, FlexibleDamping, RayleighFactors, ShapeChoice
from gough.robot.flexible.other_programs import FileUnits, Matrices, Modal
from gough.robot.flexible.plate import FlatPlate
from gough.robot.flexible.shape import BodyShape
from gough.robot.flexible.solid import Solid

__all__ = [
    "MEAN",
    "ORIGIN",
    "Beam",
    "BeamSection",
    "BodyShape",
    "ElasticMaterial",
    "FileUnits",
    "FlatPlate",
    "Flexible",
    "FlexibleDamping",
    "Matrices",
    "Modal",
    "RayleighFactors",
    "ShapeChoice",
    "Solid",
    "TieRule",
    "Ties",
]
