"""Relations of two coordinates as USD has them: the follower's joint names the leader's.

PhysX: q + gearing q_leader + offset = 0 (`PhysxMimicJointAPI`), in degrees and lengths; a slide's own axis is called rotX too.
Newton: q = c0 + c1 q_leader (`NewtonMimicAPI`), c0 in degrees or lengths, c1 in radians and lengths; joints with one axis alone.
"""

from dataclasses import dataclass

import numpy as np

from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import SLIDE, PlainCoupling, PlainFreedom, PlainRobot

DEGREES = 180.0 / np.pi
GENERIC = {"universal": ("rotY", "rotX"), "cylindrical": ("rotX", "transX"), "planar": ("transY", "transZ", "rotX")}
"""Directions of a generic joint's freedoms, by the type of joint that is written so."""


@dataclass(frozen=True)
class AxisPlace:
    """Where a coordinate stands: the joint, its direction there, whether it is the only one."""

    joint: str
    direction: str
    alone: bool
    freedom: PlainFreedom


@dataclass(frozen=True)
class Mimic:
    """A follower's coordinate q = ratio q_leader + offset, in SI units."""

    follower: AxisPlace
    leader: AxisPlace
    ratio: float
    offset: float

    @property
    def apis(self) -> list[str]:
        """API schemas of the follower's prim."""
        return [f"PhysxMimicJointAPI:{self._slot}", *(["NewtonMimicAPI"] if self._is_plain else [])]

    @property
    def _slot(self) -> str:
        return "rotX" if self.follower.alone else self.follower.direction

    @property
    def _is_plain(self) -> bool:
        return self.follower.alone and self.leader.alone

    def lines(self, folder: str) -> list[tuple[str, object]]:
        """(attribute with its type, value); a text is written as it is. folder: path of the prim that holds all joints."""
        own, other = (1.0 if a.freedom.kind == SLIDE else DEGREES for a in (self.follower, self.leader))
        lead, target = f"physxMimicJoint:{self._slot}", f"<{folder}/{self.leader.joint}>"
        axis = "rotX" if self.leader.alone else self.leader.direction
        found: list[tuple[str, object]] = [
            (f"rel {lead}:referenceJoint", target),
            (f"uniform token {lead}:referenceJointAxis", f'"{axis}"'),
            (f"float {lead}:gearing", -self.ratio * own / other),
            (f"float {lead}:offset", -self.offset * own),
        ]
        if self._is_plain:
            found += [
                ("rel newton:mimicJoint", target),
                ("float newton:mimicCoef0", self.offset * own),
                ("float newton:mimicCoef1", self.ratio),
            ]
        return found


def find_mimics(robot: PlainRobot, omissions: Omissions) -> dict[tuple[str, str], Mimic]:
    """{(joint, direction) of followers: what they follow}; what is no relation of two coordinates is left out and said."""
    places = _axis_places(robot)
    found: dict[tuple[str, str], Mimic] = {}
    for coupling in robot.couplings:
        if coupling.of_screw:
            continue
        if len(coupling.coefficients) != 2:
            omissions.drop("couplings", f"{coupling.told}: a coupling of more than two joints")
            continue
        free = [places[n] for n in coupling.coefficients if n in places and _key(places[n]) not in found]
        free.sort(key=lambda a: (a.freedom.drive is not None, not a.alone))  # motors lead
        usable = [a for a in free if a.alone or a.direction.startswith("rot")]
        if not usable or not all(n in places for n in coupling.coefficients):
            omissions.drop("couplings", f"{coupling.told}: a coupling between joints that follow others")
            continue
        found[_key(usable[0])] = _mimic(coupling, usable[0], places)
        if usable[0].freedom.kind != SLIDE and None in (usable[0].freedom.lower, usable[0].freedom.upper):
            omissions.note(
                f"{coupling.told}: PhysX couples turning joints with bounds alone, {usable[0].joint} has none"
            )
    return found


def _mimic(coupling: PlainCoupling, follower: AxisPlace, places: dict[str, AxisPlace]) -> Mimic:
    terms = coupling.coefficients
    own = follower.freedom.name
    leader = next(n for n in terms if n != own)
    return Mimic(follower, places[leader], -terms[leader] / terms[own], coupling.offset / terms[own])


def _axis_places(robot: PlainRobot) -> dict[str, AxisPlace]:
    found: dict[str, AxisPlace] = {}
    for joint in robot.joints:
        alone = len(joint.freedoms) == 1
        names = ("",) if alone else GENERIC.get(joint.type, ())
        for direction, freedom in zip(names, joint.freedoms, strict=False):
            if joint.type not in ("spherical", "free"):
                found[freedom.name] = AxisPlace(joint.name, direction, alone, freedom)
    return found


def _key(place: AxisPlace) -> tuple[str, str]:
    return place.joint, place.direction
