"""What acts on axes of joints and bounds them: words of UsdPhysics, PhysX, Newton and MuJoCo.

Of an axis PhysxJointAxisAPI counts before PhysxJointAPI, that before Newton's words, these before MuJoCo's; the first that is
written counts, 0 too, and others that mean something else are said. PhysX and Newton have viscous friction a degree, MuJoCo a
radian; angles of MuJoCo are in the unit that its scene states. MuJoCo's coordinate is `mjc:ref` where that of UsdPhysics is 0.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gough.interchange.foreign import Effects
from gough.interchange.usd._stage import DEGREE, UsdReading

GAINS = "the gains of its drive are left out: they are a controller's"


def effects_of(reading: UsdReading, prim: Any, axis: str, turns: bool, limits: str | None) -> tuple[Effects, bool]:
    """(what acts on an axis and bounds it, whether it has a motor); axis: as drives call it (angular, linear, rotX, …), limits:
    how names of its bounds begin, None for none."""
    force = reading.mass * reading.length ** (2 if turns else 1)
    inertia = reading.mass * (reading.length**2 if turns else 1.0)
    unit = DEGREE if turns else reading.length
    driven = f"PhysicsDriveAPI:{axis}" in reading.schemas(prim)
    if driven and any(reading.number(prim, f"drive:{axis}:physics:{k}") for k in ("stiffness", "damping")):
        reading.note(prim, GAINS)
    own = f"physxJointAxis:{axis}" if f"PhysxJointAxisAPI:{axis}" in reading.schemas(prim) else ""
    a_degree = 1.0 / DEGREE if turns else 1.0
    speeds = (f"{own}:maxJointVelocity", "physxJoint:maxJointVelocity", "newton:velocityLimit")
    armatures = (f"{own}:armature", "physxJoint:armature", "newton:armature", "mjc:armature")
    coulombs = (f"{own}:dynamicFrictionEffort", "newton:friction", "mjc:frictionloss")
    viscous = {f"{own}:viscousFrictionCoefficient": a_degree, "newton:damping": a_degree, "mjc:damping": 1.0}
    speed = _first(reading, prim, dict.fromkeys(speeds, unit), math.inf)
    _check_friction(reading, prim, own)
    _refuse_springdamper(reading, prim)
    ref, springref = (reading.number(prim, f"mjc:{word}") for word in ("ref", "springref"))
    of_mujoco = reading.angle if turns else reading.length
    lower, upper = (None, None) if limits is None else _bounds(reading, prim, limits, unit)
    if ref and not (lower is None and upper is None):
        reading.note(prim, f"mjc:ref is {ref:g}: its bounds are MuJoCo's, they count from there")
        lower, upper = (None if x is None else x - ref * of_mujoco for x in (lower, upper))
    found = Effects(
        armature=_first(reading, prim, dict.fromkeys(armatures, inertia), 0.0),
        viscous=_first(reading, prim, viscous, 0.0) * inertia,
        coulomb=_first(reading, prim, dict.fromkeys(coulombs, force), 0.0),
        stiffness=reading.number(prim, "mjc:stiffness") * inertia,
        rest=(springref - ref) * of_mujoco,
        lower=lower,
        upper=upper,
        speed=speed if 0 < speed < math.inf else None,
        force=_most_force(reading, prim, axis if driven else "", force),
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


def mjc_range(reading: UsdReading, prim: Any, word: str, limited: str) -> float | None:
    """The larger of two ends that MuJoCo clamps to, None where it does not; limited: the name of its switch."""
    names = (f"mjc:{word}:min", f"mjc:{word}:max")
    switch = reading.word(prim, f"mjc:{limited}", "auto")
    if switch not in ("true", "false", "auto"):
        reading.refuse(prim, f"mjc:{limited} is {switch[:20]!r}", "true, false or auto")
    low, high = (reading.number(prim, name, endless=True) for name in names)
    if switch == "false" or low == high or (switch == "auto" and not reading.auto_limits):
        return None
    most = max(abs(low), abs(high))
    if abs(low + high) > 1e-9 * most:
        words = f"mjc:{word} is {low:g} to {high:g}; a drive's force_limit is the same both ways"
        reading.note(prim, f"{words}: {most:g} is taken")
    return most if math.isfinite(most) else None


def least(*bounds: float | None) -> float | None:
    """The least of some bounds; None: there is none."""
    return min((x for x in bounds if x is not None), default=None)


def _most_force(reading: UsdReading, prim: Any, axis: str, unit: float) -> float | None:
    """What a drive gives at most, with what MuJoCo lets act on the joint."""
    most = reading.number(prim, f"drive:{axis}:physics:maxForce", math.inf, endless=True) if axis else math.inf
    clamped = mjc_range(reading, prim, "actuatorfrcrange", "actuatorfrclimited")
    found = least(most if 0 < most < math.inf else None, clamped)
    return None if found is None else found * unit


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


def _check_friction(reading: UsdReading, prim: Any, own: str) -> None:
    """Words of PhysX that mean another friction than here."""
    if reading.number(prim, "physxJoint:jointFriction", endless=True):
        words = "physxJoint:jointFriction, which grows with the load on the joint"
        reading.refuse(prim, words, "0, or newton:friction: a force that does not")
    static, moving = (
        reading.number(prim, f"{own}:{k}FrictionEffort", endless=True) if own else 0.0 for k in ("static", "dynamic")
    )
    if static > moving:
        words = (
            f"staticFrictionEffort {static:g} holds the joint at rest: it is left out, in motion dynamicFrictionEffort"
        )
        reading.note(prim, f"{words} {moving:g} acts")


def _refuse_springdamper(reading: UsdReading, prim: Any) -> None:
    found = reading.numbers(prim, "mjc:springdamper")
    if len(found) == 2 and min(found) > 0:
        words = f"mjc:springdamper [{found[0]:g}, {found[1]:g}]: a spring by its time constant, of the inertia at home"
        reading.refuse(prim, words, "mjc:stiffness and mjc:damping")


def _first(reading: UsdReading, prim: Any, units: Mapping[str, float], otherwise: float) -> float:
    """The first of some attributes that is written, times its unit; what others say otherwise is told."""
    stated = {
        name: reading.number(prim, name, otherwise, endless=True)
        for name in units
        if not name.startswith(":") and reading.has(prim, name)
    }
    if not stated:
        return otherwise
    first = next(iter(stated))
    found = stated[first] * units[first]
    for name, value in stated.items():
        if value * units[name] != found and not math.isclose(value * units[name], found, rel_tol=1e-5):
            reading.note(prim, f"{name} {value:g} is left out: {first} {stated[first]:g} counts before it")
    return found
