"""A flexible body that is a flat plate: any polygon with holes."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from gough import fem
from gough.robot.fields import Length, PositiveLength, exactly
from gough.robot.flexible.fields import ElasticMaterial, ListOf, Truth, plain
from gough.robot.flexible.shape import BodyShape
from gough.robot.item import Fault, look
from gough.robot.pose import Pose

IN_THE_PLANE = 1e-9
"""Distance from a plate's plane, relative to its extent, of a point that lies in it."""
PART_OF_THE_EXTENT = 1 / 8
"""Size of a plate's elements where none is stated: they are of fifth order."""

PlanePoint = Annotated[tuple[Length, Length], exactly(2, "a point [x, y]")]
Polygon = Annotated[tuple[PlanePoint, ...], ListOf]


class FlatPlate(BodyShape):
    """A plate of constant thickness (m) about the plane z = 0 of its own frame, which `pose` places in the body's.

    outline: the corners [x, y] in order, holes: likewise. theory: mindlin (with shear and rotary inertia) or kirchhoff
    (thin). size: of the elements, default a choice of the mesher. membrane: whether it stretches in its plane too.
    rotary_inertia: of normals turning with bending, default: mindlin.
    """

    outline: Polygon
    holes: Annotated[tuple[Polygon, ...], ListOf] = ()
    thickness: PositiveLength
    material: ElasticMaterial
    theory: Literal["mindlin", "kirchhoff"] = "mindlin"
    size: PositiveLength | None = None
    membrane: Truth = False
    rotary_inertia: Truth | None = None
    placement: Pose = Field(default_factory=Pose, alias="pose")

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        holes = look(data, "holes")
        polygons = [(("outline",), look(data, "outline"))]
        polygons += [(("holes", i), hole) for i, hole in enumerate(holes if isinstance(holes, list | tuple) else ())]
        for place, corners in polygons:
            if isinstance(corners, list | tuple) and len(corners) < 3:
                yield Fault(place, corners, f"a polygon of {len(corners)} corners", "three or more")

    def finite_elements(self, points: Sequence[np.ndarray], file: str | None) -> "fem.FiniteElements":
        """Nodes are at the points that lie in its middle plane."""
        outline = np.array(self.outline)
        extent = float(np.ptp(outline, axis=0).max())
        rotation, origin = self.placement.rotation(), np.array(self.placement.position)
        local = [rotation.T @ (point - origin) for point in points]
        return fem.plate_elements(
            outline,
            plain(self.thickness),
            self.material.in_words_of_fem(),
            size=PART_OF_THE_EXTENT * extent if self.size is None else self.size,
            holes=[np.array(hole) for hole in self.holes],
            points=np.array([p[:2] for p in local if abs(p[2]) <= IN_THE_PLANE * extent]).reshape(-1, 2),
            theory=self.theory,
            membrane=self.membrane,
            rotary_inertia=self.rotary_inertia,
            rotation=rotation,
            origin=origin,
        )
