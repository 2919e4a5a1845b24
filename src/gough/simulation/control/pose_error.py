"""How far a platform is from where it should be, in traced scalars, smooth where the error is small."""

from typing import Any

import numpy as np

from gough.scalar import atan2, dot, select, sqrt
from gough.spatial.vector import Vector

SMALL = 0.2
"""1 - cos of the angle up to which the series is used (0.64 rad)."""
TERMS = 18


def _coefficients() -> list[float]:
    """(n!)² 2ⁿ / (2n + 1)!"""
    out = [1.0]
    for n in range(1, TERMS):
        out.append(out[-1] * n / (2 * n + 1))
    return out


def rotation_error(wanted: np.ndarray, found: np.ndarray) -> Vector:
    """Rotation vector (3,), world axes, that turns `found` (3, 3) into `wanted`.

    E = wanted foundᵀ has the axis part ½(E - Eᵀ) = sin θ n̂ and the trace 1 + 2 cos θ; the vector is θ/sin θ times the former,
    with θ/sin θ = Σ (n!)² (2x)ⁿ/(2n + 1)! of x = 1 - cos θ (no root, no division at θ = 0), beyond SMALL by the angle itself.
    At θ = π the axis has no sign, and the error jumps.
    """
    E = wanted @ found.T
    part = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]], dtype=object)
    cosine = 0.5 * (E[0, 0] + E[1, 1] + E[2, 2] - 1.0)
    x = 1.0 - cosine
    series: Any = 0.0
    near = select(x - SMALL, 0.0, x)
    for c in reversed(_coefficients()):
        series = series * near + c
    sine = sqrt(select(x - SMALL, dot(part, part), 1.0))
    far = atan2(sine, select(x - SMALL, cosine, 0.0)) / sine
    return select(x - SMALL, far, series) * part
