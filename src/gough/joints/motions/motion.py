"""What an elementary motion does: how it places, moves, pushes and steps the link it carries.

Frames    a motion happens after the joint frame's placement: first its turn, then its slide in the turned (child) axes.
          Velocities, accelerations and forces are those of the link's origin, in child axes.
Symbols   q (nq,) its coordinates, rate (nu,) its rates, w ω, wd its derivative, a acceleration of the origin, f force and
          n moment of the wrench through it; dimensions: numbers of the joint (a screw's lead), in the order of its type.
Equations run on any scalar; retract, random and scattered_coordinates are for batches of numbers (count, nq).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from gough.friction import friction_force
from gough.joints.measure import ANGLE, Measure
from gough.joints.springs import SpringLaw
from gough.scalar import dot
from gough.spatial import RigidInertia

Vector = np.ndarray
Pair = tuple[Vector, Vector]
Dimensions = Sequence[Any] | np.ndarray
Unit = tuple[Vector | None, Vector | None]
"""(linear, angular); None for zero."""


@dataclass(frozen=True)
class JointMotion(ABC):
    """One elementary motion. axis: in a joint type the number of its axis (0 is the first stated one, then the joint's triad);
    in a link that of its internal axes, with `sign` ±1."""

    axis: int = 0
    sign: float = 1.0

    nq: ClassVar[int] = 1
    nu: ClassVar[int] = 1
    measure: ClassVar[Measure] = ANGLE
    """Of its rates; of its coordinates too, where they are no quaternion."""
    turns: ClassVar[bool] = False
    slides: ClassVar[bool] = False
    periodic: ClassVar[bool] = False
    """Whether its coordinate is an angle of which whole turns make no difference."""
    plain: ClassVar[tuple[tuple[int, int], ...]] = ((0, 0),)
    """(coordinate, rate) where the rate is the coordinate's derivative as it stands."""
    quaternion: ClassVar[int | None] = None
    """Where its unit quaternion wxyz begins among its coordinates."""
    spin: ClassVar[int | None] = None
    """Where the angular velocity that turns the quaternion begins among its rates."""
    spins_in_body: ClassVar[bool] = True
    """Whether that angular velocity is in body axes (else in those of the parent)."""

    def along(self, principal: Sequence[tuple[int, float]]) -> Self:
        """The motion of a link whose internal axes see the joint's axes at `principal` [(axis, sign), …]."""
        axis, sign = principal[self.axis]
        return replace(self, axis=axis, sign=sign)

    @property
    def direction(self) -> Vector:
        """Its axis (3,), child axes."""
        e: Any = np.full(3, 0.0, dtype=object)
        e[self.axis] = self.sign
        return e

    @property
    def rate_suffixes(self) -> tuple[str, ...]:
        """Last parts of the names of its rates where they are not named as its coordinates."""
        return ()

    def step_size(self, size: float, dimensions: Dimensions) -> float:
        """A step of its coordinate that moves a body by the robot's size (m), or turns it by a radian."""
        return size if self.measure.unit == "m" else 1.0

    # ---- equations, on any scalar

    @abstractmethod
    def pose(self, q: Vector, dimensions: Dimensions) -> tuple[Vector | None, Vector | None]:
        """(turn (3, 3), slide (3,)); None where it has none."""

    @abstractmethod
    def unit_motions(self, dimensions: Dimensions) -> list[Unit]:
        """(linear, angular) velocity for each rate alone, of size one; None for zero."""

    @abstractmethod
    def twist(self, v: Vector, w: Vector, slide: Vector | None, rate: Vector, dimensions: Dimensions) -> Pair:
        """Velocity and angular velocity of the link from those of the joint frame's origin and axes."""

    @abstractmethod
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
        """(w, wd, a) of the link from those of the joint frame's origin and axes."""

    def force(self, f: Vector, n: Vector, dimensions: Dimensions) -> Vector:
        """What a wrench through it asks of its coordinates (nu,)."""
        out = []
        for linear, angular in self.unit_motions(dimensions):
            parts = [dot(e, x) for e, x in ((linear, f), (angular, n)) if e is not None]
            out.append(sum(parts[1:], start=parts[0]))
        return np.array(out, dtype=object)

    def friction(self, rate: Vector, coefficients: Sequence[Any], resting: Any) -> Vector:
        """Force (nu,) that keeps it going against friction (viscous, coulomb, smoothing)."""
        return np.array([friction_force(rate[0], *coefficients, resting=resting)], dtype=object)

    def spring(self, q: Vector, rate: Vector, law: SpringLaw, numbers: Sequence[Any]) -> list[Vector]:
        """Forces (nu,), to be added, that keep it going against its spring and damper (`joints.springs`)."""
        return [np.array([x], dtype=object) for x in (*law.parts(q[0], rate[0], numbers), -numbers[3])]

    def spring_energy(self, q: Vector, law: SpringLaw, numbers: Sequence[Any]) -> Any:
        """Potential energy of its spring (J)."""
        return law.energy(q[0], numbers) - numbers[3] * q[0]

    def coordinate_rates(self, q: Vector, rate: Vector) -> Vector:
        """q̇ (nq,)."""
        return rate

    def give_inwards(
        self, inertia: RigidInertia, at_no_cost: bool, dimensions: Dimensions
    ) -> tuple[RigidInertia | None, RigidInertia | None]:
        """(what of a link's inertia may as well be its parent's, what stays): see `dynamics.regrouping`. at_no_cost: whether
        the parent takes a body that turns without new terms."""
        return None, inertia

    # ---- numbers

    def neutral(self) -> np.ndarray:
        """Coordinates (nq,) at which it does nothing."""
        q = np.zeros(self.nq)
        if self.quaternion is not None:
            q[self.quaternion] = 1.0
        return q

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q (n, nq) moved by steps (n, nu)."""
        return q + step

    @abstractmethod
    def random(
        self, rng: np.random.Generator, count: int, reach: tuple[float, float], dimensions: Dimensions
    ) -> np.ndarray:
        """Coordinates (count, nq) anywhere: angles of a turn, lengths within `reach` (m)."""

    @abstractmethod
    def scattered_coordinates(
        self, rng: np.random.Generator, q: np.ndarray, size: float, dimensions: Dimensions
    ) -> np.ndarray:
        """q (n, nq) thrown about: angles by up to half a turn, lengths by the robot's size (m)."""

    @abstractmethod
    def recognise(self, R: np.ndarray, p: np.ndarray, dimensions: Dimensions) -> np.ndarray:
        """Coordinates (nq,) that turn by R and slide by p, where it can do that."""

    @abstractmethod
    def signature(self, q: np.ndarray, size: float) -> np.ndarray:
        """Numbers (n, k) that are equal for equal places, whatever the coordinates (n, nq), and continuous in them."""
