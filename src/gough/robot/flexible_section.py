"""Cross-sections of beams, as written; x runs along the beam, y and z are the section's principal axes."""

from collections.abc import Iterator
from typing import Any

from gough.robot.fields import PositiveLength, PositiveNumber
from gough.robot.flexible_fields import Area, AreaMoment, one_of, value_of
from gough.robot.item import Fault, Item, given, look

SHAPES = ("rectangle", "circle", "tube", "i_beam", "area")
"""The key that says which section it is; `area` stands for a section given by its numbers."""
NUMBERS = ("Iy", "Iz", "J", "ky", "kz")


class RectangleSection(Item):
    """y by z (m)."""

    y: PositiveLength
    z: PositiveLength


class CircleSection(Item):
    """A solid round bar of a radius (m)."""

    radius: PositiveLength


class TubeSection(Item):
    """A round tube: outer radius and wall thickness (m)."""

    radius: PositiveLength
    wall: PositiveLength

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        radius, wall = value_of(data, "radius", "length"), value_of(data, "wall", "length")
        if radius is not None and wall is not None and 0 < radius <= wall:
            yield Fault(
                ("wall",), data["wall"], "a wall as thick as the radius", "less than the outer radius, or circle"
            )


class IBeamSection(Item):
    """A doubly symmetric I (m): height over all along y, flanges `width` wide along z, thicknesses of web and flanges."""

    height: PositiveLength
    width: PositiveLength
    web: PositiveLength
    flange: PositiveLength

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        height, width, web, flange = (value_of(data, key, "length") for key in ("height", "width", "web", "flange"))
        if height is not None and flange is not None and 0 < height <= 2 * flange:
            yield Fault(("flange",), data["flange"], "two flanges do not fit into the height", "less than half of it")
        if width is not None and web is not None and 0 < width <= web:
            yield Fault(
                ("web",), data["web"], "a web as thick as the flanges are wide", "less than width, or rectangle"
            )


class BeamSection(Item):
    """One of rectangle, circle, tube, i_beam; or numbers: area (m2), Iz, Iy, J (m4), shear factors ky, kz.

    Iz = integral of y^2 resists bending in the xy plane, Iy bending in the xz plane, J torsion. Beams in a plane need
    area and Iz alone; ky and kz are for Timoshenko beams.
    """

    rectangle: RectangleSection | None = None
    circle: CircleSection | None = None
    tube: TubeSection | None = None
    i_beam: IBeamSection | None = None
    area: Area | None = None
    Iy: AreaMoment | None = None
    Iz: AreaMoment | None = None
    J: AreaMoment | None = None
    ky: PositiveNumber | None = None
    kz: PositiveNumber | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, SHAPES, "section")
        shape = next((key for key in SHAPES[:-1] if given(data, key)), None)
        for key in NUMBERS:
            if shape is not None and given(data, key):
                yield Fault((key,), look(data, key), f"{key} beside {shape}", f"either {shape}, or area and {key}")
        if given(data, "area") and not given(data, "Iz"):
            yield Fault(("Iz",), look(data, "Iz"), "an area without Iz", "Iz in m4 (in space Iy and J too)")
