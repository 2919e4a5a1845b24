"""Closures of the cut joints at position, velocity and acceleration level, and the leg Jacobians they need.

Computes  for each cut: residual, rows of G in the tree velocities, and bias of the acceleration.
Sources   [Briot 2014]; for spherical cuts [Long 2014]. Both in other axes; their equations stand at the functions.
Frames    everything in the axes of the first side's link (a leg's tip: "tip axes"), where most entries are zero.
Derivation. L is the cut frame on the first link, P the one on the second (a leg: on the platform), d from L's origin to
P's. Every closure (`joints.closures`, with its coefficients and bias) gives rows
    c_v · (v_P - v_L) + c_P · ω_P + c_L · ω_L = 0                                                   (1)
    c_v · (a_P - a_L) + c_P · α_P + c_L · α_L + bias = 0                                            (2)
With the point Jacobians this reads J q̇ = P v: J = c_v · linear - c_L · angular, P v = c_v · v_P + c_P · ω_P.       (3)
Axes that coincide when closed (a pin's) also owe a · b = 1, which the rows above do not say: they hold for reversed axes too.
a · b - 1 has no slope where it holds, so it is no closure, but assembling goes by it and a state is judged by it.
All cuts together are G u = 0 in the tree velocities, G = [J | -P]. Only relative motion enters, so everything is taken
relative to the last link that carries both sides.
"""

from functools import cached_property, partial
from typing import Any

import numpy as np

from gough.dynamics.posture import Posture, Step, down, point_above, up
from gough.dynamics.recursion import move_chain
from gough.friction.coulomb import structurally_zero
from gough.joints.closures import ClosureRow, Perpendicular, PerpendicularRow, PointMotion
from gough.scalar import dot, zeros
from gough.spatial import cross, turning_matrix
from gough.structure import CutJoint

FEW_STEPS = 4
"""Axes are carried down so many steps one by one; beyond, rotations are collected, so that long chains cost linearly."""

PLANAR = 5
"""Entries that are not zero in a rotation about a coordinate axis."""

Vector = np.ndarray
Column = tuple[Vector, Vector]


