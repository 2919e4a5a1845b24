"""Coupled joints: a linear relation between joint coordinates, as gears, racks, belts and differentials make it.

    mimic           q_joint = ratio q_of + offset
    gear            q_b = -ratio q_a + offset, joints [a, b]; internal: +ratio. ratio = teeth a / teeth b = radius a / radius b
    rack            q_slide = radius q_pinion + offset
    differential    sum of coefficient times coordinate = offset

A gear's relation is between the coordinates as they are named. Wheels that mesh fulfil it exactly where one body, their
carrier, is the antecedent of both joints and the two axes point the same way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated, Any, Literal

from pydantic import PlainValidator, WithJsonSchema

from gough.robot.effects import Flag
from gough.robot.fields import (
    Name,
    NonZero,
    PositiveLength,
    PositiveNumber,
    exactly,
    number,
    number_as_written,
    number_fault,
    quantity,
    schema,
)
from gough.robot.item import Demand, Fault, Item, as_stated, is_given, look

HOME = "home"
"""The offset that makes the relation hold for the stated joints of home."""
KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "mimic": (("joint", "of"), ("ratio", "offset")),
    "gear": (("joints",), ("ratio", "teeth", "module", "radii", "internal", "offset")),
    "rack": (("pinion", "slide", "radius"), ("offset",)),
    "differential": (("coefficients",), ("offset",)),
}
"""Of each type the keys that it must have, and those that it may have beside them."""
SIZES = ("ratio", "teeth", "radii")
"""A gear has one of these."""
OTHER_SENSE = "`internal: true` for the other sense"
LEAST = 1e-9
"""Coefficient of a coordinate, beside the largest of its coupling, below which it would be none."""


def _offset(value: Any) -> float | str:
    return HOME if value == HOME else number_as_written(value, ("length", "angle", "number"))


Offset = Annotated[
    float | Literal["home"],
    PlainValidator(_offset),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}], "description": "in m or rad, or home"}),
]
SignedLength = Annotated[float, quantity("length", bound="not zero"), schema("length")]
TwoNames = Annotated[tuple[str, str], exactly(2, "the names of two joints")]


@dataclass(frozen=True)
class CouplingTerm:
    """A coordinate in the relation sum of sign * value * q = offset; key: of the value in the description, None where it is 1."""

    coordinate: str
    sign: float
    value: float = 1.0
    key: str | None = None

    @property
    def coefficient(self) -> float:
        """What its coordinate is multiplied by."""
        return self.sign * self.value


class Coupling(Item):
    """A linear relation between the coordinates of joints, with the force that keeps it.

    A coordinate is called as its joint, or by its own name where the joint has several (hip_1, nut_offset); in a leg joints of
    the leg by their own names. joint, of, ratio: mimic. joints, and ratio, teeth (with module, if known) or radii: gear;
    internal: a wheel in a ring, which turn the same way. pinion, slide, radius: rack; a negative radius where they move
    against each other. coefficients: differential, of each coordinate, not 0. offset: home takes what home's joints state.
    """

    name: Name = ""
    type: Literal["gear", "rack", "mimic", "differential"]
    joint: str | None = None
    of: str | None = None
    joints: TwoNames | None = None
    pinion: str | None = None
    slide: str | None = None
    coefficients: dict[str, NonZero] | None = None
    ratio: NonZero | None = None
    teeth: Annotated[tuple[PositiveNumber, PositiveNumber], exactly(2, "two numbers of teeth")] | None = None
    module: PositiveLength | None = None
    radii: Annotated[tuple[PositiveLength, PositiveLength], exactly(2, "two radii")] | None = None
    radius: SignedLength | None = None
    internal: Flag = False
    offset: Offset = 0.0

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        data = {key: value for key, value in data.items() if value is not None}
        name = meant_name(data)
        return data if name is None else {**data, "name": name}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        kind = look(data, "type")
        if not isinstance(kind, str) or kind not in KEYS:
            return
        needed, allowed = KEYS[kind]
        for key in (key for key in needed if not is_given(data, key)):
            yield Fault((key,), look(data, key), f"a {kind} coupling without {key}", f"the key {key!r}")
        for key in data:
            if is_given(data, key) and key not in (*needed, *allowed, "name", "type", "source"):
                yield Fault(
                    (key,), data[key], f"{key} on a {kind} coupling", f"its keys: {', '.join((*needed, *allowed))}"
                )
        yield from _repeated(data)
        if kind == "gear":
            yield from _gear_faults(data)
        coefficients = look(data, "coefficients")
        if kind == "differential" and isinstance(coefficients, dict) and len(coefficients) < 2:
            message = f"a differential of {len(coefficients)} coordinates"
            yield Fault(("coefficients",), coefficients, message, "at least two: a fixed joint holds a single one")

    def demands(self) -> Iterator[Demand]:
        if self.type == "gear" and self.ratio is not None:
            yield Demand(("ratio",), as_stated(self.ratio), self.ratio, "positive", f"positive; {OTHER_SENSE}")
        for one, other in permutations(self.terms, 2):
            place, written = (
                one.key or other.key or "ratio",
                f"|{as_stated(one.value)}| - {LEAST:g} |{as_stated(other.value)}|",
            )
            least = abs(one.value) - LEAST * abs(other.value)
            yield Demand((place,), written, least, "positive", "positive: no coordinate moves a billion times another")

    @property
    def terms(self) -> tuple[CouplingTerm, ...]:
        """The relation, coordinates as they are written; that of the forces named first."""
        if self.type == "mimic":
            assert self.joint is not None and self.of is not None
            ratio = 1.0 if self.ratio is None else self.ratio
            return CouplingTerm(self.joint, 1.0), CouplingTerm(self.of, -1.0, ratio, "ratio")
        if self.type == "gear":
            assert self.joints is not None
            first, second = self.joints
            turns = CouplingTerm(first, -1.0 if self.internal else 1.0, self.gear_ratio, "ratio")
            return turns, CouplingTerm(second, 1.0)
        if self.type == "rack":
            assert self.pinion is not None and self.slide is not None and self.radius is not None
            return CouplingTerm(self.pinion, -1.0, self.radius, "radius"), CouplingTerm(self.slide, 1.0)
        own = self.coefficients or {}
        return tuple(CouplingTerm(name, 1.0, value, f"coefficient.{name}") for name, value in own.items())

    @property
    def gear_ratio(self) -> float:
        """Of a gear: what the second joint turns by when the first turns by 1."""
        if self.ratio is not None:
            return self.ratio
        sizes = self.teeth or self.radii
        assert sizes is not None
        return sizes[0] / sizes[1]

    @property
    def pitch_radius(self) -> float | None:
        """Of a gear's first wheel or a rack's pinion (m), None where it is not stated: where the tooth force acts."""
        if self.type == "rack":
            return self.radius
        if self.radii is not None:
            return self.radii[0]
        return None if self.teeth is None or self.module is None else 0.5 * self.module * self.teeth[0]


def meant_name(data: Any) -> Any:
    """The name of a raw coupling; where it is left out, its type and first coordinate. None where nothing says it."""
    if is_given(data, "name") and look(data, "name") != "":
        return look(data, "name")
    first = next((name for _, name in coordinate_places(data)), None)
    return None if first is None else f"{look(data, 'type')}_{first.replace('.', '_')}"


def coordinate_places(data: Any) -> list[tuple[tuple[int | str, ...], Any]]:
    """(place, name) of the coordinates of a raw coupling, those of its type in their order."""
    kind = look(data, "type")
    found: list[tuple[tuple[int | str, ...], Any]] = []
    if kind == "gear":
        names = look(data, "joints")
        found = [(("joints", k), name) for k, name in enumerate(names if isinstance(names, list | tuple) else ())]
    elif kind == "differential":
        names = look(data, "coefficients")
        found = [(("coefficients", str(name)), name) for name in (names if hasattr(names, "keys") else ())]
    elif isinstance(kind, str) and kind in KEYS:
        keys = ("joint", "of") if kind == "mimic" else ("pinion", "slide")
        found = [((key,), look(data, key)) for key in keys if is_given(data, key)]
    return [(place, name) for place, name in found if isinstance(name, str)]


def _repeated(data: dict[str, Any]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, name in coordinate_places(data):
        if name in seen:
            yield Fault(place, name, f"{name!r} coupled to itself", "two different coordinates")
        seen.add(name)


def _gear_faults(data: dict[str, Any]) -> Iterator[Fault]:
    given = [key for key in SIZES if is_given(data, key)]
    if not given:
        yield Fault(("ratio",), look(data, "ratio"), "a gear without a ratio", f"one of {', '.join(SIZES)}")
    for key in given[1:]:
        yield Fault((key,), data[key], f"{key} beside {given[0]}", f"one of {', '.join(SIZES)}")
    if is_given(data, "module") and not is_given(data, "teeth"):
        yield Fault(("module",), data["module"], "a module without teeth", "teeth: [first, second]")
    ratio = look(data, "ratio")
    if is_given(data, "ratio") and number_fault(ratio, ("number",)) is None and number(ratio, ("number",)) < 0:
        yield Fault(("ratio",), ratio, "a gear with a negative ratio", f"a positive one; {OTHER_SENSE}")
