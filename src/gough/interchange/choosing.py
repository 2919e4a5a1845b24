"""Which joints are driven and which body is the platform, where the user does not say.

Drives: those that are named (`matching`); else the joints at which the file has a motor, without those that
follow a driven one; else, in a robot without loops, every joint with one coordinate that follows no other; else none, and that is
said.
Platform: the body that is named; else the one the file calls so; else, in a robot with loops, the body called platform,
moving_platform, mobile_platform, top_platform or top_plate; else none, and velocities are led by the drives.
"""

from collections.abc import Sequence

from gough.errors import UsageError
from gough.interchange.findings import Findings
from gough.interchange.foreign import ForeignRobot, Written
from gough.interchange.matching import find_named
from gough.joints import ALL
from gough.robot.checks.suggestions import choice_of

PLATFORMS = ("platform", "moving_platform", "mobile_platform", "top_platform", "top_plate")


def choose_drives(robot: ForeignRobot, asked: Sequence[str] | None, findings: Findings) -> tuple[str, ...]:
    """Names of the driven joints, in the file's order."""
    scalar = [j.name for j in robot.joints if ALL[j.type].is_scalar and (j.driven or not j.closes)]
    if asked is not None:
        return find_named(asked, scalar, f"drives of {robot.file}", "a joint with one coordinate", _not_drivable(robot))
    driven = {j.name for j in robot.joints if j.driven and j.name in scalar}
    if driven or robot.drives_stated:
        for coupling in robot.couplings:
            own = coupling.follower
            if own in driven and any(name in driven for name in coupling.coefficients if name != own):
                findings.remark(coupling.at, "a joint that follows a driven one needs no motor: its own is left out")
                driven.discard(own)
        return tuple(name for name in scalar if name in driven)
    following = {coupling.follower for coupling in robot.couplings}
    if None not in following and not has_loops(robot):
        return tuple(name for name in scalar if name not in following)
    if scalar:
        here = Written(robot.file, None, "")
        findings.remark(here, f"the file names no motors, so nothing is driven; name drives, of {choice_of(scalar)}")
    return ()


def choose_platform(robot: ForeignRobot, asked: str | None) -> str | None:
    """Name of the platform's body, or None."""
    names = [body.name for body in robot.bodies]
    if asked is not None:
        found = find_named([asked], names, f"platform of {robot.file}", "a body", _no_bodies(robot))
        if len(found) != 1:
            raise UsageError(f"platform of {robot.file}: {asked!r} means {len(found)} bodies; give {choice_of(found)}")
        return found[0]
    if robot.platform is not None:
        return robot.platform
    if not has_loops(robot):
        return None
    called = {name.lower(): name for name in reversed(names)}
    return next((called[word] for word in PLATFORMS if word in called), None)


def _not_drivable(robot: ForeignRobot) -> dict[str, str]:
    """{joint: why it cannot be driven}."""
    found: dict[str, str] = {}
    for joint in robot.joints:
        if joint.closes:
            found[joint.name] = f"{joint.name!r} closes a loop, and so has no coordinate"
        elif not ALL[joint.type].is_scalar:
            found[joint.name] = f"{joint.name!r} is a {joint.type} joint"
    return found


def _no_bodies(robot: ForeignRobot) -> dict[str, str]:
    return {joint.name: f"{joint.name!r} is a joint; it carries {joint.child!r}" for joint in robot.joints}


def has_loops(robot: ForeignRobot) -> bool:
    """Whether bodies and joints are no tree."""
    group: dict[str, str] = {}
    for joint in robot.joints:
        first, second = (_root(group, name) for name in (joint.parent, joint.child))
        if first == second or joint.closes:
            return True
        group[second] = first
    return False


def _root(group: dict[str, str], name: str) -> str:
    while (up := group.get(name, name)) != name:
        group[name] = name = group.get(up, up)
    return name
