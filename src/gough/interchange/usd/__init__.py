# pyright: reportAttributeAccessIssue=false
"""USD with UsdPhysics: rigid bodies and the joints between them become a foreign robot.

Axes of the world are the stage's, gravity is that of its PhysicsScene. A joint that says `excludeFromArticulation` closes a loop
where its bodies are tied without it. Groups of bodies that nothing ties to the world float. A stage with several groups
that have joints: the one below the prim that is named.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from gough.errors import UsageError
from gough.interchange._islands import find_floating
from gough.interchange.findings import Findings
from gough.interchange.foreign import IN_USD, WORLD, ForeignBody, ForeignJoint, ForeignRobot, ReadingOptions, Written
from gough.interchange.usd._bodies import BodiesRead, UsdBody, find_bodies
from gough.interchange.usd._couplings import read_mimics
from gough.interchange.usd._groups import choose_bodies
from gough.interchange.usd._joints import UsdJoints, link_in_rows, read_usd_joints
from gough.interchange.usd._masses import states_all, weigh
from gough.interchange.usd._motors import add_motors
from gough.interchange.usd._scene import check_scene, find_scene, read_gravity, read_shares
from gough.interchange.usd._stage import UsdReading, hearing_usd, need_pxr, open_stage
from gough.interchange.usd._words import check_words, refuse_engines
from gough.interchange.usd.surfaces import find_looks
from gough.joints import ALL

__all__ = ["read"]


def read(path: Path, options: ReadingOptions, findings: Findings) -> ForeignRobot:
    """The robot of a file; what is refused or left out goes to the findings."""
    need_pxr()
    if options.loops is not None:
        raise UsageError(f"{path}: USD has joints for loops; loops= is for URDF")
    found: ForeignRobot | None = None
    with hearing_usd(path, findings):
        found = _read(path, options, findings)
    findings.tell_problems()
    assert found is not None
    return found


def _read(path: Path, options: ReadingOptions, findings: Findings) -> ForeignRobot | None:
    reading = open_stage(path, findings)
    if reading is None:
        return None
    scene = find_scene(reading)
    bodies = find_bodies(reading)
    _refuse_lost(reading, bodies)
    findings.tell_problems()
    chosen = choose_bodies(reading, bodies, options.model)
    if chosen is None:
        return None
    name, members = chosen
    found = read_usd_joints(reading, bodies, {body.name for body in members})
    link_in_rows(reading, found)
    switched_off = add_motors(reading, scene, found)
    check_scene(reading, scene)
    check_words(reading, bodies, members, scene)
    refuse_engines(reading, bodies, members)
    shares = read_shares(reading, members, found)
    gravity = read_gravity(reading, scene, shares)
    known = {body.name for body in members}
    parts = [*(_body(reading, body, shares[body.name]) for body in members), *found.middles]
    joints = [j for j in found.joints if j.parent in known | {WORLD, *(m.name for m in found.middles)}]
    findings.tell_problems()
    joints = _closing(joints, found, [p.name for p in parts])
    floating = find_floating(parts, joints, {body.name: body.at for body in members})
    couplings = read_mimics(reading, found)
    findings.tell_problems()
    _tell_scenery(reading)
    reading.tell_lone_doubles()
    return ForeignRobot(
        name,
        str(path),
        "USD",
        tuple(parts),
        (*joints, *floating),
        couplings,
        gravity=gravity,
        floating=True,
        drives_stated=switched_off,
        closure_tolerance=_closure_tolerance(reading, members),
    )


def _body(reading: UsdReading, body: UsdBody, share: float) -> ForeignBody:
    lump = weigh(reading, body)
    looks = find_looks(reading, body.at, body.meshes)
    at = reading.at(body.prim)
    return ForeignBody(body.name, at, lump.mass, lump.center, lump.inertia, body.frames, looks, share)


def _closing(joints: list[ForeignJoint], found: UsdJoints, names: list[str]) -> list[ForeignJoint]:
    """Joints that are no part of an articulation close loops where they must not carry a body."""
    group = {name: name for name in (WORLD, *names)}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for joint in joints:
        if joint.name not in found.excluded and ALL[joint.type].moves_body:
            group[root(joint.child)] = root(joint.parent)
    out = []
    for joint in joints:
        first, second = root(joint.parent), root(joint.child)
        if joint.name in found.excluded and first == second:
            joint = replace(joint, closes=True)
        elif joint.name in found.excluded and ALL[joint.type].moves_body:
            group[second] = first
        out.append(joint)
    return out


def _refuse_lost(reading: UsdReading, bodies: BodiesRead) -> None:
    """Layers that are not there may hold bodies and joints, unless they stand below a body that states all of its mass."""
    for error in reading.stage.GetCompositionErrors():
        kind = type(error).__name__
        if "AssetPath" not in kind and "SublayerPath" not in kind and kind != "ErrorUnresolvedPrimPath":
            continue
        path = error.rootSite.path
        prim = reading.stage.GetPrimAtPath(path)
        owner = bodies.body_of(prim) if prim else None
        if "Sublayer" not in kind and owner is not None and owner.prim != prim and states_all(reading, owner):
            continue  # what is drawn, or touches: USD's own words are passed on
        named = re.search(r"@([^@]+)@", str(error).replace(f"@{reading.file}@", ""))
        what = "a layer" if named is None else f"{Path(named[1]).name!r}"
        message = f"{what} that it refers to is not there: bodies and joints may be missing"
        reading.findings.refuse(Written(reading.file, None, str(path)), message, "the file, or a stage without it")


def _closure_tolerance(reading: UsdReading, members: list[UsdBody]) -> float | None:
    """What the prim says that holds the robot."""
    paths = [body.prim.GetPath() for body in members]
    holders = (p for p in reading.prims() if reading.has(p, IN_USD) and any(x.HasPrefix(p.GetPath()) for x in paths))
    prim = next(holders, None)
    found = None if prim is None else reading.number(prim, IN_USD)
    if prim is not None and not (found or 0.0) > 0:
        reading.refuse(prim, f"{IN_USD} is {found:g}", "m, positive")
    return found


def _tell_scenery(reading: UsdReading) -> None:
    """Say once what is not the robot's mechanics."""
    kinds: dict[str, Any] = {}
    for prim in reading.prims():
        kind = str(prim.GetTypeName())
        for word, said in (("Light", "lights"), ("Camera", "cameras"), ("Points", "particles")):
            if word in kind:
                kinds.setdefault(said, prim)
    for said, prim in kinds.items():
        reading.note(prim, f"{said} are left out")
