"""New numbers, and where they come from, in a description: its own forms stay where they can."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gough.robot import Body, Coupling, Pose, Robot
from gough.robot.expressions import Expression
from gough.robot.flexible import Flexible
from gough.robot.item import Item, Place, is_same, look
from gough.robot.joint import MovingJoint
from gough.robot.platform.home_axes import frame_on_platform
from gough.robot.pose import FORMS
from gough.robot.robot import DOCUMENT_KEYS
from gough.robot.writer import robot_data
from gough.scalar import VariedNumber
from gough.spatial import quaternion_wxyz_from_rotation, rpy_zyx_angles
from gough.structure.changing._spelling import change_parts, copy_item

SAME_AXES = 1e-14
"""Largest difference of matrices that is rounding."""


def write_numbers(robot: Robot, spelled: Robot, numbers: Mapping[Place, float]) -> Robot:
    """A robot with new numbers at places of its spelled form; what has none beneath it stays as it is written."""
    if not numbers:
        return robot
    made: Robot = _Merger(numbers).merge(robot, _put(spelled, numbers), ())
    legs = tuple(_hold_axes(old, new, robot) for old, new in zip(robot.legs, made.legs, strict=True))
    return copy_item(made, legs=legs)


def _put(data: Any, numbers: Mapping[Place, float]) -> Any:
    """A part with numbers at places."""
    if () in numbers:
        return numbers[()]
    inside: dict[Any, dict[Place, float]] = {}
    for place, x in numbers.items():
        inside.setdefault(place[0], {})[place[1:]] = x
    if isinstance(data, Item):
        return copy_item(data, **{key: _put(getattr(data, key), own) for key, own in inside.items()})
    if isinstance(data, Mapping):
        return {key: _put(x, inside[key]) if key in inside else x for key, x in data.items()}
    return tuple(_put(x, inside[k]) if k in inside else x for k, x in enumerate(data))


class _Merger:
    """Takes from the spelled form what has new numbers, all else from the description."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.touched = {place[:n] for place in places for n in range(len(place) + 1)}

    def merge(self, old: Any, new: Any, place: Place) -> Any:
        if place not in self.touched:
            return old
        if isinstance(new, tuple) and isinstance(old, float):  # an armature for all freedoms of a joint
            return new[0] if all(is_same(x, new[0]) for x in new) else new
        if isinstance(old, Item):
            return self.item(old, new, place)
        if isinstance(old, Mapping):
            return {key: self.merge(old[key], new[key], (*place, key)) for key in old}
        if isinstance(old, tuple) and isinstance(new, tuple):
            return tuple(self.merge(a, b, (*place, k)) for k, (a, b) in enumerate(zip(old, new, strict=True)))
        return new

    def item(self, old: Any, new: Any, place: Place) -> Any:
        if isinstance(old, Pose):
            return self.pose(old, new, place)
        names = [name for name in type(old).model_fields if (*place, name) in self.touched]
        update = {name: self.merge(getattr(old, name), getattr(new, name), (*place, name)) for name in names}
        if isinstance(old, MovingJoint) and "placement" in names:
            update["mdh"] = None
        if isinstance(old, Body) and "parameters" in names:
            update |= {"inertia": None, "shape": (), "mass": new.parameters.M}
        if isinstance(old, Coupling):
            stated = ("ratio", "teeth", "module", "radii", "offset")
            update |= {k: getattr(new, k) for k in stated if k not in names and _is_filled(getattr(old, k), new, k)}
        return copy_item(old, **update)

    def pose(self, old: Pose, new: Pose, place: Place) -> Pose:
        position = self.merge(old.position, new.position, (*place, "position"))
        made = copy_item(old, position=tuple(map(_unplaced, position)))
        if (*place, "matrix") in self.touched:
            return turn_pose(made, np.array(new.matrix))
        rows = None if old.matrix is None else tuple(tuple(map(_unplaced, row)) for row in old.matrix)
        return copy_item(made, matrix=rows)


def _is_filled(old: Any, new: Coupling, key: str) -> bool:
    """Whether the spelled form of a coupling says something else in a key than what is written."""
    return isinstance(old, str) or (old is None) != (getattr(new, key) is None)


def _unplaced(x: Any) -> Any:
    """A number that follows variables only through what stood beside it (mdh) is one of its own now."""
    return float(x) if isinstance(x, VariedNumber) and not isinstance(x, Expression) else x


