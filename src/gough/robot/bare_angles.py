"""Angles of more than a turn that are written without a unit: degrees, most likely, where radians are read."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gough.robot.item import Place

FULL_TURN = 2 * math.pi
LISTS = ("rpy_zyx", "bryant_xyz")
SINGLE = ("cone", "gamma", "alpha", "theta", "start_angle")
TURNING = ("revolute", "universal")
OF_A_TURNING_JOINT = ("lower", "upper", "rest", "stroke")


def bare_angles(data: Any, place: Place = (), turning: bool = False) -> Iterator[tuple[Place, str]]:
    """(place, what to say) of each such angle in the raw data of a description; turning: inside of a joint that turns."""
    if isinstance(data, list | tuple):
        for index, entry in enumerate(data):
            yield from bare_angles(entry, (*place, index), turning)
    if not isinstance(data, dict):
        return
    if "type" in data:
        turning = data["type"] in TURNING
    for key, value in data.items():
        here = (*place, key)
        if key in LISTS or key in SINGLE or (turning and key in OF_A_TURNING_JOINT):
            yield from _large(value, here)
        elif key != "source":
            yield from bare_angles(value, here, turning)


def coordinate_angles(data: Any, types: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """The same of the joints under home and initial; types: of the joints by their full names."""
    for key in ("home", "initial"):
        joints = data[key].get("joints") if isinstance(data.get(key), dict) else None
        for name, value in (joints or {}).items():
            if types.get(name) in TURNING:
                yield from _large(value, (key, "joints", name))


def _large(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _large(entry, (*place, index))
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > FULL_TURN:
        turns = abs(value) / FULL_TURN
        yield (
            place,
            f"{value:g} without a unit is {value:g} rad, {turns:.3g} turns; write '{value:g} deg' or '{value:g} rad'",
        )
