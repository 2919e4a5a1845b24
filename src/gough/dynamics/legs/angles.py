"""Angles that turn vectors onto each other: the steps of a leg's inverse geometry.

Sources   the first three of Paden and Kahan's subproblems.
Derivation
    two axes   R1(q1) R2(q2) w = t about a1, a2: z = R2 w has a2·z = a2·w, a1·z = a1·t,
               z = α a1 + β a2 + γ a1 × a2,  γ = ±√…                                                  (1)
               q2 turns w to z about a2, q1 turns z to t about a1.                                    (2)
    elbow      the point R(θ) p, turned about a, is at the distance ρ from t, both seen along a. With p⊥, t⊥ across a,
               A cos θ + B sin θ = c,  A = t⊥·p⊥,  B = t·(a × p),  c = (|t⊥|² + |p⊥|² - ρ²) / 2,        (3)
               θ = atan2(B, A) ± atan2(√(A² + B² - c²), c).                                            (4)
"""

from typing import Any

import numpy as np

from gough.errors import Status
from gough.scalar import atan2, check, dot, sqrt
from gough.spatial import cross

Vector = np.ndarray


def universal_angles(name: str, axes: tuple[Vector, Vector], w: Vector, t: Vector, sign: float) -> tuple[Any, Any]:
    """(q1, q2) of R1(q1) R2(q2) w = t, equations (1) and (2); `sign` ±1 that of γ."""
    a1, a2 = axes
    rho = dot(a1, a2)
    normal = cross(a1, a2)
    a2w, a1t = dot(a2, w), dot(a1, t)
    scale = rho * rho - 1.0
    alpha = (rho * a2w - a1t) / scale
    beta = (rho * a1t - a2w) / scale
    inside = (dot(w, w) - alpha * alpha - beta * beta - 2.0 * alpha * beta * rho) / dot(normal, normal)
    check(Status.OUT_OF_REACH.at(name), inside, 0.0)
    gamma = sign * sqrt(inside)
    z = a1 * alpha + a2 * beta + normal * gamma
    return turn(a1, z, t, t), turn(a2, w, z, w)


def elbow_angle(name: str, axis: Vector, p: Vector, t: Vector, square: Any, sign: float) -> Any:
    """θ of equations (3) and (4); `square` = ρ², `sign` ±1 that of (4)."""
    along_p, along_t = dot(axis, p), dot(axis, t)
    A = dot(t, p) - along_t * along_p
    B = dot(t, cross(axis, p))
    c = 0.5 * (dot(t, t) - along_t * along_t + dot(p, p) - along_p * along_p - square)
    inside = A * A + B * B - c * c
    check(Status.OUT_OF_REACH.at(name), inside, 0.0)
    radius = sqrt(A * A + B * B)  # of both
    return atan2(B, A, radius) + sign * atan2(sqrt(inside), c, radius)


def turn(axis: Vector, start: Vector, end: Vector, either: Vector) -> Any:
    """Angle about `axis` that turns `start` into `end` (both seen along the axis); `either`: the simpler of the two."""
    sine = dot(axis, cross(start, end))
    cosine = dot(start, end) - dot(axis, start) * dot(axis, end)
    along = dot(axis, either)
    return atan2(sine, cosine, dot(either, either) - along * along)
