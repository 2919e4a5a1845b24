"""Tendons that are a straight line between two sites.

One whose length an equality holds is a rod. Stiffness and damping are a spring between points; MuJoCo's dead band from 0 to L
pulls only, beyond L. What needs the length for a coordinate (an actuator, friction, armature, bounds) is a telescope without mass
from site to site: a universal joint, a slide whose coordinate is the length, a ball that closes the loop. A force of the
actuator that is positive makes it longer, as MuJoCo has it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import Effects, ForeignBody, ForeignJoint, ForeignSpring, Placement, Written
from gough.interchange.mjcf._compiling import CompiledModel
from gough.interchange.mjcf._tree import MjcfNames, three

SHORT = 1e-9
"""A tendon this short (m) has no direction."""


@dataclass(frozen=True)
class StraightTendon:
    """Numbers and bodies of its two sites, and the points (m) in those bodies."""

    sites: tuple[int, int]
    bodies: tuple[int, int]
    points: tuple[tuple[float, float, float], tuple[float, float, float]]


def find_straight(compiled: CompiledModel, t: int) -> StraightTendon | None:
    """The sites of a tendon; None where its path has more than a straight line."""
    model = compiled.model
    path = range(model.tendon_adr[t], model.tendon_adr[t] + model.tendon_num[t])
    if len(path) != 2 or any(model.wrap_type[w] != compiled.value("Wrap", "SITE") for w in path):
        return None
    first, second = (int(model.wrap_objid[w]) for w in path)
    bodies = (int(model.site_bodyid[first]), int(model.site_bodyid[second]))
    return StraightTendon((first, second), bodies, (three(model.site_pos[first]), three(model.site_pos[second])))


def read_springs(
    tendon: StraightTendon,
    name: str,
    at: Written,
    own: Effects,
    rest: Sequence[float],
    names: MjcfNames,
    found: Findings,
) -> list[ForeignSpring]:
    """Spring and damper of a tendon. rest: lengths (m) between which it does nothing."""
    slack = bool(own.stiffness) and rest[0] != rest[1]
    if slack and rest[0] > 0:
        message = "a spring that pushes below one length and pulls above another"
        found.refuse(at, message, "one springlength, or 0 and the length above which it pulls", list(rest))
        return []
    first, second = ((names.bodies[b], p) for b, p in zip(tendon.bodies, tendon.points, strict=True))
    made = ForeignSpring(name, at, (first, second), own.stiffness, own.viscous, rest[1], slack)
    if slack and own.viscous:  # this damper acts where the spring is slack, too
        damper = replace(made, name=f"{name}_damper", stiffness=0.0, tension_only=False)
        return [replace(made, damping=0.0), damper]
    return [made] if own.stiffness or own.viscous else []


def make_telescopes(
    wanted: Mapping[int, tuple[StraightTendon, Effects]],
    compiled: CompiledModel,
    names: MjcfNames,
    driven: Mapping[int, object],
    start: np.ndarray,
    findings: Findings,
) -> tuple[list[ForeignBody], list[ForeignJoint]]:
    """Massless bodies and joints of tendons by number, stretched where the robot starts (qpos)."""
    bodies: list[ForeignBody] = []
    joints: list[ForeignJoint] = []
    if not wanted:
        return bodies, joints
    data = compiled.mujoco.MjData(compiled.model)
    data.qpos[:] = start
    compiled.mujoco.mj_kinematics(compiled.model, data)
    places = compiled.places("tendon", compiled.spec.tendons, "tendon")
    for t, (tendon, effects) in wanted.items():
        at, given = places[t], compiled.name("TENDON", t)
        line = data.site_xpos[tendon.sites[1]] - data.site_xpos[tendon.sites[0]]
        length = float(np.linalg.norm(line))
        if length < SHORT:
            findings.refuse(
                at, "a tendon whose sites coincide at the start: it has no direction", "another start", length
            )
            continue
        name = names.unique_joints.take(given, f"{given or 'spatial'}_tendon")
        lower, upper = (names.unique_bodies.take(f"{name}_{word}") for word in ("lower", "upper"))
        first, second = (names.bodies[b] for b in tendon.bodies)
        along = data.xmat[tendon.bodies[0]].reshape(3, 3).T @ (line / length)
        socket = Placement(tendon.points[0], _axes_along(along))
        swivel, end = (names.unique_joints.take(f"{name}_{word}") for word in ("swivel", "end"))
        bodies += [ForeignBody(lower, at), ForeignBody(upper, at)]
        across = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        joints += [
            ForeignJoint(swivel, "universal", first, lower, at, socket, axes=across, closes=False),
            ForeignJoint(
                name, "prismatic", lower, upper, at, effects=effects, closes=False, driven=t in driven, start=(length,)
            ),
            ForeignJoint(end, "spherical", upper, second, at, Placement(), Placement(tendon.points[1]), closes=True),
        ]
    return bodies, joints


def _axes_along(z: np.ndarray) -> np.ndarray:
    """Right-handed axes (3, 3), in columns, whose third is z."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
