"""The single terms of M v̇ + h = S τ + Q: mass matrix, bias force, gravity force, drive map."""

import numpy as np

from gough.dynamics.inverse import needed_force
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix as _mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import zeros

Vector = np.ndarray


def mass_matrix(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """M (nv, nv)."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"M": _mass_matrix(loops)}


def bias_force(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """h (nv,): velocity terms, gravity, friction, springs and dampers."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"h": needed_force(loops, v, zeros(len(v)))}


def gravity_force(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """Part of h at rest that comes from gravity alone (nv,); of a platform's twist [Lopes, eqs. 71, 75], moments in base axes."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    weightless = Loops(Posture(numbers, q, gravity=False))
    rest = zeros(numbers.mechanism.layout.nv)
    return {"g": needed_force(loops, rest, rest) - needed_force(weightless, rest, rest)}


def drive_map(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """S (nv, drives); drive rates are Sᵀ v."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"S": drive_columns(loops)}
