"""The Newton–Euler recursion on the tree: motion outwards, wrenches inwards.

Computes  the motion of every link for given tree velocities u and accelerations, and the joint forces they need.
Sources   [Briot 2014, §3.2–3.3] for the motion; [Fried, section 7.2]; [Pedrammehr 2012, sections 6–7].
Frames    every link in its own axes, at its own origin; the platform in body axes.
Symbols   w ω angular velocity, wd α its derivative, a classical acceleration of the origin minus gravity,
          f force and n moment (about the origin) that the parent exerts on the link.
Derivation, child j of parent i with rotation E (child to parent), place p, slide d = e s q (child axes):
    rotation      ω_j = Eᵀω_i + e q̇                                                   (1)
                  α_j = Eᵀα_i + Eᵀω_i × e q̇ + e q̈                                     (2)
    all           a_j = Eᵀ(a_i + α_i × p + ω_i × (ω_i × p))                           (3)
    translation   a_j += α_j × d + ω_j × (ω_j × d) + 2 ω_j × ḋ + d̈                    (4)
    inwards       f_i += E f_j,   n_i += E (n_j + d × f_j) + p × E f_j                (5)
    joint force   τ_j = e · n_j (rotation) or e · f_j (translation)                   (6)
Frame tied to a flexible link, at p(e) and turned by θ(e) (posture.Deflection):
    a_j = Eᵀ(a_i + α_i × p + ω_i × (ω_i × p) + 2 ω_i × ṗ + p̈),  ω_j = Eᵀω_i + J θ̇       (9), [Briot 2014, eqs. 18–19, corrected]
    elastic forces of its wrench  Q_i += Φᵀ E f_j + Θᵀ Jᵀ n_j                             (10)
A body of whose weight the share s acts: in its own equations a + (1 - s) g stands for a, g in its axes (11).
Telescopic links: inertia T(q) of a joint coordinate q adds T ω's rate T' q̇ ω to n (7) and -½ ω·T'ω to that joint (8).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.posture import Deflection, Posture, Step
from gough.joints.measure import LENGTH
from gough.scalar import abs_, dot, note, zeros
from gough.spatial import RigidInertia, cross, inertia_wrench, turning_matrix
from gough.structure import WORLD, Link, Mechanism

Vector = np.ndarray
RESTING = 1e-9
"""Part of v's rates up to which a rate that loops give is rounding, or the error of a configuration: see `resting_rate`."""


@dataclass
class LinkMotion:
    """Angular velocity, angular acceleration and acceleration (minus gravity) of a link, own axes."""

    w: Vector
    wd: Vector
    a: Vector


@dataclass
class LinkWrench:
    """Force and moment about the link's origin, own axes."""

    f: Vector
    n: Vector


def platform_wrench(posture: Posture, u: Vector, ud: Vector, extra: Vector) -> tuple[Vector, Vector]:
    """Force and moment about the origin, world axes, that give the platform its motion (tree velocities u, ud):
    [Fried, eqs. 88, 90–93, corrected], without legs [Pedrammehr 2012, eqs. 45–47, 49–50, corrected], [Long 2014, eq. 34,
    corrected], [Briot 2014, eq. 25].

    f = M a + N c, n = R (J α + ω × J ω) + c × a with c = R MS and N c = α × c + ω × (ω × c); a minus gravity. The linear
    part is written in world axes, where a and N already are; only the rotational part needs body axes. A flexible platform's
    elastic forces are added to `extra` (nu,).
    """
    R, w, wd = posture.R_WP, u[3:6], ud[3:6]
    share = posture.numbers.weight_share(posture.mechanism.platform)
    a = ud[:3] - (posture.gravity if share is None else share * posture.gravity)
    if posture.mechanism.platform.elastic is not None:
        motion = LinkMotion(R.T @ w, R.T @ wd, R.T @ a)
        own = _felt_wrench(posture, 0, motion, u, ud, extra)
        return R @ own.f, R @ own.n
    inertia = posture.numbers.inertia(posture.mechanism.platform)
    if inertia is None:
        return zeros(3), zeros(3)
    c = R @ inertia.first_moments
    w_P, wd_P = R.T @ w, R.T @ wd
    turning = inertia.tensor @ wd_P + cross(w_P, inertia.tensor @ w_P)
    return inertia.mass * a + turning_matrix(w, wd) @ c, R @ turning + cross(c, a)


def root_motion(posture: Posture) -> LinkMotion:
    """The world: at rest, seen to accelerate against gravity, which so enters every link's equations in its own axes
    [Briot 2014, eq. 68]."""
    return LinkMotion(zeros(3), zeros(3), -posture.gravity)


