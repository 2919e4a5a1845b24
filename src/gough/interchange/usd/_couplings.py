"""Joints that follow others: PhysxMimicJointAPI (q + gearing q_ref + offset = 0), NewtonMimicAPI (q = c0 + c1 q_leader) and
MjcEqualityJointAPI (the same, with powers of q_leader).

Offsets are in the units of the follower's axis: degrees where it turns (of `mjc:coef0` radians, always), those of the stage where
it slides. A gearing of PhysX between a slide and a turn is length a degree, a coefficient of Newton and MuJoCo length a radian.
MuJoCo relates what coordinates are beyond `mjc:ref`, which they are here. MjcEqualityJointAPI brings NewtonMimicAPI with it: what
its own words do not say Newton's do. A prim with several relations says one thing more than once.
"""

from typing import Any

import numpy as np

from gough.interchange.foreign import ForeignCoupling
from gough.interchange.usd._joints import UsdJoints
from gough.interchange.usd._stage import DEGREE, UsdReading

SOFT = ("naturalFrequency", "dampingRatio")
"""With which PhysX lets a relation yield."""


def read_mimics(reading: UsdReading, found: UsdJoints) -> tuple[ForeignCoupling, ...]:
    """Relations of coordinates of the joints that were read."""
    made: list[ForeignCoupling] = []
    for path in dict.fromkeys(joint.at.path for joint in found.joints):
        prim = reading.stage.GetPrimAtPath(path)
        own: list[ForeignCoupling] = []
        for schema in reading.schemas(prim) if prim else ():
            kind, _, axis = schema.partition(":")
            if kind == "PhysxMimicJointAPI":
                prefix = f"physxMimicJoint:{axis}"
                targets = reading.targets(prim, f"{prefix}:referenceJoint")
                leader = _axis_of(found, targets, reading.word(prim, f"{prefix}:referenceJointAxis"))
                factor = -reading.number(prim, f"{prefix}:gearing", 1.0)
                offset = -reading.number(prim, f"{prefix}:offset")
                if any(reading.number(prim, f"{prefix}:{word}") > 0 for word in SOFT):
                    reading.note(prim, f"{prefix}: {' and '.join(SOFT)} are left out: the relation does not yield here")
                own += _coupling(reading, prim, _axis_of(found, [path], axis), leader, factor, offset, DEGREE)
            elif kind == "NewtonMimicAPI" and reading.truth(prim, "newton:mimicEnabled", True):
                leader = _axis_of(found, reading.targets(prim, "newton:mimicJoint"), "")
                factor = reading.number(prim, "newton:mimicCoef1", 1.0)
                offset = reading.number(prim, "newton:mimicCoef0")
                own += _coupling(reading, prim, _axis_of(found, [path], ""), leader, factor, offset, 1.0)
            elif kind == "MjcEqualityJointAPI" and reading.truth(prim, "newton:mimicEnabled", True):
                own += _equality(reading, prim, found, path)
        made += _said_once(reading, prim, own)
    return tuple(made)


def _said_once(reading: UsdReading, prim: Any, own: list[ForeignCoupling]) -> list[ForeignCoupling]:
    """Relations of a prim, each once; two of one coordinate that are not the same are refused."""
    kept: dict[str, ForeignCoupling] = {}
    for coupling in own:
        first = kept.setdefault(coupling.name, coupling)
        numbers = [[c.offset, *(c.coefficients.get(n, 0.0) for n in first.coefficients)] for c in (first, coupling)]
        if set(first.coefficients) != set(coupling.coefficients) or not np.allclose(*numbers, rtol=1e-5, atol=1e-9):
            told = [", ".join(f"{n} {x:.6g}" for n, x in c.coefficients.items()) for c in (first, coupling)]
            told = [f"{t} = {c.offset:.6g}" for t, c in zip(told, (first, coupling), strict=True)]
            message = f"the relations of it (PhysX, Newton, MuJoCo) say different things: {told[0]}; {told[1]}"
            reading.refuse(prim, message, "one of them, or all alike")
    return list(kept.values())


def _equality(reading: UsdReading, prim: Any, found: UsdJoints, path: str) -> list[ForeignCoupling]:
    """Of MuJoCo; where it has powers of the leader above the first, it is refused."""
    powers = {name: reading.number(prim, name) for name in ("mjc:coef2", "mjc:coef3", "mjc:coef4")}
    for name, value in powers.items():
        if value:
            reading.refuse(prim, f"{name} is {value:g}: a relation that is not linear", "mjc:coef0 and mjc:coef1 alone")
    targets = reading.targets(prim, "mjc:target") or reading.targets(prim, "newton:mimicJoint")
    slope = next((name for name in ("mjc:coef1", "newton:mimicCoef1") if reading.has(prim, name)), "")
    factor = reading.number(prim, slope, 1.0) if slope else 1.0
    follower = _axis_of(found, [path], "")
    turns = follower is not None and follower[1].startswith("rot")
    radians = 1.0 / DEGREE if turns and reading.has(prim, "mjc:coef0") else 1.0
    offset = reading.number(prim, "mjc:coef0" if reading.has(prim, "mjc:coef0") else "newton:mimicCoef0") * radians
    return _coupling(reading, prim, follower, _axis_of(found, targets, ""), factor, offset, 1.0)


def _axis_of(found: UsdJoints, targets: list[Any], axis: str) -> tuple[str, str] | None:
    """(name, axis) of the coordinate that a path and an axis mean: the only one whatever it is called (PhysX calls a slide's
    rotX), else the one of that name, or of its kind where that is one alone."""
    own = {a: name for (path, a), name in found.axes.items() if targets and path == str(targets[0]) and a}
    if len(own) == 1:
        ((only, name),) = own.items()
        return name, only
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
    turn: float,
) -> list[ForeignCoupling]:
    """Of a follower and a leader; turn: the angle (rad) that a factor counts in."""
    if follower is None or leader is None or follower[0] == leader[0]:
        reading.refuse(prim, "it follows a joint that is not there, or that has several axes", "a joint with one axis")
        return []
    units = [turn if axis.startswith("rot") else reading.length for _, axis in (follower, leader)]
    unit = DEGREE if follower[1].startswith("rot") else reading.length
    coefficients = {follower[0]: 1.0, leader[0]: -factor * units[0] / units[1]}
    return [ForeignCoupling(follower[0], reading.at(prim), coefficients, offset * unit)]
