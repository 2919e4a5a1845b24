"""Which joints are driven and which body is the platform, where the user does not say.

Drives: those that are named (names, or patterns with * and ?); else the joints at which the file has a motor, without those that
follow a driven one; else, in a robot without loops, every joint with one coordinate that follows no other; else none, and that is
said.
Platform: the body that is named; else the one the file calls so; else, in a robot with loops, the body called platform,
moving_platform, mobile_platform, top_platform or top_plate; else none, and velocities are led by the drives.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from gough.errors import UsageError
from gough.interchange.findings import Findings
from gough.interchange.foreign import ForeignRobot, Written
from gough.joints import ALL
from gough.robot.checks.suggestions import choice_of

PLATFORMS = ("platform", "moving_platform", "mobile_platform", "top_platform", "top_plate")


def choose_drives(robot: ForeignRobot, asked: Sequence[str] | None, findings: Findings) -> tuple[str, ...]:
    """Names of the driven joints, in the file's order."""
    scalar = [j.name for j in robot.joints if ALL[j.type].is_scalar and not j.closes]
    if asked is not None:
        return _matching(asked, scalar, f"drives of {robot.file}", "a joint with one coordinate")
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
        return _matching([asked], names, f"platform of {robot.file}", "a body")[0]
    if robot.platform is not None:
        return robot.platform
    if not has_loops(robot):
        return None
    called = {name.lower(): name for name in reversed(names)}
    return next((called[word] for word in PLATFORMS if word in called), None)


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


def _matching(asked: Sequence[str], known: Sequence[str], what: str, kind: str) -> tuple[str, ...]:
    chosen: set[str] = set()
    for pattern in asked:
        found = [name for name in known if name == pattern] or [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise UsageError(
                f"{what}: {pattern!r} is not {kind}; give {choice_of(list(known)) or 'none, there is none'}"
            )
        chosen.update(found)
    return tuple(name for name in known if name in chosen)
