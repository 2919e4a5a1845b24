"""MJCF, the format of MuJoCo: read by MuJoCo's own parser and compiler, taken over from the compiled model.

So defaults, degrees, inertias of geoms, includes, frames and copies mean what MuJoCo means by them. What is refused, left
out or taken as rigid is said; docs/interchange/mjcf.md has the list.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.interchange.findings import Findings
from gough.interchange.foreign import ForeignRobot, ReadingOptions, Written
from gough.interchange.mjcf._compiling import NUMBERS, CompiledModel, compile_model
from gough.interchange.mjcf._document import gather
from gough.interchange.mjcf._looks import read_looks
from gough.interchange.mjcf._motors import options_off, read_motors
from gough.interchange.mjcf._straight import make_telescopes
from gough.interchange.mjcf._ties import joint_effects, read_ties, tendon_coordinates
from gough.interchange.mjcf._tree import MjcfNames, TreeReader, three

HOME = "home"
"""The keyframe that a robot starts from, where there is one."""
MOST_BODIES = 2_000
MISFIT = 1e-6
"""By how much loops may stay open (m): files have rounded numbers, and MuJoCo's equalities give way to them."""


def read(path: Path, options: ReadingOptions, findings: Findings) -> ForeignRobot:
    """The robot of a file; what cannot be carried over goes to the findings."""
    if options.loops is not None:
        raise UsageError(f"{path}: MJCF has equalities for loops; loops= is for URDF")
    document = gather(path, options, findings)
    if document.left_out:
        words = ", ".join(f"{n} {kind}" for kind, n in document.left_out.items())
        findings.remark(Written(str(path), None, ""), f"left out, for they do not change the dynamics: {words}")
    compiled = compile_model(document, findings)
    if compiled is None or not _check_numbers(compiled, findings):
        findings.tell_problems()
        raise AssertionError("what cannot be read is refused")
    return _robot(compiled, findings)


def _robot(compiled: CompiledModel, findings: Findings) -> ForeignRobot:
    document = compiled.document
    names = MjcfNames.of(compiled)
    motors = read_motors(compiled, findings)
    effects = joint_effects(compiled, names, motors, findings)
    ties = read_ties(compiled, names, motors, findings)
    start = _start(compiled, findings)
    gravity, shares = _gravity(compiled, names, findings)
    _tell_surroundings(compiled, findings)
    reader = TreeReader(compiled, names, findings, start, ties.held, effects, motors.joints)
    tree = reader.tree(read_looks(compiled, findings), shares)
    bodies, joints, couplings = tendon_coordinates(ties, names, compiled, motors.tendons, start)
    legs, stretched = make_telescopes(ties.telescopes, compiled, names, motors.tendons, start, findings)
    return ForeignRobot(
        name=document.name,
        file=document.file,
        format="MJCF",
        bodies=(*tree.bodies, *bodies, *legs),
        joints=(*tree.joints, *joints, *stretched, *ties.loops),
        couplings=tuple(couplings),
        springs=tuple(ties.springs),
        gravity=gravity,
        drives_stated=motors.switched_off,
        closure_tolerance=document.closure_tolerance or (MISFIT if ties.loops or stretched else None),
    )


def _check_numbers(compiled: CompiledModel, findings: Findings) -> bool:
    """Whether all can be computed with; what MuJoCo lets pass and nobody can compute with is refused."""
    known = len(findings.problems)
    model, here = compiled.model, Written(compiled.document.file, None, "")
    for name in (*NUMBERS, "jnt_range", "dof_frictionloss", "actuator_gear", "key_qpos", "wrap_prm"):
        if not np.isfinite(getattr(model, name)).all() or np.any(np.abs(getattr(model, name)) > 1e100):
            findings.refuse(here, f"{name} holds numbers that are not finite", "finite numbers")
    if not np.isfinite(model.opt.gravity).all():
        findings.refuse(here, "gravity is not finite", "three numbers")
    if model.nbody > MOST_BODIES:
        findings.refuse(here, f"{model.nbody} bodies", f"{MOST_BODIES} at most")
    if model.nbody < 2:
        findings.refuse(here, "no bodies", "a body in <worldbody>")
    return len(findings.problems) == known


