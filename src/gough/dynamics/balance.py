"""The force that a motion needs, as identification asks for it: linear in masses, inertias, friction, springs and offsets.

Computes  M v̇ + h (nv,) of a motion without loads, and what of it the drives must give, where they alone give it.
Sources   the model that is linear in its parameters, τ = Y(q, v, v̇) π (Gautier and Khalil 1990).
Derivation  an offset o is a constant force that a coordinate's motion has to overcome: it stands on the left, M v̇ + h + Γᵀ o.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.dynamics.inverse import needed_force, share_among_drives
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.validity import check_state
from gough.scalar import note, zeros

Vector = np.ndarray


def balanced_force(
    numbers: Numbers, q: Vector, v: Vector, vdot: Vector, offsets: Mapping[int, Any], at_drives: bool
) -> Vector:
    """Force (nv,) along v, or of the drives (drives,), of a motion with offsets {entry of u: N or N m}."""
    loops = Loops(Posture(numbers, q))
    check_state(loops)
    needed = needed_force(loops, v, vdot)
    if offsets:
        with note("offsets"):
            constant = zeros(numbers.mechanism.layout.nu)
            for entry, offset in offsets.items():
                constant[entry] = offset
            needed = needed + loops.project(constant)
    if not at_drives:
        return needed
    with note("drive forces [Fried, eq. 97, corrected], [Long 2014, eq. 46]"):
        return share_among_drives(numbers, drive_columns(loops), needed)
