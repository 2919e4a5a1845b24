"""A flexible body that is a flat plate: any polygon with holes."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from gough.robot.fields import Length, PositiveLength, exactly
from gough.robot.flexible.fields import ElasticMaterial, ListOf, Truth
from gough.robot.item import Fault, Item, look
from gough.robot.pose import Pose

PlanePoint = Annotated[tuple[Length, Length], exactly(2, "a point [x, y]")]
Polygon = Annotated[tuple[PlanePoint, ...], ListOf]


class FlatPlate(Item):
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
