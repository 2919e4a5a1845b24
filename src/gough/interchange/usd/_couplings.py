"""Joints that follow others: PhysxMimicJointAPI (q + gearing q_ref + offset = 0) and NewtonMimicAPI (q = c0 + c1 q_leader).

Offsets are in the units of the follower's axis: degrees where it turns, those of the stage where it slides. A gearing between a
slide and a turn is length a degree.
"""

import math
from typing import Any

from gough.interchange.foreign import ForeignCoupling
from gough.interchange.usd._joints import UsdJoints
from gough.interchange.usd._stage import UsdReading


def read_mimics(reading: UsdReading, found: UsdJoints) -> tuple[ForeignCoupling, ...]:
    """Relations of coordinates of the joints that were read."""
    made: list[ForeignCoupling] = []
    for path in dict.fromkeys(path for path, _ in found.axes):
        prim = reading.stage.GetPrimAtPath(path)
        schemas = [] if not prim else reading.schemas(prim)
        for schema in schemas:
            kind, _, axis = schema.partition(":")
            if kind == "PhysxMimicJointAPI":
                prefix = f"physxMimicJoint:{axis}"
                targets = reading.targets(prim, f"{prefix}:referenceJoint")
                leader = _axis_of(found, targets, reading.word(prim, f"{prefix}:referenceJointAxis"))
                factor = -reading.number(prim, f"{prefix}:gearing", 1.0)
                offset = -reading.number(prim, f"{prefix}:offset")
                made += _coupling(reading, prim, _axis_of(found, [path], axis), leader, factor, offset)
            elif kind == "NewtonMimicAPI" and reading.truth(prim, "newton:mimicEnabled", True):
                leader = _axis_of(found, reading.targets(prim, "newton:mimicJoint"), "")
                factor = reading.number(prim, "newton:mimicCoef1", 1.0)
                offset = reading.number(prim, "newton:mimicCoef0")
                made += _coupling(reading, prim, _axis_of(found, [path], ""), leader, factor, offset)
    return tuple(made)


def _axis_of(found: UsdJoints, targets: list[Any], axis: str) -> tuple[str, str] | None:
    """(name, axis) of the coordinate that a path and an axis mean; without an axis, or on another letter, the only one."""
    own = {a: name for (path, a), name in found.axes.items() if targets and path == str(targets[0]) and a}
    if axis in own:
        return own[axis], axis
    alike = [a for a in own if not axis or a[:3] == axis[:3]]
    return (own[alike[0]], alike[0]) if len(alike) == 1 else None


def _coupling(
    reading: UsdReading,
    prim: Any,
    follower: tuple[str, str] | None,
    leader: tuple[str, str] | None,
    factor: float,
    offset: float,
) -> list[ForeignCoupling]:
    if follower is None or leader is None or follower[0] == leader[0]:
        reading.refuse(prim, "it follows a joint that is not there, or that has several axes", "a joint with one axis")
        return []
    units = [math.radians(1.0) if axis.startswith("rot") else reading.length for _, axis in (follower, leader)]
    coefficients = {follower[0]: 1.0, leader[0]: -factor * units[0] / units[1]}
    return [ForeignCoupling(follower[0], reading.at(prim), coefficients, offset * units[0])]
