"""Numbers of motions as they are written in files: one, or a list of them, with units."""

from collections.abc import Callable
from typing import Any

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


def number_field(*dimensions: str, bound: Bound = "any", one: bool = True) -> tuple[PlainValidator, WithJsonSchema]:
    """Of numbers of these dimensions: a list, or where `one` is true one number."""
    plain = {"type": ["number", "string"]}
    items = {"type": "array", "items": plain}
    return PlainValidator(_entries(dimensions, bound, one)), WithJsonSchema({"anyOf": [plain, items]} if one else items)
