"""Inertia moved towards the base where no motion can tell the difference.

Computes  the inertia of every link after regrouping; the tree's kinetic energy and the work of gravity on its joints are
          the same, and with them all that follows from them: M, h, S, drive forces. Reactions are not the same.
Sources   the base inertial parameters of trees (Gautier and Khalil 1990), as what a joint's motion leaves invariant.
Derivation, link j on parent i (`JointMotion.give_inwards`):
    fixed         the whole body belongs to the parent
    translation   ω_j = ω_i: the tensor J belongs to the parent
    rotation      a body that looks the same from the parent whatever the angle: mass M at the axis, first moment m e along
                  it, tensor λ (I - e eᵀ); λ is one of the two transverse moments, so that the other becomes their difference
    to a parent whose origin sees the joint at p, axes turned by R, with c = R MS:
                  M' = M,  MS' = c + M p,  J' = R J Rᵀ + 2 (p·c) I - p cᵀ - c pᵀ + M (p² I - p pᵀ)
A flexible link fixed to another one is one body with it: it takes the parent's origin (its integrals about that one are of
the design, flexible.py) and the parent's inertia, so that products with their motion are formed once.
Mass goes only to a link of whose weight the same share acts; a tensor, which weighs nothing, to any.
What reaches the world is gone. A rotation gives only where that costs no new terms: to the world, or to a link that turns
about an axis fixed in the world, of whose inertia the moment about that axis alone is felt.
"""

from typing import Any

import numpy as np

from gough.dynamics.flexible import elastic_numbers, move_origin
from gough.dynamics.numbers import Numbers
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot
from gough.spatial import RigidInertia
from gough.structure import WORLD, Link


def regroup_inertia(numbers: Numbers) -> Numbers:
    """The same numbers with inertia moved inwards."""
    links = numbers.mechanism.links
    own: dict[int, RigidInertia | None] = {i: numbers.inertia(link) for i, link in enumerate(links)}
    for i in range(len(links) - 1, -1, -1):
        link, inertia = links[i], own[i]
        if inertia is None or inertia.massless or link.is_platform or link.tie is not None:
            continue
        if link.telescopic is not None or (link.parent != WORLD and links[link.parent].telescopic is not None):
            continue  # inertia that depends on a coordinate is left where it is described
        moved, rest = link.motion.give_inwards(inertia, _receives(links, link.parent), numbers.at(link.dimensions))
        if moved is None or not (_weighs_nothing(moved) or _weigh_alike(numbers, link)):
            continue
        own[i] = rest
        if link.parent != WORLD:
            own[link.parent] = _sum(own[link.parent], _seen_from_parent(numbers, link, moved))
    moved = _moved_origins(numbers)
    for i in moved:  # one body with its parent, whose products with the motion are then formed once
        parent = links[i].parent
        inertia = own[parent]
        if own[i] is None and inertia is not None and not links[parent].is_platform:
            R = numbers.placement(links[i].placement)[0]
            own[i] = RigidInertia(inertia.mass, R.T @ inertia.first_moments, R.T @ inertia.tensor @ R)
            own[parent] = None
    return Numbers(numbers.mechanism, numbers.parameters, own, moved)


def _moved_origins(numbers: Numbers) -> dict[int, np.ndarray]:
    """Flexible links fixed to another one that can have its origin, and how far their described one is from there, own axes: all
    that hangs on them is tied, and their integrals about that origin have the same structural zeros."""
    mechanism, out = numbers.mechanism, {}
    held = {i for cut in mechanism.cuts for i in (cut.first, cut.second)}
    held |= {i for spring in mechanism.springs for i in spring.links}
    held |= {link.parent for link in mechanism.links if link.tie is None}
    for i in mechanism.flexible:
        link, elastic = mechanism.links[i], mechanism.links[i].elastic
        if elastic is None or not link.is_fixed or link.parent in (WORLD, *mechanism.flexible) or i in held:
            continue
        if link.telescopic is not None or mechanism.links[link.parent].telescopic is not None:
            continue  # their inertia has stayed where it is described
        if not _weigh_alike(numbers, link):
            continue  # and so has theirs
        R, p = numbers.placement(link.placement)
        shift, of = R.T @ p, elastic_numbers(numbers, elastic)
        pairs = zip(of.N1, move_origin(of.N1, of.MSde, shift), strict=True)
        if all(
            structurally_zero(y) for N, M in pairs for x, y in zip(N.flat, M.flat, strict=True) if structurally_zero(x)
        ):
            out[i] = shift
    return out


def _weighs_nothing(x: RigidInertia) -> bool:
    return all(structurally_zero(y) for y in (x.mass, *x.first_moments))


def _weigh_alike(numbers: Numbers, link: Link) -> bool:
    """Whether the same share of a link's weight acts as of its parent's, in every design; the world takes any."""
    if link.parent == WORLD:
        return True
    parent = numbers.mechanism.links[link.parent]
    shares = [numbers.weight_share(x) for x in (link, parent)]
    return link.weight_share == parent.weight_share or all(s is not None and structurally_zero(s) for s in shares)


def _receives(links: tuple[Link, ...], parent: int) -> bool:
    """Whether a rotation's invariant part may go to a parent."""
    return parent == WORLD or (_turns_only(links[parent]) and links[parent].parent == WORLD)


def _turns_only(link: Link) -> bool:
    return link.nu == 1 and link.motion.turns and not link.motion.slides


def _seen_from_parent(numbers: Numbers, link: Link, x: RigidInertia) -> RigidInertia:
    R, p = numbers.placement(link.placement)
    c = R @ x.first_moments
    one: Any = np.array(np.eye(3), dtype=object)
    shift = 2.0 * dot(p, c) * one - np.outer(p, c) - np.outer(c, p)
    tensor = R @ x.tensor @ R.T + shift + x.mass * (dot(p, p) * one - np.outer(p, p))
    return RigidInertia(x.mass, c + x.mass * p, tensor)


def _sum(a: RigidInertia | None, b: RigidInertia) -> RigidInertia:
    if a is None:
        return b
    return RigidInertia(a.mass + b.mass, a.first_moments + b.first_moments, a.tensor + b.tensor)
