"""Checks that make a state worth computing: a unit quaternion and closed loops."""

import numpy as np

from gough.dynamics.loops import Loops
from gough.errors import Site, Status
from gough.scalar import check, dot, solve

QUATERNION_TOLERANCE = 1e-6
CLOSURE_TOLERANCE = 1e-6
"""Accepted closure residual of a given q (m; for lengths m², for directions 1)."""
LOCK_TOLERANCE = 1e-9
"""How far a coordinate may be from where geometry locks it; beyond it equations without locks are asked."""


def check_state(loops: Loops) -> None:
    """Demand |quaternion| = 1 to 1e-6 and closures to 1e-6."""
    for link in loops.mechanism.links:
        if link.quaternion is not None:
            q = loops.posture.given[link.quaternion]
            off = dot(q, q) - 1.0
            place = "platform" if link.is_platform else link.joint
            check(Status.BAD_QUATERNION.at(place), (2.0 * QUATERNION_TOLERANCE) ** 2 - off * off, 0.0)
    check_closed(loops)
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
        leg = cut.cut.leg
        residual = np.concatenate([cut.residual(), cut.misalignment()])
        place = loops.mechanism.legs[leg].name if leg >= 0 else cut.cut.name
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