class CutGeometry:
    """One cut at a posture: columns of the tree velocities and closure rows, tip axes (those of the first side's link).

    Motions are taken relative to the last link that carries both sides: what moves both moves no closure.
    """

    def __init__(self, posture: Posture, cut: CutJoint) -> None:
        self.posture = posture
        self.cut = cut
        ancestor = posture.mechanism.common_ancestor(cut.first, cut.second)
        self.first = posture.chain(cut.first, ancestor)
        self.second = posture.chain(cut.second, ancestor)
        self.L_R, self.L_p = posture.numbers.placement(cut.on_first)
        self.P_R, self.b_P = posture.numbers.placement(cut.on_second)
        self.on_platform = bool(self.second) and self.second[0].link.is_platform
        if self.on_platform:
            self.r_world = posture.R_WP @ point_above(self.second[1:], self.b_P)
        self.first_columns, self.tip_from_root = reach(self.first, self.L_p)
        self._second_columns: dict[int, Column] | None = None
        self.rows = [row for closure in cut.closures for row in closure.rows_at(self)]
        self._coefficients: dict[tuple[int, int], Any] = {}

    @property
    def second_columns(self) -> dict[int, Column]:
        """(linear, angular) of the second side's rates, tip axes; computed when first asked."""
        if self._second_columns is None:
            if self._collects:
                self._second_columns = reach_across(self.second, self.b_P, self._turns)
            else:
                columns = reach(self.second, self.b_P)[0].items()
                self._second_columns = {k: (self.from_second(a), self.from_second(b)) for k, (a, b) in columns}
        return self._second_columns

    @cached_property
    def _collects(self) -> bool:
        """Whether rotations to tip axes are collected before anything is turned: in a plane, where two of them make one at the
        cost of turning one vector, and for as many columns as a rotation has."""
        turned = [not structurally_zero(x) for x in self._turns[-1].flat]
        return sum(turned) <= PLANAR or sum(len(step.link.moved_by) for step in self.second) >= 3

    @cached_property
    def _turns(self) -> list[np.ndarray]:
        """Rotations (3, 3) to tip axes: from those above the second side's chain, then from those of each of its links."""
        unit = np.array(np.eye(3), dtype=object)
        turns = [np.array([down(self.first, e) for e in unit], dtype=object).T]
        for step in self.second:
            turns.append(np.array([step.to_child(row) for row in turns[-1]], dtype=object))  # T R = (Rᵀ Tᵀ)ᵀ
        return turns

    def columns(self) -> list[int]:
        """Tree velocities that the closures contain."""
        return list(dict.fromkeys(k for step in (*self.first, *self.second) for k in step.link.moved_by))

    def from_second(self, x: Vector) -> Vector:
        """Axes of the second side's link to tip axes."""
        if self.on_platform or not self._collects:
            return down(self.first, up(self.second, x))
        return self._turns[-1] @ x

    def to_second(self, x: Vector) -> Vector:
        """Tip axes to the axes of the second side's link."""
        return down(self.second, up(self.first, x))

    def from_world(self, x: Vector) -> Vector:
        """World axes to tip axes."""
        return self.posture.from_world(self.cut.first, x)

    def to_world(self, x: Vector) -> Vector:
        """Tip axes to world axes."""
        return self.posture.to_world(self.cut.first, x)

    @property
    def may_miss(self) -> bool:
        """Whether its points need not quite meet."""
        return bool(self.posture.mechanism.tolerances)

    def axis_on_first(self, k: int) -> Vector:
        """Axis k of L, tip axes."""
        return self.L_R[:, k]

    def axis_on_second(self, k: int) -> Vector:
        """Axis k of P, tip axes."""
        return self.from_second(self.P_R[:, k])

    def length(self) -> Any:
        """The stated distance of the two origins (m)."""
        return self.posture.numbers.parameters[self.cut.length]

    def angle(self) -> Any:
        """The stated angle of two axes (rad)."""
        return self.posture.numbers.parameters[self.cut.angle]

    def gap(self) -> Vector:
        """From L's origin to P's origin, tip axes."""
        return down(self.first, point_above(self.second, self.b_P)) - self.tip_from_root

    def residual(self) -> Vector:
        """Position-level closures (rows,); 0 when the loop is closed (m, 1, m, or ½(d² - l²) in m²)."""
        out: list[Any] = []
        for closure in self.cut.closures:
            out += closure.residual(self)
        return np.array(out, dtype=object)

    @cached_property
    def alignments(self) -> list[PerpendicularRow]:
        """Rows of a · b for every axis that the two frames have in common when closed."""
        return [Perpendicular(k, k).row(self) for k in self.cut.common_axes]

    def misalignment(self) -> Vector:
        """a · b - 1 of every axis in common: 0 when closed, -2 where it is reversed."""
        return np.array([row.cosine() - 1.0 for row in self.alignments], dtype=object)

    def coefficient(self, i: int, column: int) -> Any:
        """Entry of G in row i of this cut (then of its alignments): equation (3) for the first side, its negative for the
        second."""
        if (i, column) not in self._coefficients:
            row, value = self.rows[i] if i < len(self.rows) else self.alignments[i - len(self.rows)], zeros(1)[0]
            if column in self.first_columns:
                linear, angular = self.first_columns[column]
                if row.c_v is not None:
                    value = value + dot(row.c_v, linear)
                if row.c_L is not None:
                    value = value - dot(row.c_L, angular)
            if any(column in step.link.moved_by for step in self.second):
                linear, angular = self.second_columns[column]
                if row.c_v is not None:
                    value = value - dot(row.c_v, linear)
                if row.c_P is not None:
                    value = value - dot(row.c_P, angular)
            self._coefficients[i, column] = value
        return self._coefficients[i, column]

    def jacobian(self, columns: list[int]) -> np.ndarray:
        """Rows of G (rows, columns)."""
        out = zeros(len(self.rows), len(columns))
        for i in range(len(self.rows)):
            for j, column in enumerate(columns):
                out[i, j] = self.coefficient(i, column)
        return out

    def alignment_jacobian(self, columns: list[int]) -> np.ndarray:
        """How the rates `columns` change a · b of the alignments, with the sign of G."""
        out = zeros(len(self.alignments), len(columns))
        for i in range(len(self.alignments)):
            for j, column in enumerate(columns):
                out[i, j] = self.coefficient(len(self.rows) + i, column)
        return out

    def sliding_row(self, axis: int) -> ClosureRow:
        """Of a direction in which the joint slides, an axis of L: the row that would keep it from sliding. Where it slides along
        one axis alone, the gap is along that axis."""
        a = self.axis_on_first(axis)
        alone = sum(side == "along" for side, _ in self.cut.free_axes) == 1 and not self.may_miss
        return ClosureRow(a) if alone else ClosureRow(a, None, cross(a, self.gap()))

    def row_rate(self, row: ClosureRow, u: Vector) -> Any:
        """Left-hand side of equation (1) for tree velocities u and a row without c_P."""
        rate: Any = 0.0
        for columns, sign in ((self.first_columns, -1.0), (self.second_columns, 1.0)):
            for k, (linear, angular) in columns.items():
                if row.c_v is not None:
                    rate = rate + dot(row.c_v, linear) * (sign * u[k])
                if row.c_L is not None and sign < 0:
                    rate = rate + dot(row.c_L, angular) * u[k]
        return rate

    def platform_rates(self, i: int, twist: Vector) -> Any:
        """What the platform's twist (6,), world axes, adds to row i, as second side: P v of equation (3)."""
        row = self.rows[i]
        point = self._platform_point(twist, zeros(6))
        return _apply(row, point.v, point.w)

    def _platform_point(self, twist: Vector, acceleration: Vector) -> PointMotion:
        """Motion, tip axes, of the second side's cut point as a point of a rigid platform, world twist and acceleration:
        [Long 2014, eqs. 18, 22], [Briot 2014, eqs. 29, 37, corrected], [Fried, eqs. 6, 30–32]."""
        v, w, a, wd = twist[:3], twist[3:], acceleration[:3], acceleration[3:]
        down_tip = partial(down, self.first)
        turned = any(row.c_P is not None for row in self.rows)
        return PointMotion(
            down_tip(v + cross(w, self.r_world)),
            down_tip(a + turning_matrix(w, wd) @ self.r_world),
            down_tip(w) if turned else zeros(3),
            down_tip(wd) if turned else zeros(3),
        )

    def first_point(self, u: Vector) -> PointMotion:
        """Motion of the first side's cut point for rates u and no accelerations of joints, tip axes [Briot 2014, eqs. 20–21]: of
        a leg its acceleration is J̇ q̇ [Fried, eqs. 43–44, corrected]."""
        motion = move_chain(self.first, u, zeros(len(u)))
        c = self.L_p
        a = motion.a + cross(motion.wd, c) + cross(motion.w, cross(motion.w, c))
        return PointMotion(self._velocity(self.first_columns, u), a, motion.w, motion.wd)

    def second_point(self, u: Vector, acceleration: Vector) -> PointMotion:
        """Motion of the second side's cut point: platform's acceleration (6,) as given, joints' zero; tip axes.

        A point tied to a flexible platform moves with it by `move_chain` [Long 2014, eqs. 22, 24].
        """
        if self.on_platform and len(self.second) == 1:
            return self._platform_point(u[:6], acceleration)
        ud = zeros(len(u))
        if self.on_platform:
            ud[:6] = acceleration
        if not self.second:
            return PointMotion(zeros(3), zeros(3), zeros(3), zeros(3))
        motion, c = move_chain(self.second, u, ud), self.b_P
        a = motion.a + cross(motion.wd, c) + cross(motion.w, cross(motion.w, c))
        x = self.from_second
        return PointMotion(self._velocity(self.second_columns, u), x(a), x(motion.w), x(motion.wd))

    def _velocity(self, columns: dict[int, Column], u: Vector) -> Vector:
        total = zeros(3)
        if any(row.needs_velocity for row in self.rows):
            for k, (linear, _) in columns.items():
                total = total + linear * u[k]
        return total

    def acceleration_rest(self, i: int, first: PointMotion, second: PointMotion) -> Any:
        """What is left of row i of equation (2), as a right-hand side: accelerations of both points and bias; of a leg
        v̇ - J̇ q̇ [Fried, eqs. 29, 33]; without l̈ n, which is unknown here [Pedrammehr 2012, eq. 21, corrected]."""
        row = self.rows[i]
        rest = _apply(row, second.a, second.wd)
        if row.c_v is not None:
            rest = rest - dot(row.c_v, first.a)
        if row.c_L is not None:
            rest = rest + dot(row.c_L, first.wd)
        return rest + row.bias(second, first)

    def wrench_on_platform(self, multipliers: Vector) -> tuple[Vector, Vector]:
        """Pᵀ μ: force and moment about the platform's origin, world axes, for row multipliers (rows,); no elastic
        forces [Long 2014, eq. 26], [Fried, eq. 89]."""
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

    def wrench_on_first(self, multipliers: Vector) -> tuple[Vector, Vector]:
        """Wrench on the first link at its cut point, tip axes, that does the work of Gᵀ μ on its joints."""
        force, moment = zeros(3), zeros(3)
        for mu, row in zip(multipliers, self.rows, strict=True):
            if row.c_v is not None:
                force = force + row.c_v * mu
            if row.c_L is not None:
                moment = moment - row.c_L * mu
        return force, moment

    def wrench_on_second(self, multipliers: Vector) -> tuple[Vector, Vector]:
        """Wrench of the first link on the second at its cut point, tip axes."""
        force, moment = zeros(3), zeros(3)
        for mu, row in zip(multipliers, self.rows, strict=True):
            if row.c_v is not None:
                force = force - row.c_v * mu
            if row.c_P is not None:
                moment = moment - row.c_P * mu
        return force, moment


