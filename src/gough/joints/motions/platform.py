"""The platform's motion: position and unit quaternion wxyz in the world, with the twist in world axes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.joints.motions.ball import products, random_quaternions
from gough.joints.motions.motion import Dimensions, JointMotion, Pair, Unit, Vector
from gough.spatial import quaternion_wxyz_from_rotation, rotation_from_quaternion_wxyz
from gough.spatial.poses import integrate_pose, quaternion_of_rotation_vector, quaternion_product
from gough.spatial.rotation import quaternion_rate_wxyz


@dataclass(frozen=True)
class PlatformMotion(JointMotion):
    """Free in the world. Its unit motions are along world axes; `twist` and `accelerate` take its rates in its own axes."""

    nq: ClassVar[int] = 7
    nu: ClassVar[int] = 6
    turns: ClassVar[bool] = True
    slides: ClassVar[bool] = True
    plain: ClassVar[tuple[tuple[int, int], ...]] = ((0, 0), (1, 1), (2, 2))
    quaternion: ClassVar[int | None] = 3
    spin: ClassVar[int | None] = 3
    spins_in_body: ClassVar[bool] = False

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        return rotation_from_quaternion_wxyz(q[3:]), None

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        axes = np.array(np.eye(3), dtype=object)
        return [*((e, None) for e in axes), *((None, e) for e in axes)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        return v + rate[:3], w + rate[3:]

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
        return rate[3:], rate_dot[3:], a + rate_dot[:3]

    def coordinate_rates(self, q: Vector, rate: Vector) -> Vector:
        return np.concatenate([rate[:3], quaternion_rate_wxyz(q[3:], rate[3:])])

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return integrate_pose(q, step)

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return np.concatenate([rng.uniform(*reach, (count, 3)), random_quaternions(rng, count)], axis=1)

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        moved = q[:, :3] + rng.uniform(-2.0, 2.0, (len(q), 3)) * size
        turns = quaternion_of_rotation_vector(rng.normal(size=(len(q), 3)) * 0.7)
        return np.concatenate([moved, quaternion_product(turns, q[:, 3:])], axis=1)

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return np.concatenate([p, np.asarray(quaternion_wxyz_from_rotation(R), dtype=float)])

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return np.concatenate([q[:, :3] / size, products(q[:, 3:])], axis=1)
