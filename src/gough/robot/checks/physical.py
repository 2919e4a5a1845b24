"""Which bodies of a robot have an inertia that no distribution of mass can have."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gough.robot.body import Body
from gough.robot.inertia import unphysical

if TYPE_CHECKING:
    from gough.robot.robot import Robot


@dataclass(frozen=True)
class Finding:
    """An unphysical body: its name, the legs that have it (for others their owner), the reason, where it is written."""

    body: str
    legs: tuple[str, ...]
    reason: str
    places: tuple[tuple[int | str, ...], ...]
    written: str = ""
    owner: str = ""

    def __str__(self) -> str:
        legs = f" of {'leg' if len(self.legs) == 1 else 'legs'} {', '.join(self.legs)}" if self.legs else ""
        return f"{self.written}{': ' if self.written else ''}body {self.body!r}{legs or self.owner}: {self.reason}"


def unphysical_bodies(robot: "Robot") -> list[Finding]:
    """One finding for each body; legs with the same body and the same reason share one."""
    findings: dict[tuple[str, str, bool], Finding] = {}
    platform = None if robot.platform is None or isinstance(robot.platform, str) else robot.platform.body
    reason = "" if platform is None else _reason(platform, 0.0)
    if platform is not None and reason:
        finding = Finding(platform.name, (), reason, (("platform",),), owner=" of the platform")
        findings[platform.name, reason, True] = finding
    for i, leg in enumerate(robot.legs):
        for j, joint in enumerate(leg.chain):
            body = joint.body
            follows = "" if body.telescopic is None else f"{leg.name}.{body.telescopic.joint}"
            reason = _reason(body, robot.home.joints.get(follows, (0.0,))[0])
            if not reason:
                continue
            found = findings.get((body.name, reason, False), Finding(body.name, (), reason, ()))
            place = ("legs", i, "chain", j, "body")
            findings[body.name, reason, False] = Finding(
                body.name, (*found.legs, leg.name), reason, (*found.places, place)
            )
    for i, body in enumerate(robot.bodies):
        follows = "" if body.telescopic is None else body.telescopic.joint
        reason = _reason(body, robot.home.joints.get(follows, (0.0,))[0])
        if reason:
            findings[body.name, reason, True] = Finding(body.name, (), reason, (("bodies", i),))
    return list(findings.values())


def _reason(body: Body, coordinate: float) -> str:
    mass, _, tensor = body.central_inertia()
    if body.telescopic is not None:
        c0, c1, c2 = body.telescopic.coefficients()
        tensor = tensor + c0 + c1 * coordinate + c2 * (coordinate * coordinate)
    if mass == 0 and body.ten_parameters()[1:4].any():
        return "a first moment without mass"
    return unphysical(tensor)
