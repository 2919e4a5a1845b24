"""A flexible body made of beams: a straight line or a polyline with a cross-section.

x runs along the beam, y and z are the section's principal axes.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from gough import fem
from gough.robot.fields import Position, PositiveLength, PositiveNumber, numbers
from gough.robot.flexible.fields import (
    ONE_OR_MANY,
    Area,
    AreaMoment,
    Direction,
    ElasticMaterial,
    ListOf,
    OneOrMany,
    PositiveCount,
    Truth,
    one_of,
    plain,
    value_of,
)
from gough.robot.flexible.shape import BodyShape
from gough.robot.item import Demand, Fault, Item, Place, as_stated, is_given, look

ON_THE_LINE = 1e-9
"""Distance from a beam's line, relative to a segment, of a point that lies on it."""

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

    def demands(self) -> Iterator[Demand]:
        yield _room(("wall",), self.radius, self.wall, "positive: a wall is less than the outer radius")


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

    def demands(self) -> Iterator[Demand]:
        yield _room(("flange",), self.height, self.flange, "positive: two flanges fit into the height", 2)
        yield _room(("web",), self.width, self.web, "positive: a web is thinner than the flanges are wide")


def _room(place: Place, whole: Any, part: Any, words: str, times: int = 1) -> Demand:
    """That a size is larger than another, which it contains once or several times."""
    written = (
        f"{as_stated(whole)} - {times}*({as_stated(part)})"
        if times > 1
        else f"{as_stated(whole)} - ({as_stated(part)})"
    )
    return Demand(place, written, whole - times * part, "positive", words)


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
        shape = next((key for key in SHAPES[:-1] if is_given(data, key)), None)
        for key in NUMBERS:
            if shape is not None and is_given(data, key):
                yield Fault((key,), look(data, key), f"{key} beside {shape}", f"either {shape}, or area and {key}")
        if is_given(data, "area") and not is_given(data, "Iz"):
            yield Fault(("Iz",), look(data, "Iz"), "an area without Iz", "Iz in m4 (in space Iy and J too)")

    def in_words_of_fem(self) -> "fem.CrossSection":
        """The section that beam elements take."""
        if (r := self.rectangle) is not None:
            return fem.Rectangle(plain(r.y), plain(r.z))
        if (c := self.circle) is not None:
            return fem.Circle(plain(c.radius))
        if (t := self.tube) is not None:
            return fem.Tube(plain(t.radius), plain(t.wall))
        if (i := self.i_beam) is not None:
            return fem.IBeam(*map(plain, (i.height, i.width, i.web, i.flange)))
        assert self.area is not None and self.Iz is not None
        return fem.GivenSection(*(plain(x) for x in (self.area, self.Iz, self.Iy, self.J, self.ky, self.kz)))


Elements = Annotated[tuple[PositiveCount, ...], OneOrMany, ONE_OR_MANY]


