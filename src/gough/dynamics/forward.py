"""Forward dynamics of the closed robot: accelerations of the independent velocities for drive forces.

Sources   [Long 2014, eqs. 46–49 in the rigid case], [Briot 2014, §4.3].
Derivation  M v̇ = S τ + Q - h; M is symmetric positive definite, so LDLᵀ without pivoting. The closures are eliminated
            before (mass_matrix.py), so massless links need no special case.
"""

import numpy as np

from gough.dynamics.inverse import needed_force
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import note, solve_spd, zeros

Vector = np.ndarray


def forward_dynamics(numbers: Numbers, q: Vector, v: Vector, tau: Vector, wrench: Vector) -> dict[str, np.ndarray]:
    """Accelerations vdot (nv,) of v, classical, for drive forces and external platform wrench (6,), world axes."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    M = mass_matrix(loops)
    slack = needed_force(loops, v, zeros(len(v)), wrench)
    push = drive_columns(loops) @ tau if len(tau) else zeros(len(v))
    with note("acceleration [Long 2014, eq. 46]"):
        return {"vdot": solve_spd(M, push - slack, "singular:mass matrix")}
