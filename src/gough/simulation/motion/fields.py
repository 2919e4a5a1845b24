"""Fields of motions in files: times and lists of numbers with units; coordinates and speeds remember theirs."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from gough.robot.fields import Bound, number_as_written, number_fault
from gough.robot.item import Fault, as_error

Numbers = tuple[float, ...]


def _entries(dimensions: tuple[str, ...], bound: Bound, one: bool) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if hasattr(value, "tolist"):
            value = value.tolist()
        if not isinstance(value, list | tuple):
            if one:
                return number_as_written(value, dimensions, bound)
            raise as_error([Fault((), value, "not a list", "a list")])
        found = [(k, number_fault(entry, dimensions, bound)) for k, entry in enumerate(value)]
        faults = [Fault((k, *f.place), f.value, f.message, f.expected) for k, f in found if f is not None]
        if faults:
            raise as_error(faults)
        return tuple(number_as_written(entry, dimensions, bound) for entry in value)

    return check


def _field(*dimensions: str, bound: Bound = "any", one: bool = True) -> tuple[PlainValidator, WithJsonSchema]:
    plain = {"type": ["number", "string"]}
    items = {"type": "array", "items": plain}
    return PlainValidator(_entries(dimensions, bound, one)), WithJsonSchema({"anyOf": [plain, items]} if one else items)


_positive, _not_negative = _field("time", bound="positive"), _field("time", bound="not negative")
_list = _field("time", bound="not negative", one=False)
_values = _field("length", "angle", "number", one=False)
_speeds = _field("speed", "angular speed", bound="positive")
_turn_speeds = _field("angular speed", bound="positive")

Durations = Annotated[float | Numbers, *_positive]
"""Positive times (s): one, or a list."""
Rests = Annotated[float | Numbers, *_not_negative]
Moments = Annotated[Numbers, *_list]
"""A list of times."""
Values = Annotated[Numbers, *_values]
"""A list of lengths or angles."""
Speeds = Annotated[float | Numbers, *_speeds]
TurnSpeeds = Annotated[float | Numbers, *_turn_speeds]