class Beam(BodyShape):
    """A line of beam elements in the body's frame.

    points: two or more (m), rigidly joined at corners; or length: from the origin along x. section: of all segments, or
    sections: one for each. section_y: where the section's y axis points, needed unless it is the same about y and z.
    elements: per segment. theory: euler_bernoulli (slender) or timoshenko (with shear). plane: the beam moves in the xy
    plane alone. rotary_inertia: of sections turning with bending, default: timoshenko.
    """

    points: Annotated[tuple[Position, ...], ListOf] | None = None
    length: PositiveLength | None = None
    section: BeamSection | None = None
    sections: Annotated[tuple[BeamSection, ...], ListOf] | None = None
    section_y: Direction | None = None
    material: ElasticMaterial
    elements: Elements = (8,)
    theory: Literal["euler_bernoulli", "timoshenko"] = "euler_bernoulli"
    plane: Truth = False
    rotary_inertia: Truth | None = None
    shortens: ClassVar[bool] = True

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("points", "length"), "course of the beam")
        yield from one_of(data, ("section", "sections"), "section")
        yield from _segment_faults(data)
        plane = look(data, "plane") is True
        for place, section in _sections(data):
            yield from _missing_numbers(place, section, plane, look(data, "theory") == "timoshenko")
        if plane and is_given(data, "section_y"):
            yield Fault(
                ("section_y",), data["section_y"], "section_y beside plane", "no section_y: y lies in the plane"
            )
        elif not plane and not is_given(data, "section_y"):
            uneven = [place for place, section in _sections(data) if not _same_about_both(section)]
            if uneven:
                message = "a section that is not the same about y and z, and no section_y"
                yield Fault(("section_y",), look(data, "section_y"), message, "the direction of the section's y axis")
        y = numbers(look(data, "section_y"), 3)
        if y is not None and not any(y):
            yield Fault(("section_y",), data["section_y"], "a direction of length zero", "a direction across the beam")

    def corners(self) -> tuple[tuple[float, float, float], ...]:
        """The points of the line (m)."""
        if self.points is not None:
            return self.points
        assert self.length is not None
        return (0.0, 0.0, 0.0), (self.length, 0.0, 0.0)

    def segment_sections(self) -> tuple[BeamSection, ...]:
        """A section for each segment."""
        if self.sections is not None:
            return self.sections
        assert self.section is not None
        return (self.section,) * (len(self.corners()) - 1)

    def segment_elements(self) -> tuple[int, ...]:
        """A number of elements for each segment."""
        return self.elements * (len(self.corners()) - 1) if len(self.elements) == 1 else self.elements

    def finite_elements(self, points: Sequence[np.ndarray], file: str | None) -> "fem.FiniteElements":
        """Segments are divided where a point on them would lie between two nodes."""
        corners = np.array(self.corners())
        sections, counts = self.segment_sections(), self.segment_elements()
        places, each, parts = [corners[:1]], [], []
        for start, end, section, count in zip(corners, corners[1:], sections, counts, strict=False):
            stops = np.array([*_stops(start, end, count, points), 1.0])
            places.append(start + stops[:, None] * (end - start))
            shares = np.diff([0.0, *stops]) * count
            parts += [1 if len(stops) > 1 and share < 1 else round(float(share)) for share in shares]
            each += [section.in_words_of_fem()] * len(stops)
        return fem.beam_elements(
            np.concatenate(places),
            each,
            self.material.in_words_of_fem(),
            elements=parts,
            theory=self.theory,
            section_y=self.section_y,
            plane=self.plane,
            rotary_inertia=self.rotary_inertia,
        )


def _segment_faults(data: dict[str, Any]) -> Iterator[Fault]:
    points = look(data, "points")
    if is_given(data, "points") and isinstance(points, list | tuple) and len(points) < 2:
        yield Fault(("points",), points, f"{len(points)} points", "two or more")
        return
    count = len(points) - 1 if isinstance(points, list | tuple) else 1
    for key in ("sections", "elements"):
        entries = look(data, key)
        if isinstance(entries, list | tuple) and len(entries) not in (count, 1 if key == "elements" else count):
            yield Fault((key,), entries, f"{len(entries)} {key} of {count} segments", f"{count}, one for each segment")


def _sections(data: dict[str, Any]) -> Iterator[tuple[tuple[int | str, ...], Any]]:
    if is_given(data, "section"):
        yield ("section",), data["section"]
    entries = look(data, "sections")
    for index, section in enumerate(entries if isinstance(entries, list | tuple) else ()):
        yield ("sections", index), section


def _missing_numbers(place: tuple[int | str, ...], section: Any, plane: bool, sheared: bool) -> Iterator[Fault]:
    """Numbers that a section given by its numbers must have."""
    if not is_given(section, "area"):
        return
    wanted = [
        *(() if plane else ("Iy", "J")),
        *(("ky",) if sheared else ()),
        *(("kz",) if sheared and not plane else ()),
    ]
    for key in wanted:
        if not is_given(section, key):
            where = "a Timoshenko beam" if key in ("ky", "kz") else "a beam in space"
            yield Fault((*place, key), look(section, key), f"{where} needs {key}", f"{key}, or plane: true")


def _same_about_both(section: Any) -> bool:
    if is_given(section, "rectangle"):
        y, z = (value_of(look(section, "rectangle"), key, "length") for key in "yz")
        return y is None or y == z
    if is_given(section, "area"):
        y, z = (value_of(section, key, "second moment of area") for key in ("Iy", "Iz"))
        return y is None or y == z
    return not is_given(section, "i_beam")


def _stops(start: np.ndarray, end: np.ndarray, count: int, points: Sequence[np.ndarray]) -> list[float]:
    """Where along a segment (0 … 1) points lie on it; none where all of them fall on nodes anyway."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return []
    inside = set()
    for point in points:
        t = float((point - start) @ along) / length**2
        near = float(np.linalg.norm(point - start - t * along)) <= ON_THE_LINE * length
        if near and ON_THE_LINE < t < 1 - ON_THE_LINE:
            inside.add(t)
    between = [t for t in inside if abs(t * count - round(t * count)) > ON_THE_LINE * count]
    stops: list[float] = []
    for t in sorted(inside) if between else ():
        if not stops or t - stops[-1] > ON_THE_LINE:
            stops.append(t)
    return stops
