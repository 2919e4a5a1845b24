"""A flexible body that is a solid, from its mesh."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import Field

from gough import fem
from gough.robot.files import FilePath, LengthUnit, resolve_path
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.shape import BodyShape
from gough.robot.pose import Pose


class Solid(BodyShape):
    """A solid of tetrahedra or hexahedra from a mesh file (Gmsh, Abaqus, Nastran, VTK, …).

    file: relative to the description. unit: of its lengths. pose: its axes in the body's frame, in m.
    """

    file: FilePath
    material: ElasticMaterial
    unit: LengthUnit = "m"
    placement: Pose = Field(default_factory=Pose, alias="pose")

    def finite_elements(self, points: Sequence[np.ndarray], file: str | None) -> "fem.FiniteElements":
        """Those of the mesh, with its named sets of nodes."""
        mesh, node_sets = fem.read_mesh(resolve_path(self.file, file), self.material.in_words_of_fem(), self.unit)
        pose = self.placement
        return fem.place_elements(replace(mesh, node_sets=node_sets), pose.rotation(), np.array(pose.position))
