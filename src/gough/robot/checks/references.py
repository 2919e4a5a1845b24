"""Checks across a whole robot on raw data: names used twice, names that refer to nothing, weights."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from gough.joints import ALL
from gough.robot._leg import body_name, entries, repetition_faults
from gough.robot.checks.joints import can_convert
from gough.robot.checks.wildcards import expand_names, is_pattern, wildcard_faults
from gough.robot.coordinates import GROUND, RESERVED, TWIST_NAMES, coordinate_faults, rate_names, reserved_faults
from gough.robot.fields import numbers
from gough.robot.item import Fault, Place, is_given, look, nearest
from gough.robot.pose import QUATERNION_TOLERANCE
from gough.robot.units import si_unit, with_article


def items(data: Any, key: str) -> list[Any]:
    """The entries of a raw list by its key; none where it is anything else."""
    return entries(look(data, key))


def name_faults(data: Any) -> Iterator[Fault]:
    """Legs, bodies, joints, loops, springs and the platform have names of their own."""
    groups = {
        key: (
            [look(item, "name") for item in items(data, key)],
            [(key, i, "name") for i in range(len(items(data, key)))],
        )
        for key in ("legs", "bodies", "joints", "loops", "springs")
    }
    legs, bodies, joints, loops, springs = groups.values()
    platform = None if named_platform(data) else platform_name(data)
    own = {"the platform's": [platform]}
    own_leg = {"a leg's": legs[0]}
    yield from repetition_faults(*legs, "leg", own)
    yield from repetition_faults(*bodies, "body", own_leg | own)
    yield from repetition_faults(*joints, "joint", own_leg)
    yield from repetition_faults(*loops, "loop", {"a joint's": joints[0]} | own_leg)
    yield from repetition_faults(*springs, "spring")
    everything = [([platform], [("platform", "name")]), legs, bodies, joints, loops, springs]
    for name, place in [pair for names, places in everything for pair in zip(names, places, strict=True)]:
        if name in GROUND:
            yield Fault(
                place, name, f"a reserved name: {name!r} is {RESERVED[name]}", f"another name, for instance {name}_1"
            )
    for body, place in zip(items(data, "bodies"), bodies[1], strict=True):
        if isinstance(body, Mapping) and not is_given(body, "name"):
            yield Fault(place, look(body, "name"), "a body without a name", "a name that joints can refer to")
    kinds = [look(joint, "type") for joint in items(data, "joints")]
    yield from coordinate_faults(joints[0], kinds, joints[1])
    yield from reserved_faults(_named_joints(data), platform_name(data) is not None)


def _named_joints(data: Any) -> list[tuple[str, Any, Place, str]]:
    """(full name, type, place, name as written) of every joint with a name."""
    found: list[tuple[str, Any, Place, str]] = [
        (look(joint, "name"), look(joint, "type"), ("joints", i, "name"), look(joint, "name"))
        for i, joint in enumerate(items(data, "joints"))
    ]
    for i, leg in enumerate(items(data, "legs")):
        for k, joint in enumerate(items(leg, "chain")):
            name = look(joint, "name")
            found.append((f"{look(leg, 'name')}.{name}", look(joint, "type"), ("legs", i, "chain", k, "name"), name))
    return [entry for entry in found if isinstance(entry[3], str) and entry[3] not in GROUND]


def named_platform(data: Any) -> bool:
    """Whether the platform is a body of the robot, called by its name."""
    return isinstance(look(data, "platform"), str)


def platform_name(data: Any) -> Any:
    """The platform's name in raw data, its default included; None where there is no platform."""
    if not is_given(data, "platform"):
        return None
    if named_platform(data):
        return look(data, "platform")
    return look(data, "platform", "name") if is_given(data, "platform", "name") else "platform"


def body_names(data: Any) -> list[str]:
    """Every name that a point, a joint or a loop may refer to."""
    platform = platform_name(data)
    names = ["world", *([] if platform is None or named_platform(data) else [str(platform)])]
    names += [str(look(body, "name")) for body in items(data, "bodies") if is_given(body, "name")]
    for leg in items(data, "legs"):
        names += [f"{look(leg, 'name')}.{body_name(joint)}" for joint in items(leg, "chain")]
    return names


