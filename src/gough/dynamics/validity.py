"""Checks that make a state worth computing: a unit quaternion and closed loops."""

from gough.dynamics.loops import Loops
from gough.scalar import check, dot

QUATERNION_TOLERANCE = 1e-6
CLOSURE_TOLERANCE = 1e-6
"""Accepted closure residual of a given q (m; for lengths m², for directions 1)."""


def check_state(loops: Loops) -> None:
    """Demand |quaternion| = 1 to 1e-6 and closures to 1e-6."""
    q = loops.posture.q[3:7]
    off = dot(q, q) - 1.0
    check("bad_quaternion:platform", (2.0 * QUATERNION_TOLERANCE) ** 2 - off * off, 0.0)
    check_closed(loops)


def check_closed(loops: Loops) -> None:
    """Demand closures to 1e-6."""
    for loop in loops.legs:
        name = loops.posture.mechanism.legs[loop.leg].name
        residual = loop.cut.residual()
        check(f"open_loop:{name}", CLOSURE_TOLERANCE**2 - dot(residual, residual), 0.0)
