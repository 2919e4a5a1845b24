"""What acts on axes of joints and bounds them: words of UsdPhysics, PhysX, Newton and MuJoCo.

Of an axis PhysxJointAxisAPI counts before PhysxJointAPI. PhysX and Newton have viscous friction a degree, MuJoCo a radian.
"""

import math
from dataclasses import replace
from typing import Any

from gough.interchange.foreign import Effects
from gough.interchange.usd._stage import UsdReading

DEGREE = math.radians(1.0)
OF_PHYSX = (
    "armature",
    "maxJointVelocity",
    "staticFrictionEffort",
    "dynamicFrictionEffort",
    "viscousFrictionCoefficient",
)
"""Of PhysxJointAxisAPI, all that is read."""
OF_JOINT = ("armature", "maxJointVelocity", "jointFriction", "enableProjection")
"""Of PhysxJointAPI."""


def effects_of(reading: UsdReading, prim: Any, axis: str, turns: bool, limits: str | None) -> tuple[Effects, bool]:
    """(what acts on an axis and bounds it, whether it has a motor); axis: as drives call it (angular, linear, rotX, …), limits:
    how names of its bounds begin, None for none."""
    force = reading.mass * reading.length ** (2 if turns else 1)
    inertia = reading.mass * (reading.length**2 if turns else 1.0)
    unit = DEGREE if turns else reading.length
    lower, upper = (None, None) if limits is None else _bounds(reading, prim, limits, unit)
    driven = f"PhysicsDriveAPI:{axis}" in reading.schemas(prim)
    most = (
        reading.number(prim, f"drive:{axis}:physics:maxForce", math.inf, endless=True) * force if driven else math.inf
    )
    if driven and any(reading.number(prim, f"drive:{axis}:physics:{k}") for k in ("stiffness", "damping")):
        reading.note(prim, "the gains of its drive are left out: they are a controller's")
    own = f"physxJointAxis:{axis}" if f"PhysxJointAxisAPI:{axis}" in reading.schemas(prim) else ""
    speed = _first(
        reading, prim, (f"{own}:maxJointVelocity", "physxJoint:maxJointVelocity", "newton:velocityLimit"), math.inf
    )
    a_degree = _first(reading, prim, (f"{own}:viscousFrictionCoefficient", "newton:damping"), 0.0)
    viscous = a_degree * (1.0 / DEGREE if turns else 1.0) or _first(reading, prim, ("mjc:damping",), 0.0)
    _check_physx(reading, prim, own)
    armatures = (f"{own}:armature", "physxJoint:armature", "newton:armature", "mjc:armature")
    coulombs = (f"{own}:dynamicFrictionEffort", "newton:friction", "mjc:frictionloss")
    found = Effects(
        armature=_first(reading, prim, armatures, 0.0) * inertia,
        viscous=viscous * inertia,
        coulomb=_first(reading, prim, coulombs, 0.0) * force,
        stiffness=_first(reading, prim, ("mjc:stiffness",), 0.0) * inertia,
        rest=_first(reading, prim, ("mjc:springref",), 0.0) * unit,
        lower=lower,
        upper=upper,
        speed=speed * unit if 0 < speed < math.inf else None,
        force=most if 0 < most < math.inf else None,
    )
    return (found if found.stiffness else replace(found, rest=0.0)), driven


def ball_effects(reading: UsdReading, prim: Any) -> Effects:
    """What acts in a ball, alike about all axes."""
    own, _ = effects_of(reading, prim, "", turns=True, limits=None)
    if own.coulomb:
        reading.refuse(prim, "friction of a ball that does not grow with its speed", "0, or damping")
    if any(schema.startswith(("PhysicsDriveAPI:", "PhysxJointAxisAPI:")) for schema in reading.schemas(prim)):
        reading.note(prim, "drives, and what PhysX has for axes of a ball, are left out")
    return Effects(armature=own.armature, viscous=own.viscous, stiffness=own.stiffness)


def _bounds(reading: UsdReading, prim: Any, limits: str, unit: float) -> tuple[float | None, float | None]:
    keys = (
        ("physics:lowerLimit", "physics:upperLimit")
        if not limits
        else (f"{limits}physics:low", f"{limits}physics:high")
    )
    low, high = (reading.number(prim, k, s * math.inf, endless=True) for k, s in zip(keys, (-1, 1), strict=True))
    lower, upper = (x * unit if math.isfinite(x) else None for x in (low, high))
    if lower is not None and upper is not None and lower > upper:
        reading.refuse(prim, f"the lower bound {low:g} is above the upper one {high:g}", "a PhysicsFixedJoint")
        return None, None
    if lower is not None and lower == upper:
        axis = limits.split(":")[1] if limits else ""
        words = f"{axis}: both bounds are {low:g}" if axis else f"both bounds are {low:g}"
        locked = f"low above high, which locks {axis} at 0, and localPos0 or localRot0 at that place"
        reading.refuse(prim, words, locked if axis else "a PhysicsFixedJoint at that place")
    return lower, upper


def _check_physx(reading: UsdReading, prim: Any, own: str) -> None:
    """Words of PhysX that mean another friction than here, or that are not known."""
    if _first(reading, prim, ("physxJoint:jointFriction",), 0.0):
        words = "physxJoint:jointFriction, which grows with the load on the joint"
        reading.refuse(prim, words, "0, or newton:friction: a force that does not")
    static, moving = (_first(reading, prim, (f"{own}:{k}FrictionEffort",), 0.0) for k in ("static", "dynamic"))
    if static > moving:
        words = (
            f"staticFrictionEffort {static:g} holds the joint at rest: it is left out, in motion dynamicFrictionEffort"
        )
        reading.note(prim, f"{words} {moving:g} acts")
    for attribute in prim.GetAuthoredAttributes():
        name = str(attribute.GetName())
        kind, _, word = name.partition(":")
        known = {"physxJoint": OF_JOINT, "physxJointAxis": OF_PHYSX}.get(kind)
        if known is not None and word.rpartition(":")[2] not in known:
            reading.note(prim, f"{name} is left out: it is not known here")
        elif kind == "physxJointAxis" and f"PhysxJointAxisAPI:{word.partition(':')[0]}" not in reading.schemas(prim):
            reading.note(prim, f"{name} is left out: PhysxJointAxisAPI:{word.partition(':')[0]} is not applied")


def _first(reading: UsdReading, prim: Any, names: tuple[str, ...], otherwise: float) -> float:
    """The first of some attributes that is written."""
    for name in names:
        if not name.startswith(":") and reading.has(prim, name):
            return reading.number(prim, name, otherwise, endless=True)
    return otherwise
