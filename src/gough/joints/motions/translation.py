"""Translation along an axis; the coordinate is the length (m), d = e q in axes that do not turn.

v' = v + w × d + e q̇,   a' = a + wd × d + w × (w × d) + 2 w × e q̇ + e q̈
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.joints.measure import LENGTH, Measure
from gough.joints.motions.motion import Dimensions, JointMotion, Pair, Unit, Vector
from gough.scalar import zeros
from gough.spatial import RigidInertia, cross


@dataclass(frozen=True)
class Translation(JointMotion):
    """Along its axis."""

    measure: ClassVar[Measure] = LENGTH
    slides: ClassVar[bool] = True

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        return None, self.direction * q[0]

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return [(self.direction, None)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        assert slide is not None
        return v + cross(w, slide) + self.direction * rate[0], w

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
        assert slide is not None
        speed = self.direction * rate[0]
        swept = a + cross(wd, slide) + cross(w, cross(w, slide))
        return w, wd, swept + 2.0 * cross(w, speed) + self.direction * rate_dot[0]

    def give_inwards(
        self, inertia: RigidInertia, at_no_cost: bool, dimensions: Dimensions
    ) -> tuple[RigidInertia | None, RigidInertia | None]:
        """The angular velocity is the parent's, and so is the tensor."""
        rest = RigidInertia(inertia.mass, inertia.first_moments, zeros(3, 3))
        return RigidInertia(0.0, zeros(3), inertia.tensor), rest

    def coordinate_of_length(self, length: Any, dimensions: Dimensions) -> Any:
        """The coordinate at which it has slid by a length (m)."""
        return length

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return rng.uniform(*reach, count)[:, None]

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        return q + (rng.uniform(-1.5, 1.5, len(q)) * size)[:, None]

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return np.array([p @ np.asarray(self.direction, dtype=float)])

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return q / size