def reach(chain: list[Step], point: Vector) -> tuple[dict[int, Column], Vector]:
    """({rate: (linear, angular)} of a point of a chain's last link per unit rate, lever from the frame above it), own axes.

    For a leg the columns of its Jacobian [Long 2014, eqs. 1, 3], [Briot 2014, eqs. 13–15, 28], [Fried, eqs. 20, 23–25,
    corrected] with the spin that [Fried] leaves out, made from the tip inwards. Those of a tie are its shapes
    [Long 2014, eq. 18].
    """
    lever = point
    columns: dict[int, Column] = {}
    turned: np.ndarray | None = None
    for k in range(len(chain) - 1, -1, -1):
        link = chain[k].link
        if len(chain) - 1 - k <= FEW_STEPS:
            below = partial(down, chain[k + 1 :])
        else:
            turned = _turned(chain, k, turned)
            below = turned.__matmul__
        tie = chain[k].deflection
        if tie is not None:
            turned_by = tie.turn.J @ tie.turning
            for j, column in enumerate(link.moved_by):
                angular = below(turned_by[:, j])
                columns[column] = (below(chain[k].to_child(tie.translation[:, j])) + cross(angular, lever), angular)
        else:
            turned_down = partial(down, chain[k:]) if link.is_platform else below
            for j, (linear, angular) in enumerate(link.motion.unit_motions(chain[k].dimensions)):
                columns[link.u + j] = _column(turned_down, linear, angular, lever)
        lever = lever + below(chain[k].offset)
    return columns, lever


