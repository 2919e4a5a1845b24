"""Actuators that stand beside joints: prims of MuJoCo (MjcActuator) and Newton (NewtonActuator) that point at one.

A drive's force is an input here; what an actuator makes of its control (gains, filters, delays) is left out. Its force, of a
plain motor of MuJoCo its control too, is bounded before the gear.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from gough.interchange.usd._effects import GAINS, least, mjc_range
from gough.interchange.usd._joints import UsdJoints
from gough.interchange.usd._stage import UsdReading

LAWS = {"dynType": "none", "gainType": "fixed", "biasType": "none"}


@dataclass
class UsdMotors:
    """Largest forces by the names of joints, in the stage's units, one for each actuator (None: without a bound); off: whether
    there are actuators that drive nothing, as the stage says."""

    forces: dict[str, list[float | None]] = field(default_factory=dict)
    off: bool = False


def add_motors(reading: UsdReading, scene: Any, found: UsdJoints) -> bool:
    """Drive the joints that actuators point at; whether some of these are switched off."""
    motors = UsdMotors()
    for prim in reading.prims():
        kind = str(prim.GetTypeName())
        if kind == "MjcActuator":
            _read_mjc(reading, scene, prim, found, motors)
        elif kind == "NewtonActuator":
            _read_newton(reading, prim, found, motors)
    for k, joint in enumerate(found.joints):
        if joint.name in motors.forces:
            forces = motors.forces[joint.name]
            unit = reading.mass * reading.length ** (2 if joint.type == "revolute" else 1)
            total = None if None in forces else sum(x for x in forces if x is not None) * unit
            effects = replace(joint.effects, force=least(joint.effects.force, total))
            found.joints[k] = replace(joint, driven=True, effects=effects)
    return motors.off


def _target(reading: UsdReading, prim: Any, relation: str, found: UsdJoints) -> str | None:
    """The name of the joint with one axis that an actuator points at; None where it is none."""
    paths = reading.targets(prim, relation)
    target = reading.stage.GetPrimAtPath(paths[0].GetPrimPath()) if paths else None
    if not target:
        said = f"{relation} is {str(paths[0])[:120]}, which is not there" if paths else f"{relation} is not stated"
        reading.refuse(prim, f"an actuator whose {said}", "the path of a joint")
        return None
    names = {name for (path, axis), name in found.axes.items() if path == str(target.GetPath()) and axis}
    if len(names) == 1:
        return names.pop()
    kind = str(target.GetTypeName())
    ours = any(joint.at.path == str(target.GetPath()) for joint in found.joints)
    if ours or not kind.endswith("Joint"):
        reading.note(prim, f"it acts on a {kind or 'prim'}, no single coordinate: no drive")
    return None


def _read_mjc(reading: UsdReading, scene: Any, prim: Any, found: UsdJoints, motors: UsdMotors) -> None:
    laws = {word: reading.word(prim, f"mjc:{word}", plain) for word, plain in LAWS.items()}
    if "muscle" in laws.values():
        reading.refuse(prim, "a muscle: its force follows its length, speed and activation", "a motor")
        return
    if reading.targets(prim, "mjc:sliderSite") or reading.number(prim, "mjc:crankLength"):
        reading.refuse(prim, "a slider-crank inside an actuator", "a crank, a rod and a slide as bodies and joints")
        return
    off = scene is not None and (
        not reading.truth(scene, "mjc:flag:actuation", True)
        or reading.number(prim, "mjc:group") in reading.numbers(scene, "mjc:option:actuatorgroupdisable")
    )
    gear = (reading.numbers(prim, "mjc:gear") or [1.0])[0]
    name = _target(reading, prim, "mjc:target", found)
    if name is None:
        return
    if off or gear == 0.0:
        reading.note(prim, "switched off in the scene: no drive" if off else "its gear is 0: no drive")
        motors.off = True
        return
    bound = mjc_range(reading, prim, "forceRange", "forceLimited")
    if laws == LAWS:
        control = mjc_range(reading, prim, "ctrlRange", "ctrlLimited")
        gain = abs((reading.numbers(prim, "mjc:gainPrm") or [1.0])[0])
        bound = least(bound, None if control is None else control * gain)
    else:
        reading.note(prim, GAINS)
    motors.forces.setdefault(name, []).append(abs(gear) * bound if bound else None)


def _read_newton(reading: UsdReading, prim: Any, found: UsdJoints, motors: UsdMotors) -> None:
    name = _target(reading, prim, "newton:targets", found)
    if name is None:
        return
    schemas = reading.schemas(prim)
    if any(schema.endswith("ControlAPI") for schema in schemas):
        reading.note(prim, GAINS)
    for schema in schemas:
        if schema.endswith("ClampingAPI") and schema != "NewtonMaxEffortClampingAPI":
            reading.note(prim, f"{schema}: bounds of a force that follow speed or place are left out")
    stated = "NewtonMaxEffortClampingAPI" in schemas and reading.has(prim, "newton:maxEffort")
    most = reading.number(prim, "newton:maxEffort", endless=True) if stated else 0.0
    motors.forces.setdefault(name, []).append(most if 0 < most < float("inf") else None)
