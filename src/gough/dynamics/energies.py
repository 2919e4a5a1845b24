"""Kinetic and potential energy of the closed robot, and the power that drives and losses exchange.

Sources   [Lopes, sections 3.1–3.2].
Derivation  T = Σ links ½ m v² … + rotors ½ I q̇²;  U = -Σ s g · (m p + R MS) + springs, s the share of a link's
            weight that acts. Power balance: d(T + U)/dt = τ · q̇ + F_ext · V - losses.
"""

from typing import Any

import numpy as np

from gough.dynamics.loads import slide_friction, spring_energy, spring_losses, turn_friction
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import own_forces, telescopic_tensors
from gough.dynamics.twists import link_twist, point_velocity
from gough.dynamics.validity import check_state
from gough.scalar import dot, zeros
from gough.spatial.inertia import kinetic_energy

Vector = np.ndarray


def energies(numbers: Numbers, q: Vector, v: Vector) -> dict[str, Any]:
    """kinetic, potential (J) and losses (W, power taken by friction and dampers)."""
    posture = Posture(numbers, q)
    loops = Loops(posture)
    check_state(loops)
    u = loops.rates(v)
    return {
        "kinetic": _kinetic(posture, u),
        "potential": _potential(posture),
        "losses": _losses(loops, u),
    }


def _kinetic(posture: Posture, u: Vector) -> Any:
    """Sum over the links [Lopes, eq. 15] of the platform's energy [Lopes, eqs. 16–17, 19], actuators' [Lopes, eq. 32] and rods',
    moving and turning in one [Lopes, eqs. 47, 51]; own axes."""
    total: Any = 0.0
    for i, link in enumerate(posture.mechanism.links):
        velocity, w = link_twist(posture, u, i)
        if link.elastic is not None:
            total = total + posture.deformations[i].kinetic(velocity, w, u[link.elastic.columns])
        inertia = None if link.elastic is not None else posture.numbers.inertia(link)
        if inertia is not None:
            total = total + kinetic_energy(inertia, w, velocity)
        if link.telescopic is not None:
            T, _, _ = telescopic_tensors(posture, link)
            total = total + 0.5 * dot(w, T @ w)
        for rotor in link.rotors:
            for rate in u[link.columns]:
                total = total + 0.5 * posture.numbers.parameters[rotor] * rate * rate
    return total


def _potential(posture: Posture) -> Any:
    """Weight of all links [Lopes, eqs. 66–69], each mass at its mass centre [Lopes, eqs. 30, 42], springs and strain."""
    total: Any = spring_energy(posture)
    g = posture.gravity
    for i, link in enumerate(posture.mechanism.links):
        inertia = posture.numbers.inertia(link)
        if link.elastic is not None:
            total = total + posture.deformations[i].strain()
            inertia = posture.deformations[i].inertia
        if inertia is not None:
            origin = posture.point_in_world(i, zeros(3))
            moment = inertia.mass * origin + posture.to_world(i, inertia.first_moments)
            share = posture.numbers.weight_share(link)
            total = total - (dot(g, moment) if share is None else share * dot(g, moment))
        if link.spring is not None:
            total = total + link.motion.spring_energy(
                posture.q[link.coordinates], link.law, posture.numbers.at(link.spring)
            )
    return total


def _losses(loops: Loops, u: Vector) -> Any:
    posture = loops.posture
    mechanism = posture.mechanism
    total: Any = 0.0
    rest = zeros(len(u))
    for link in mechanism.links:
        if link.nu and not link.is_platform:
            at_rest, moving = own_forces(posture, link, rest, rest), own_forces(posture, link, u, rest)
            total = total + dot(u[link.columns], moving - at_rest)
    for i, deformation in posture.deformations.items():
        elastic = mechanism.links[i].elastic
        assert elastic is not None
        total = total + deformation.losses(u[elastic.columns])
    for cut in loops.cuts:
        first = link_twist(posture, u, cut.cut.first)[1]
        second = cut.from_second(link_twist(posture, u, cut.cut.second)[1])
        friction = turn_friction(cut, first, second, u)
        if friction is not None:
            total = total + dot(friction, first - second)
        for _, rate, force in slide_friction(cut, u):
            total = total + rate * force
    return total + spring_losses(posture, lambda i, x: point_velocity(posture, u, i, x))
