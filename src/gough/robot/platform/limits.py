"""Bounds of the platform's coordinates x y z yaw pitch roll in the world.

Angles are those of `rpy_zyx`, R = Rz Ry Rx. They are bounds of a pose, not of the way there: a yaw and a roll are known up to
whole turns, and the turn that counts is the one nearest to the middle of its bounds.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from gough.robot.fields import number, number_fault
from gough.robot.item import Fault, Item, as_error, as_plain, is_given
from gough.robot.units import convert

Range = tuple[float | None, float | None]
FURTHEST = {"yaw": 360.0, "pitch": 90.0, "roll": 360.0}
"""Bounds (deg) that an angle may have."""
ROUNDING = 1e-9
"""By which (rad) a bound may be beyond the furthest."""


def _range(dimension: str) -> PlainValidator:
    """The metadata of a field with [lower, upper], null for none."""

    def check(value: Any) -> Range:
        plain = as_plain(value)
        if not isinstance(plain, list | tuple) or len(plain) != 2:
            raise as_error([Fault((), value, "not two bounds", "[lower, upper], null where there is none")])
        faults = [(k, number_fault(x, (dimension,))) for k, x in enumerate(plain) if x is not None]
        if any(fault for _, fault in faults):
            raise as_error([Fault((k,), f.value, f.message, f.expected) for k, f in faults if f])
        lower, upper = (None if x is None else number(x, (dimension,)) for x in plain)
        return lower, upper

    return PlainValidator(check)


RANGE = WithJsonSchema(
    {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": ["number", "string", "null"]}},
)
LengthRange = Annotated[Range, _range("length"), RANGE]
AngleRange = Annotated[Range, _range("angle"), RANGE]


class PlatformLimits(Item):
    """Bounds [lower, upper], null for none, of the platform's pose in the world: lengths (m), and angles (rad) of rpy_zyx."""

    x: LengthRange | None = None
    y: LengthRange | None = None
    z: LengthRange | None = None
    yaw: AngleRange | None = None
    pitch: AngleRange | None = None
    roll: AngleRange | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        for key in cls.model_fields:
            if key != "source" and is_given(data, key):
                yield from _range_faults(key, as_plain(data[key]))

    def bounds(self) -> Iterator[tuple[str, Range]]:
        """(coordinate, (lower, upper)) of those that are bounded."""
        for name in type(self).model_fields:
            bounds = getattr(self, name)
            if name != "source" and bounds is not None:
                yield name, bounds


def _range_faults(key: str, value: Any) -> Iterator[Fault]:
    """Bounds that nothing can keep, or everything keeps."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return
    dimension = "angle" if key in FURTHEST else "length"
    if value[0] is None and value[1] is None:
        yield Fault((key,), value, "no bound at all", "[lower, upper], null for one of them at most")
    if any(x is not None and number_fault(x, (dimension,)) for x in value):
        return
    lower, upper = (None if x is None else float(convert(x, (dimension,)) if isinstance(x, str) else x) for x in value)
    if lower is not None and upper is not None and lower >= upper:
        yield Fault((key,), value, "an empty range", "lower below upper")
        return
    if key not in FURTHEST:
        return
    most = math.radians(FURTHEST[key])
    for index, bound in enumerate((lower, upper)):
        if bound is not None and abs(bound) > most + ROUNDING:
            message = f"{math.degrees(bound):.4g} deg: a {key} is within {FURTHEST[key]:g} deg"
            yield Fault((key, index), value[index], message, f"an angle as '{FURTHEST[key] / 3:g} deg', or in rad")
    if lower is not None and upper is not None and upper - lower > 2 * math.pi + ROUNDING:
        yield Fault((key,), value, "a range of more than a turn, which every pose keeps", "a part of a turn")