def _start(compiled: CompiledModel, findings: Findings) -> np.ndarray:
    """qpos of the keyframe called home, else of the model as it is written."""
    model = compiled.model
    for k in range(model.nkey):
        if compiled.name("KEY", k).lower() == HOME:
            return np.array(model.key_qpos[k], dtype=float)
    if model.nkey:
        here = Written(compiled.document.file, None, "")
        findings.remark(here, f"no keyframe is called {HOME}: the robot starts as it is written")
    return np.array(model.qpos0, dtype=float)


def _gravity(
    compiled: CompiledModel, names: MjcfNames, findings: Findings
) -> tuple[tuple[float, float, float], dict[int, float]]:
    """Gravity with what all moving bodies compensate of it; where they compensate differently, what acts of the weight of each.

    What joints with actuatorgravcomp apply is part of their actuators' force, an input here.
    """
    model, here = compiled.model, Written(compiled.document.file, None, "")
    gravity = np.zeros(3) if options_off(compiled)["GRAVITY"] else np.array(model.opt.gravity, dtype=float)
    moving = [i for i in range(1, model.nbody) if model.body_weldid[i] != 0 and model.body_mass[i] > 0]
    kinds = {i: {bool(model.jnt_actgravcomp[j]) for j in _joints_above(model, i)} for i in moving}
    given = {i: float(model.body_gravcomp[i]) for i in moving}
    lifted = {i: 0.0 if kinds[i] == {True} else given[i] for i in moving}
    if not gravity.any() or not any(given.values()):
        return three(gravity), {}
    if any(given[i] and True in kinds[i] for i in moving):
        findings.remark(here, "gravcomp that actuators apply is part of the drives' force, an input")
    for i in moving:
        if given[i] and kinds[i] == {True, False}:
            message = "gravcomp that actuators apply in some of the joints that carry the body, and nobody's in others"
            expected = "actuatorgravcomp alike on all joints from the world to the body"
            findings.refuse(names.body_at[i], message, expected, given[i])
    if len(set(lifted.values())) > 1:
        return three(gravity), {i: 1.0 - share for i, share in lifted.items() if share}
    share = next(iter(lifted.values()))
    if share:
        gravity = (1.0 - share) * gravity + 0.0
        findings.remark(here, f"all bodies have gravcomp {share:g}: gravity is {1.0 - share:g} of the file's")
    return three(gravity), {}


def _joints_above(model: Any, body: int) -> list[int]:
    """Joints that move a body."""
    out: list[int] = []
    while body:
        out += range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
        body = int(model.body_parentid[body])
    return out


def _tell_surroundings(compiled: CompiledModel, findings: Findings) -> None:
    """Fluid and contact."""
    model, here = compiled.model, Written(compiled.document.file, None, "")
    if model.opt.density or model.opt.viscosity:
        value = {"density": float(model.opt.density), "viscosity": float(model.opt.viscosity)}
        findings.refuse(here, "forces of a fluid around the bodies", "density and viscosity 0", value)
    if model.nflex:
        findings.refuse(here, "bodies that bend (flex)", "rigid bodies")
    touching = int(np.sum((model.geom_contype[:] != 0) | (model.geom_conaffinity[:] != 0)))
    if touching:
        findings.remark(here, f"contact and stops are not computed ({touching} geoms could touch)")
    if compiled.document.pairs:
        message = f"{compiled.document.pairs} pairs of contact: what holds together by contact alone comes apart here"
        findings.remark(here, message)
    if any(model.site_bodyid[s] == 0 and compiled.name("SITE", s) for s in range(model.nsite)):
        findings.remark(here, "sites of the world are left out: frames are on bodies")
