"""Joints of UsdPhysics: two frames on two bodies or the world, which coincide at zero; one of six axes by those it leaves free.

Coordinates at home follow from where the stage places the bodies, unless PhysicsJointStateAPI states them. A drive (DriveAPI)
marks a motor, its gains are a controller's and left out. Axes that no joint here has together become joints in a row with
massless bodies between.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.interchange._placing import relative_placement
from gough.interchange.foreign import WORLD, Effects, ForeignBody, ForeignJoint, Placement
from gough.interchange.usd._bodies import BodiesRead
from gough.interchange.usd._effects import ball_effects, effects_of
from gough.interchange.usd._stage import DEGREE, UsdReading
from gough.robot.item import nearest
from gough.spatial.poses import pose_array

KINDS = ("PhysicsFixedJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint")
KINDS += ("PhysicsDistanceJoint", "PhysicsJoint")
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
SLIDES, TURNS = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
APART = 1e-4
"""m and rad by which bodies may stand beside what their joint allows before it is said."""


@dataclass
class Ends:
    """A joint prim with its bodies: names, and its frame on each and in the world."""

    prim: Any
    name: str
    parent: str
    child: str
    on_parent: Placement
    on_child: Placement
    apart: Placement
    """The child's frame in the parent's where the stage places them."""


@dataclass
class UsdJoints:
    """Joints, massless bodies between those in a row, and which foreign joint has which axis of a prim."""

    joints: list[ForeignJoint] = field(default_factory=list)
    middles: list[ForeignBody] = field(default_factory=list)
    axes: dict[tuple[str, str], str] = field(default_factory=dict)
    """{(path, "rotX" …): name}."""
    excluded: set[str] = field(default_factory=set)
    """Names of joints that say they are no part of an articulation."""


def read_usd_joints(reading: UsdReading, bodies: BodiesRead, chosen: set[str]) -> UsdJoints:
    """Joints between chosen bodies (their names), or between one of them and the world."""
    found = UsdJoints()
    names: dict[str, int] = {}
    for prim in reading.prims():
        kind = str(prim.GetTypeName())
        if kind not in KINDS:
            if kind.endswith("Joint") and "Phys" in kind and reading.truth(prim, "physics:jointEnabled", True):
                reading.refuse(
                    prim, f"a {kind} has no counterpart", "joints of UsdPhysics, PhysxMimicJointAPI for gears"
                )
            continue
        if not reading.truth(prim, "physics:jointEnabled", True):
            reading.note(prim, "the joint is switched off: it is left out")
            continue
        own = prim.GetName()
        names[own] = names.get(own, 0) + 1
        if names[own] > 1:
            own = str(prim.GetPath()).strip("/").replace("/", "_")
        ends = find_ends(reading, bodies, prim, own)
        if ends is None or not {ends.parent, ends.child} & chosen:
            continue
        _read_one(reading, _equal_kind(reading, prim, kind), ends, found)
        if reading.truth(prim, "physics:excludeFromArticulation", False):
            found.excluded |= {name for (path, _), name in found.axes.items() if path == str(prim.GetPath())} | {own}
        for word, what in (("physics:breakForce", "force"), ("physics:breakTorque", "torque")):
            if math.isfinite(reading.number(prim, word, math.inf, endless=True)):
                reading.note(prim, f"the {what} at which it breaks is left out: joints hold")
    return found


def link_in_rows(reading: UsdReading, found: UsdJoints) -> None:
    """Joints with MjcJointAPI between the same two bodies follow each other, as MuJoCo's: massless bodies stand between. So do
    all joints of an articulation that says `newton:jointsAddMobility`.

    These have the child's frame where all coordinates are 0, so each joint but the first stands in them as in the child.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    paths = {name: path for (path, _), name in found.axes.items()}
    adds = any(reading.truth(prim, "newton:jointsAddMobility", False) for prim in reading.prims())
    for k, joint in enumerate(found.joints):
        prim = reading.stage.GetPrimAtPath(paths[joint.name]) if joint.name in paths else None
        alone = prim and (adds or "MjcJointAPI" in reading.schemas(prim)) and joint.name not in found.excluded
        if alone and joint.type in ("revolute", "prismatic"):
            rows.setdefault((joint.parent, joint.child), []).append(k)
    for (parent, child), row in rows.items():
        before = parent
        for k in row if len(row) > 1 else ():
            joint = found.joints[k]
            after = child if k == row[-1] else f"{joint.name}_carriage"
            if k != row[-1]:
                found.middles.append(ForeignBody(after, joint.at))
            on_parent = joint.on_parent if k == row[0] else joint.on_child
            found.joints[k] = replace(joint, parent=before, child=after, on_parent=on_parent)
            before = after


