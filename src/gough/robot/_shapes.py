"""Bodies of simple shape: mass, mass centre and inertia of rods, discs, tubes, boxes, … of even density, by formula.

Each shape has its own frame: the mass centre is its origin, `axis` its axis. `at` places that frame in the body. Central moments
for a mass m (along the axis; across it):
    rod             0                          m l²/12                  thin
    ring            m r²                       m r²/2                   thin
    disc            m r²/2                     m r²/4                   thin
    cylinder        m r²/2                     m (3 r² + l²)/12
    tube            m (r² + s²)/2              m (3 (r² + s²) + l²)/12  s the inner radius
    cone            3 m r²/10                  3 m (r²/4 + l²/16)/5     mass centre a quarter of l above the base
    sphere          2 m r²/5                   the same
    shell           2 m r²/3                   the same                 thin
    hexagon_plate   5 m a²/12                  m (5 a²/24 + t²/12)      a the side, t the thickness
    box             m (y² + z²)/12 about x, and so on
    point           nothing
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from pydantic import Field

from gough.robot.fields import Mass, NonNegativeLength, PositiveLength, number, number_fault
from gough.robot.inertia import ten_parameters
from gough.robot.item import Demand, Fault, Item, as_stated, is_given, look
from gough.robot.pose import Pose
from gough.scalar import array_of

AXES = ("x", "y", "z")


def _square(length: Any) -> Any:
    return length * length  # a power of a number too large raises


class EvenBody(Item):
    """Of even density; `mass` in kg."""

    mass: Mass

    def moments(self) -> tuple[Any, Any, Any]:
        """Central moments about x, y and z of its own frame (kg m2)."""
        return 0.0, 0.0, 0.0

    def sizes(self) -> list[float]:
        """Its lengths and diameters (m)."""
        found = {name: getattr(self, name) for name in type(self).model_fields if name != "mass"}
        lengths = {name: float(x) for name, x in found.items() if isinstance(x, float)}
        return [2 * x if name.endswith("radius") else x for name, x in lengths.items()]


class RoundBody(EvenBody):
    """Of rotational symmetry about `axis`."""

    axis: Literal["x", "y", "z"] = "z"

    def moments(self) -> tuple[Any, Any, Any]:
        along, across = self.two_moments()
        x, y, z = (along if axis == self.axis else across for axis in AXES)
        return x, y, z

    def two_moments(self) -> tuple[Any, Any]:
        """Along the axis and across it (kg m2)."""
        raise NotImplementedError


class PointMass(EvenBody):
    """A point."""


class ThinRod(RoundBody):
    """A thin rod along its axis."""

    length: PositiveLength

    def two_moments(self) -> tuple[Any, Any]:
        return 0.0, self.mass * _square(self.length) / 12


class ThinRing(RoundBody):
    """A thin ring."""

    radius: PositiveLength

    def two_moments(self) -> tuple[Any, Any]:
        return self.mass * _square(self.radius), self.mass * _square(self.radius) / 2


class ThinDisc(RoundBody):
    """A thin disc."""

    radius: PositiveLength

    def two_moments(self) -> tuple[Any, Any]:
        return self.mass * _square(self.radius) / 2, self.mass * _square(self.radius) / 4


class FullCylinder(RoundBody):
    """A cylinder; its origin is in the middle of its length."""

    radius: PositiveLength
    length: PositiveLength

    def two_moments(self) -> tuple[Any, Any]:
        return self.mass * _square(self.radius) / 2, self.mass * (3 * _square(self.radius) + _square(self.length)) / 12


class RoundTube(RoundBody):
    """A hollow cylinder from inner_radius to radius; its origin is in the middle of its length."""

    radius: PositiveLength
    inner_radius: NonNegativeLength
    length: PositiveLength

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        both = [look(data, key) for key in ("radius", "inner_radius")]
        if any(number_fault(x, ("length",)) for x in both):
            return
        if number(both[1], ("length",)) > number(both[0], ("length",)):
            yield Fault(("inner_radius",), both[1], "larger than the radius", "inner_radius, then radius")

    def demands(self) -> Iterator[Demand]:
        written = f"{as_stated(self.radius)} - ({as_stated(self.inner_radius)})"
        wall, words = self.radius - self.inner_radius, "not negative: inner_radius is not above radius"
        yield Demand(("inner_radius",), written, wall, "not negative", words)

    def two_moments(self) -> tuple[Any, Any]:
        squares = _square(self.radius) + _square(self.inner_radius)
        return self.mass * squares / 2, self.mass * (3 * squares + _square(self.length)) / 12


class FullCone(RoundBody):
    """A cone of base radius and height `length`; its origin, the mass centre, is a quarter of it above the base."""

    radius: PositiveLength
    length: PositiveLength

    def two_moments(self) -> tuple[Any, Any]:
        across = 3 * self.mass * (_square(self.radius) / 4 + _square(self.length) / 16) / 5
        return 3 * self.mass * _square(self.radius) / 10, across


class FullSphere(EvenBody):
    """A sphere."""

    radius: PositiveLength

    def moments(self) -> tuple[Any, Any, Any]:
        moment = 2 * self.mass * _square(self.radius) / 5
        return moment, moment, moment


class ThinShell(EvenBody):
    """A thin spherical shell."""

    radius: PositiveLength

    def moments(self) -> tuple[Any, Any, Any]:
        moment = 2 * self.mass * _square(self.radius) / 3
        return moment, moment, moment


class FullBox(EvenBody):
    """A box with edges along x, y and z."""

    x: PositiveLength
    y: PositiveLength
    z: PositiveLength

    def moments(self) -> tuple[Any, Any, Any]:
        x, y, z = _square(self.x), _square(self.y), _square(self.z)
        return self.mass * (y + z) / 12, self.mass * (x + z) / 12, self.mass * (x + y) / 12


class HexagonPlate(RoundBody):
    """A plate whose outline is a regular hexagon of a side; its axis is its normal."""

    side: PositiveLength
    thickness: NonNegativeLength = 0.0

    def two_moments(self) -> tuple[Any, Any]:
        along = 5 * self.mass * _square(self.side) / 12
        return along, along / 2 + self.mass * _square(self.thickness) / 12


class EvenShape(Item):
    """One of the shapes by its name, and where it stands in the body: `at`, the pose of its own frame."""

    point: PointMass | None = None
    rod: ThinRod | None = None
    ring: ThinRing | None = None
    disc: ThinDisc | None = None
    cylinder: FullCylinder | None = None
    tube: RoundTube | None = None
    cone: FullCone | None = None
    sphere: FullSphere | None = None
    shell: ThinShell | None = None
    box: FullBox | None = None
    hexagon_plate: HexagonPlate | None = None
    at: Pose = Field(default_factory=Pose)

    @classmethod
    def kinds(cls) -> list[str]:
        """The names of the shapes."""
        return [name for name in cls.model_fields if name not in ("at", "source")]

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        named = [name for name in cls.kinds() if is_given(data, name)]
        if len(named) != 1:
            what = f"{' and '.join(named)} in one shape" if named else "a shape without its name"
            yield Fault((), data, what, f"one of {', '.join(cls.kinds())}; several shapes as a list")

    @property
    def solid(self) -> EvenBody:
        """The shape itself."""
        return next(found for name in self.kinds() if (found := getattr(self, name)) is not None)

    def ten_parameters(self) -> np.ndarray:
        """(10,) about the body's origin in the body's axes; entries that follow variables are `VariedNumber`s."""
        rotation, moments = self.at.varied_rotation(), np.full((3, 3), 0.0, dtype=object)
        for k, moment in enumerate(self.solid.moments()):
            moments[k, k] = moment
        tensor = rotation @ array_of(moments) @ rotation.T
        return ten_parameters(self.solid.mass, self.at.position, tensor, "center_of_mass")


def sum_of_shapes(shapes: tuple[EvenShape, ...]) -> np.ndarray:
    """(10,) of all of them together."""
    total = shapes[0].ten_parameters()
    for shape in shapes[1:]:
        total = total + shape.ten_parameters()
    return total
