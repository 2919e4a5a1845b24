"""Rotation about a point: a unit quaternion wxyz with the angular velocity in body axes.

w' = w + ω,   wd' = wd + w × ω + ω̇

A spring pulls it back to an orientation h of rest along the shortest way: with φ = n φ the rotation vector of h⁻¹ q, |φ| <= π,
U = k φ²/2. Since φ̇ = n · ω, whatever else ω does, the moment is -k φ, in body axes as in those of rest: both see the same n. Of
h⁻¹ q = (w, u), φ = 2 atan(|u|/w) u/|u|, which needs no length of one; a series where |u| is small. At half a turn from rest U has
its ridge, and the moment the direction of one of its sides. A rotor's inertia is the same about all axes: ω̇ alone feels it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.friction.coulomb import coulomb_vector
from gough.joints.motions.motion import Dimensions, JointMotion, Pair, Unit, Vector
from gough.joints.springs import SpringLaw
from gough.scalar import abs_, atan2, dot, select, sqrt
from gough.spatial import cross, quaternion_wxyz_from_rotation, rotation_from_quaternion_wxyz
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product, unit_quaternions
from gough.spatial.rotation import quaternion_rate_wxyz

NEAR = 1e-8
"""sin² of half the angle from rest below which its rotation vector is a series of two terms, then exact to 1e-17."""


@dataclass(frozen=True)
class Ball(JointMotion):
    """About a point."""

    nq: ClassVar[int] = 4
    nu: ClassVar[int] = 3
    turns: ClassVar[bool] = True
    plain: ClassVar[tuple[tuple[int, int], ...]] = ()
    quaternion: ClassVar[int | None] = 0
    spin: ClassVar[int | None] = 0

    @property
    def rate_suffixes(self) -> tuple[str, ...]:
        return ("_wx", "_wy", "_wz")

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        return rotation_from_quaternion_wxyz(q), None

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return [(None, e) for e in np.array(np.eye(3), dtype=object)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        return v, w + rate

    def accelerate(
        self,
        w: Vector,
        wd: Vector,
        a: Vector,
        slide: Vector | None,
        rate: Vector,
        rate_dot: Vector,
        dimensions: Dimensions,
    ) -> tuple[Vector, Vector, Vector]:
        return w + rate, wd + cross(w, rate) + rate_dot, a

    def friction(self, rate: Vector, coefficients: Sequence[Any], resting: Any) -> Vector:
        viscous, coulomb, smoothing = coefficients
        return viscous * rate + coulomb_vector(rate, coulomb, smoothing, resting)

    def spring(self, q: Vector, rate: Vector, law: SpringLaw, numbers: Sequence[Any]) -> list[Vector]:
        u, factor = _from_rest(q, numbers[2:6])
        return [u * (numbers[0] * factor), numbers[1] * rate]

    def spring_energy(self, q: Vector, law: SpringLaw, numbers: Sequence[Any]) -> Any:
        u, factor = _from_rest(q, numbers[2:6])
        return 0.5 * numbers[0] * dot(u, u) * factor * factor

    def coordinate_rates(self, q: Vector, rate: Vector) -> Vector:
        return quaternion_rate_wxyz(q, rotation_from_quaternion_wxyz(q) @ rate)  # in the axes the quaternion leads to

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return unit_quaternions(quaternion_product(q, quaternion_of_rotation_vector(step)))

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return random_quaternions(rng, count)

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        return quaternion_of_rotation_vector(rng.normal(size=(len(q), 3)) * 1.5)

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return np.asarray(quaternion_wxyz_from_rotation(R), dtype=float)

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return products(q)


def _from_rest(q: Vector, rest: Sequence[Any]) -> tuple[Vector, Any]:
    """(u (3,), factor) of the rotation vector u · factor that leads from rest to q, both quaternions wxyz of any length."""
    a, b = np.array(rest[1:], dtype=object), q[1:]
    w = rest[0] * q[0] + dot(a, b)
    u = rest[0] * b - q[0] * a - cross(a, b)
    square, side = dot(u, u), select(w, 1.0, -1.0)
    whole = square + w * w
    far = square - NEAR * whole
    size = sqrt(select(far, square, 1.0))
    near = select(far, 1.0, w * w)
    series = 2.0 * (1.0 - square * (1.0 / 3.0) / near) / sqrt(near)
    return u, side * select(far, 2.0 * atan2(size, abs_(w)) / size, series)


def random_quaternions(rng: np.random.Generator, count: int) -> np.ndarray:
    """Unit quaternions (count, 4) of rotations anyhow."""
    return unit_quaternions(rng.normal(size=(count, 4)))


def products(quaternions: np.ndarray) -> np.ndarray:
    """Products (n, 10) of the entries of quaternions (n, 4): the same for q and -q."""
    i, j = np.triu_indices(4)
    return quaternions[:, i] * quaternions[:, j]
