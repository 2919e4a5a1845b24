"""Forward dynamics of the closed robot: accelerations of the independent velocities for drive forces.

Sources   [Briot 2014]; with a rigid platform [Long 2014]. The tree's way below is in neither.
Derivation  M v̇ = S τ + Q - h; M is symmetric positive definite, so LDLᵀ without pivoting. The closures are eliminated
            before (mass_matrix.py), so massless links need no special case. A velocity without inertia
            (the spin of a slender rod between two balls) stays as it is; there must be no force on it.
            Where v has many entries and there are few closures (flexible legs), the tree is solved instead: with f its forces
            at no acceleration, A u̇ + f = B τ + Q + Gᵀλ and G u̇ = γ, symmetric equations for u̇ and -λ: one LDLᵀ, velocities
            first that feel few others, closures of a leg behind its own velocities: G has full rank in these unless the leg
            is folded, and legs leave sums on the platform, each by the same operations. Large trees: (G A⁻¹ Gᵀ) λ =
            γ - G A⁻¹ (B τ + Q - f); A falls into parts (legs) that do not feel each other, and each may run as a loop.
"""

import numpy as np

from gough.dynamics.inverse import NONE, check_slack_velocities, needed_force
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix, solve_whole, solves_apart
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import TreeForces, drive_columns
from gough.dynamics.tree_inertia import TreeInertia
from gough.dynamics.validity import check_state
from gough.errors import Site, Status
from gough.friction.coulomb import structurally_zero
from gough.scalar import note, product, solve_constrained, solve_spd, zeros

Vector = np.ndarray
AT_ONCE, AS_LOOPS = 100, 24
"""Velocities and closures up to which a tree is solved with its closures at once, and velocities of a part from which it is not:
large parts may run as loops."""


def forward_dynamics(
    numbers: Numbers, q: Vector, v: Vector, tau: Vector, wrench: Vector = NONE, force: Vector = NONE
) -> dict[str, np.ndarray]:
    """Accelerations vdot (nv,) of v, classical, for drive forces and a load (see `load_sizes`).

    With a flexible platform the solve gives at once what (44) and (46) of [Long 2014] give one after the other.
    """
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    if numbers.mechanism.selection.solves_tree and not solves_apart(loops):
        return {"vdot": _by_tree(loops, v, tau, wrench, force)}
    M = mass_matrix(loops)
    slack = needed_force(loops, v, zeros(len(v)), wrench, force)
    push = drive_columns(loops) @ tau if len(tau) else zeros(len(v))
    total = push - slack
    still = check_slack_velocities(loops, M, total)
    pushed = [k for k in range(len(v)) if k not in still]
    vdot = zeros(len(v))
    with note("acceleration [Briot 2014, eq. 44], [Long 2014, eq. 46]"):
        if still:
            vdot[pushed] = solve_spd(M[np.ix_(pushed, pushed)], total[pushed], Status.SINGULAR.at(Site.MASS_MATRIX))
        else:
            vdot = solve_whole(loops, M, total, Status.SINGULAR.at(Site.MASS_MATRIX))
    return {"vdot": vdot}


