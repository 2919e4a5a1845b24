"""Checks that make a state worth computing: a unit quaternion and closed loops."""

import numpy as np

from gough.dynamics.loops import CoupledRow, Loops
from gough.errors import Site, Status
from gough.friction.coulomb import structurally_zero
from gough.scalar import check, cos, dot, note, solve, zeros

QUATERNION_TOLERANCE = 1e-6
CLOSURE_TOLERANCE = 1e-6
"""Accepted closure residual of a given q (m; for lengths m², for directions 1)."""
CONTRADICTION = 1e-5
"""Rate of a redundant closure, relative to the velocities in it, beyond which it contradicts the others."""
LOCK_TOLERANCE = 1e-9
"""How far a coordinate may be from where geometry locks it; beyond it equations without locks are asked."""


def check_state(loops: Loops, moving: bool = True) -> None:
    """Demand |quaternion| = 1 to 1e-6, closures to 1e-6, and that those which are left out follow from the others, where
    something moves: what stands is the same in a singular pose."""
    for link in loops.mechanism.links:
        if link.quaternion is not None:
            q = loops.posture.given[link.quaternion]
            off = dot(q, q) - 1.0
            place = "platform" if link.is_platform else link.joint
            check(Status.BAD_QUATERNION.at(place), (2.0 * QUATERNION_TOLERANCE) ** 2 - off * off, 0.0)
    check_closed(loops)
    if moving:
        check_redundant(loops)
    check_locks(loops)


def check_locks(loops: Loops) -> None:
    """Demand that what geometry locks is where it is locked, and that the closures that lock it are not singular.

    A state that fails may still be good, on another branch of the configurations: it needs the equations without locks.
    """
    mechanism, posture = loops.mechanism, loops.posture
    if not mechanism.selection.relations:
        return
    known, given = np.asarray(posture.q, dtype=object), np.asarray(posture.given, dtype=object)
    off = np.array([a - b for a, b in zip(given, known, strict=True) if a is not b], dtype=object)
    check(Status.OPEN_LOOP.at(mechanism.name, Site.LOCKS), LOCK_TOLERANCE**2 - dot(off, off), 0.0)
    for pivot in loops.lock_pivots():  # only its check is wanted, squared: these states are judged elsewhere
        solve(np.array([[pivot * pivot]]), np.array([1.0]), Status.FOLDED.at(mechanism.name, Site.LOCKS))


def check_closed(loops: Loops) -> None:
    """Demand closures to 1e-6 or the stated tolerance, redundant ones too, and that axes in common point the same way."""
    for cut in loops.cuts:
        residual = np.concatenate([cut.residual(), cut.misalignment()])
        place = loops.label_of(cut.cut)
        if loops.mechanism.tolerances:
            own = loops.mechanism.tolerances[cut.cut.row : cut.cut.row + cut.cut.rows]
            allowed = [max(x, CLOSURE_TOLERANCE) for x in (*own, *[max(own)] * (len(residual) - len(own)))]
            share = residual / np.asarray(allowed, dtype=float)
            check(Status.OPEN_LOOP.at(place), len(share) - dot(share, share), 0.0)
            continue
        check(Status.OPEN_LOOP.at(place), CLOSURE_TOLERANCE**2 - dot(residual, residual), 0.0)
    for coupling in loops.couplings:
        own = loops.mechanism.tolerances[coupling.cut.row : coupling.cut.row + 1]
        allowed = max(CLOSURE_TOLERANCE, *own) if own else CLOSURE_TOLERANCE
        residual = coupling.residual()[0]
        check(Status.OPEN_LOOP.at(coupling.cut.name), allowed**2 * coupling.square() - residual * residual, 0.0)


def check_redundant(loops: Loops) -> None:
    """Demand that the closures that are left out as redundant hold in a motion that fulfils the others.

    They do in the robot's own design. In another one they may contradict these, although all are closed at a single q: two gears
    of different ratios between the same wheels are, where both stand at 0. One motion in which all of v moves tells it at every
    other state. Designs that keep what geometry locks assemble as the robot does, and need no such look.
    """
    mechanism, selection = loops.mechanism, loops.mechanism.selection
    if not selection.removed or selection.relations or mechanism.tolerances:
        return
    left_out = {
        k: [row for row in selection.removed if 0 <= row - x.cut.row < x.cut.rows] for k, x in enumerate(loops.owners)
    }
    rows = {k: [row for row in own if not _is_empty(loops, row, k)] for k, own in left_out.items()}
    if not any(rows.values()):
        return
    with note("closures that are left out"):
        rigid = [cos(1.0 + 2.0 * k) for k in range(mechanism.layout.rigid)]
        u = loops.rates(np.array([*rigid, *zeros(mechanism.layout.nv - len(rigid))], dtype=object))
        for owner, own in zip(loops.owners, rows.values(), strict=True):
            rates = np.array([loops.rate(row, u) for row in own], dtype=object)
            if all(structurally_zero(x) for x in rates):
                continue
            moved = u[owner.columns()]
            size, place = dot(moved, moved), loops.label_of(owner.cut)
            if isinstance(owner, CoupledRow):
                size, place = size * owner.square(), owner.cut.name
            failure = Status.OPEN_LOOP.at(place, Site.CONTRADICTION)
            check(failure, CONTRADICTION**2 * size - dot(rates, rates), 0.0)


def _is_empty(loops: Loops, row: int, owner: int) -> bool:
    """Whether a closure says nothing in any design of this pattern."""
    return all(structurally_zero(loops.coefficient(row, column)) for column in loops.owners[owner].columns())