def find_ends(reading: UsdReading, bodies: BodiesRead, prim: Any, name: str) -> Ends | None:
    """The two sides of a joint; None where both are the same."""
    sides: list[tuple[str, Placement, Placement]] = []
    missing = False
    for k in (0, 1):
        paths = reading.targets(prim, f"physics:body{k}")
        target = reading.stage.GetPrimAtPath(paths[0].GetPrimPath()) if paths else None
        if paths and not target:
            known = list(bodies.bodies)
            reading.refuse(prim, f"body{k} is {str(paths[0])[:120]}, which is not there", nearest(str(paths[0]), known))
            missing = True
            continue
        here, scales = (Placement(), np.full(3, reading.length)) if target is None else reading.place(target)
        local = reading.local(prim, f"physics:localPos{k}", f"physics:localRot{k}", scales)
        body = bodies.body_of(target) if target is not None else None
        frame = local.after(here)
        if body is None:
            sides.append((WORLD, frame, frame))
        else:
            on = local if str(body.prim.GetPath()) == str(target.GetPath()) else relative_placement(frame, body.at)  # type: ignore[union-attr]
            sides.append((body.name, on, frame))
    if missing:
        return None
    (parent, on_parent, first), (child, on_child, second) = sides
    if parent == child:
        if parent != WORLD:
            reading.refuse(prim, f"both sides are {parent!r}", "two bodies")
        return None
    return Ends(prim, name, parent, child, on_parent, on_child, relative_placement(second, first))


def _equal_kind(reading: UsdReading, prim: Any, kind: str) -> str:
    """The type of a joint, of one of six axes with an equality of MuJoCo that of the equality."""
    if kind == "PhysicsJoint" and "MjcEqualityConnectAPI" in reading.schemas(prim):
        return "PhysicsSphericalJoint"
    return "PhysicsFixedJoint" if kind == "PhysicsJoint" and "MjcEqualityWeldAPI" in reading.schemas(prim) else kind


def _read_one(reading: UsdReading, kind: str, ends: Ends, found: UsdJoints) -> None:
    path = str(ends.prim.GetPath())
    axis = reading.word(ends.prim, "physics:axis", "X")
    if axis not in AXES:
        reading.refuse(ends.prim, f"physics:axis is {axis[:20]!r}", "X, Y or Z")
        return
    made = ForeignJoint(
        ends.name, "fixed", ends.parent, ends.child, reading.at(ends.prim), ends.on_parent, ends.on_child
    )
    match kind:
        case "PhysicsFixedJoint":
            _add(reading, ends, made, found, {})
        case "PhysicsRevoluteJoint" | "PhysicsPrismaticJoint":
            turns = kind == "PhysicsRevoluteJoint"
            effects, driven = effects_of(reading, ends.prim, "angular" if turns else "linear", turns, limits="")
            joint = replace(made, type="revolute" if turns else "prismatic", axis=AXES[axis])
            key = ("rot" if turns else "trans") + axis
            _add(reading, ends, replace(joint, effects=effects, driven=driven), found, {key: ends.name})
        case "PhysicsSphericalJoint":
            for key in ("physics:coneAngle0Limit", "physics:coneAngle1Limit"):
                if reading.number(ends.prim, key, -1.0, endless=True) >= 0:
                    reading.note(ends.prim, "the bounds of its cone are left out")
            _add(reading, ends, replace(made, type="spherical", effects=ball_effects(reading, ends.prim)), found, {})
        case "PhysicsDistanceJoint":
            least = reading.number(ends.prim, "physics:minDistance", -1.0, endless=True) * reading.length
            most = reading.number(ends.prim, "physics:maxDistance", -1.0, endless=True) * reading.length
            if not 0 < least <= most * (1 + 1e-6) <= least * (1 + 2e-6) < math.inf:
                reading.refuse(ends.prim, f"a distance between {least:g} and {most:g} m", "both the same: a rod")
                return
            found.joints.append(replace(made, type="constant_length", length=least))
        case _:
            _read_six(reading, ends, made, found)
    if kind != "PhysicsJoint" and path not in {p for p, _ in found.axes}:
        found.axes.setdefault((path, ""), ends.name)


