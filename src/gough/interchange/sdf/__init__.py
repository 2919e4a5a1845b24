"""SDF of Gazebo, 1.4 to 1.12: one model, alone or of a world, becomes a foreign robot.

Loops are joints as any other: which are cut is settled later. Links that nothing ties to the world float, those of static
models are the world. A world with several models that move: the one that is named, else the only one with joints.
Drives: joints that a plugin for control, drives or motors names; else, where some joint has an effort limit of 0, all
others; else as for every format.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gough.errors import UsageError
from gough.interchange._islands import find_floating
from gough.interchange.findings import Findings
from gough.interchange.foreign import IN_SDF, ForeignBody, ForeignJoint, ForeignRobot, Placement, ReadingOptions
from gough.interchange.sdf._files import SdfLibrary
from gough.interchange.sdf._joints import SdfJoints, read_joints
from gough.interchange.sdf._links import add_frames_to, feels_gravity, read_link
from gough.interchange.sdf._plugins import driven_names
from gough.interchange.sdf._scopes import SdfScope
from gough.interchange.sdf._worlds import Chosen, choose_models
from gough.joints import ALL

__all__ = ["read"]


def read(path: Path, options: ReadingOptions, findings: Findings) -> ForeignRobot:
    """The robot of a file; what is refused or left out goes to the findings."""
    if options.loops is not None:
        raise UsageError(f"{path}: SDF has joints for loops; loops= is for URDF")
    library = SdfLibrary(options.packages, findings)
    opened = library.open(path)
    if opened is None:
        findings.tell_problems()
        raise AssertionError("a file that cannot be opened is a problem")
    chosen = choose_models(library, *opened, options.model)
    if chosen is None:
        findings.tell_problems()
        raise AssertionError("a file without a robot is a problem")
    scopes = chosen.scopes
    bodies, poses, lofty = _links(scopes, path, options.packages)
    found = read_joints([*scopes, *chosen.around], set(bodies))
    add_frames_to(bodies, scopes)
    for middle in found.bodies:
        bodies[middle.name] = middle
    joints = _driven(found, chosen)
    gravity = _gravity(chosen, lofty, bodies)
    findings.tell_problems()
    floating = find_floating(list(bodies.values()), joints, poses)
    return ForeignRobot(
        chosen.name,
        str(path),
        "SDF",
        tuple(bodies.values()),
        (*joints, *floating),
        tuple(found.couplings),
        gravity=gravity,
        floating=True,
        closure_tolerance=_closure_tolerance(scopes),
    )


def _links(
    scopes: list[SdfScope], path: Path, packages: Sequence[Path]
) -> tuple[dict[str, ForeignBody], dict[str, Placement], list[str]]:
    """(bodies that move, where they stand, those without weight)."""
    bodies: dict[str, ForeignBody] = {}
    poses: dict[str, Placement] = {}
    lofty = []
    for scope in scopes:
        if scope.static:
            continue
        for name, frame in scope.frames.items():
            if frame.kind != "link":
                continue
            body = read_link(scope, name, frame.element, path, packages)
            if body.name in bodies:
                scope.text.refuse(frame.element, f"a second link {body.name!r}", "names that stand once")
            bodies[body.name] = body
            poses[body.name] = scope.pose_of(name).after(scope.at)
            if not feels_gravity(scope, frame.element):
                lofty.append(body.name)
    return bodies, poses, lofty


def _driven(found: SdfJoints, chosen: Chosen) -> list[ForeignJoint]:
    """The joints, those with motors marked."""
    names = driven_names(found, chosen)
    if not names and found.passive:
        names = {j.name for j in found.joints if ALL[j.type].is_scalar and j.name not in found.passive}
    return [replace(joint, driven=joint.name in names) for joint in found.joints]


def _closure_tolerance(scopes: list[SdfScope]) -> float | None:
    """What the first model that has a word for it says."""
    for scope in scopes:
        if scope.element.child(IN_SDF) is not None:
            found = scope.text.number(scope.element, IN_SDF, 0.0)
            if found <= 0:
                scope.text.refuse(
                    scope.element.child(IN_SDF) or scope.element, f"<{IN_SDF}> is {found:g}", "m, positive"
                )
            return found or None
    return None


def _gravity(chosen: Chosen, lofty: list[str], bodies: dict[str, ForeignBody]) -> tuple[float, float, float]:
    """The world's, or none where no link feels it; where only some do, the others have no weight."""
    if lofty and not any(body.mass and name not in lofty for name, body in bodies.items()):
        return (0.0, 0.0, 0.0)
    for name in lofty:
        bodies[name] = replace(bodies[name], weight_share=0.0)
    return chosen.gravity
