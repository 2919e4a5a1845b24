"""Closures of the cut joints at position, velocity and acceleration level, and the leg Jacobians they need.

Computes  for each cut: residual, Jacobian J of the leg's joints, rows of the platform, and bias of the acceleration.
Sources   [Briot 2014, eqs. 30–36]; for spherical cuts [Long 2014, eqs. 1–6] in tip axes.
Frames    everything in the axes of the leg's last link ("tip axes"), where most entries are structurally zero.
Derivation. L is the cut frame on the leg, P the one on the platform, d from L's origin to P's. One row each, with
    c_v · (v_P - v_L) + c_P · ω_P + c_L · ω_L = 0                                                   (1)
    point           d = 0                    c_v = e_k
    perpendicular   a · b = 0                c_P = b × a, c_L = -b × a
    along           a · d = 0                c_v = a, c_L = a × d
    distance        d · d = l²               c_v = d
and its derivative c_v · (a_P - a_L) + c_P · α_P + c_L · α_L + bias = 0, bias in turn                 (2)
    0;  (ω_P - ω_L) · ((ω_P × b) × a + b × (ω_L × a));  2 (ω_L × a)·(v_P - v_L) + (ω_L × (ω_L × a))·d;  |v_P - v_L|².
With the leg's point Jacobian this reads J q̇ = P v: J = c_v · linear - c_L · angular, P v = c_v · v_P + c_P · ω_P.   (3)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.posture import Posture, direction
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot, zeros
from gough.spatial import cross, turning_matrix
from gough.structure import CutJoint

Vector = np.ndarray


@dataclass
class PointMotion:
    """Velocity and acceleration of a point, and the angular motion of its body; one set of axes."""

    v: Vector
    a: Vector
    w: Vector
    wd: Vector


@dataclass
class Row:
    """One closure row, tip axes; None stands for zero."""

    c_v: Vector | None
    c_P: Vector | None
    c_L: Vector | None
    kind: str
    a: Vector | None = None
    b: Vector | None = None
    d: Vector | None = None


class CutGeometry:
    """One cut at a posture: the leg's point Jacobian and the closure rows, tip axes."""

    def __init__(self, posture: Posture, cut: CutJoint) -> None:
        self.posture = posture
        self.cut = cut
        numbers = posture.numbers
        self.L_R, self.L_p = numbers.placement(cut.on_leg)
        P_R, self.b_P = numbers.placement(cut.on_platform)
        self.r_world = posture.R_WP @ self.b_P
        self.links = posture.mechanism.legs[cut.leg].links
        self._reach()
        self._P_R = P_R
        self.rows = [row for closure in cut.closures for row in self._rows(closure)]

    def platform_vector(self, x: Vector) -> Vector:
        """A vector of the cut frame on the platform, platform axes."""
        return self._P_R @ x

    def platform_axis(self, k: int) -> Vector:
        """Axis k of the cut frame on the platform, platform axes."""
        return self._P_R[:, k]

    def from_world(self, x: Vector) -> Vector:
        """World axes to tip axes."""
        return self.posture.from_world(self.cut.tip, x)

    def to_world(self, x: Vector) -> Vector:
        """Tip axes to world axes."""
        return self.posture.to_world(self.cut.tip, x)

    def _reach(self) -> None:
        """Axis and lever (from the link's origin to the cut point) of every joint of the leg, tip axes."""
        chain = self.posture.chain(self.cut.tip)
        lever = self.L_p
        self.linear: list[Vector] = []
        self.angular: list[Vector] = []
        for k in range(len(chain) - 1, -1, -1):
            link = chain[k].link

            def down(x: Vector, k: int = k) -> Vector:
                for step in chain[k + 1 :]:
                    x = step.to_child(x)
                return x

            if link.motion == "rotation":
                axis = down(direction(link))
                self.linear.insert(0, cross(axis, lever))
                self.angular.insert(0, axis)
            elif link.motion == "translation":
                self.linear.insert(0, down(direction(link)))
                self.angular.insert(0, zeros(3))
            elif link.motion == "ball":
                axes = [down(e) for e in np.array(np.eye(3), dtype=object)]
                self.linear[:0] = [cross(e, lever) for e in axes]
                self.angular[:0] = axes
            lever = lever + down(chain[k].offset)
        self.tip_from_root = lever

    def _rows(self, closure) -> list[Row]:
        if closure.kind == "point":
            return [Row(e, None, None, "point") for e in np.array(np.eye(3), dtype=object)]
        a = self.L_R[:, closure.a]
        if closure.kind == "perpendicular":
            b = self.from_world(self.posture.R_WP @ self._P_R[:, closure.b])
            c = cross(b, a)
            return [Row(None, c, -c, "perpendicular", a, b)]
        d = self.gap()
        if closure.kind == "along":
            return [Row(a, None, cross(a, d), "along", a, None, d)]
        return [Row(d, None, None, "distance", None, None, d)]

    def gap(self) -> Vector:
        """From L's origin to P's origin, tip axes."""
        return self.from_world(self.posture.p_WP + self.r_world) - self.tip_from_root

    def residual(self) -> Vector:
        """Position-level closures (rows,); 0 when the loop is closed (m, 1, m, or ½(d² - l²) in m²)."""
        out: list[Any] = []
        for closure in self.cut.closures:
            if closure.kind == "point":
                out += list(self.gap())
                continue
            row = self._rows(closure)[0]
            if row.a is not None and row.b is not None:
                out.append(dot(row.a, row.b))
            elif row.a is not None and row.d is not None:
                out.append(dot(row.a, row.d))
            elif row.d is not None:
                length = self.posture.numbers.parameters[self.cut.length]
                out.append(0.5 * (dot(row.d, row.d) - length * length))
        return np.array(out, dtype=object)

    def jacobian(self) -> np.ndarray:
        """J (rows, joints of the leg) of equation (3)."""
        J = zeros(len(self.rows), len(self.linear))
        for i, row in enumerate(self.rows):
            for j in range(len(self.linear)):
                value: Any = 0.0
                if row.c_v is not None:
                    value = value + dot(row.c_v, self.linear[j])
                if row.c_L is not None:
                    value = value - dot(row.c_L, self.angular[j])
                J[i, j] = value
        return J

    def platform_point(self, twist: Vector, acceleration: Vector) -> PointMotion:
        """Motion of the platform's cut point in tip axes for a twist and an acceleration, world axes."""
        v, w, a, wd = twist[:3], twist[3:], acceleration[:3], acceleration[3:]
        turned = any(row.c_P is not None for row in self.rows)
        return PointMotion(
            self.from_world(v + cross(w, self.r_world)),
            self.from_world(a + turning_matrix(w, wd) @ self.r_world),
            self.from_world(w) if turned else zeros(3),
            self.from_world(wd) if turned else zeros(3),
        )

    def platform_rates(self, point: PointMotion) -> Vector:
        """P v (rows,) of equation (3)."""
        return self._apply(point.v, point.w)

    def acceleration_rhs(self, point: PointMotion, leg: PointMotion) -> Vector:
        """Right-hand side of J q̈ = …: platform part minus the leg's motion at q̈ = 0 (`leg`, tip axes), with bias (2)."""
        rhs = self._apply(point.a, point.wd)
        for i, row in enumerate(self.rows):
            if row.c_v is not None:
                rhs[i] = rhs[i] - dot(row.c_v, leg.a)
            if row.c_L is not None:
                rhs[i] = rhs[i] + dot(row.c_L, leg.wd)
            rhs[i] = rhs[i] + _bias(row, point, leg)
        return rhs

    def _apply(self, linear: Vector, angular: Vector) -> Vector:
        out = zeros(len(self.rows))
        for i, row in enumerate(self.rows):
            if row.c_v is not None:
                out[i] = out[i] + dot(row.c_v, linear)
            if row.c_P is not None:
                out[i] = out[i] + dot(row.c_P, angular)
        return out

    def wrench_on_platform(self, multipliers: Vector) -> tuple[Vector, Vector]:
        """Pᵀ μ: force and moment about the platform's origin, world axes, for row multipliers (rows,)."""
        force, moment = zeros(3), zeros(3)
        for mu, row in zip(multipliers, self.rows, strict=True):
            if row.c_v is not None:
                force = force + row.c_v * mu
            if row.c_P is not None:
                moment = moment + row.c_P * mu
        f = self._force_to_world(force)
        m = cross(self.r_world, f)
        return f, m if all(row.c_P is None for row in self.rows) else m + self.to_world(moment)

    def _force_to_world(self, force: Vector) -> Vector:
        """As to_world; a force along one axis turns the axis, so that its ratios cancel where they can."""
        along = [k for k in range(3) if not structurally_zero(force[k])]
        if len(along) != 1:
            return self.to_world(force)
        axis = zeros(3)
        axis[along[0]] = 1.0
        return self.to_world(axis) * force[along[0]]

    def wrench_on_leg(self, multipliers: Vector) -> tuple[Vector, Vector]:
        """Wrench on the tip link at the cut point, tip axes, that does the work of Jᵀ μ on the leg's joints."""
        force, moment = zeros(3), zeros(3)
        for mu, row in zip(multipliers, self.rows, strict=True):
            if row.c_v is not None:
                force = force + row.c_v * mu
            if row.c_L is not None:
                moment = moment - row.c_L * mu
        return force, moment


def _bias(row: Row, point: PointMotion, leg: PointMotion) -> Any:
    """The velocity terms of equation (2)."""
    if row.kind == "point":
        return 0.0
    if row.kind == "distance":
        relative = point.v - leg.v
        return dot(relative, relative)
    assert row.a is not None
    if row.kind == "perpendicular":
        assert row.b is not None
        turning = cross(cross(point.w, row.b), row.a) + cross(row.b, cross(leg.w, row.a))
        return dot(point.w - leg.w, turning)
    assert row.d is not None
    swing = cross(leg.w, row.a)
    return 2.0 * dot(swing, point.v - leg.v) + dot(cross(leg.w, swing), row.d)
