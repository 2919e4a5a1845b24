"""Types of the fields of flexible bodies: moduli, densities, frequencies, counts, checks between fields; the material."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError, WithJsonSchema, WrapValidator

from gough import fem
from gough.robot import units
from gough.robot.fields import Number, exactly, number, number_fault, quantity, schema
from gough.robot.item import Fault, Item, as_error, as_plain, faults_of, is_given, look
from gough.scalar.slopes import as_number

MOST_COUNTED = 100_000
"""Elements of a line, modes, …: more of them no model can have."""
TURNING = units.DIMENSIONS["angular speed"][0]


def _frequency(value: Any) -> float:
    """Hz from a number (Hz) or a text in Hz or rad/s; the two differ by 2 pi, so the unit decides."""
    if isinstance(value, str):
        try:
            result, dimension = units.parse(value)
        except units.UnitError as error:
            raise as_error([Fault((), value, str(error), "a frequency in Hz or rad/s")]) from None
        if dimension == TURNING:
            value = result / (2 * math.pi)
    return number(value, ("frequency",), "positive")


def _whole(lowest: int) -> BeforeValidator:
    expected = f"a whole number from {lowest} to {MOST_COUNTED}"

    def check(value: Any) -> int:
        if number_fault(value, ("number",)) is not None or isinstance(value, str) or value != int(value):
            raise as_error([Fault((), value, "not a whole number", expected)])
        if not lowest <= value <= MOST_COUNTED:
            raise as_error([Fault((), value, "too small" if value < lowest else "too large", expected)])
        return int(value)

    return BeforeValidator(check)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise as_error([Fault((), value, "not true or false", "true or false")])
    return value


def one_or_many(value: Any, handler: Any) -> Any:
    """A tuple from one entry or a list of them; what is wrong with a single one is told without an index."""
    value = as_plain(value)
    if isinstance(value, list | tuple):
        return handler(tuple(value))
    try:
        return handler((value,))
    except ValidationError as error:
        raise as_error([replace(fault, place=fault.place[1:]) for fault in faults_of(error)]) from None


def _list(value: Any) -> Any:
    """A list from anything that is one; the entries are left to their own type."""
    value = as_plain(value)
    if not isinstance(value, list | tuple):
        raise as_error([Fault((), value, "not a list", "a list")])
    return tuple(value)


Pressure = Annotated[float, quantity("pressure", bound="positive"), schema("pressure")]
Density = Annotated[float, quantity("density", bound="positive"), schema("density")]
Area = Annotated[float, quantity("area", bound="positive"), schema("area")]
AreaMoment = Annotated[float, quantity("second moment of area", bound="positive"), schema("second moment of area")]
Frequency = Annotated[float, BeforeValidator(_frequency), schema("frequency", "angular speed")]
ModalStiffness = Annotated[
    float, quantity("stiffness", "number", "angular stiffness", bound="positive"), schema("stiffness")
]
Ratio = Annotated[float, quantity("number", bound="not negative"), WithJsonSchema({"type": "number"})]
Count = Annotated[int, _whole(0), WithJsonSchema({"type": "number"})]
PositiveCount = Annotated[int, _whole(1), WithJsonSchema({"type": "number"})]
Truth = Annotated[bool, BeforeValidator(_truth)]
ListOf = BeforeValidator(_list)
OneOrMany = WrapValidator(one_or_many)
ONE_OR_MANY = WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]})
Direction = Annotated[tuple[Number, Number, Number], exactly(3, "a direction [x, y, z]")]


def one_of(data: Any, keys: tuple[str, ...], what: str) -> Iterator[Fault]:
    """Exactly one of the keys must be given."""
    written = [key for key in keys if is_given(data, key)]
    expected = f"one of {', '.join(keys)}"
    if not written:
        yield Fault((keys[0],), look(data, keys[0]), f"{what} is missing", expected)
    for key in written[1:]:
        yield Fault((key,), look(data, key), f"{what} given twice, by {' and '.join(written)}", expected)


def value_of(data: Any, key: str, dimension: str) -> float | None:
    """The SI value of a raw number; None where it is none (its field then complains)."""
    if not is_given(data, key) or number_fault(look(data, key), (dimension,)) is not None:
        return None
    value = look(data, key)
    return units.convert(value, (dimension,)) if isinstance(value, str) else float(value)


def plain(x: Any) -> Any:
    """A number without the formula by which it follows variables, None as it is: elements are made of numbers. Where slopes are
    asked for the number has its own (`gough.scalar.slopes`), and so have those that elements make of it.
    """
    return None if x is None else as_number(x)


class ElasticMaterial(Item):
    """Young's modulus E (Pa), density (kg/m3), and either Poisson's ratio nu or the shear modulus G (Pa)."""

    E: Pressure
    density: Density
    nu: Number | None = None
    G: Pressure | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("nu", "G"), "resistance to shear")
        nu = value_of(data, "nu", "number")
        if nu is not None and not -1 < nu < 0.5:
            message = "Poisson's ratio of 0.5 or more" if nu > 0 else "Poisson's ratio of -1 or less"
            yield Fault(("nu",), data["nu"], message, "a number between -1 and 0.5 (nearly incompressible: 0.49)")

    def in_words_of_fem(self) -> "fem.Material":
        """The material that elements take."""
        return fem.Material(*(plain(x) for x in (self.E, self.density, self.nu, self.G)))