def move(step: Step, parent: LinkMotion, rate: Vector, rate_dot: Vector) -> LinkMotion:
    """Equations (1)–(4) for one link [Briot 2014, eqs. 18–19, corrected], [Fried, eqs. 74–75]; twice for a universal joint,
    [Pedrammehr 2012, eqs. 12, 18]. rate and rate_dot are its joint's (nu,)."""
    p, link = step.place_p, step.link
    if step.deflection is not None:
        return _move_tied(step, step.deflection, parent, rate, rate_dot)
    if link.is_platform:
        return LinkMotion(step.to_child(rate[3:]), step.to_child(rate_dot[3:]), step.to_child(rate_dot[:3] + parent.a))
    w = step.to_child(parent.w)
    wd = step.to_child(parent.wd)
    a = step.to_child(parent.a + cross(parent.wd, p) + cross(parent.w, cross(parent.w, p)))
    return LinkMotion(*link.motion.accelerate(w, wd, a, step.slide, rate, rate_dot, step.dimensions))


def _move_tied(step: Step, tie: Deflection, parent: LinkMotion, rate: Vector, rate_dot: Vector) -> LinkMotion:
    """Equation (9): a frame tied to a flexible link [Briot 2014, eqs. 18–19, corrected], [Long 2014, eqs. 22, 24]."""
    p, speed = step.place_p, tie.translation @ rate
    swept = turning_matrix(parent.w, parent.wd) @ p + cross(2.0 * parent.w, speed)
    a = step.to_child(parent.a + swept + tie.translation @ rate_dot + tie.bends(rate))
    w, spin = step.to_child(parent.w), tie.spin(rate)
    wd = step.to_child(parent.wd) + cross(w, spin) + tie.spin_rate(rate, rate_dot)
    return LinkMotion(w + spin, wd, a)


def move_tree(posture: Posture, u: Vector, ud: Vector, links: tuple[int, ...] | None = None) -> dict[int, LinkMotion]:
    """Motion of all links (or of some, from their root on) for tree velocities and accelerations u, ud (nu,).

    The platform's is left out where it carries no link.
    """
    motions: dict[int, LinkMotion] = {WORLD: root_motion(posture)}
    carriers = {link.parent for link in posture.mechanism.links}
    for i in range(len(posture.steps)) if links is None else links:
        step = posture.steps[i]
        if not step.link.is_platform or i in carriers:
            with link_notes(posture, i):
                motions[i] = move(step, motions[step.link.parent], u[step.link.moved_by], ud[step.link.moved_by])
    return motions


def move_chain(chain: list[Step], u: Vector, ud: Vector) -> LinkMotion:
    """Motion of the last link of a chain relative to what stands above it; no gravity."""
    motion = LinkMotion(zeros(3), zeros(3), zeros(3))
    for step in chain:
        motion = move(step, motion, u[step.link.moved_by], ud[step.link.moved_by])
    return motion


def telescopic_tensors(posture: Posture, link: Link) -> tuple[np.ndarray, np.ndarray, int]:
    """(T, T', source link) of a telescopic link at q."""
    assert link.telescopic is not None
    c0, c1, c2 = posture.numbers.telescopic(link)
    x = posture.q[posture.mechanism.links[link.telescopic[0]].q]
    return c0 + c1 * x + c2 * (x * x), c1 + c2 * (2.0 * x), link.telescopic[0]


def link_wrench(posture: Posture, index: int, motion: LinkMotion, u: Vector, ud: Vector, extra: Vector) -> LinkWrench:
    """Wrench that gives link `index` its motion. Its elastic forces, and telescopic ones on other joints, are added to
    `extra` (nu,). Equation (7) is left out by the paper [Fried, eq. 79]."""
    share = posture.numbers.weight_share(posture.mechanism.links[index])
    if share is not None:  # (11)
        lifted = motion.a + (1.0 - share) * posture.from_world(index, posture.gravity)
        motion = LinkMotion(motion.w, motion.wd, lifted)
    return _felt_wrench(posture, index, motion, u, ud, extra)


def _felt_wrench(posture: Posture, index: int, motion: LinkMotion, u: Vector, ud: Vector, extra: Vector) -> LinkWrench:
    """`link_wrench`, the acceleration minus what acts of gravity on this link."""
    link = posture.mechanism.links[index]
    if link.elastic is not None:
        columns = list(link.elastic.columns)
        f, n, Q = posture.deformations[index].wrench(motion.w, motion.wd, motion.a, u[columns], ud[columns])
        extra[columns] = extra[columns] + Q
        return LinkWrench(f, n)
    inertia = posture.numbers.inertia(link)
    if link.telescopic is not None:
        T, dT, source = telescopic_tensors(posture, link)
        base = inertia or RigidInertia(0.0, zeros(3), zeros(3, 3))
        f, n = inertia_wrench(
            RigidInertia(base.mass, base.first_moments, base.tensor + T), motion.w, motion.wd, motion.a
        )
        k = posture.mechanism.links[source].u
        grown = dT @ motion.w
        extra[k] = extra[k] - 0.5 * dot(motion.w, grown)  # (8)
        return LinkWrench(f, n + grown * u[k])  # (7)
    if inertia is None:
        return LinkWrench(zeros(3), zeros(3))
    return LinkWrench(*inertia_wrench(inertia, motion.w, motion.wd, motion.a))


