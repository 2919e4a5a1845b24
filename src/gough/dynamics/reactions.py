"""Reactions in every joint, cut joints included.

Computes  for given motion and drive forces: the wrench that acts through each joint.
Sources   [Long 2014, eqs. 9–10], [Pedrammehr 2012, eqs. 34–38], [Fried, eq. 83].
Derivation  a leg's joints need f for the motion and get τ, so the platform pushes the tip with μ, Jᵀ μ = f - τ; the
            recursion's inward pass with that wrench at the tip gives what each joint transmits.
Result    joints (n, 6): wrench of the antecedent on the joint's body, at the body's origin, body axes of the description;
          cuts (legs, 6): wrench of the leg on the platform at the cut point, world axes.
"""

import numpy as np

from gough.dynamics.inverse import motion_wrench
from gough.dynamics.loads import cut_friction
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import LinkWrench
from gough.dynamics.validity import check_state
from gough.scalar import note, zeros
from gough.spatial import cross
from gough.structure import Mechanism

Vector = np.ndarray


def joint_links(mechanism: Mechanism) -> list[int]:
    """The link that stands for each joint: the last one of a joint made of several motions."""
    last = {mechanism.links[i].joint: i for leg in mechanism.legs for i in leg.links}
    return list(last.values())


def joint_reactions(numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, tau: Vector) -> dict[str, np.ndarray]:
    """Wrenches in all joints for a motion and the drive forces that go with it."""
    posture = Posture(numbers, q)
    mechanism = posture.mechanism
    loops = Loops(posture)
    check_state(loops)
    _, forces = motion_wrench(loops, v, acceleration)
    cuts = zeros(len(mechanism.legs), 6)
    transmitted: dict[int, LinkWrench] = {}
    for k, loop in enumerate(loops.legs):
        with note(f"{mechanism.legs[k].name}: reactions [Long 2014, eq. 10], [Fried, eq. 83]"):
            columns = loop.columns()
            missing = forces.leg_forces[k].copy()
            for d, drive in enumerate(mechanism.drives):
                link = mechanism.links[drive.link]
                if link.leg == k:
                    j = columns.index(link.u)
                    missing[j] = missing[j] - tau[d]
            mu = loop.transposed(missing)
            force, moment = loop.cut.wrench_on_leg(mu)
            tip = loop.cut.cut.tip
            push = LinkWrench(force, moment + cross(loop.cut.L_p, force))
            for i in mechanism.legs[k].links:
                own = forces.wrenches[k][i]
                transmitted[i] = LinkWrench(own.f, own.n)
            for i in reversed(mechanism.path_to_root(tip)):
                transmitted[i].f = transmitted[i].f - push.f
                transmitted[i].n = transmitted[i].n - push.n
                step = posture.steps[i]
                assert step is not None
                n = push.n if step.slide is None else push.n + cross(step.slide, push.f)
                f = step.to_parent(push.f)
                push = LinkWrench(f, step.to_parent(n) + cross(step.place_p, f))
            cuts[k] = _on_platform(loop, mu, cut_friction(loop.cut, forces.motions[k][tip].w, v[3:]))
    joints = zeros(len(joint_links(mechanism)), 6)
    for row, i in enumerate(joint_links(mechanism)):
        A = mechanism.links[i].to_user
        joints[row] = np.concatenate([A @ transmitted[i].f, A @ transmitted[i].n])
    return {"joints": joints, "cuts": cuts}


def _on_platform(loop, mu: Vector, friction: Vector | None) -> Vector:
    """Wrench of the leg on the platform at the cut point, world axes."""
    force, moment = zeros(3), zeros(3)
    for m, row in zip(mu, loop.cut.rows, strict=True):
        if row.c_v is not None:
            force = force - row.c_v * m
        if row.c_P is not None:
            moment = moment - row.c_P * m
    if friction is not None:
        moment = moment + friction
    return np.concatenate([loop.cut.to_world(force), loop.cut.to_world(moment)])
