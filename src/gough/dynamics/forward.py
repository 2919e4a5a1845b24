"""Forward dynamics of the closed robot: platform acceleration for drive forces.

Sources   [Long 2014, eqs. 46–49 in the rigid case], [Briot 2014, §4.3].
Derivation  M v̇ = S τ + F_ext - h; M is symmetric positive definite, so LDLᵀ without pivoting. The legs enter through
            their inertia at the cut, (J A⁻¹ Jᵀ)⁻¹ = J⁻ᵀ A J⁻¹: the tree with the closures eliminated leg by leg; massless
            legs need no special case.
"""

import numpy as np

from gough.dynamics.inverse import motion_wrench
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import note, solve_spd, zeros

Vector = np.ndarray


def forward_dynamics(numbers: Numbers, q: Vector, v: Vector, tau: Vector, wrench: Vector) -> dict[str, np.ndarray]:
    """Classical platform acceleration vdot (6,), world axes, for drive forces and external platform wrench (6,)."""
    posture = Posture(numbers, q)
    loops = Loops(posture)
    check_state(loops)
    M = mass_matrix(loops, Posture(numbers, q, gravity=False))
    h, _ = motion_wrench(loops, v, zeros(6))
    S = drive_columns(loops)
    with note("acceleration [Long 2014, eq. 46]"):
        return {"vdot": solve_spd(M, S @ tau + wrench - h, "singular:mass matrix")}
