"""Reactions in every joint, cut joints included.

Computes  for given motion and drive forces: the wrench that acts through each joint.
Sources   [Long 2014], [Pedrammehr 2012, section 7], [Fried, section 7.3].
Derivation  the tree needs f for the motion and gets τ and the external wrench; the closures give the rest, Gᵀ μ = f - τ - Q.
            The recursion's inward pass with the wrenches of μ at the cuts gives what each joint transmits.
            Redundant closures that were removed carry nothing: of an over-constrained mechanism one of many solutions.
Result    joints (n, 6): wrench of the antecedent on the joint's body, at the body's origin, body axes of the description;
          cuts (cuts, 6): wrench of the first link on the second (leg on platform) at the second's cut point, world axes;
          couplings (couplings,): force or torque of each coupling along its first coordinate. Where its teeth stand is not
          described: like a drive's, its force acts about (along) the axes of its joints and is part of `joints` there;
          teeth (stated radii,): of couplings with a pitch radius, that over it: the force in the mesh.
"""

from typing import Any

import numpy as np

from gough.dynamics.inverse import NONE, motion_forces
from gough.dynamics.loads import wrench_at_frame
from gough.dynamics.loops import CoupledRow, Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import LinkWrench, wrench_at_parent
from gough.dynamics.validity import check_state
from gough.scalar import note, zeros
from gough.spatial import cross
from gough.structure import WORLD, Mechanism

Vector = np.ndarray


def joint_links(mechanism: Mechanism) -> list[int]:
    """The link that stands for each joint: the last one of a joint made of several motions."""
    last = {link.joint: i for i, link in enumerate(mechanism.links) if link.joint}
    return list(last.values())


def joint_reactions(
    numbers: Numbers,
    q: Vector,
    v: Vector,
    vdot: Vector,
    tau: Vector,
    wrench: Vector = NONE,
    force: Vector = NONE,
    loads: Vector | None = None,
    frames: tuple[str, ...] = (),
) -> dict[str, np.ndarray]:
    """Wrenches in all joints for a motion, the drive forces that go with it and the load (see `load_sizes`); at a leg's end
    its force on the platform [Long 2014, eqs. 9–10].

    Forces of legs on the platform, in `cuts`: φ_i [Fried, eqs. 83, 87], -F_i [Pedrammehr 2012, eq. 38]. Moment in a universal
    joint at a leg's foot, in `joints`: M_i and the joint's friction [Pedrammehr 2012, eqs. 34, 37].
    force (nv,) acts on the independent velocities, the multipliers follow from the others: what it does to the reactions
    it does by the motion and tau that go with it.
    loads (6 · frames,): wrenches at the origins of named frames, world axes.
    """
    posture = Posture(numbers, q)
    mechanism = posture.mechanism
    loops = Loops(posture)
    check_state(loops)
    on_frames = (
        [] if loads is None else [wrench_at_frame(posture, f, loads[6 * k : 6 * k + 6]) for k, f in enumerate(frames)]
    )
    forces = motion_forces(loops, v, vdot, on_frames)
    missing = forces.generalised.copy()
    # What the ends of the legs must give besides, A q̈ + c - Γ, which is -Jᵀ f [Long 2014, eqs. 7–8].
    for drive, given in zip(mechanism.drives, tau, strict=True):
        k = mechanism.links[drive.link].u
        missing[k] = missing[k] - given
    if len(wrench):
        missing[:6] = missing[:6] - wrench
    transmitted = {i: LinkWrench(own.f, own.n) for i, own in forces.wrenches.items()}
    cuts = zeros(len(mechanism.cuts), 6)
    multipliers = loops.multipliers(missing)
    for k, (cut, mu) in enumerate(zip(loops.cuts, multipliers[: len(cuts)], strict=True)):
        with note(f"{cut.cut.name}: reactions [Long 2014, eq. 10], [Fried, eq. 83]"):
            force, moment = cut.wrench_on_first(mu)
            _push(posture, transmitted, cut.cut.first, LinkWrench(force, moment + cross(cut.L_p, force)))
            force, moment = cut.wrench_on_second(mu)
            f, n = cut.to_second(force), cut.to_second(moment)
            _push(posture, transmitted, cut.cut.second, LinkWrench(f, n + cross(cut.b_P, f)))
            slid, turned = forces.slide_friction(cut), forces.turn_friction(cut)
            force, moment = force if slid is None else force - slid, moment if turned is None else moment + turned
            cuts[k] = np.concatenate([cut.to_world(force), cut.to_world(moment)])
    links = joint_links(mechanism)
    joints = zeros(len(links), 6)
    for row, i in enumerate(links):
        A = mechanism.links[i].to_user
        joints[row] = np.concatenate([A @ transmitted[i].f, A @ transmitted[i].n])
    coupled = zip(loops.couplings, multipliers[len(cuts) :], strict=True)
    return {"joints": joints, "cuts": cuts, **_of_couplings(numbers, [(c, c.force(mu[0])) for c, mu in coupled])}


def _of_couplings(numbers: Numbers, forces: list[tuple[CoupledRow, Any]]) -> dict[str, np.ndarray]:
    """What couplings do, where there are any; forces along their first coordinates."""
    pitch = [(force, c.cut.radius) for c, force in forces if c.cut.radius is not None]
    teeth = [force / numbers.parameters[radius] for force, radius in pitch]
    out = {"couplings": [force for _, force in forces], "teeth": teeth}
    return {name: np.array(values, dtype=object) for name, values in out.items() if values}


def _push(posture: Posture, transmitted: dict[int, LinkWrench], link: int, push: LinkWrench) -> None:
    """Take a wrench on a link (own axes, about its origin) off what the joints below it have to transmit."""
    while link != WORLD and link in transmitted:
        transmitted[link].f = transmitted[link].f - push.f
        transmitted[link].n = transmitted[link].n - push.n
        push = wrench_at_parent(posture.steps[link], push)
        link = posture.steps[link].link.parent