def gather_tree(posture: Posture, wrenches: dict[int, LinkWrench], extra: Vector) -> None:
    """Equation (5): add every link's wrench to its parent's, from the tips to the roots (in place) [Briot 2014, eqs. 61–62],
    [Fried, eqs. 80–81]; at a leg's lower part its moment N_i, C_u apart [Pedrammehr 2012, eq. 36].

    Elastic forces of frames tied to flexible links, equation (10), are added to `extra` (nu,).
    """
    for i in range(len(posture.steps) - 1, -1, -1):
        parent = posture.steps[i].link.parent
        if i in wrenches:
            add_elastic_forces(posture.steps[i], wrenches[i], extra)
        if parent in wrenches and i in wrenches:
            with link_notes(posture, i):
                moved = wrench_at_parent(posture.steps[i], wrenches[i])
                wrenches[parent].f = wrenches[parent].f + moved.f
                wrenches[parent].n = wrenches[parent].n + moved.n


def add_elastic_forces(step: Step, own: LinkWrench, extra: Vector) -> None:
    """Equation (10): what a tied frame's wrench asks of the elastic coordinates, added to `extra` (nu,)
    [Briot 2014, eq. 63, corrected]."""
    if step.deflection is not None:
        columns = list(step.link.moved_by)
        extra[columns] = extra[columns] + step.deflection.forces(step.to_parent(own.f), own.n)


def wrench_at_parent(step: Step, own: LinkWrench) -> LinkWrench:
    """A link's wrench in its parent's axes, about the parent's origin."""
    moment = own.n if step.slide is None else own.n + cross(step.slide, own.f)
    f = step.to_parent(own.f)
    return LinkWrench(f, step.to_parent(moment) + cross(step.place_p, f))


def joint_forces(posture: Posture, wrenches: dict[int, LinkWrench], u: Vector, ud: Vector) -> Vector:
    """Equation (6) with rotor inertia, friction and springs: what a motion asks of all joints (nu,), platform's part 0:
    A q̈ + c of a leg [Long 2014, section 3.3], [Fried, eqs. 55, 87] (D_i); of a slide, without F_i [Pedrammehr 2012, eq. 39]."""
    forces = zeros(posture.mechanism.layout.nu)
    for i, link in enumerate(posture.mechanism.links):
        if link.nu == 0 or link.is_platform:
            continue
        with link_notes(posture, i):
            forces[link.columns] = axis_force(posture.steps[i], wrenches[i]) + own_forces(posture, link, u, ud)
    return forces


def axis_force(step: Step, wrench: LinkWrench) -> Vector:
    """Equation (6): what the wrench through a joint asks of it (nu,) [Fried, eq. 70]."""
    return step.link.motion.force(wrench.f, wrench.n, step.dimensions)


def own_forces(posture: Posture, link: Link, u: Vector, ud: Vector) -> Vector:
    """Rotor inertia, friction [Briot 2014, eq. 27, corrected] (C_u, C_p of [Pedrammehr 2012, eqs. 31, 39]) and spring of a joint
    (nu,)."""
    numbers, rate = posture.numbers, u[link.columns]
    resting = _resting(posture.mechanism, link, u)
    total: Any = zeros(link.nu)
    for rotor in link.rotors:
        total = total + numbers.parameters[rotor] * ud[link.columns]
    for k in range(0, len(link.friction), 3):  # the joint's own, then its drive's
        total = total + link.motion.friction(rate, numbers.at(link.friction[k : k + 3]), resting)
    if link.spring is not None:
        for part in link.motion.spring(posture.q[link.coordinates], rate, link.law, numbers.at(link.spring)):
            total = total + part
    return total


def resting_rate(mechanism: Mechanism, u: Vector) -> Any:
    """Rate (rad/s; m/s over the robot's size) up to which a joint that follows v through loops is at rest: a small part of
    all that v's joints and platform do."""
    own = mechanism.selection.independent[: mechanism.layout.rigid]
    turning = sum((abs_(u[c]) for c in own if mechanism.layout.u_units[c] == "rad/s"), start=0.0)
    sliding = sum((abs_(u[c]) for c in own if mechanism.layout.u_units[c] == "m/s"), start=0.0)
    return RESTING * turning + (RESTING / mechanism.size) * sliding


def _resting(mechanism: Mechanism, link: Link, u: Vector) -> Any:
    """`resting_rate` in the unit of a joint's rate; 0 where v itself has the rate."""
    if not link.friction or set(link.columns) <= set(mechanism.selection.independent):
        return 0.0
    slow = resting_rate(mechanism, u)
    return slow * mechanism.size if link.motion.measure is LENGTH else slow


def link_notes(posture: Posture, link: int):
    """Note that heads a leg's (or a joint's) part of the program."""
    leg = posture.mechanism.links[link].leg
    name = posture.mechanism.legs[leg].name if leg >= 0 else posture.mechanism.links[link].name
    return note(f"{name}: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2]")
