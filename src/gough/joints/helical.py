"""A screw: rotation about an axis and translation along it by a lead (m) for every turn; a positive lead is right-handed.

The coordinate is the angle (rad), counted over all turns: places a turn apart are a lead apart. With h = lead/(2π) and d = e h q
the link slides first, in axes that do not turn, then turns about the same axis:

    v' = v + w × d + e h q̇,                                        w' = w + e q̇
    a' = a + wd × d + w × (w × d) + 2 w × e h q̇ + e h q̈,            wd' = wd + w × e q̇ + e q̈
    τ = e · n + h e · f

Without a lead it is a rotation. Cut, it would owe rows in its angle, which two frames tell only up to whole turns: it carries a
massless nut in the tree instead, and the nut is fixed to the other side.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gough.friction.coulomb import structurally_zero
from gough.joints.joint import Coordinate, JointDimension, JointType
from gough.joints.motions import Rotation, Translation
from gough.joints.motions.motion import Dimensions, Pair, Unit, Vector
from gough.scalar import zeros
from gough.spatial import RigidInertia

FULL_TURN = 2.0 * np.pi
LEAD = JointDimension(
    "lead",
    "how far (m) a full turn (2π rad of its coordinate) moves it along its axis, 5 mm or 5 mm/rev; negative: left-handed",
    per_turn=True,
)


@dataclass(frozen=True)
class Screw(Rotation):
    """About its axis and along it."""

    slides: ClassVar[bool] = True
    periodic: ClassVar[bool] = False

    @property
    def _sliding(self) -> Translation:
        return Translation(self.axis, self.sign)

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        return super().pose(q, dimensions)[0], self.direction * (per_radian(dimensions) * q[0])

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return [(self.direction * per_radian(dimensions), self.direction)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        v, _ = self._sliding.twist(v, w, slide, per_radian(dimensions) * rate, dimensions)
        return super().twist(v, w, slide, rate, dimensions)

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
        h = per_radian(dimensions)
        a = self._sliding.accelerate(w, wd, a, slide, h * rate, h * rate_dot, dimensions)[2]
        return super().accelerate(w, wd, a, slide, rate, rate_dot, dimensions)

    def give_inwards(
        self, inertia: RigidInertia, at_no_cost: bool, dimensions: Dimensions
    ) -> tuple[RigidInertia | None, RigidInertia | None]:
        """What looks the same from the parent whatever the angle, of a rotation; of a screw its tensor alone: the mass moves."""
        moved, rest = super().give_inwards(inertia, at_no_cost, dimensions)
        if moved is None or rest is None or structurally_zero(dimensions[0]):
            return moved, rest
        return RigidInertia(0.0, zeros(3), moved.tensor), RigidInertia(inertia.mass, inertia.first_moments, rest.tensor)

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        h = float(per_radian(dimensions))
        ends = sorted(x / h for x in reach) if h else (-np.pi, np.pi)
        return rng.uniform(ends[0], ends[1], count)[:, None]

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        h = abs(float(per_radian(dimensions)))
        return q + (rng.uniform(-1.0, 1.0, len(q)) * max(np.pi, size / h if h else 0.0))[:, None]

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        """The angle of R, of all turns the one that slides by p."""
        angle, h = super().recognise(R, p, dimensions), float(per_radian(dimensions))
        along = p @ np.asarray(self.direction, dtype=float)
        return angle + FULL_TURN * np.round((along / h - angle) / FULL_TURN) if h else angle

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return q


def per_radian(dimensions: Dimensions) -> Any:
    """Lead per radian (m/rad)."""
    return dimensions[0] * (1.0 / FULL_TURN)


HELICAL = JointType(
    name="helical",
    words="screw helix nut h screw_joint",
    axes=1,
    motions=(Screw(0),),
    coordinates=(Coordinate("", "rad"),),
    dimensions=(LEAD,),
    closures=None,
    carried_when_cut=True,
    drawing="screw",
)
