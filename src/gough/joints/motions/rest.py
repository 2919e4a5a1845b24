"""No motion: a body fixed to its parent, or a frame tied to a flexible one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.joints.motions.motion import Dimensions, JointMotion, Pair, Unit, Vector
from gough.spatial import RigidInertia


@dataclass(frozen=True)
class NoMotion(JointMotion):
    """Nothing moves."""

    nq: ClassVar[int] = 0
    nu: ClassVar[int] = 0
    plain: ClassVar[tuple[tuple[int, int], ...]] = ()

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[None, None]:
        return None, None

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return []

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        return v, w

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
        return w, wd, a

    def give_inwards(
        self, inertia: RigidInertia, at_no_cost: bool, dimensions: Dimensions
    ) -> tuple[RigidInertia | None, RigidInertia | None]:
        """The whole body belongs to the parent."""
        return inertia, None

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return np.zeros((count, 0))

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        return q

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return np.zeros(0)

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return q
