"""Checks of joints on raw data: which keys a joint type may have, axes, units by the joint's kind."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Optional, TypeVar, cast

import numpy as np
from pydantic import create_model

from gough.joints import ALL
from gough.joints.joint import JointDimension, JointType
from gough.robot.checks.suggestions import meant_word
from gough.robot.errors import ABSENT
from gough.robot.fields import A_TURN, Length, LengthATurn, PositiveLength, number_fault, numbers
from gough.robot.item import Fault, Item, as_plain, is_given, look
from gough.robot.pose import axis_faults
from gough.robot.units import Quantity, UnitError, convert, demand_dimension, length_of_turn

Model = TypeVar("Model", bound=Item)
LEAST_ANGLE = math.radians(5.0)
"""Between the axes of a universal joint (rad)."""


def scalar_types() -> list[str]:
    """Joints that move a body with one coordinate."""
    return [name for name, joint in ALL.items() if joint.is_scalar]


def has_axis(kind: Any) -> bool:
    """Whether a raw type is that of a joint with one axis."""
    return isinstance(kind, str) and kind in ALL and ALL[kind].axes == 1


def meant_type(kind: Any) -> Any:
    """The type of a joint for checks between its keys: of an unknown one the one that was meant, so that nothing is told that
    follows from the wrong word alone; ABSENT where none is near."""
    return kind if not isinstance(kind, str) or kind in ALL else meant_word(kind, list(ALL)) or ABSENT


def with_dimensions(model: type[Model]) -> type[Model]:
    """A model of joints with a key for every dimension that a joint type has."""
    known = {d.key: d for joint in ALL.values() if joint.moves_body for d in joint.dimensions}
    fields: dict[str, Any] = {
        key: (Optional[PositiveLength if d.positive else LengthATurn if d.per_turn else Length], None)  # noqa: UP045
        for key, d in known.items()
        if key not in model.model_fields
    }
    told = [f"{key}: {', '.join(_types_with(key))} only, {d.meaning}." for key, d in known.items()]
    doc = f"{(model.__doc__ or '').rstrip()}\n    {' '.join(told)}\n    "
    named: Any = {"__base__": model, "__module__": model.__module__, "__doc__": doc}
    return cast("type[Model]", create_model(model.__name__, **named, **fields)) if fields else model


def dimension_faults(kind: Any, data: Any, what: str) -> Iterator[Fault]:
    """Dimensions that a joint type must have, and those that it has not; what: how messages call the joint."""
    if not isinstance(kind, str) or kind not in ALL:
        return
    own = {d.key: d for d in ALL[kind].dimensions}
    for d in {d.key: d for joint in ALL.values() for d in joint.dimensions}.values():
        if d.key in own and not is_given(data, d.key):
            yield Fault((d.key,), look(data, d.key), f"a {kind} {what} without its {d.key}", _expected(d))
        elif d.key not in own and is_given(data, d.key):
            only = f"{d.key} only on {' and '.join(_types_with(d.key))}"
            yield Fault((d.key,), data[d.key], f"{d.key} on a {kind} {what}", only)
        elif d.key in own and (remedy := own[d.key].nonzero) and _is_zero(data[d.key]):
            yield Fault((d.key,), data[d.key], f"{d.key} is zero: no turn moves a {kind} {what}", remedy)


def _expected(dimension: JointDimension) -> str:
    return f"{dimension.key}: {A_TURN}" if dimension.per_turn else f"{dimension.key} in {dimension.unit}"


def _types_with(key: str) -> list[str]:
    return [name for name, joint in ALL.items() if any(d.key == key for d in joint.dimensions)]


def _is_zero(value: Any) -> bool:
    """Whether a raw length, or length a turn, is 0."""
    try:
        value = length_of_turn(value)
        return number_fault(value, ("length",)) is None and number_fault(value, ("length",), "not zero") is not None
    except UnitError:
        return False


def interval_faults(lower: Any, upper: Any, place: tuple[int | str, ...], value: Any) -> Iterator[Fault]:
    """An interval whose upper end is not above the lower one."""
    dimensions = ("length", "angle", "number")
    ends = []
    for end in (lower, upper):
        if not (isinstance(end, int | float | str) and number_fault(end, dimensions) is None):
            return
        ends.append(convert(end, dimensions) if isinstance(end, str) else float(end))
    if ends[0] >= ends[1]:
        yield Fault(place, value, "an empty range", "lower below upper")


def axis_kind_faults(kind: Any, data: Any) -> Iterator[Fault]:
    """An axis on a joint type that has none, or of length other than one; missing axes of a universal joint."""
    if is_given(data, "axis"):
        if isinstance(kind, str) and not has_axis(kind):
            known = ", ".join(name for name in ALL if has_axis(name))
            yield Fault(("axis",), data["axis"], f"a {kind} joint has no axis", f"an axis only on {known}")
        yield from axis_faults(data["axis"], ("axis",))
    two = isinstance(kind, str) and kind in ALL and ALL[kind].axes == 2
    if two and not is_given(data, "axes"):
        yield Fault(("axes",), look(data, "axes"), f"a {kind} joint without its axes", "axes: [first, second]")
    if isinstance(kind, str) and not two and is_given(data, "axes"):
        yield Fault(("axes",), data["axes"], f"a {kind} joint has no pair of axes", "axes only on a universal joint")


def axes_faults(data: Any, carried: bool) -> Iterator[Fault]:
    """Both axes of a universal joint are unit vectors; carried: in a tree, where both are of one frame, they are not parallel."""
    pair = as_plain(look(data, "axes"))
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return
    bad = [fault for index in (0, 1) for fault in axis_faults(pair[index], ("axes", index))]
    yield from bad
    first, second = numbers(pair[0], 3), numbers(pair[1], 3)
    if carried and not bad and first is not None and second is not None:
        angle = math.atan2(float(np.linalg.norm(np.cross(first, second))), float(np.dot(first, second)))
        yield from _crossing_faults(angle, ("axes",), pair)


def _crossing_faults(angle: float, place: tuple[int | str, ...], value: Any) -> Iterator[Fault]:
    if not LEAST_ANGLE <= angle <= math.pi - LEAST_ANGLE:
        message = f"axes of a universal joint {math.degrees(angle):.4g} deg apart, all but parallel"
        yield Fault(place, value, message, f"{math.degrees(LEAST_ANGLE):g} to {180 - math.degrees(LEAST_ANGLE):g} deg")


def angle_faults(kind: Any, data: Any) -> Iterator[Fault]:
    """The angle between the axes of a universal joint that closes a loop."""
    if not is_given(data, "angle"):
        return
    if isinstance(kind, str) and not (kind in ALL and ALL[kind].axes == 2):
        only = " and ".join(name for name, joint in ALL.items() if joint.axes == 2)
        yield Fault(("angle",), data["angle"], f"angle on a {kind} joint", f"angle only on {only}")
    elif number_fault(data["angle"], ("angle",)) is None:
        value = data["angle"]
        angle = float(convert(value, ("angle",)) if isinstance(value, str) else value)
        yield from _crossing_faults(angle, ("angle",), value)


def effect_faults(kind: Any, data: Any, cut: bool = False) -> Iterator[Fault]:
    """Drive, spring, armature, limits and friction: only where the joint type has them, in units of its coordinates. cut: whether
    the joint closes a loop, which has no coordinates."""
    if not isinstance(kind, str):
        return
    joint = ALL.get(kind)
    scalar = joint is not None and joint.is_scalar
    if is_given(data, "drive") and not scalar:
        only = f"a drive only on {', '.join(scalar_types())}"
        yield Fault(("drive",), look(data, "drive"), f"a drive on a {kind} joint", only)
    if is_given(data, "limits", "force") and not (scalar and is_given(data, "drive")):
        yield Fault(("limits", "force"), look(data, "limits", "force"), "a force limit without a drive", "a drive")
    if is_given(data, "limits", "cone") and not (joint is not None and joint.tilts):
        only = " or ".join(name for name, known in ALL.items() if known.tilts)
        yield Fault(("limits", "cone"), look(data, "limits", "cone"), f"cone on a {kind} joint", only)
    for key in ("friction", "spring", "armature") if joint is not None and joint.motions == () else ():
        if is_given(data, key):
            yield Fault((key,), look(data, key), f"{key} on a {kind} joint", "a joint that moves")
    if joint is None:
        return
    for key, dimension in ({} if joint.measure is None else joint.measure.dimensions).items():
        if key == "rotor_inertia":
            yield from _rotor_faults(data, dimension == "mass")
        else:
            yield from unit_faults(look(data, "drive", key), ("drive", key), dimension)
    for key in ("friction", "spring", "armature"):
        if joint.moving and is_given(data, key):
            yield from _each_faults(kind, joint, key, as_plain(look(data, key)))
    if not cut or joint.carried_when_cut:
        yield from _limit_faults(kind, joint, data)


def _each_faults(kind: str, joint: JointType, key: str, value: Any) -> Iterator[Fault]:
    """Of one effect for all of a joint's freedoms, or of a list with one for each, in their units."""
    names = [c or kind for c in joint.freedom_suffixes]
    if isinstance(value, list | tuple):
        if len(value) != len(joint.moving):
            what = f"{len(value)} entries for the {len(joint.moving)} freedoms of a {kind} joint"
            if len(joint.moving) == 1:
                what = f"a list on a {kind} joint, which has one {key} for all directions"
            yield Fault((key,), value, what, f"one for each of {', '.join(names)}, or null" if names[1:] else "no list")
            return
        for index, (entry, motion) in enumerate(zip(value, joint.moving, strict=True)):
            yield from _effect_units(entry, (key, index), motion.measure.dimensions)
            if key == "spring":
                yield from _ball_faults(entry, (key, index), motion.quaternion is not None)
        return
    if key == "spring" and len(joint.moving) > 1:
        expected = f"a list with one for each of {', '.join(names)}, null for none"
        yield Fault((key,), value, f"one spring on a {kind} joint, which has several freedoms", expected)
    elif joint.measure is not None:
        yield from _effect_units(value, (key,), joint.measure.dimensions)
        if key == "spring":
            yield from _ball_faults(value, (key,), joint.quaternion is not None)
    else:
        for name in ("viscous", "coulomb", "smoothing") if key == "friction" else ("",):
            number = look(value, name) if name else value
            if isinstance(number, str | Quantity):
                message = (
                    f"a unit in the {key} of a {kind} joint, whose one number counts along its axes and about them"
                )
                expected = "a number without a unit, or a list with one for each freedom"
                yield Fault((key, *([name] if name else [])), _as_text(number), message, expected)


