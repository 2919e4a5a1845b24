"""Flexible bodies from files: a solid from its mesh, a reduced body or its matrices from another program."""

from pydantic import Field

from gough.robot.files import FilePath, LengthUnit
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.item import Item
from gough.robot.pose import Pose


class Solid(Item):
    """A solid of tetrahedra or hexahedra from a mesh file (Gmsh, Abaqus, Nastran, VTK, …).

    file: relative to the description. unit: of its lengths. pose: its axes in the body's frame, in m.
    """

    file: FilePath
    material: ElasticMaterial
    unit: LengthUnit = "m"
    placement: Pose = Field(default_factory=Pose, alias="pose")
