"""The single terms of M v̇ + h = S τ + F_ext: mass matrix, bias force, gravity force, drive map."""

import numpy as np

from gough.dynamics.inverse import motion_wrench
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix as _mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import zeros

Vector = np.ndarray


def mass_matrix(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """M (6, 6)."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"M": _mass_matrix(loops, Posture(numbers, q, gravity=False))}


def bias_force(numbers: Numbers, q: Vector, v: Vector) -> dict[str, np.ndarray]:
    """h (6,): velocity terms, gravity, friction, springs and dampers."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"h": motion_wrench(loops, v, zeros(6))[0]}


def gravity_force(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """Part of h at rest that comes from gravity alone (6,)."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    weightless = Loops(Posture(numbers, q, gravity=False))
    rest = zeros(6)
    return {"g": motion_wrench(loops, rest, rest)[0] - motion_wrench(weightless, rest, rest)[0]}


def drive_map(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """S (6, drives); drive rates are Sᵀ v."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    return {"S": drive_columns(loops)}
