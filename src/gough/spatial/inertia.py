"""Rigid inertia by ten parameters about the frame's origin; the wrench of a motion is linear in them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.scalar import dot
from gough.spatial._vector import Vector, cross


@dataclass(frozen=True)
class RigidInertia:
    """Mass M (kg), first moments MS (3,) (kg m) and inertia tensor J (3, 3) about the origin (kg m²), body axes."""

    mass: Any
    first_moments: Vector
    tensor: np.ndarray

    @staticmethod
    def from_ten(p: Any) -> "RigidInertia":
        """From (M, MX, MY, MZ, XX, XY, XZ, YY, YZ, ZZ)."""
        m, mx, my, mz, xx, xy, xz, yy, yz, zz = p
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object)
        return RigidInertia(m, np.array([mx, my, mz], dtype=object), tensor)

    @property
    def massless(self) -> bool:
        """True when every parameter is structurally zero."""
        return all(isinstance(x, float) and not x for x in (self.mass, *self.first_moments, *self.tensor.ravel()))


def inertia_wrench(inertia: RigidInertia, omega: Vector, alpha: Vector, acceleration: Vector) -> tuple[Vector, Vector]:
    """Force and moment about the origin that give a body this motion, body axes.

    f = M a + α × MS + ω × (ω × MS),  n = J α + ω × J ω + MS × a   [Briot 2014, eqs. 53–54 without elasticity].
    f is f_C [Fried, eqs. 77–78, corrected], n is n_C + S̃ f_C with the moment n_C about the mass centre [Fried, eq. 79]. Of a
    pod's part f is m (L̈ - G) [Pedrammehr 2012, eqs. 29–30].
    """
    ms, j = inertia.first_moments, inertia.tensor
    force = inertia.mass * acceleration + cross(alpha, ms) + cross(omega, cross(omega, ms))
    moment = j @ alpha + cross(omega, j @ omega) + cross(ms, acceleration)
    return force, moment


def kinetic_energy(inertia: RigidInertia, omega: Vector, velocity: Vector) -> Any:
    """½ M v² + MS · (v × ω) + ½ ω · J ω, body axes [Lopes, eqs. 16–17, 19]."""
    linear = 0.5 * inertia.mass * dot(velocity, velocity)
    mixed = dot(inertia.first_moments, cross(velocity, omega))
    return linear + mixed + 0.5 * dot(omega, inertia.tensor @ omega)
