"""Checks of joints on raw data: which keys a joint type may have, axes, units by the joint's kind."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gough.robot.fields import number_fault, numbers
from gough.robot.item import Fault, as_plain, given, look
from gough.robot.pose import UNIT_TOLERANCE, axis_faults
from gough.robot.units import Quantity, UnitError, convert, serves

SCALAR = ("revolute", "prismatic")
WITH_AXIS = ("revolute", "prismatic", "cylindrical", "planar")
WITH_CONE = ("universal", "spherical")
TURNING = ("revolute", "universal", "spherical")
SLIDING_AND_TURNING = ("cylindrical", "planar", "free")

TRANSLATION = {
    "rotor_inertia": "mass",
    "viscous": "damping",
    "damping": "damping",
    "coulomb": "force",
    "smoothing": "speed",
    "stiffness": "stiffness",
    "rest": "length",
    "preload": "force",
    "force_limit": "force",
    "speed_limit": "speed",
    "stroke": "length",
    "lower": "length",
    "upper": "length",
    "speed": "speed",
    "force": "force",
}
ROTATION = {
    "rotor_inertia": "inertia",
    "viscous": "angular damping",
    "damping": "angular damping",
    "coulomb": "torque",
    "smoothing": "angular speed",
    "stiffness": "angular stiffness",
    "rest": "angle",
    "preload": "torque",
    "force_limit": "torque",
    "speed_limit": "angular speed",
    "stroke": "angle",
    "lower": "angle",
    "upper": "angle",
    "speed": "angular speed",
    "force": "torque",
}


def interval_faults(lower: Any, upper: Any, place: tuple[str, ...], value: Any) -> Iterator[Fault]:
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
    if given(data, "axis"):
        if isinstance(kind, str) and kind not in WITH_AXIS:
            yield Fault(
                ("axis",), data["axis"], f"a {kind} joint has no axis", f"an axis only on {', '.join(WITH_AXIS)}"
            )
        yield from axis_faults(data["axis"], ("axis",))
    if kind == "universal" and not given(data, "axes"):
        yield Fault(("axes",), look(data, "axes"), "a universal joint without its axes", "axes: [first, second]")
    if isinstance(kind, str) and kind != "universal" and given(data, "axes"):
        yield Fault(("axes",), data["axes"], f"a {kind} joint has no pair of axes", "axes only on a universal joint")


def axes_faults(data: Any, perpendicular: bool) -> Iterator[Fault]:
    """Both axes of a universal joint are unit vectors; in a chain they are perpendicular to 1e-9."""
    pair = as_plain(look(data, "axes"))
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return
    bad = [fault for index in (0, 1) for fault in axis_faults(pair[index], ("axes", index))]
    yield from bad
    first, second = numbers(pair[0], 3), numbers(pair[1], 3)
    if perpendicular and not bad and first is not None and second is not None:
        product = float(np.dot(first, second))
        if abs(product) > UNIT_TOLERANCE:
            yield Fault(
                ("axes",), pair, "axes of a universal joint are not perpendicular", f"product 0, is {product:.6g}"
            )


def effect_faults(kind: Any, data: Any) -> Iterator[Fault]:
    """Drive, spring, limits and friction: only where the joint type has them, in units of its coordinate."""
    if not isinstance(kind, str):
        return
    for key in ("drive", "spring"):
        if given(data, key) and kind not in SCALAR:
            yield Fault(
                (key,), look(data, key), f"a {key} on a {kind} joint", f"a {key} only on revolute and prismatic"
            )
    for key in ("lower", "upper", "speed", "force"):
        if given(data, "limits", key) and kind not in SCALAR:
            yield Fault(("limits", key), look(data, "limits", key), f"{key} on a {kind} joint", "a scalar joint")
    if given(data, "limits", "force") and kind in SCALAR and not given(data, "drive"):
        yield Fault(("limits", "force"), look(data, "limits", "force"), "a force limit without a drive", "a drive")
    if given(data, "limits", "cone") and kind not in WITH_CONE:
        yield Fault(
            ("limits", "cone"), look(data, "limits", "cone"), f"cone on a {kind} joint", "universal or spherical"
        )
    if given(data, "friction") and kind == "fixed":
        yield Fault(("friction",), look(data, "friction"), "friction on a fixed joint", "a joint that moves")
    table = ROTATION if kind in TURNING else TRANSLATION if kind == "prismatic" else {}
    for group in ("drive", "spring", "limits", "friction"):
        for key, dimension in table.items():
            yield from unit_faults(look(data, group, key), (group, key), dimension)
    for key in ("viscous", "coulomb", "smoothing") if kind in SLIDING_AND_TURNING else ():
        value = look(data, "friction", key)
        if isinstance(value, str | Quantity):
            message = f"a unit in the friction of a {kind} joint, whose one number counts along its axes and about them"
            yield Fault(("friction", key), _as_text(value), message, "a number without a unit")


def telescopic_unit_faults(kind: Any, inertia: Any, place: tuple[int | str, ...]) -> Iterator[Fault]:
    """Coefficients of inertia over the coordinate of a scalar joint, in units of that coordinate."""
    per = {"revolute": "angle", "prismatic": "length"}.get(kind) if isinstance(kind, str) else None
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
    if isinstance(value, Quantity):
        return serves(value, dimension)
    if not isinstance(value, str):
        return True
    try:
        convert(value, (dimension,))
    except UnitError:
        return False
    return True
