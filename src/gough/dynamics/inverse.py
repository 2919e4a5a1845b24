"""Inverse dynamics of the closed robot: drive forces for a motion; the mass matrix is never formed.

Sources   [Fried, eq. 97], [Long 2014, eq. 46], [Pedrammehr 2012, eqs. 48–51, corrected], [Briot 2014, §4].
Derivation  M v̇ + h = S τ + F_ext; the left-hand side is the projected tree force of the motion (projection.py), so
            S τ = Γᵀ f - F_ext, solved in a fixed elimination order.
"""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import TreeForces, drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import note, solve

Vector = np.ndarray


def motion_wrench(loops: Loops, v: Vector, acceleration: Vector) -> tuple[Vector, TreeForces]:
    """(Γᵀ f (6,), tree forces) of the motion with platform twist v and acceleration, world axes."""
    u = loops.rates(v)
    ud = loops.accelerations(v, u, acceleration)
    forces = TreeForces(loops, v, u, ud)
    return forces.projected(), forces


def dynamics_residual(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, tau: Vector, wrench: Vector
) -> dict[str, np.ndarray]:
    """M v̇ + h - S τ - F_ext (6,): zero for a motion that obeys the equations; its derivatives give linear models."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    needed, _ = motion_wrench(loops, v, acceleration)
    return {"residual": needed - drive_columns(loops) @ tau - wrench}


def inverse_dynamics(
    numbers: Numbers, q: Vector, v: Vector, acceleration: Vector, wrench: Vector
) -> dict[str, np.ndarray]:
    """Drive forces tau (drives,) for twist v, classical acceleration and external platform wrench (6,), world axes."""
    posture = Posture(numbers, q)
    loops = Loops(posture)
    check_state(loops)
    needed, _ = motion_wrench(loops, v, acceleration)
    S = drive_columns(loops)
    with note("drive forces [Fried, eq. 97], [Long 2014, eq. 46]"):
        return {"tau": solve(S, needed - wrench, "singular:drives")}
