"""One step of Newton's iteration that leads the closed robot, whole: its unknowns solved for, all coordinates moved."""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.rates import rate_of_q
from gough.errors import Site, Status
from gough.scalar import dot, solve, sqrt, zeros

Vector = np.ndarray


def leading_step(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """next (nq,): q moved by v in the independent coordinates, its loops closed, to first order; du (nu,): that step of the tree;
    residual (rows,): of the closures before it."""
    posture = Posture(numbers, q)
    return _moved(posture, Loops(posture), v)


def drive_step(numbers: Numbers, q: Vector, drives: Vector) -> dict[str, np.ndarray]:
    """As `leading_step`, towards drive coordinates (drives,), of which there are as many as freedoms; elastic ones stay. What
    closing the loops moves of the drives is part of the way."""
    posture = Posture(numbers, q)
    loops, mechanism = Loops(posture), numbers.mechanism
    n, v = mechanism.layout.mobility, zeros(mechanism.layout.nv)
    closing = loops.correction(v)[[mechanism.links[drive.link].u for drive in mechanism.drives]]
    missing = drives - posture.q[mechanism.drive_index] - closing
    v[:n] = solve(drive_columns(loops)[:n].T, missing, Status.SINGULAR.at(Site.DRIVES))
    return _moved(posture, loops, v)


def _moved(posture: Posture, loops: Loops, v: Vector) -> dict[str, np.ndarray]:
    du = loops.correction(v)
    q = posture.q + rate_of_q(posture, du)
    for link in posture.mechanism.links:
        if link.quaternion is not None:
            turn = q[link.quaternion]
            q[link.quaternion] = turn / sqrt(dot(turn, turn))
    return {"next": q, "du": du, "residual": loops.residual()}