def _read_six(reading: UsdReading, ends: Ends, made: ForeignJoint, found: UsdJoints) -> None:
    """The joint that the axes left free make: those without LimitAPI, or with a lower bound below the upper one."""
    limited = {s.partition(":")[2] for s in reading.schemas(ends.prim) if s.startswith("PhysicsLimitAPI:")}
    free = []
    for key in (*SLIDES, *TURNS):
        low, high = (
            reading.number(ends.prim, f"limit:{key}:physics:{side}", value, endless=True)
            for side, value in (("low", -math.inf), ("high", math.inf))
        )
        if key not in limited or low < high or low == high != 0:  # both 0 hold it there, as low above high does
            free.append(key)
    if "distance" in limited:
        reading.refuse(ends.prim, "a bound on the distance of a joint of six axes", "a PhysicsDistanceJoint beside it")
    slides, turns = [k for k in free if k in SLIDES], [k for k in free if k in TURNS]
    effects = {
        k: effects_of(reading, ends.prim, k, k in TURNS, limits=f"limit:{k}:" if k in limited else None) for k in free
    }
    acts = any(own != Effects() or driven for own, driven in effects.values())
    letters = {k[-1] for k in free}
    if len(free) == 6:
        _add(reading, ends, replace(made, type="free"), found, {})
    elif not slides and len(turns) == 3:
        if any(own != Effects() for own, _ in effects.values()):
            reading.note(ends.prim, "bounds of a ball joint are left out")
        _add(reading, ends, replace(made, type="spherical"), found, {})
    elif not acts and not slides and len(turns) == 2 and "rotX" in turns:
        other = next(k for k in turns if k != "rotX")
        _add(reading, ends, replace(made, type="universal", axes=(AXES[other[-1]], AXES["X"])), found, {})
    elif not acts and len(free) == 2 and len(slides) == 1 and len(letters) == 1:
        _add(reading, ends, replace(made, type="cylindrical", axis=AXES[free[0][-1]]), found, {})
    elif len(turns) == 3 or (len(turns) == 2 and "rotX" not in turns):
        words = f"a joint that leaves {', '.join(free)} free"
        reading.refuse(ends.prim, words, "joints of UsdPhysics, each with one axis")
    else:
        swing = [k for k in turns if k != "rotX"]
        _add_row(reading, ends, made, found, [*slides, *swing, *(["rotX"] if "rotX" in turns else [])], effects)


def _add_row(
    reading: UsdReading,
    ends: Ends,
    made: ForeignJoint,
    found: UsdJoints,
    keys: list[str],
    effects: dict[str, tuple[Effects, bool]],
) -> None:
    """One joint for each axis, in a row: slides along the parent's axes, then the swing, then the twist about the child's X."""
    start = ends.apart.position
    if len(keys) <= 1:
        kind = "fixed" if not keys else "prismatic" if keys[0] in SLIDES else "revolute"
        own, driven = effects[keys[0]] if keys else (Effects(), False)
        axis = AXES[keys[0][-1]] if keys else AXES["Z"]
        joint = replace(made, type=kind, axis=axis, effects=own, driven=driven)
        _add(reading, ends, joint, found, dict.fromkeys(keys, ends.name))
        return
    before = made.parent
    angles = _row_angles(ends.apart.rotation, keys)
    for k, key in enumerate(keys):
        own, driven = effects[key]
        name = f"{ends.name}_{key}"
        last = k == len(keys) - 1
        after = made.child if last else f"{ends.name}_{key}_carriage"
        if not last:
            found.middles.append(ForeignBody(after, made.at))
        value = float(start["XYZ".index(key[-1])]) if key in SLIDES else angles.get(key, 0.0)
        value = _home(reading, ends.prim, (key,), value)
        found.joints.append(
            ForeignJoint(
                name,
                "prismatic" if key in SLIDES else "revolute",
                before,
                after,
                made.at,
                made.on_parent if k == 0 else Placement(),
                made.on_child if last else Placement(),
                axis=AXES[key[-1]],
                effects=own,
                driven=driven,
                start=(value,),
            )
        )
        found.axes[str(ends.prim.GetPath()), key] = name
        before = after


def _row_angles(R: np.ndarray, keys: list[str]) -> dict[str, float]:
    """Angles of a swing about Y or Z, then a twist about X."""
    turns = [k for k in keys if k in TURNS]
    if len(turns) == 1:
        return {turns[0]: _angle(R, np.array(AXES[turns[0][-1]]))}
    if "rotY" in turns:  # Ry(s) Rx(t)
        return {"rotY": math.atan2(-R[2, 0], R[0, 0]), "rotX": math.atan2(-R[1, 2], R[1, 1])}
    return {"rotZ": math.atan2(R[1, 0], R[0, 0]), "rotX": math.atan2(R[2, 1], R[2, 2])}  # Rz(s) Rx(t)