def joint_types(data: Any) -> dict[str, Any]:
    """The raw type of every joint of the tree by its full name."""
    types = {
        f"{look(leg, 'name')}.{look(joint, 'name')}": look(joint, "type")
        for leg in items(data, "legs")
        for joint in items(leg, "chain")
    }
    types |= {str(look(joint, "name")): look(joint, "type") for joint in items(data, "joints")}
    return types | {name: kind for name, kind in loop_types(data) if kind in ALL and ALL[kind].carried_when_cut}


def loop_types(data: Any) -> Iterator[tuple[str, str]]:
    """(full name, type) of every joint that closes a loop."""
    for leg in items(data, "legs"):
        closing = [*([look(leg, "cut")] if is_given(leg, "cut") else []), *entries(look(leg, "loops"))]
        for loop in closing:
            name = look(loop, "name") if is_given(loop, "name") else "cut"
            yield f"{look(leg, 'name')}.{name}", str(look(loop, "type"))
    yield from ((str(look(loop, "name")), str(look(loop, "type"))) for loop in items(data, "loops"))


def spring_faults(data: Any) -> Iterator[Fault]:
    """Springs between bodies that exist."""
    known = body_names(data)
    there = set(known)
    for index, spring in enumerate(items(data, "springs")):
        for written, field in (("from", "from_"), ("to", "to")):
            end = look(spring, written) if is_given(spring, written) else look(spring, field)
            body = look(end, "body")
            if isinstance(body, str) and body not in there:
                yield Fault(("springs", index, written, "body"), body, f"no body {body!r}", nearest(body, known))


def configuration_faults(data: Any, key: str) -> Iterator[Fault]:
    """A pose only of a platform; joint coordinates of joints that exist, as many as the joint has, in its units."""
    if is_given(data, key, "pose") and platform_name(data) is None:
        yield Fault((key, "pose"), look(data, key, "pose"), "a pose without a platform", "joints, or a platform")
    joints = look(data, key, "joints")
    if not isinstance(joints, Mapping):
        return
    types = joint_types(data)
    places: list[Place] = [(key, "joints", str(name)) for name in joints]
    yield from wildcard_faults(list(joints), places, types, "joint")
    stands = expand_names(joints, types)
    for (name, value), place in zip(joints.items(), places, strict=True):
        found = [fault for own in stands[name] for fault in stated_faults(own, value, place, types)]
        yield from {(fault.place, fault.message): fault for fault in reversed(found)}.values()


def stated_faults(name: Any, value: Any, place: Place, types: Mapping[str, Any]) -> Iterator[Fault]:
    """Of the coordinates that are stated of one joint: a joint that exists, as many as it has, in its units."""
    if name not in types:
        yield Fault(place, value, f"no joint {name!r}", nearest(str(name), list(types)))
        return
    kind = types[name]
    if not isinstance(kind, str) or kind not in ALL:
        return
    entries = list(value) if isinstance(value, list | tuple) else [value]
    count = len(ALL[kind].coordinates)
    if len(entries) != count:
        yield Fault(place, value, f"{len(entries)} coordinates of a {kind} joint", f"{count}")
        return
    wxyz = numbers(entries[-4:], 4) if ALL[kind].quaternion is not None else None
    if wxyz is not None and abs(math.hypot(*wxyz) - 1) > QUATERNION_TOLERANCE:
        yield Fault(place, value, f"a quaternion of norm {math.hypot(*wxyz):.9g}", "norm 1 to 1e-6: qw qx qy qz")
    for index, (entry, coordinate) in enumerate(zip(entries, ALL[kind].coordinates, strict=True)):
        dimension = coordinate.dimension
        if not can_convert(entry, dimension):
            at = (*place, index) if isinstance(value, list | tuple) else place
            expected = f"{with_article(dimension)} in {si_unit(dimension) or '1'}"
            yield Fault(at, entry, "a unit of another dimension", expected)


def stated_joints(data: Any, key: str = "home") -> dict[str, Any]:
    """{full name: coordinates} of what a configuration states, names with stars for all that they stand for."""
    joints = look(data, key, "joints")
    if not isinstance(joints, Mapping):
        return {}
    stands = expand_names(joints, joint_types(data)) if any(map(is_pattern, joints)) else {}
    return {name: value for written, value in joints.items() for name in stands.get(written, [written])}