def _by_tree(loops: Loops, v: Vector, tau: Vector, wrench: Vector, force: Vector) -> Vector:
    """vdot (nv,) by the tree's mass matrix and the closures' multipliers."""
    mechanism = loops.mechanism
    own = list(mechanism.selection.independent)
    u = loops.rates(v)
    push = -TreeForces(loops, u, zeros(len(u))).generalised
    if len(wrench):
        push[:6] = push[:6] + wrench
    if len(force):
        push[own] = push[own] + force
    for drive, given in zip(mechanism.drives, tau, strict=True):
        k = mechanism.links[drive.link].u
        push[k] = push[k] + given
    A = TreeInertia(loops.posture).A
    rows = [row for block in mechanism.selection.blocks for row in block.rows]
    G = loops.entries(rows, range(len(u)))
    parts = separate_parts(A)
    if rows and len(u) + len(rows) <= AT_ONCE and all(len(part) <= AS_LOOPS for part in parts):
        rest = np.concatenate([push, loops.closure_accelerations(rows, u)])
        order = elimination_order(A, G, _closed_by(loops, parts))
        with note("multipliers of the closures and accelerations"):
            return solve_constrained(A, G, rest, Status.SINGULAR.at(Site.MASS_MATRIX), order)[own]
    with note("multipliers of the closures and accelerations"):
        moved = zeros(len(u), 1 + len(rows))  # A⁻¹ [push, Gᵀ]
        for part in parts:
            rhs = np.concatenate([push[part, None], G[:, part].T], axis=1)
            felt = [k for k in range(rhs.shape[1]) if not all(structurally_zero(x) for x in rhs[:, k])]
            moved[np.ix_(part, felt)] = solve_spd(
                A[np.ix_(part, part)], rhs[:, felt], Status.SINGULAR.at(Site.MASS_MATRIX)
            )
        if not rows:
            return moved[own, 0]
        rest = loops.closure_accelerations(rows, u) - G @ moved[:, 0]
        multipliers = solve_spd(product(G, moved[:, 1:]), rest, Status.SINGULAR.at("closures"))
        return moved[own, 0] + product(moved[own, 1:], multipliers)


def _closed_by(loops: Loops, parts: list[list[int]]) -> list[tuple[list[int], set[int]]]:
    """(closures, velocities of the parts that these move) of every block: in its own columns a block has full rank, unless it
    is folded."""
    found, first = [], 0
    for block in loops.mechanism.selection.blocks:
        moved = {i for part in parts if not set(part).isdisjoint(block.columns) for i in part}
        found.append((list(range(first, first + len(block.rows))), moved))
        first += len(block.rows)
    return found


def elimination_order(A: np.ndarray, G: np.ndarray, closed: list[tuple[list[int], set[int]]]) -> list[int]:
    """Order (n + r,) in which the velocities of a symmetric A (n, n) and multipliers of constraints G (r, n) are eliminated, by
    structural zeros: always the velocity next that the fewest of those left have to do with; constraints last, or, where
    that is less work, as soon as the velocities they are `closed` by are: legs leave a sum on the platform."""
    zero = [[structurally_zero(x) for x in row] for row in np.concatenate([A, G])]
    n, r = len(A), len(G)
    joined = np.zeros((n + r, n + r), dtype=bool)
    joined[:, :n] = ~np.array(zero)
    joined |= joined.T
    late = [(list(range(r)), set(range(n)))]
    return min((_greedy_order(joined, n, rows) for rows in (late, closed)), key=lambda x: x[0])[1]


def _greedy_order(joined: np.ndarray, n: int, closed: list[tuple[list[int], set[int]]]) -> tuple[int, list[int]]:
    """(multiplications of it, an order)."""
    joined, left, order, work = joined.copy(), np.ones(len(joined), dtype=bool), list[int](), 0
    waiting = list(closed)
    velocities = list(range(n))
    while velocities:
        k = min(velocities, key=lambda k: int(joined[k, left].sum()))
        velocities.remove(k)
        ready = [rows for rows, moved in waiting if moved.isdisjoint(velocities)]
        waiting = [(rows, moved) for rows, moved in waiting if not moved.isdisjoint(velocities)]
        for i in (k, *(n + row for rows in ready for row in rows)):
            left[i] = False
            order.append(i)
            felt = np.flatnonzero(joined[i] & left)
            joined[np.ix_(felt, felt)] = True
            work += len(felt) * (len(felt) + 3) // 2
    return work, order


def separate_parts(A: np.ndarray) -> list[list[int]]:
    """Groups of rows of a symmetric matrix that have no entries in common, by its structural zeros."""
    left, parts = set(range(len(A))), []
    while left:
        part, border = set(), [min(left)]
        while border:
            i = border.pop()
            part.add(i)
            border += [j for j in left if j not in part and j not in border and not structurally_zero(A[i, j])]
        parts.append(sorted(part))
        left -= part
    return parts
