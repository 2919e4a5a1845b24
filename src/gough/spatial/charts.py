"""Orientations in coordinates c(t), with the angular velocity and acceleration that go with ċ and c̈, world axes.

rotation_vector  R = exp(φ̂), ω = J φ̇ with J = I + b φ̂ + c φ̂², b = (1 - cos θ)/θ², c = (θ - sin θ)/θ³, θ = |φ|
rpy_zyx          yaw pitch roll, R = Rz Ry Rx        bryant_xyz   a b c, R = Rx(a) Ry(b) Rz(c)
quaternion_wxyz  p (4) of any length but 0, R that of p/|p|
A constant rotation may stand on the right: R(t) R_base turns with the same ω.

Derivation of the rotation vector's, with s = θ² and primes by s:
    ω = φ̇ + b φ×φ̇ + c φ×(φ×φ̇)                                                           (1)
    ω̇ = J φ̈ + ṡ b' φ×φ̇ + ṡ c' φ×(φ×φ̇) + c φ̇×(φ×φ̇),   ṡ = 2 φ·φ̇                        (2)
b, c, b', c' are power series where θ < 1, where the closed forms cancel.
"""

import math
from collections.abc import Callable

import numpy as np

from gough.spatial.euler import EULER_AXES, about_axes
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product

Three = tuple[np.ndarray, np.ndarray, np.ndarray]
"""An orientation or its coordinates with their first and second rates, each (m, n)."""

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])

_TERMS = 12
_B, _C = ([(-1.0) ** k / math.factorial(2 * k + n) for k in range(_TERMS)] for n in (2, 3))
_SERIES = np.array([_B, _C, *([*(k * x for k, x in enumerate(f) if k), 0.0] for f in (_B, _C))])
"""Coefficients (4, terms) of b, c, b', c'."""


def rotation_of_chart(chart: str, c: np.ndarray, cd: np.ndarray, cdd: np.ndarray) -> Three:
    """(quaternion wxyz (m, 4), ω (m, 3), ω̇ (m, 3)) of coordinates and their rates (m, 3), quaternions (m, 4)."""
    return CHARTS[chart](c, cd, cdd)


def coefficients(s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """b, c, db/ds, dc/ds (m,) of s = θ²."""
    near = s < 1.0
    out = np.empty((4, len(s)))
    if near.any():
        small = s[near]
        total = np.zeros((4, len(small)))
        for column in _SERIES.T[::-1]:
            total = total * small + column[:, None]
        out[:, near] = total
    if not near.all():
        large = s[~near]
        theta = np.sqrt(large)
        a = np.sin(theta) / theta
        b = 2.0 * (np.sin(0.5 * theta) / theta) ** 2
        c = (1.0 - a) / large
        out[:, ~near] = b, c, (a - 2.0 * b) / (2.0 * large), (b - 3.0 * c) / (2.0 * large)
    return out[0], out[1], out[2], out[3]


def from_rotation_vector(phi: np.ndarray, rate: np.ndarray, second: np.ndarray) -> Three:
    """Equations (1) and (2)."""
    b, c, db, dc = (x[:, None] for x in coefficients(_dot(phi, phi)))
    growth = 2.0 * _dot(phi, rate)[:, None]
    turn = cross(phi, rate)
    w = rate + b * turn + c * cross(phi, turn)
    turn2 = cross(phi, second)
    wd = second + b * turn2 + c * cross(phi, turn2)
    wd = wd + growth * (db * turn + dc * cross(phi, turn)) + c * cross(rate, turn)
    return quaternion_of_rotation_vector(phi), w, wd


def rotation_vector_rates(phi: np.ndarray, w: np.ndarray, wd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ̇, φ̈ (m, 3) of rotation vectors shorter than a turn with angular velocity and acceleration: (1), (2) solved."""
    b, c, db, dc = (x[:, None] for x in coefficients(_dot(phi, phi)))
    J = _jacobian(phi, b, c)
    rate = np.linalg.solve(J, w[..., None])[..., 0]
    growth, turn = 2.0 * _dot(phi, rate)[:, None], cross(phi, rate)
    bias = growth * (db * turn + dc * cross(phi, turn)) + c * cross(rate, turn)
    return rate, np.linalg.solve(J, (wd - bias)[..., None])[..., 0]


def from_euler(axes: tuple[int, int, int], c: np.ndarray, cd: np.ndarray, cdd: np.ndarray) -> Three:
    """ω = ċ₁ e₁ + ċ₂ u₂ + ċ₃ u₃: each axis as the rotations before it have turned it."""
    unit = np.eye(3)
    first, second = (about_axes(axes[k], c[:, k]) for k in range(2))
    both = quaternion_product(first, second)
    u1 = np.broadcast_to(unit[axes[0]], (len(c), 3))
    u2, u3 = rotate(first, unit[axes[1]]), rotate(both, unit[axes[2]])
    w1 = cd[:, :1] * u1
    w12 = w1 + cd[:, 1:2] * u2
    w = w12 + cd[:, 2:] * u3
    wd = cdd[:, :1] * u1 + cdd[:, 1:2] * u2 + cdd[:, 2:] * u3
    wd = wd + cd[:, 1:2] * cross(w1, u2) + cd[:, 2:] * cross(w12, u3)
    return quaternion_product(both, about_axes(axes[2], c[:, 2])), w, wd


def from_quaternion(p: np.ndarray, pd: np.ndarray, pdd: np.ndarray) -> Three:
    """ω is the vector part of 2 ṗ p*/|p|²; what changes |p| alone is its scalar part."""
    square = _dot(p, p)[:, None]
    star = p * CONJUGATE
    spin = 2.0 * quaternion_product(pd, star) / square
    # (ṗ p⁻¹)˙ = p̈ p⁻¹ - (ṗ p⁻¹)²
    second = 2.0 * quaternion_product(pdd, star) / square - 0.5 * quaternion_product(spin, spin)
    return p / np.sqrt(square), spin[:, 1:], second[:, 1:]


CHARTS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Three]] = {
    "rotation_vector": from_rotation_vector,
    "rpy_zyx": lambda c, cd, cdd: from_euler(EULER_AXES["rpy_zyx"], c, cd, cdd),
    "bryant_xyz": lambda c, cd, cdd: from_euler(EULER_AXES["bryant_xyz"], c, cd, cdd),
    "quaternion_wxyz": from_quaternion,
}


def rotate(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors x (..., 3) turned by unit quaternions (..., 4)."""
    axis = q[..., 1:]
    twice = 2.0 * cross(axis, x)
    return x + q[..., :1] * twice + cross(axis, twice)


def _jacobian(phi: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    hat = np.zeros((len(phi), 3, 3))
    hat[:, 2, 1], hat[:, 0, 2], hat[:, 1, 0] = phi.T
    hat -= np.swapaxes(hat, 1, 2)
    return np.eye(3) + b[..., None] * hat + c[..., None] * (hat @ hat)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b (..., 3); several times as fast as NumPy's for few vectors."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("mi,mi->m", a, b)
