"""Checks across a whole robot on raw data: names used twice, and names that refer to nothing."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from gough.robot.item import Fault, given, look
from gough.robot.joint import COORDINATES
from gough.robot.joint_checks import can_convert
from gough.robot.leg import body_name, repeated
from gough.robot.units import si_unit

DIMENSIONS = {
    "fixed": (),
    "revolute": ("angle",),
    "prismatic": ("length",),
    "universal": ("angle", "angle"),
    "spherical": ("number",) * 4,
    "cylindrical": ("angle", "length"),
    "planar": ("length", "length", "angle"),
    "free": ("length",) * 3 + ("number",) * 4,
}


def _items(data: Any, key: str) -> list[Any]:
    value = look(data, key)
    return list(value) if isinstance(value, list | tuple) else []


def name_faults(data: Any) -> Iterator[Fault]:
    """Legs, springs and the platform have names of their own; there is at least one leg."""
    legs, springs = _items(data, "legs"), _items(data, "springs")
    if given(data, "legs") and isinstance(data["legs"], list | tuple) and not legs:
        yield Fault(("legs",), data["legs"], "no legs", "at least one leg")
    names = [platform_name(data), *[look(leg, "name") for leg in legs]]
    yield from repeated(names, [("platform", "name"), *[("legs", i, "name") for i in range(len(legs))]], "leg")
    yield from repeated(
        [look(s, "name") for s in springs], [("springs", i, "name") for i in range(len(springs))], "spring"
    )
    for i, name in enumerate(names):
        if name == "world":
            yield Fault(("legs", i - 1, "name") if i else ("platform", "name"), name, "a reserved name", "another name")


def platform_name(data: Any) -> Any:
    """The platform's name in raw data, its default included."""
    return look(data, "platform", "name") if given(data, "platform", "name") else "platform"


def body_names(data: Any) -> list[str]:
    """Every name that a point may refer to."""
    names = ["world", str(platform_name(data))]
    for leg in _items(data, "legs"):
        names += [f"{look(leg, 'name')}.{body_name(joint)}" for joint in _items(leg, "chain")]
    return names


def spring_faults(data: Any) -> Iterator[Fault]:
    """Springs between bodies that exist."""
    known = body_names(data)
    for index, spring in enumerate(_items(data, "springs")):
        for written, field in (("from", "from_"), ("to", "to")):
            end = look(spring, written) if given(spring, written) else look(spring, field)
            body = look(end, "body")
            if isinstance(body, str) and body not in known:
                yield Fault(("springs", index, written, "body"), body, f"no body {body!r}", _nearest(body, known))


def configuration_faults(data: Any, key: str) -> Iterator[Fault]:
    """Joint coordinates of joints that exist, as many as the joint has, in its units."""
    joints = look(data, key, "joints")
    if not isinstance(joints, Mapping):
        return
    types = {
        f"{look(leg, 'name')}.{look(joint, 'name')}": look(joint, "type")
        for leg in _items(data, "legs")
        for joint in _items(leg, "chain")
    }
    for name, value in joints.items():
        place = (key, "joints", str(name))
        if name not in types:
            yield Fault(place, value, f"no joint {name!r}", _nearest(str(name), list(types)))
            continue
        kind = types[name]
        if not isinstance(kind, str) or kind not in COORDINATES:
            continue
        entries = list(value) if isinstance(value, list | tuple) else [value]
        count = COORDINATES[kind]
        if len(entries) != count:
            yield Fault(place, value, f"{len(entries)} coordinates of a {kind} joint", f"{count}")
            continue
        for index, (entry, dimension) in enumerate(zip(entries, DIMENSIONS[kind], strict=True)):
            if not can_convert(entry, dimension):
                at = (*place, index) if isinstance(value, list | tuple) else place
                yield Fault(at, entry, "a unit of another dimension", f"a {dimension} in {si_unit(dimension) or '1'}")


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"{near[0]!r}" if near else f"one of {', '.join(known)}"