def _add(reading: UsdReading, ends: Ends, joint: ForeignJoint, found: UsdJoints, axes: dict[str, str]) -> None:
    """Note a joint with its coordinates where the stage places its bodies, and by how much they stand apart."""
    p, R = np.asarray(ends.apart.position), ends.apart.rotation
    axis = np.asarray(joint.axis)
    start: tuple[float, ...] | None = None
    gap, tilt = float(np.linalg.norm(p)), _turn(R)
    match joint.type:
        case "revolute":
            start, tilt = (_angle(R, axis),), _between(R @ axis, axis)
        case "prismatic":
            start, gap = (float(p @ axis),), float(np.linalg.norm(p - axis * (p @ axis)))
        case "cylindrical":
            start = (_angle(R, axis), float(p @ axis))
            gap, tilt = float(np.linalg.norm(p - axis * (p @ axis))), _between(R @ axis, axis)
        case "spherical" | "free":
            pose = tuple(float(x) for x in pose_array((p, R)))
            start = pose if joint.type == "free" else pose[3:]
            gap, tilt = (0.0, 0.0) if joint.type == "free" else (gap, 0.0)
        case "universal":
            angles = _row_angles(R, ["rotX", "rotY" if joint.axes and joint.axes[0] == AXES["Y"] else "rotZ"])
            start, tilt = (angles["rotY" if "rotY" in angles else "rotZ"], angles["rotX"]), 0.0
    if gap > APART or tilt > APART:
        words = f"the stage places its bodies {gap:.3g} m and {tilt:.4g} rad beside what the joint allows"
        reading.note(ends.prim, f"{words}: home is where it closes")
    if start is not None and joint.type not in ("spherical", "free"):
        start = tuple(0.0 if abs(x) < 1e-9 else x for x in start)
        keys = _state_keys(joint, list(axes))
        start = tuple(_home(reading, ends.prim, own, x) for own, x in zip(keys, start, strict=True))
    found.joints.append(replace(joint, start=start))
    for key, name in axes.items():
        found.axes[str(ends.prim.GetPath()), key] = name


def _state_keys(joint: ForeignJoint, keys: list[str]) -> list[tuple[str, ...]]:
    """Under which names PhysicsJointStateAPI has the coordinates of a joint."""

    def letter(axis: tuple[float, float, float]) -> str:
        return "XYZ"[axis.index(1.0)]

    match joint.type:
        case "revolute":
            return [("angular", *keys)]
        case "prismatic":
            return [("linear", *keys)]
        case "universal" if joint.axes is not None:
            return [(f"rot{letter(axis)}",) for axis in joint.axes]
        case "cylindrical":
            return [(f"rot{letter(joint.axis)}",), (f"trans{letter(joint.axis)}",)]
    return []


def _home(reading: UsdReading, prim: Any, keys: tuple[str, ...], placed: float) -> float:
    """A coordinate at home: as PhysicsJointStateAPI states it, else where the stage places the bodies."""
    for key in keys:
        name = f"state:{key}:physics:position"
        if f"PhysicsJointStateAPI:{key}" in reading.schemas(prim) and reading.has(prim, name):
            turns = key == "angular" or key in TURNS
            stated = reading.number(prim, name) * (DEGREE if turns else reading.length)
            if abs(stated - placed) > APART:
                words = f"{name} is {stated:.6g} {'rad' if turns else 'm'}, the stage places its bodies at {placed:.6g}"
                reading.note(prim, f"{words}: home is as the first says")
                return stated
    return placed


def _angle(R: np.ndarray, axis: np.ndarray) -> float:
    """The turn about an axis that is nearest to a rotation."""
    sine = 0.5 * float(axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
    cosine = 0.5 * float(np.trace(R) - axis @ R @ axis)
    return math.atan2(sine, cosine)


def _turn(R: np.ndarray) -> float:
    """The angle of a rotation (rad)."""
    sine = 0.5 * math.hypot(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))


def _between(first: np.ndarray, second: np.ndarray) -> float:
    """The angle between two unit vectors (rad)."""
    return math.atan2(float(np.linalg.norm(np.cross(first, second))), float(first @ second))