def known_rates(data: Any) -> list[str]:
    """Names that velocities may have: of the platform's twist, and of joints."""
    twist = [] if platform_name(data) is None else list(TWIST_NAMES)
    return [*twist, *[rate for name, kind in joint_types(data).items() for rate in rate_names(name, kind)]]


def velocity_faults(data: Any) -> Iterator[Fault]:
    """Velocities of a platform, of drives or of coordinates that there are."""
    chosen = look(data, "velocities")
    if chosen == "platform" and platform_name(data) is None:
        yield Fault(("velocities",), chosen, "the velocities of a platform that there is not", "drives, or a list")
    if chosen == "drives" and not any(True for _ in _drives(data)):
        yield Fault(("velocities",), chosen, "the velocities of drives that there are not", "a list of coordinates")
    known = known_rates(data)
    there = set(known)
    places: list[Place] = [("velocities", index) for index in range(len(entries(chosen)))]
    yield from repetition_faults(entries(chosen), places, "velocity")
    yield from wildcard_faults(entries(chosen), places, known, "velocity")
    for name, place in zip(entries(chosen), places, strict=True):
        if isinstance(name, str) and name not in there and not is_pattern(name):
            yield Fault(place, name, f"no velocity {name!r}", nearest(name, known))


def passive_rates(data: Any) -> list[str]:
    """Names of the rates of joints without a drive."""
    driven = {_joint_at(data, place[:-1]) for place, _ in _drives(data)}
    return [rate for name, kind in joint_types(data).items() if name not in driven for rate in rate_names(name, kind)]


def idle_faults(data: Any) -> Iterator[Fault]:
    """Freedoms stated to be idle that there are not, or that are driven; which are idle is known when the model is built."""
    written, known = entries(look(data, "idle")), passive_rates(data)
    there, rates = set(known), set(known_rates(data))
    places: list[Place] = [("idle", index) for index in range(len(written))]
    yield from repetition_faults(written, places, "idle freedom")
    yield from wildcard_faults(written, places, known, "rate of a passive joint")
    for name, place in zip(written, places, strict=True):
        if not isinstance(name, str) or is_pattern(name) or name in there:
            continue
        if name in TWIST_NAMES and name in rates:
            yield Fault(place, name, f"{name!r} is the platform's, which is never idle", "rates of passive joints")
        elif name in rates:
            yield Fault(place, name, f"{name!r} is driven, and so not idle", "rates of passive joints")
        else:
            yield Fault(place, name, f"no rate {name!r}", nearest(name, known))


def _joint_at(data: Any, place: Place) -> str:
    """Full name of the joint at a place."""
    name = str(look(data, *place, "name"))
    return f"{look(data, *place[:2], 'name')}.{name}" if place[0] == "legs" else name


def platform_limit_faults(data: Any) -> Iterator[Fault]:
    """Bounds of a pose on bodies that are not the platform."""
    named = platform_name(data) if named_platform(data) else None
    found: list[tuple[Place, Any]] = [
        (("bodies", i), body)
        for i, body in enumerate(items(data, "bodies"))
        if named is None or look(body, "name") != named
    ]
    for i, leg in enumerate(items(data, "legs")):
        found += [(("legs", i, "chain", k, "body"), look(j, "body")) for k, j in enumerate(items(leg, "chain"))]
    for place, body in found:
        if is_given(body, "limits"):
            message = "bounds of the pose of a body that is not the platform"
            yield Fault((*place, "limits"), look(body, "limits"), message, "limits on the platform, or on joints")


def weight_faults(data: Any) -> Iterator[Fault]:
    """Weights on all drives or on none."""
    drives = list(_drives(data))
    if not any(is_given(drive, "weight") for _, drive in drives):
        return
    for place, drive in drives:
        if not is_given(drive, "weight"):
            yield Fault(
                (*place, "weight"),
                look(drive, "weight"),
                "a drive without a weight beside drives that have one",
                "a weight on every drive, or on none",
            )


def _drives(data: Any) -> Iterator[tuple[Place, Any]]:
    for i, leg in enumerate(items(data, "legs")):
        for j, joint in enumerate(items(leg, "chain")):
            if is_given(joint, "drive"):
                yield ("legs", i, "chain", j, "drive"), look(joint, "drive")
    for i, joint in enumerate(items(data, "joints")):
        if is_given(joint, "drive"):
            yield ("joints", i, "drive"), look(joint, "drive")
