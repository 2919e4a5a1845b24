"""Where everything is: the step from each link's parent to the link, and chains of steps.

Computes  relative poses of all links for a configuration q.
Frames    W world, P platform; link axes are the internal axes of the structure.
Symbols   place_R, place_p: joint frame in the parent; turn: rotation by the joint; slide: translation in child axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.flexible import Deformation
from gough.dynamics.numbers import Numbers
from gough.dynamics.stiffened import Stiffened
from gough.errors import Status
from gough.scalar import check, zeros
from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.exponential import LARGEST, Exponential
from gough.structure import WORLD, Link, Mechanism
from gough.structure.elastic.places import ZERO

Vector = np.ndarray


@dataclass(frozen=True)
class Deflection:
    """How a frame tied to a flexible link follows elastic rates: p = p0 + Φ e + ½ eᵀΨe and θ = Θ e in the link's axes.

    translation, turning (3, m): Φ + Ψ e and Θ [Long 2014, eqs. 15–16]. second[k][l] (3,): Ψ_kl, None
    without. turn: the rotation of θ.
    """

    translation: np.ndarray
    turning: np.ndarray
    second: list[list[Vector]] | None
    turn: Exponential

    def bends(self, rate: Vector) -> Vector:
        """Ψ ė ė (3,): acceleration of second order, parent axes."""
        total = zeros(3)
        if self.second is not None:
            for k, row in enumerate(self.second):
                for ell, x in enumerate(row):
                    total = total + x * (rate[k] * rate[ell])
        return total

    def spin(self, rate: Vector) -> Vector:
        """Angular velocity relative to the link, axes of the frame [Briot 2014, eq. 2], there for small turns."""
        return self.turn.J @ (self.turning @ rate)

    def spin_rate(self, rate: Vector, rate_dot: Vector) -> Vector:
        """Derivative of `spin`."""
        return self.turn.J @ (self.turning @ rate_dot) + self.turn.rate_bias(self.turning @ rate)

    def forces(self, f: Vector, n: Vector) -> Vector:
        """Elastic forces (m,) that do the work of a force (link axes) and a moment (frame axes) at the frame's origin."""
        return self.translation.T @ f + self.turning.T @ (self.turn.J.T @ n)


@dataclass(frozen=True)
class Step:
    """Pose of a link in its parent: first the placement, then the joint's turn, then its slide (child axes).

    `to_child` turns, place_p and slide shift: R̄ and T [Briot 2014, eq. 16], which are not formed.
    deflection: of a frame tied to a flexible parent; the placement is then where it stands deformed.
    """

    link: Link
    place_R: np.ndarray
    place_p: Vector
    turn: np.ndarray | None
    slide: Vector | None
    deflection: Deflection | None = None
    dimensions: Sequence[Any] = ()

    def to_child(self, x: Vector) -> Vector:
        """Components of a free vector: parent axes to child axes."""
        y = self.place_R.T @ x
        return y if self.turn is None else self.turn.T @ y

    def to_parent(self, x: Vector) -> Vector:
        """Components of a free vector: child axes to parent axes."""
        y = x if self.turn is None else self.turn @ x
        return self.place_R @ y

    @property
    def offset(self) -> Vector:
        """From the parent's origin to the child's, child axes."""
        y = self.to_child(self.place_p)
        return y if self.slide is None else y + self.slide


