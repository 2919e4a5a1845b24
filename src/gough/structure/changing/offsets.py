"""Constant forces of joints: JOINT.offset (N, N m), on the side of the drives' forces, is a spring with preload -offset."""

from collections.abc import Mapping, Sequence

from gough.errors import UsageError
from gough.joints import ALL
from gough.robot import Robot
from gough.robot.effects import JointSpring, each
from gough.robot.item import Place, nearest
from gough.structure.changing._spelling import copy_item
from gough.structure.changing.names import names_meant
from gough.structure.parameters import ParameterTable

OFFSET = ".offset"


def add_preloads(robot: Robot, names: Sequence[str], table: ParameterTable) -> tuple[Robot, dict[str, str]]:
    """(robot with a spring without force wherever an offset needs one, {offset: parameter that is its preload}). names: some that
    end in .offset, of parameters too, or patterns."""
    joints = _coordinates(robot)
    offsets = {coordinate + OFFSET: coordinate for coordinate in joints}
    found: dict[str, str] = {}
    for name in (n for n in names if n not in table.names):
        meant = [offsets[n] for n in names_meant(name, list(offsets))]
        if not meant and not names_meant(name, table.names):
            known = nearest(name, [c + OFFSET for c in joints])
            raise UsageError(f"{robot.name} has no coordinate for {name!r}; use {known}")
        for coordinate in meant:
            robot, found[coordinate + OFFSET] = _add_spring(robot, coordinate, *joints[coordinate])
    return robot, found


def _coordinates(robot: Robot) -> Mapping[str, tuple[Place, int, int]]:
    """{name of a rate: (place of its joint, which of its motions, how many it has)} of joints whose motions are along or about an
    axis."""
    described: dict[str, tuple[Place, str]] = {}
    for i, leg in enumerate(robot.legs):
        described |= {
            f"{leg.name}.{joint.name}": (("legs", i, "chain", j), joint.type) for j, joint in enumerate(leg.chain)
        }
    described |= {joint.name: (("joints", j), joint.type) for j, joint in enumerate(robot.joints)}
    found = {}
    for name, (place, kind) in described.items():
        motions, coordinates = ALL[kind].motions or (), list(ALL[kind].coordinates)
        for k, motion in enumerate(motions):
            own, coordinates = coordinates[: motion.nq], coordinates[motion.nq :]
            suffixes = motion.rate_suffixes or [c.suffix for c in own]
            found |= {name + suffix: (place, k if motion.nu == 1 else -1, len(motions)) for suffix in suffixes}
    return found


def _add_spring(robot: Robot, coordinate: str, place: Place, motion: int, count: int) -> tuple[Robot, str]:
    if motion < 0:
        raise UsageError(
            f"{coordinate}{OFFSET} cannot be written back: a joint that turns about all axes has no preload in its spring"
        )
    at_leg = place[0] == "legs"
    owner = robot.legs[int(place[1])] if at_leg else robot
    key = "chain" if at_leg else "joints"
    joints = getattr(owner, key)
    index = int(place[-1])
    joint = joints[index]
    springs = list(each(joint.spring, count))
    springs[motion] = springs[motion] or JointSpring()
    joint = copy_item(joint, spring=springs[0] if count == 1 else tuple(springs))
    owner = copy_item(owner, **{key: (*joints[:index], joint, *joints[index + 1 :])})
    if at_leg:
        k = int(place[1])
        robot = copy_item(robot, legs=(*robot.legs[:k], owner, *robot.legs[k + 1 :]))
    else:
        robot = owner
    kind = ALL[joint.type]
    name = f"{owner.name}.{joint.name}" if at_leg else joint.name
    suffix = kind.freedom_suffixes[motion] if len(kind.moving) > 1 else ""
    return robot, f"{name}{suffix}.spring.preload"