def _rotor_faults(data: Any, slides: bool) -> Iterator[Fault]:
    """A motor's inertia and gear, whose product gear² · inertia is one of the joint's coordinate."""
    inertia, gear = look(data, "drive", "rotor_inertia"), look(data, "drive", "gear")
    per_length, place = not can_convert(gear, "number"), ("drive", "rotor_inertia")
    if per_length and not slides:
        told = "a number: turns of the motor per turn of the joint"
        yield Fault(("drive", "gear"), gear, "a gear per length on a joint that turns", told)
    turns = isinstance(inertia, str | Quantity) and can_convert(inertia, "inertia")
    if not slides or not (turns or per_length):
        yield from unit_faults(inertia, place, "mass" if slides else "inertia")
    elif not turns:
        if isinstance(inertia, str | Quantity):
            yield Fault(place, inertia, "not the inertia of what turns, with a gear per length", "a number in kg.m2")
    elif not per_length:
        told = "a unit of another dimension: of what turns, on a joint that slides, and no gear says how far per metre"
        yield Fault(place, inertia, told, "mass in kg, or gear: 2*pi/5 mm say (a screw of lead 5 mm)")


def _effect_units(entry: Any, place: tuple[int | str, ...], table: dict[str, str]) -> Iterator[Fault]:
    """Numbers of a friction, spring or armature in units of another coordinate's."""
    if not isinstance(entry, Mapping | Item):
        yield from unit_faults(entry, place, table["armature"])
        return
    for key, dimension in table.items():
        yield from unit_faults(look(entry, key), (*place, key), dimension)
    rows = as_plain(look(entry, "table"))
    for index, row in enumerate(rows if isinstance(rows, list | tuple) else ()):
        for column, key in enumerate(("rest", "preload")):
            yield from unit_faults(look(row, column), (*place, "table", index, column), table[key])


