# pyright: reportAttributeAccessIssue=false
"""The stage's PhysicsScene: gravity, what of it acts on each body, and options of MuJoCo that change the dynamics.

`mjc:gravcomp` of a body lifts it by that share of its weight, as in MJCF. What joints with `mjc:actuatorgravcomp` apply of it is
part of their drives' force, an input here.
"""

import math
from typing import Any

import numpy as np

from gough.interchange._placing import three
from gough.interchange.foreign import WORLD
from gough.interchange.usd._bodies import UsdBody
from gough.interchange.usd._joints import UsdJoints
from gough.interchange.usd._stage import DEGREE, UsdReading

EARTH = 9.81
GRAVCOMP = ("mjc:gravcomp", "mjc:body:gravcomp")
MEDIUM = ("mjc:option:density", "mjc:option:viscosity")
ACTS = ("constraint", "equality", "spring", "damper", "passive", "frictionloss")
"""Flags of MuJoCo that are on unless said; off, what is written elsewhere does not act."""


def find_scene(reading: UsdReading) -> Any:
    """The first PhysicsScene of the stage, None where there is none; MuJoCo's units there count from now on."""
    scenes = [prim for prim in reading.prims() if prim.GetTypeName() == "PhysicsScene"]
    if len(scenes) > 1:
        reading.note(scenes[1], "only the first PhysicsScene is read")
    if not scenes:
        return None
    scene = scenes[0]
    angle = reading.word(scene, "mjc:compiler:angle", "degree")
    if angle not in ("degree", "radian"):
        reading.refuse(scene, f"mjc:compiler:angle is {angle[:20]!r}", "degree or radian")
    reading.angle = 1.0 if angle == "radian" else DEGREE
    reading.auto_limits = reading.truth(scene, "mjc:compiler:autoLimits", True)
    return scene


def check_scene(reading: UsdReading, scene: Any) -> None:
    """Refuse options that change what bodies and joints are said to do."""
    if scene is None:
        return
    for name in MEDIUM:
        if reading.number(scene, name):
            reading.refuse(scene, f"{name} is {reading.number(scene, name):g}: a medium around the bodies", "0")
    for word in ACTS:
        if not reading.truth(scene, f"mjc:flag:{word}", True):
            reading.refuse(scene, f"mjc:flag:{word} is off", "it on, and what it switches off left out of the stage")
    if not reading.truth(scene, "mjc:flag:limit", True):
        reading.note(scene, "mjc:flag:limit is off; bounds of joints are kept all the same")
    if reading.number(scene, "mjc:compiler:setTotalMass", -1.0) > 0:
        reading.refuse(scene, "mjc:compiler:setTotalMass scales all masses", "the masses themselves on the bodies")
    for word in ("boundMass", "boundInertia"):
        if reading.number(scene, f"mjc:compiler:{word}") > 0:
            reading.refuse(scene, f"mjc:compiler:{word} raises masses", "0, and the masses themselves on the bodies")
    if reading.word(scene, "mjc:compiler:inertiaFromGeom", "auto") == "true":
        reading.note(scene, "mjc:compiler:inertiaFromGeom is left out: masses that bodies state count")


def read_shares(reading: UsdReading, members: list[UsdBody], found: UsdJoints) -> dict[str, float]:
    """{body: what acts of its weight}."""
    lifted: dict[str, float] = {}
    for body in members:
        name = next((name for name in GRAVCOMP if reading.has(body.prim, name)), "")
        lifted[body.name] = reading.number(body.prim, name) if name else 0.0
    if any(lifted.values()):
        kinds = _who_lifts(reading, members, found)
        for body in members:
            if not lifted[body.name] or True not in kinds[body.name]:
                continue
            if False in kinds[body.name]:
                message = (
                    "gravcomp that actuators apply in some of the joints that carry the body, and nobody's in others"
                )
                reading.refuse(body.prim, message, "mjc:actuatorgravcomp alike on all joints from the world to it")
            reading.note(body.prim, "gravcomp that actuators apply is part of the drives' force, an input")
            lifted[body.name] = 0.0
    return {body.name: 0.0 if body.weightless else 1.0 - lifted[body.name] for body in members}


def _who_lifts(reading: UsdReading, members: list[UsdBody], found: UsdJoints) -> dict[str, set[bool]]:
    """{body: whether the joints between the world and it say that actuators apply gravcomp}."""
    paths = {name: path for (path, _), name in found.axes.items()}
    edges: dict[str, list[tuple[str, bool | None]]] = {}
    for joint in found.joints:
        if joint.name in found.excluded:
            continue
        prim = reading.stage.GetPrimAtPath(paths[joint.name]) if joint.name in paths else None
        says = bool(prim) and reading.truth(prim, "mjc:actuatorgravcomp", False)
        for near, far in ((joint.parent, joint.child), (joint.child, joint.parent)):
            edges.setdefault(near, []).append((far, None if joint.type == "fixed" else says))
    out: dict[str, set[bool]] = {WORLD: set()}
    for start in (WORLD, *(body.name for body in members)):  # what nothing ties to the world floats: nobody drives that
        out.setdefault(start, {False})
        stack = [start]
        while stack:
            near = stack.pop()
            for far, says in edges.get(near, ()):
                if far not in out:
                    out[far] = out[near] | ({says} if says is not None else set())
                    stack.append(far)
    return out


def read_gravity(reading: UsdReading, scene: Any, shares: dict[str, float]) -> tuple[float, float, float]:
    """That of the scene, down and of the earth where it does not say; none where it is switched off, or no body feels it. A share
    that all bodies have alike is taken into it and out of the shares."""
    from pxr import UsdGeom  # pyright: ignore[reportMissingImports]

    down = np.array([0.0, -1.0, 0.0] if UsdGeom.GetStageUpAxis(reading.stage) == "Y" else [0.0, 0.0, -1.0])
    size = EARTH
    if scene is not None:
        along = reading.vector(scene, "physics:gravityDirection")
        if along is not None and np.linalg.norm(along) > 1e-9:
            down = along / np.linalg.norm(along)
        stated = reading.number(scene, "physics:gravityMagnitude", -math.inf, endless=True)
        if math.isfinite(stated) and stated >= 0:
            size = stated * reading.length
        if not all(reading.truth(scene, name, True) for name in ("mjc:flag:gravity", "newton:gravityEnabled")):
            size = 0.0
    alike = set(shares.values())
    if len(alike) == 1 and (share := alike.pop()) != 1.0:
        size *= share
        if share:
            reading.note(scene, f"all bodies have gravcomp {1.0 - share:g}: gravity is {share:g} of the stage's")
            shares.update(dict.fromkeys(shares, 1.0))
    return three(down * size + 0.0)
