"""Rotation about an axis; the coordinate is the angle (rad).

w' = w + e q̇,   wd' = wd + w × e q̇ + e q̈
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.friction.coulomb import structurally_zero
from gough.joints.measure import ANGLE, Measure
from gough.joints.motions.motion import Dimensions, JointMotion, Pair, Unit, Vector
from gough.spatial import RigidInertia, cross, exact_sincos
from gough.spatial.poses import angle_about, points_on_circle
from gough.spatial.rotation import from_sincos


@dataclass(frozen=True)
class Rotation(JointMotion):
    """About its axis."""

    measure: ClassVar[Measure] = ANGLE
    turns: ClassVar[bool] = True
    periodic: ClassVar[bool] = True

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        s, c = exact_sincos(q[0])
        return from_sincos(self.axis, self.sign * s, c), None

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return [(None, self.direction)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        return v, w + self.direction * rate[0]

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
        spin = self.direction * rate[0]
        return w + spin, wd + cross(w, spin) + self.direction * rate_dot[0], a

    def give_inwards(
        self, inertia: RigidInertia, at_no_cost: bool, dimensions: Dimensions
    ) -> tuple[RigidInertia | None, RigidInertia | None]:
        """A body that looks the same from the parent whatever the angle: mass M at the axis, first moment m e along it,
        tensor λ (I - e eᵀ); λ is one of the two transverse moments, so that the other becomes their difference."""
        if not at_no_cost:
            return None, inertia
        J = inertia.tensor
        e = np.array([1.0 if k == self.axis else 0.0 for k in range(3)], dtype=object)
        across = np.array(np.eye(3), dtype=object) - np.outer(e, e)
        along = inertia.first_moments[self.axis]
        transverse = [J[k, k] for k in range(3) if k != self.axis]
        thin = any(map(structurally_zero, transverse))  # a thin rod has one moment already
        amount = 0.0 if thin else transverse[1]
        moved = RigidInertia(inertia.mass, e * along, amount * across)
        return moved, RigidInertia(0.0, inertia.first_moments - e * along, J - amount * across)

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return rng.uniform(-np.pi, np.pi, count)[:, None]

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        return q + rng.uniform(-np.pi, np.pi, len(q))[:, None]

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return np.array([angle_about(R, np.asarray(self.direction, dtype=float))])

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return points_on_circle(q)