def turn_pose(pose: Pose, rotation: np.ndarray) -> Pose:
    """A pose turned as a matrix (3, 3) says, in the form in which it is written; rpy_zyx where it has none."""
    form = next((form for form in FORMS if getattr(pose, form) is not None), "rpy_zyx")
    written: Any
    if form == "rpy_zyx":
        written = tuple(angle + 0.0 for angle in rpy_zyx_angles(rotation))
    elif form == "bryant_xyz":  # R = Rx(a) Ry(b) Rz(c), so that its transpose is Rz(-c) Ry(-b) Rx(-a)
        written = tuple(0.0 - angle for angle in rpy_zyx_angles(rotation.T))[::-1]
    elif form == "quaternion_wxyz":
        written = tuple(quaternion_wxyz_from_rotation(rotation).tolist())
    elif form == "matrix":
        written = tuple(tuple(row) for row in rotation.tolist())
    else:
        stated = [k for k, name in enumerate("xyz") if getattr(pose.axes, name) is not None]
        written = copy_item(pose.axes, **{"xyz"[k]: tuple(rotation[:, k].tolist()) for k in stated})
    home = {"orientation": None} if hasattr(pose, "orientation") else {}
    return copy_item(pose, **{form: written}, **home)


def _hold_axes(old: Any, new: Any, robot: Robot) -> Any:
    """A leg whose frame on the platform takes its axes from home: they are stated where they would turn with the leg."""
    if getattr(new.on_platform, "orientation", None) is None:
        return new
    was, now = (frame_on_platform(leg, robot.home).rotation() for leg in (old, new))
    if np.abs(was - now).max() <= SAME_AXES:
        return new
    return copy_item(new, on_platform=turn_pose(new.on_platform, was))


def write_sources(robot: Robot, texts: Mapping[Place, Sequence[str]], lead: str = "") -> Robot:
    """A robot whose items say where their numbers at places (of its spelled form) come from, beside what they said before. lead:
    what a list of all texts of an item begins with."""
    by_item: dict[Place, dict[str, None]] = {}
    for place, own in texts.items():
        by_item.setdefault(_owner(robot, place), {}).update(dict.fromkeys(own))
    for place, own in by_item.items():
        robot = _say(robot, place, [lead + ", ".join(own)] if lead else list(own))
    return robot


def _owner(robot: Robot, place: Place) -> Place:
    """Place of the innermost item that has a number."""
    data, here, owner = robot, [], ()
    for step in place:
        if isinstance(step, int) and isinstance(data, Item):  # one in the place of one for each freedom
            continue
        data = look(data, step)
        here.append(step)
        if isinstance(data, Item):
            owner = tuple(here)
    return owner


def _say(data: Any, place: Place, texts: Sequence[str]) -> Any:
    if place:
        inner = _say(look(data, place[0]), place[1:], texts)
        if isinstance(data, Item):
            return copy_item(data, **{str(place[0]): inner})
        if isinstance(data, Mapping):
            return {**data, place[0]: inner}
        return tuple(inner if k == place[0] else x for k, x in enumerate(data))
    before = data.source
    if before is None or isinstance(before, str):
        new = [text for text in texts if text not in (before or "")]
        return copy_item(data, source="; ".join([*([before] if before else []), *new]) or None)
    kept = list(before) if isinstance(before, list | tuple) else [before]
    return copy_item(data, source=[*kept, *(text for text in texts if text not in kept)])


def data_of(robot: Robot) -> dict[str, Any]:
    """A robot as the data it can be read from again, with flexible bodies that are Python objects as they are."""
    objects: dict[Place, Any] = {}

    def rigid(item: Any, place: Place) -> Any:
        own = getattr(item, "flexible", None) if isinstance(item, Body) else None
        if own is None or isinstance(own, Flexible):
            return item
        objects[place] = own
        return copy_item(item, flexible=None)

    stripped = change_parts(robot, rigid)
    data = robot_data(stripped if objects else robot)
    for place, own in objects.items():
        owner: Any = data
        for step in place[:-1] if place[-1] == "body" else place:
            owner = owner[step]
        if place[-1] == "body" and place[0] != "platform":
            owner = owner.setdefault("body", {})
        for key in ("mass", "center_of_mass"):
            owner.pop(key, None)
        owner["flexible"] = own
    return {key: x for key, x in data.items() if key in DOCUMENT_KEYS}
