"""Angles of more than a turn that are written without a unit: degrees, most likely, not radians. A reader doubts them, and a
writer gives them their unit."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gough.joints import ALL
from gough.robot.checks.wildcards import expand_names
from gough.robot.expressions import Expression, expressions_in
from gough.robot.item import Place, look

FULL_TURN = 2 * math.pi
LISTS = ("rpy_zyx", "bryant_xyz")
SINGLE = ("cone", "gamma", "alpha", "theta", "start_angle")
TURNING = [name for name, joint in ALL.items() if joint.in_angles]
OF_A_TURNING_JOINT = ("lower", "upper", "rest", "stroke")
OF_A_PLATFORM = ("yaw", "pitch", "roll")
"""Under `limits`."""


def angles_without_unit(data: Any, types: Mapping[str, Any]) -> Iterator[tuple[Place, float]]:
    """(place, angle) in raw data of a robot; types: of its joints by their full names."""
    yield from _bare_angles(data)
    yield from _coordinate_angles(data, types)


def expressed_angles(robot: Any, types: Mapping[str, Any]) -> Iterator[tuple[Place, Expression]]:
    """(place, angle) of a robot's expressions without a unit: more than a turn that variables give."""
    for place, x in expressions_in(robot):
        if not any(x.dimension) and abs(x) > FULL_TURN and _is_angle(robot, place, types):
            yield place, x


def _is_angle(robot: Any, place: Place, types: Mapping[str, Any]) -> bool:
    if any(step in (*LISTS, *SINGLE) for step in place):
        return True
    if place[0] in ("home", "initial") and "joints" in place[:-1]:
        name = str(place[place.index("joints") + 1])
        return any(types.get(own) in TURNING for own in expand_names([name], types)[name])
    if "limits" in place and any(step in OF_A_PLATFORM for step in place):
        return True
    kinds = (getattr(look(robot, *place[:k]), "type", None) for k in reversed(range(len(place))))
    inner = next((kind for kind in kinds if kind is not None), None)
    return inner in TURNING and any(step in OF_A_TURNING_JOINT for step in place)


def _bare_angles(data: Any, place: Place = (), turning: bool = False) -> Iterator[tuple[Place, float]]:
    """turning: inside of a joint that turns."""
    if isinstance(data, list | tuple):
        for index, entry in enumerate(data):
            yield from _bare_angles(entry, (*place, index), turning)
    if not isinstance(data, dict):
        return
    if "type" in data:
        turning = data["type"] in TURNING
    for key, value in data.items():
        here = (*place, key)
        of_platform = key in OF_A_PLATFORM and "limits" in place
        if key in LISTS or key in SINGLE or of_platform or (turning and key in OF_A_TURNING_JOINT):
            yield from _large(value, here)
        elif key not in ("source", "variables"):
            yield from _bare_angles(value, here, turning)


def _coordinate_angles(data: Any, types: Mapping[str, Any]) -> Iterator[tuple[Place, float]]:
    """The same of the joints under home and initial; types: of the joints by their full names."""
    for key in ("home", "initial"):
        joints = (data[key].get("joints") if isinstance(data.get(key), dict) else None) or {}
        stands = expand_names(joints, types)
        for name, value in joints.items():
            if any(types.get(own) in TURNING for own in stands[name]):
                yield from _large(value, (key, "joints", name))


def _large(value: Any, place: Place) -> Iterator[tuple[Place, float]]:
    if isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _large(entry, (*place, index))
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > FULL_TURN:
        yield place, value