def _ball_faults(spring: Any, place: tuple[int | str, ...], ball: bool) -> Iterator[Fault]:
    """Keys of springs that only a ball has, or that it has not."""
    if not ball and is_given(spring, "rest_quaternion_wxyz"):
        value = look(spring, "rest_quaternion_wxyz")
        message = "an orientation of rest where the coordinate is a number"
        yield Fault((*place, "rest_quaternion_wxyz"), value, message, "rest")
    for key in ("rest", "preload", "polynomial", "table", "tension_only", "rounding") if ball else ():
        if is_given(spring, key):
            expected = "rest_quaternion_wxyz" if key == "rest" else "stiffness, damping and rest_quaternion_wxyz"
            yield Fault((*place, key), look(spring, key), f"{key} of a spring in a ball", expected)


def _limit_faults(kind: str, joint: JointType, data: Any) -> Iterator[Fault]:
    """Bounds of coordinates: one number where there is one, a list where there are several, in their units."""
    plain = [m for m in joint.moving if m.quaternion is None]
    names = [c for c, m in zip(joint.freedom_suffixes, joint.moving, strict=True) if m.quaternion is None]
    for key in ("lower", "upper", "speed"):
        value = as_plain(look(data, "limits", key))
        if value is ABSENT or value is None:
            continue
        place = ("limits", key)
        if not plain:
            yield Fault(
                place, value, f"{key} on a {kind} joint", "a joint whose coordinates are angles or lengths; cone"
            )
        elif joint.is_scalar:
            if isinstance(value, list | tuple):
                yield Fault(place, value, f"a list on a {kind} joint", "one number")
            else:
                yield from unit_faults(value, place, plain[0].measure.dimensions[key])
        elif not isinstance(value, list | tuple) or len(value) != len(plain):
            expected = f"a list with one for each of {', '.join(names)}, null for none"
            yield Fault(place, value, f"{key} on a {kind} joint, which has {len(plain)} such coordinates", expected)
        else:
            for index, (entry, motion) in enumerate(zip(value, plain, strict=True)):
                yield from unit_faults(entry, (*place, index), motion.measure.dimensions[key])


