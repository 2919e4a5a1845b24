"""The robot's momentum along its independent velocities, and what its motion changes of it.

Computes  p = M v; Ṁ v along the motion v.
Sources   (De Luca and Mattone 2003), for observers without accelerations.
Derivation  p: tree forces of accelerations v at rest, projected; the mass matrix is not formed. Ṁ v is the change of p along
            q̇ = N v while v stays, by numbers with slopes (`scalar.dual`).
"""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import TreeForces
from gough.dynamics.rates import rate_of_q
from gough.dynamics.regrouping import regroup_inertia
from gough.scalar import note, zeros
from gough.scalar.dual import as_dual, slopes_of

Vector = np.ndarray


def momentum(numbers: Numbers, q: Vector, v: Vector) -> Vector:
    """p = M v (nv,)."""
    with note("momentum"):
        return momentum_of(Loops(Posture(numbers, q, gravity=False)), v)


def momentum_change(numbers: Numbers, q: Vector, v: Vector) -> Vector:
    """Ṁ v (nv,): what the motion v changes of the momentum while v itself stays. Inertias are those of the parameters."""
    loops = Loops(Posture(numbers, q, gravity=False))
    with note("change of the momentum"):
        qdot = rate_of_q(loops.posture, loops.rates(v))
        moving = regroup_inertia(Numbers(numbers.mechanism, as_dual(numbers.parameters)))
        return slopes_of(momentum(moving, as_dual(q, qdot), as_dual(v)))


def momentum_of(loops: Loops, v: Vector) -> Vector:
    """p = M v (nv,) at a posture, whatever acts on it."""
    still = zeros(loops.mechanism.layout.nu)
    moved, held = TreeForces(loops, still, loops.rates(v)), TreeForces(loops, still, still)
    return loops.project(moved.generalised - held.generalised)
