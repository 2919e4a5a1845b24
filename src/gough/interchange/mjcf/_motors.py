"""Actuators: which joints and tendons they drive, their force, and the inertia and damping they bring along.

A drive's force is an input here; what an actuator makes of its control (gains, filters, electrics) is left out. Newer
versions of MuJoCo have an armature and a damping of the actuator, which count with the square of its gear.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import Written
from gough.interchange.mjcf._compiling import CompiledModel
from gough.interchange.mjcf._straight import find_straight
from gough.interchange.mjcf._tree import HINGE, SLIDE

MUSCLE = "a muscle: its force depends on its length and history"
NOT_A_COORDINATE = "it acts on no single coordinate and is left out; give its force as a wrench"


@dataclass
class MjcfMotors:
    """By number of joint or tendon: driven ones with the largest force (None: unbounded), inertias, dampings."""

    joints: dict[int, float | None] = field(default_factory=dict)
    tendons: dict[int, float | None] = field(default_factory=dict)
    armature: dict[tuple[str, int], float] = field(default_factory=dict)
    damping: dict[tuple[str, int], float] = field(default_factory=dict)
    switched_off: bool = False
    """Whether there are actuators that drive nothing, as the file itself says."""


def read_motors(compiled: CompiledModel, findings: Findings) -> MjcfMotors:
    """All actuators."""
    model = compiled.model
    places = compiled.places("actuator", compiled.spec.actuators, "actuator")
    out, laws = MjcfMotors(), []
    off = options_off(compiled)["ACTUATION"]
    for a, at in enumerate(places):
        group = int(model.actuator_group[a])
        if off or (0 <= group < 31 and model.opt.disableactuator >> group & 1):
            findings.remark(at, "switched off in the file's options: no drive")
            out.switched_off = True
            continue
        if _is_muscle(compiled, a):
            findings.refuse(at, MUSCLE, "a motor")
            continue
        transmission, target = int(model.actuator_trntype[a]), int(model.actuator_trnid[a, 0])
        if transmission == compiled.value("Trn", "SLIDERCRANK"):
            findings.refuse(at, "a slider-crank inside an actuator", "a crank, a rod and a slide as bodies and joints")
        elif transmission == compiled.value("Trn", "TENDON"):
            if compiled.has_path(target) and find_straight(compiled, target) is None:
                message = "an actuator that pulls a tendon along more than a straight line between two sites"
                findings.refuse(at, message, "two sites, or a motor on a joint")
            else:
                _add(out, model, a, ("tendon", target), at, findings)
        elif transmission in (
            compiled.value("Trn", "JOINT"),
            compiled.value("Trn", "JOINTINPARENT"),
        ) and model.jnt_type[target] in (
            SLIDE,
            HINGE,
        ):
            _add(out, model, a, ("joint", target), at, findings)
        else:
            findings.remark(at, NOT_A_COORDINATE)
            _refuse_inertia(compiled, a, at, findings)
        if _has_law(compiled, a):
            laws.append(at)
    _tell_laws(laws, findings)
    for j, limit in out.joints.items():
        if model.jnt_actfrclimited[j]:
            _tell_uneven(
                model.jnt_actfrcrange[j], "actuatorfrcrange", Written(compiled.document.file, None, ""), findings
            )
            out.joints[j] = _least(limit, _largest(model.jnt_actfrcrange[j]))
    return out


def _add(out: MjcfMotors, model: Any, a: int, target: tuple[str, int], at: Written, findings: Findings) -> None:
    gear = float(_gear(model, a))
    own, number = (out.joints, target[1]) if target[0] == "joint" else (out.tendons, target[1])
    limit = _force(model, a, at, findings)
    if limit is not None:
        limit *= abs(gear)
    if number in own:
        before = own[number]
        limit = None if limit is None or before is None else limit + before
    own[number] = limit or None
    if gear == 0.0:
        del own[number]
        findings.remark(at, "its gear is 0: no drive")
        out.switched_off = True
    inertia, damping = (getattr(model, f"actuator_{word}", None) for word in ("armature", "damping"))
    terms = getattr(model, "actuator_dampingpoly", None)
    if terms is not None and np.any(terms[a]):
        findings.refuse(at, "damping that is not proportional to speed", "one number", _plain(terms[a]))
    for table, values in ((out.armature, inertia), (out.damping, damping)):
        if values is not None and values[a]:
            table[target] = table.get(target, 0.0) + gear**2 * float(values[a])


def _refuse_inertia(compiled: CompiledModel, a: int, at: Written, findings: Findings) -> None:
    for word in ("armature", "damping"):
        values = getattr(compiled.model, f"actuator_{word}", None)
        if values is not None and values[a]:
            findings.refuse(
                at, f"{word} of an actuator that acts on no single coordinate", "it in a joint", float(values[a])
            )


def _gear(model: Any, a: int) -> float:
    first = getattr(model, "actuator_outadr", None)
    return model.actuator_gear[a if first is None else first[a], 0]


def _force(model: Any, a: int, at: Written, findings: Findings) -> float | None:
    """The largest force, before the gear; of a plain motor it may be its control that is bounded."""
    found = None
    if model.actuator_forcelimited[a]:
        found = _largest(model.actuator_forcerange[a])
        _tell_uneven(model.actuator_forcerange[a], "forcerange", at, findings)
    plain = not (model.actuator_dyntype[a] or model.actuator_gaintype[a] or model.actuator_biastype[a])
    first = getattr(model, "actuator_ctrladr", None)
    control = a if first is None else int(first[a])
    if plain and 0 <= control < model.nu and model.actuator_ctrllimited[control]:
        bounds = abs(float(model.actuator_gainprm[a, 0])) * model.actuator_ctrlrange[control]
        if found is None or _largest(bounds) < found:
            _tell_uneven(bounds, "ctrlrange", at, findings)
        found = _least(found, _largest(bounds))
    return found


def _tell_uneven(bounds: np.ndarray, word: str, at: Written, findings: Findings) -> None:
    """Say that a force which is bounded otherwise one way than the other is bounded alike both ways."""
    low, high = (float(x) for x in bounds)
    most = max(abs(low), abs(high))
    if abs(low + high) > 1e-9 * most:
        findings.remark(
            at,
            f"{word} is {low:g} to {high:g}; a drive's force_limit is the same both ways: {most:g} is taken, before its gear",
        )


def _largest(bounds: np.ndarray) -> float:
    return float(np.max(np.abs(bounds)))


def _least(first: float | None, second: float) -> float | None:
    found = second if first is None else min(first, second)
    return found or None


def _plain(values: np.ndarray) -> list[float]:
    return [float(x) for x in values]


def _is_muscle(compiled: CompiledModel, a: int) -> bool:
    model = compiled.model
    return (
        model.actuator_dyntype[a] == compiled.value("Dyn", "MUSCLE")
        or model.actuator_gaintype[a] == compiled.value("Gain", "MUSCLE")
        or model.actuator_biastype[a] == compiled.value("Bias", "MUSCLE")
    )


def _has_law(compiled: CompiledModel, a: int) -> bool:
    model = compiled.model
    return bool(
        model.actuator_dyntype[a] != compiled.value("Dyn", "NONE")
        or model.actuator_gaintype[a] != compiled.value("Gain", "FIXED")
        or model.actuator_biastype[a] != compiled.value("Bias", "NONE")
    )


def _tell_laws(places: Sequence[Written], findings: Findings) -> None:
    if places:
        many = f" ({len(places)} actuators)" if len(places) > 1 else ""
        message = f"gains and dynamics of actuators are not carried over: a drive's force is an input{many}"
        findings.remark(places[0], message)


def options_off(compiled: CompiledModel) -> dict[str, bool]:
    """What the file's options switch off."""
    bits, flags = compiled.mujoco.mjtDisableBit, compiled.model.opt.disableflags
    older = {"SPRING": "PASSIVE", "DAMPER": "PASSIVE"}

    def has(word: str) -> bool:
        bit = getattr(bits, f"mjDSBL_{word}", None)
        if bit is None:
            bit = getattr(bits, f"mjDSBL_{older.get(word, word)}", 0)
        return bool(flags & int(bit))

    words = ("SPRING", "DAMPER", "FRICTIONLOSS", "EQUALITY", "GRAVITY", "ACTUATION")
    off = {word: has(word) for word in words}
    for word in ("FRICTIONLOSS", "EQUALITY"):
        off[word] = off[word] or has("CONSTRAINT")
    return off
