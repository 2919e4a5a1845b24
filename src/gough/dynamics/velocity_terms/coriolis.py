"""Forces of velocity for one motion that another one is held against.

Computes  C(q, v) w, with which Ṁ = C + Cᵀ and C v are the velocity terms of h; Γ̇ w along the motion v.
Sources   Koszul's formula of Riemannian geometry; what laws after (Slotine and Li 1987) rest on.
Derivation  With E(x) the part of h that is even in the velocities x, velocity terms and what stands still,
                H(v, w) = ¼ (E(v + w) - E(v - w)),   C(v) w = H(v, w) + ½ M [v, w]                                (1)
            where [v, w] is the bracket of the motions that go on with v and with w: 0 of rates of coordinates, -ω × ω' of
            angular velocities in axes of the world, ω × ω' in axes that turn. (1) is the connection without torsion that keeps M;
            H alone is that only where v are rates of coordinates.
"""

import numpy as np

from gough.dynamics.inverse import needed_force
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.velocity_terms.momentum import momentum_of
from gough.scalar import note, zeros
from gough.spatial import cross

Vector = np.ndarray


def coriolis_force(numbers: Numbers, q: Vector, v: Vector, w: Vector) -> Vector:
    """C(q, v) w (nv,): equation (1)."""
    loops = Loops(Posture(_without_friction(numbers), q, gravity=False))
    with note("velocity terms of one motion along another"):
        force = 0.25 * (_even_force(loops, v + w) - _even_force(loops, v - w))
        return force + momentum_of(loops, 0.5 * bracket(loops, v, w))


def bracket(loops: Loops, v: Vector, w: Vector) -> Vector:
    """[v, w] (nv,) of the motions that go on with v and with w; see the head."""
    own, u, other = list(loops.selection.independent), loops.rates(v), loops.rates(w)
    out = zeros(loops.mechanism.layout.nu)
    for link in loops.mechanism.links:
        if link.quaternion is not None:
            turned = cross(u[link.spin], other[link.spin])
            out[link.spin] = turned if link.motion.spins_in_body else -turned
    return out[own]


def rates_along(loops: Loops, v: Vector, w: Vector) -> Vector:
    """Rates (nu,) at which the motion v changes the tree's velocities Γ w while w itself stays: those of joints that do not turn
    in space. By (1) without masses: half the sum of both orders, and half of their difference Γ [v, w]."""
    none = zeros(len(v))
    plus, minus = v + w, v - w
    half = loops.accelerations(plus, loops.rates(plus), none) - loops.accelerations(minus, loops.rates(minus), none)
    return 0.25 * half + 0.5 * loops.rates(bracket(loops, v, w))


def _even_force(loops: Loops, x: Vector) -> Vector:
    """The part of the bias force (nv,) that is even in the velocities x: dampers have none."""
    none, mechanism = zeros(len(x)), loops.mechanism
    force = needed_force(loops, x, none)
    if not (mechanism.springs or mechanism.flexible or any(link.spring for link in mechanism.links)):
        return force
    return 0.5 * (force + needed_force(loops, -x, none))


def _without_friction(numbers: Numbers) -> Numbers:
    parameters = np.array(numbers.parameters, dtype=object)
    parameters[numbers.mechanism.table.of_kind("friction")] = 0.0
    return Numbers(numbers.mechanism, parameters, numbers.inertias, numbers.moved)
