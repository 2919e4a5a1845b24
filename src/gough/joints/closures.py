"""Closures: what a cut joint demands of a frame L on its first side and a frame P on its second, as rows on any scalar.

Everything in the axes of the first side's link. d is from L's origin to P's; a an axis of L, b one of P. Each row reads

    c_v · (v_P - v_L) + c_P · ω_P + c_L · ω_L = 0
    c_v · (a_P - a_L) + c_P · α_P + c_L · α_L + bias = 0

    SamePoint           d = 0          3 rows    c_v = e_k                       bias 0
    Perpendicular   a · b = 0      1 row     c_P = b × a, c_L = -b × a       (ω_P - ω_L) · ((ω_P × b) × a + b × (ω_L × a))
    Inclined        a · b = cos γ  1 row     as Perpendicular
    Along           a · d = 0      1 row     c_v = a, c_L = a × d            2 (ω_L × a)·(v_P - v_L) + (ω_L × (ω_L × a))·d
    Distance        d · d = l²     1 row     c_v = d                         |v_P - v_L|²

Reversed axes fulfil perpendicular rows too. What tells them apart is `JointType.common_axes`, which follows from the motions.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from gough.scalar import dot
from gough.spatial import cross, exact_sincos

Vector = np.ndarray


@dataclass
class PointMotion:
    """Velocity and acceleration of a point, and the angular motion of its body; one set of axes."""

    v: Vector
    a: Vector
    w: Vector
    wd: Vector


class CutSides(Protocol):
    """What a closure asks of a cut, in the axes of the first side's link."""

    @property
    def may_miss(self) -> bool:
        """Whether points need not quite meet: tip axes, which turn, then count."""
        ...

    def axis_on_first(self, k: int) -> Vector:
        """Axis k of L."""
        ...

    def axis_on_second(self, k: int) -> Vector:
        """Axis k of P."""
        ...

    def gap(self) -> Vector:
        """From L's origin to P's."""
        ...

    def length(self) -> Any:
        """The stated distance of the two origins (m)."""
        ...

    def angle(self) -> Any:
        """The stated angle of two axes (rad)."""
        ...


@dataclass
class ClosureRow:
    """One closure row; None stands for zero. needs_velocity: whether its bias asks for velocities of the points."""

    c_v: Vector | None = None
    c_P: Vector | None = None
    c_L: Vector | None = None
    needs_velocity: ClassVar[bool] = False

    def bias(self, second: PointMotion, first: PointMotion) -> Any:
        """Velocity terms of the row's derivative."""
        return 0.0


@dataclass(frozen=True)
class Closure(ABC):
    """One closure of a cut joint. Numbers are the same for every cut; `rows_at` and `residual` are at a state."""

    rows: ClassVar[int] = 1
    group: ClassVar[str] = "position"
    """What its rows are called."""
    lengths: ClassVar[int] = 1
    """Its residual is in metres to this power."""
    sees_axes: ClassVar[bool] = True
    """Whether the orientation of the two sides counts."""

    def scale(self, size: float) -> float:
        """What its residual is measured by in a robot of a size (m)."""
        return size**self.lengths

    def tolerance(self, length: float, angle: float, rod: float) -> float:
        """By how much its residual may be off where lengths may by `length` (m), directions by `angle`; rod: its distance."""
        return length

    @abstractmethod
    def rows_at(self, cut: CutSides) -> list[ClosureRow]:
        """Its rows at a state."""

    @abstractmethod
    def residual(self, cut: CutSides) -> list[Any]:
        """What is 0 when it is closed."""


@dataclass(frozen=True)
class SamePoint(Closure):
    """The origins coincide."""

    rows: ClassVar[int] = 3
    sees_axes: ClassVar[bool] = False

    def rows_at(self, cut: CutSides) -> list[ClosureRow]:
        axes = np.array(np.eye(3), dtype=object)
        if not cut.may_miss:
            return [PointRow(e) for e in axes]
        d = cut.gap()
        return [AlongRow.of(e, d) for e in axes]

    def residual(self, cut: CutSides) -> list[Any]:
        return list(cut.gap())


@dataclass(frozen=True)
class Perpendicular(Closure):
    """Axis a of L is perpendicular to axis b of P."""

    a: int
    b: int
    group: ClassVar[str] = "direction"
    lengths: ClassVar[int] = 0

    def tolerance(self, length: float, angle: float, rod: float) -> float:
        return angle

    def row(self, cut: CutSides) -> "PerpendicularRow":
        """Its row; of axes in common (a = b) that of their cosine."""
        a, b = cut.axis_on_first(self.a), cut.axis_on_second(self.b)
        c = cross(b, a)
        return PerpendicularRow(None, c, -c, a, b)

    def rows_at(self, cut: CutSides) -> list[ClosureRow]:
        return [self.row(cut)]

    def residual(self, cut: CutSides) -> list[Any]:
        return [self.row(cut).cosine()]


@dataclass(frozen=True)
class Inclined(Perpendicular):
    """Axis a of L and axis b of P keep the angle that the cut states."""

    def residual(self, cut: CutSides) -> list[Any]:
        return [self.row(cut).cosine() - exact_sincos(cut.angle())[1]]


@dataclass(frozen=True)
class Along(Closure):
    """The origin of P has no offset along axis a of L."""

    a: int

    def rows_at(self, cut: CutSides) -> list[ClosureRow]:
        return [AlongRow.of(cut.axis_on_first(self.a), cut.gap())]

    def residual(self, cut: CutSides) -> list[Any]:
        return [dot(cut.axis_on_first(self.a), cut.gap())]


@dataclass(frozen=True)
class Distance(Closure):
    """The origins keep their distance; the residual is ½(d² - l²)."""

    group: ClassVar[str] = "distance"
    lengths: ClassVar[int] = 2
    sees_axes: ClassVar[bool] = False

    def tolerance(self, length: float, angle: float, rod: float) -> float:
        return length * rod

    def rows_at(self, cut: CutSides) -> list[ClosureRow]:
        return [DistanceRow(cut.gap())]

    def residual(self, cut: CutSides) -> list[Any]:
        d, length = cut.gap(), cut.length()
        return [0.5 * (dot(d, d) - length * length)]


@dataclass
class PointRow(ClosureRow):
    """Of `SamePoint`."""


@dataclass
class PerpendicularRow(ClosureRow):
    """Of `Perpendicular`."""

    a: Any = None
    b: Any = None

    def cosine(self) -> Any:
        """a · b."""
        return dot(self.a, self.b)

    def bias(self, second: PointMotion, first: PointMotion) -> Any:
        turning = cross(cross(second.w, self.b), self.a) + cross(self.b, cross(first.w, self.a))
        return dot(second.w - first.w, turning)


@dataclass
class AlongRow(ClosureRow):
    """Of `Along`, and of `SamePoint` seen from axes that turn."""

    a: Any = None
    d: Any = None
    needs_velocity: ClassVar[bool] = True

    @classmethod
    def of(cls, a: Vector, d: Vector) -> "AlongRow":
        """Along a, of a gap d."""
        return cls(a, None, cross(a, d), a, d)

    def bias(self, second: PointMotion, first: PointMotion) -> Any:
        swing = cross(first.w, self.a)
        return 2.0 * dot(swing, second.v - first.v) + dot(cross(first.w, swing), self.d)


@dataclass
class DistanceRow(ClosureRow):
    """Of `Distance`."""

    needs_velocity: ClassVar[bool] = True

    def bias(self, second: PointMotion, first: PointMotion) -> Any:
        relative = second.v - first.v
        return dot(relative, relative)
