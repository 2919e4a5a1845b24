"""A slide that a spindle moves: translation by a lead (m) for every turn of the spindle, which is not a body of its own.

The coordinate is the spindle's angle (rad) and its force the torque on the spindle (N m): what the motor of a ball-screw leg has.
With h = lead/(2π) the slide is d = e h q and the force along it τ/h. A rotor inertia J at the spindle is felt as a mass J/h².
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gough.joints.closures import Along, Perpendicular
from gough.joints.helical import LEAD, per_radian
from gough.joints.joint import Coordinate, JointType
from gough.joints.measure import ANGLE, Measure
from gough.joints.motions import Translation
from gough.joints.motions.motion import Dimensions, Pair, Unit, Vector


@dataclass(frozen=True)
class ScrewSlide(Translation):
    """Along its axis, by an angle."""

    measure: ClassVar[Measure] = ANGLE

    def step_size(self, size: float, dimensions: Dimensions) -> float:
        h = abs(float(per_radian(dimensions)))
        return size / h if h else 1.0

    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        return super().pose(per_radian(dimensions) * q, dimensions)

    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        return [(self.direction * per_radian(dimensions), None)]

    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        return super().twist(v, w, slide, per_radian(dimensions) * rate, dimensions)

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
        return super().accelerate(w, wd, a, slide, h * rate, h * rate_dot, dimensions)

    def coordinate_of_length(self, length: Any, dimensions: Dimensions) -> Any:
        return length / per_radian(dimensions)

    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        return super().random(rng, count, reach, dimensions) / per_radian(dimensions)

    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        h = per_radian(dimensions)
        return super().scattered_coordinates(rng, h * q, size, dimensions) / h

    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        return super().recognise(R, p, dimensions) / per_radian(dimensions)

    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        return q


BALL_SCREW = JointType(
    name="ball_screw",
    words="ballscrew leadscrew lead_screw spindle roller_screw screw_drive jack",
    axes=1,
    motions=(ScrewSlide(0),),
    coordinates=(Coordinate("", "rad"),),
    dimensions=(replace(LEAD, nonzero="a lead other than 0, as 5 mm; a fixed joint where nothing moves"),),
    closures=(Along(0), Along(1), Perpendicular(0, 1), Perpendicular(1, 2), Perpendicular(2, 0)),
    friction_when_cut=False,
    drawing="slide",
)
