"""Checks of the second form on raw data: the joints make a tree on the world, the loops close it between its bodies."""

from collections.abc import Iterator
from typing import Any

from gough.robot._leg import body_name
from gough.robot.checks.joints import scalar_types, telescopic_unit_faults
from gough.robot.checks.references import body_names, items, joint_types, named_platform
from gough.robot.checks.suggestions import MOST_LISTED
from gough.robot.item import Fault, Place, is_given, look, nearest


def form_faults(data: Any) -> Iterator[Fault]:
    """What a robot must have: legs on a platform, or joints."""
    legs, own = items(data, "legs"), items(data, "joints") + items(data, "bodies")
    if not legs and not own:
        yield from _nothing(data)
    if legs and not is_given(data, "platform"):
        yield Fault(
            ("platform",), look(data, "platform"), "legs without a platform", "a body, or the name of one under bodies"
        )
    bodies = [str(look(body, "name")) for body in items(data, "bodies")]
    if named_platform(data) and data["platform"] not in bodies:
        name = data["platform"]
        expected = nearest(name, bodies) if bodies else "the platform's body: a mapping with its mass"
        yield Fault(("platform",), name, f"no body {name!r} under bodies", expected)


def _nothing(data: Any) -> Iterator[Fault]:
    for key, expected in (("legs", "at least one leg, or bodies and joints"), ("joints", "at least one joint")):
        value = look(data, key)
        if isinstance(value, list | tuple):
            yield Fault((key,), value, f"no {key}", expected)
            return
        if is_given(data, key):
            return
    yield Fault(("legs",), look(data, "legs"), "missing: a robot has legs or joints", "legs, or bodies and joints")


def joint_faults(data: Any) -> Iterator[Fault]:
    """Parents and children that exist, one joint for each body, no circle."""
    joints = items(data, "joints")
    known = body_names(data)
    there = set(known)
    own = [str(look(body, "name")) for body in items(data, "bodies") if is_given(body, "name")]
    owned, carrier = set(own), dict[str, int]()
    for index, joint in enumerate(joints):
        parent, child = look(joint, "parent"), look(joint, "child")
        if isinstance(parent, str) and parent not in there:
            yield Fault(("joints", index, "parent"), parent, f"no body {parent!r}", nearest(parent, known))
        if not isinstance(child, str):
            continue
        if child not in owned:
            yield _no_child(("joints", index, "child"), child, known, own)
        elif child in carrier:
            first = look(joints[carrier[child]], "name")
            message = f"body {child!r} is already the child of joint {first!r}"
            yield Fault(("joints", index, "child"), child, message, "this joint under loops")
        carrier.setdefault(child, index)
    for index, name in enumerate(own):
        if name not in carrier and len(own) == len(items(data, "bodies")):
            message = f"body {name!r} has no joint that ties it to the world"
            yield Fault(("bodies", index, "name"), name, message, f"a joint with child: {name}")
    yield from _circles(joints, carrier)


def _no_child(place: Place, child: str, known: list[str], own: list[str]) -> Fault:
    if child in known:
        message = "the world cannot be a child" if child == "world" else f"body {child!r} has its joint already"
        return Fault(place, child, message, "a body under bodies; a further tie is one of the loops")
    return Fault(place, child, f"no body {child!r} under bodies", nearest(child, own))


def _circles(joints: list[Any], carrier: dict[str, int]) -> Iterator[Fault]:
    """Joints whose parents lead back to themselves; each circle is told once, where its first joint is written."""
    parents = [look(joint, "parent") for joint in joints]
    known: set[int] = set()  # joints whose way to the world, or to a circle, has been gone
    for start in range(len(joints)):
        way: dict[int, None] = {}
        index: int | None = start
        while index is not None and index not in way and index not in known:
            way[index] = None
            parent = parents[index]
            index = carrier.get(parent) if isinstance(parent, str) else None
        if index is not None and index in way:
            members = list(way)
            circle = members[members.index(index) :]
            names = ", ".join(str(look(joints[k], "name")) for k in circle[:MOST_LISTED])
            names += ", …" if len(circle) > MOST_LISTED else ""
            first = min(circle)
            message = f"the joints {names} carry one another in a circle that does not reach the world"
            yield Fault(("joints", first, "parent"), parents[first], message, "one of them under loops")
        known |= set(way)


def loop_faults(data: Any) -> Iterator[Fault]:
    """Loops of the legs and of the robot between two bodies that exist."""
    known = dict.fromkeys(body_names(data))
    for index, leg in enumerate(items(data, "legs")):
        own = [str(body_name(joint)) for joint in items(leg, "chain")]
        for number, loop in enumerate(items(leg, "loops")):
            yield from _ends(loop, ("legs", index, "loops", number), known, own, str(look(leg, "name")))
    for number, loop in enumerate(items(data, "loops")):
        yield from _ends(loop, ("loops", number), known, [], "")


def _ends(loop: Any, place: Place, known: dict[str, None], own: list[str], leg: str) -> Iterator[Fault]:
    full = []
    for end in ("first", "second"):
        body = look(loop, end, "body")
        if not isinstance(body, str):
            continue
        full.append(f"{leg}.{body}" if body in own else body)
        if body in own and body in known:
            message = f"{body!r} is a body of the leg and of the robot"
            yield Fault((*place, end, "body"), body, message, f"another name for one of them, or {leg}.{body}")
        elif body not in own and body not in known:
            message = f"no body {body!r}" + (" in the leg or the robot" if leg else "")
            yield Fault((*place, end, "body"), body, message, nearest(body, [*own, *known]))
    if len(full) == 2 and full[0] == full[1]:
        at = (*place, "second", "body")
        yield Fault(at, look(loop, "second", "body"), "both ends of the loop are on the same body", "two bodies")


def telescopic_faults(data: Any) -> Iterator[Fault]:
    """Telescopic bodies of the second form follow a scalar joint of the robot."""
    types = joint_types(data)
    scalar = [name for name, kind in types.items() if kind in scalar_types()]
    for index, body in enumerate(items(data, "bodies")):
        joint = look(body, "telescopic", "joint")
        if isinstance(joint, str) and joint in scalar:
            place = ("bodies", index, "telescopic", "inertia")
            yield from telescopic_unit_faults(types[joint], look(body, "telescopic", "inertia"), place)
        if not isinstance(joint, str) or joint in scalar:
            continue
        place = ("bodies", index, "telescopic", "joint")
        if joint in types:
            message = f"telescopic inertia follows {joint!r}, which has no scalar coordinate"
        else:
            message = f"telescopic inertia follows a joint {joint!r} that there is not"
        yield Fault(
            place, joint, message, nearest(joint, scalar) if scalar else f"a {' or '.join(scalar_types())} joint"
        )