class Posture:
    """All steps of a mechanism at q, and the platform's pose where there is one.

    given: q as it was given; q: with what geometry alone says of it (`known_coordinates`).
    gravity: False leaves gravity out. rotation: the platform's rotation (3, 3), instead of q's quaternion.
    Link index WORLD (-1) stands for the world itself.
    """

    def __init__(
        self, numbers: Numbers, q: np.ndarray, gravity: bool = True, rotation: np.ndarray | None = None
    ) -> None:
        self.numbers = numbers
        self.gravity: Vector = numbers.gravity() if gravity else zeros(3)
        self.mechanism = numbers.mechanism
        self.given = q
        self.q = q = known_coordinates(self.mechanism, q)
        self.deformations = {i: deformation(numbers, self.mechanism.links[i], q) for i in self.mechanism.flexible}
        if self.mechanism.has_platform:
            self.p_WP: Vector = np.asarray(q[0:3])
            self.R_WP = rotation_from_quaternion_wxyz(q[3:7]) if rotation is None else rotation
            place = Step(self.mechanism.platform, np.array(np.eye(3), dtype=object), self.p_WP, self.R_WP, None)
            self.steps: list[Step] = [place]
        else:
            self.steps = []
        self.steps += [self._step(link) for link in self.mechanism.links[len(self.steps) :]]

    def _step(self, link: Link) -> Step:
        if link.tie is not None:
            return tied_step(self.numbers, link, self.q)
        place_R, place_p = self.numbers.place(link)
        dimensions = self.numbers.at(link.dimensions)
        turn, slide = link.motion.pose(self.q[link.q : link.q + link.nq], dimensions)
        return Step(link, place_R, place_p, turn, slide, None, dimensions)

    def chain(self, index: int, above: int = WORLD) -> list[Step]:
        """Steps that lead from link `above` (WORLD: the world) to link `index`; empty when they are the same."""
        steps: list[Step] = []
        while index != above:
            steps.append(self.steps[index])
            index = self.steps[index].link.parent
        return steps[::-1]

    def from_world(self, index: int, x: Vector) -> Vector:
        """Components of a free vector: world axes to the axes of link `index`."""
        return down(self.chain(index), x)

    def to_world(self, index: int, x: Vector) -> Vector:
        """Components of a free vector: axes of link `index` to world axes."""
        return up(self.chain(index), x)

    def point_in_world(self, index: int, x: Vector) -> Vector:
        """World position of a point given in the axes of link `index`."""
        return point_above(self.chain(index), x)

    def rotation_in_world(self, index: int) -> np.ndarray:
        """Rotation (3, 3) of link `index`: its axes to world axes."""
        columns = [self.to_world(index, column) for column in np.array(np.eye(3), dtype=object)]
        return np.array(columns, dtype=object).T


def known_coordinates(mechanism: Mechanism, q: Vector) -> Vector:
    """q with what geometry alone says of it: constants, and coordinates that follow from others."""
    chosen = mechanism.selection
    if not chosen.relations:
        return q
    known = np.array(q, dtype=object)
    for place, number in chosen.constants:
        known[place] = number
    for r in chosen.twins:
        known[r.coordinate] = known[r.twin] if r.factor == 1.0 else -known[r.twin]
        if r.offset:
            known[r.coordinate] = known[r.coordinate] + r.offset
    return known


def down(chain: list[Step], x: Vector) -> Vector:
    """Components of a free vector: axes above a chain to the axes of its last link."""
    for step in chain:
        x = step.to_child(x)
    return x


def up(chain: list[Step], x: Vector) -> Vector:
    """Components of a free vector: axes of a chain's last link to the axes above it."""
    for step in reversed(chain):
        x = step.to_parent(x)
    return x


def point_above(chain: list[Step], x: Vector) -> Vector:
    """Position, in the frame above a chain, of a point given in the axes of its last link."""
    for step in reversed(chain):
        y = x if step.slide is None else x + step.slide
        x = step.to_parent(y) + step.place_p
    return x


def deformation(numbers: Numbers, link: Link, q: Vector) -> Deformation:
    """A flexible link at q."""
    assert link.elastic is not None
    return Stiffened(numbers, link, q) if link.elastic.stiffened else Deformation(numbers, link, q)


def direction(link: Link) -> Vector:
    """Axis of a link's motion, child axes (3,)."""
    return link.motion.direction


def tied_step(numbers: Numbers, link: Link, q: Vector) -> Step:
    """Pose of a frame tied to a flexible link at q (any array whose elastic entries stand where q's do): its
    deformed place [Long 2014, eq. 12, corrected], [Briot 2014, eq. 3], and the exact rotation of θ."""
    tie = link.tie
    assert tie is not None
    m, e = tie.modes, np.asarray(q[tie.q : tie.q + tie.modes])
    rest = numbers.place(link)[1]
    linear = numbers.elastic(tie.translation, 3).T.reshape(3, m)
    translation, half = linear, linear
    second = None
    if tie.second:
        pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
        second = [[zeros(3) for _ in range(m)] for _ in range(m)]
        for (k, ell), x in zip(pairs, numbers.elastic(tie.second, 3), strict=True):
            second[k][ell] = second[ell][k] = x
        bent = np.array([sum((x * e[j] for j, x in enumerate(row)), zeros(3)) for row in second], dtype=object).T
        translation, half = linear + bent, linear + 0.5 * bent
    turning = numbers.elastic(tie.turning, 3).T.reshape(3, m)
    turn = Exponential(turning @ e)
    if any(place != ZERO for place in tie.turning):  # it turns at all
        check(Status.LARGE_DEFLECTION.at(link.name), LARGEST**2 - turn.square, 0.0)
    return Step(link, turn.R, rest + half @ e, None, None, Deflection(translation, turning, second, turn))