def reach_across(chain: list[Step], point: Vector, turns: list[np.ndarray]) -> dict[int, Column]:
    """As `reach`, in other axes: rotations (3, 3) to them from above the chain and from each of its links. The lever goes up the
    chain, and every column is made in axes near its motion and turned once."""
    lever = point
    columns: dict[int, Column] = {}
    for k in range(len(chain) - 1, -1, -1):
        step, link = chain[k], chain[k].link
        own = lever if step.slide is None else lever + step.slide
        above = step.to_parent(own)
        tie = step.deflection
        if tie is not None:
            turned_by = step.to_parent(tie.turn.J @ tie.turning)
            for j, column in enumerate(link.moved_by):
                linear = tie.translation[:, j] + cross(turned_by[:, j], above)
                columns[column] = (turns[k] @ linear, turns[k] @ turned_by[:, j])
        else:
            arm, turn = (above, turns[k]) if link.is_platform else (lever, turns[k + 1])
            for j, (linear, angular) in enumerate(link.motion.unit_motions(step.dimensions)):
                moved, axis = _column(np.asarray, linear, angular, arm)
                columns[link.u + j] = turn @ moved, turn @ axis
        lever = above + step.place_p
    return columns


def _column(below: Any, linear: Vector | None, angular: Vector | None, lever: Vector) -> Column:
    """(linear, angular) of a point at `lever` from a link's origin that a unit rate moves so."""
    if angular is None:
        assert linear is not None
        return below(linear), zeros(3)
    axis = below(angular)
    swept = cross(axis, lever)
    return swept if linear is None else swept + below(linear), axis


def _turned(chain: list[Step], k: int, next_one: np.ndarray | None) -> np.ndarray:
    """Rotation (3, 3) from the axes of step k of a chain to those of its last link, made from that of step k + 1."""
    unit = np.array(np.eye(3), dtype=object)
    if next_one is None:
        return np.array([down(chain[k + 1 :], e) for e in unit], dtype=object).T
    return next_one @ np.array([chain[k + 1].to_child(e) for e in unit], dtype=object).T


def _apply(row: ClosureRow, linear: Vector, angular: Vector) -> Any:
    """c_v · linear + c_P · angular."""
    value: Any = 0.0
    if row.c_v is not None:
        value = value + dot(row.c_v, linear)
    if row.c_P is not None:
        value = value + dot(row.c_P, angular)
    return value
