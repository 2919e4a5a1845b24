"""Which bodies of a robot have an inertia that no distribution of mass can have.

A body that only ever turns about one direction may state its moment about that alone: no other enters its equations.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from gough.joints import ALL
from gough.robot.body import Body
from gough.robot.inertia import Inertia, symmetric, unphysical
from gough.robot.pose import Pose

if TYPE_CHECKING:
    from gough.robot.robot import Robot

PARALLEL = 1e-9
"""Largest |sine| between directions that are the same."""


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
    if platform is not None and reason and not _turns_as_stated(robot, platform.name, platform):
        finding = Finding(platform.name, (), reason, (("platform",),), owner=" of the platform")
        findings[platform.name, reason, True] = finding
    for i, leg in enumerate(robot.legs):
        for j, joint in enumerate(leg.chain):
            body = joint.body
            follows = "" if body.telescopic is None else f"{leg.name}.{body.telescopic.joint}"
            reason = _reason(body, robot.home.joints.get(follows, (0.0,))[0])
            if not reason or _turns_as_stated(robot, f"{leg.name}.{body.name}", body):
                continue
            found = findings.get((body.name, reason, False), Finding(body.name, (), reason, ()))
            place = ("legs", i, "chain", j, "body")
            findings[body.name, reason, False] = Finding(
                body.name, (*found.legs, leg.name), reason, (*found.places, place)
            )
    for i, body in enumerate(robot.bodies):
        follows = "" if body.telescopic is None else body.telescopic.joint
        reason = _reason(body, robot.home.joints.get(follows, (0.0,))[0])
        if reason and not _turns_as_stated(robot, body.name, body):
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


def _turns_as_stated(robot: "Robot", name: str, body: Body) -> bool:
    """Whether one moment of inertia is all that a body states, and it turns about that axis alone. name: its full one."""
    if body.payload is not None or body.telescopic is not None:
        return False
    if body.parameters is not None:
        stated = symmetric(*body.parameters.vector().astype(float)[4:])
    elif isinstance(body.inertia, Inertia):
        stated = body.inertia.tensor()
    else:
        return False
    axis = int(np.argmax(np.diag(stated)))
    only = np.zeros((3, 3))
    only[axis, axis] = stated[axis, axis]
    if (stated != only).any() or not body.central_inertia()[2][axis, axis] > 0:
        return False
    return _turns_about(robot, name, np.eye(3)[axis])


def _turns_about(robot: "Robot", name: str, axis: np.ndarray) -> bool:
    """Whether some way of joints and loops from a rigid body to the world turns about `axis` (3,), of the body, alone."""
    from gough.robot.tree import WORLD, bodies, placed_joints, placed_loops  # it reads `Robot`, which reads this module

    ways: dict[str, list[tuple[str, np.ndarray, np.ndarray, np.ndarray | None]]] = {}
    for joint in placed_joints(robot):
        own = _turning_axis(joint.joint.type, joint.joint.axis)
        if own is not False:
            frame = _rotation(joint.base, joint.joint.placement)
            ways.setdefault(joint.body_name, []).append((joint.parent, np.eye(3), frame, own))
            ways.setdefault(joint.parent, []).append((joint.body_name, frame, np.eye(3), own))
    for loop in placed_loops(robot):
        own = _turning_axis(loop.type, loop.axis)
        if own is not False:
            first, second = _rotation(loop.first_base, loop.first_pose), _rotation(loop.second_base, loop.second_pose)
            ways.setdefault(loop.first, []).append((loop.second, first, second, own))
            ways.setdefault(loop.second, []).append((loop.first, second, first, own))
    known, seen, left = bodies(robot), {name}, [(name, axis)]
    while left:
        here, direction = left.pop()
        if here == WORLD:
            return True
        made_of = known[here].flexible if here in known else None
        if made_of is not None:
            plane = made_of.beam is not None and made_of.beam.plane
            if not plane or np.linalg.norm(np.cross(direction, [0, 0, 1])) > PARALLEL:
                continue  # it may bend out of the plane
        for there, mine, theirs, own in ways.get(here, []):
            along = mine.T @ direction
            if there not in seen and (own is None or np.linalg.norm(np.cross(along, own)) < PARALLEL):
                seen.add(there)
                left.append((there, theirs @ along))
    return False


def _turning_axis(kind: str, axis: tuple[float, float, float] | None) -> "np.ndarray | Literal[False] | None":
    """The unit axis (3,) that a joint turns about, None where it does not turn, False where it turns about others too."""
    motions = ALL[kind].motions
    if motions is None or sum(motion.turns for motion in motions) > 1:
        return False
    if not any(motion.turns for motion in motions):
        return None
    return False if axis is None else np.asarray(axis, dtype=float) / np.linalg.norm(axis)


def _rotation(base: Pose | None, pose: Pose) -> np.ndarray:
    return pose.rotation() if base is None else base.rotation() @ pose.rotation()