def telescopic_unit_faults(kind: Any, inertia: Any, place: tuple[int | str, ...]) -> Iterator[Fault]:
    """Coefficients of inertia over the coordinate of a scalar joint, in units of that coordinate."""
    joint = ALL.get(kind) if isinstance(kind, str) else None
    per = joint.measure.word if joint is not None and joint.is_scalar and joint.measure is not None else None
    for entry in ("xx", "yy", "zz", "xy", "xz", "yz") if per else ():
        for power, dimension in ((1, f"inertia per {per}"), (2, f"inertia per {per} squared")):
            yield from unit_faults(look(inertia, entry, power), (*place, entry, power), dimension)


def unit_faults(value: Any, place: tuple[int | str, ...], dimension: str) -> Iterator[Fault]:
    """A number, or several, in a unit of another dimension."""
    if isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from unit_faults(entry, (*place, index), dimension)
    elif isinstance(value, str | Quantity):
        fault = number_fault(_as_text(value), (dimension,))
        if fault is not None:
            yield Fault(place, fault.value, fault.message, fault.expected)


def _as_text(value: str | Quantity) -> str:
    return value.written if isinstance(value, Quantity) else value


def can_convert(value: Any, dimension: str) -> bool:
    """Whether a raw number, or one that remembers its unit, may stand for a dimension."""
    if not isinstance(value, Quantity | str):
        return True
    try:
        demand_dimension(value, (dimension,)) if isinstance(value, Quantity) else convert(value, (dimension,))
    except UnitError:
        return False
    return True
