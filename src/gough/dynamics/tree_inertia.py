"""Mass matrix of the cut tree: A (nu, nu) in the tree velocities, by composite bodies.

Sources   composite-body method (Walker and Orin 1982; Featherstone), here with flexible links.
Derivation  everything at rest. What hangs on a link, its joints and shapes held, is one rigid body: its inertia about the
            link's origin is the link's own plus that of every child, seen from the link. A unit acceleration of one
            coordinate moves this body (a joint), or the field of a flexible link and the bodies at its tied frames (an elastic
            coordinate); the wrench it needs goes inwards and gives the entries for the coordinates on the way.
"""

import numpy as np

from gough.dynamics.posture import Posture, Step
from gough.dynamics.recursion import LinkWrench, axis_force, telescopic_tensors, wrench_at_parent
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot, zeros
from gough.spatial import RigidInertia, cross
from gough.structure import WORLD

Matrix = np.ndarray
Vector = np.ndarray


class TreeInertia:
    """A, entry by entry; `composites`: inertia of each link with all it carries, own axes about its origin.

    A is M_tot [Briot 2014, eqs. 23, 26–27, corrected], summed there link by link with Jacobians.
    """

    def __init__(self, posture: Posture, links: tuple[int, ...] | None = None) -> None:
        """links: some of the tree (with all they carry); default: all."""
        self.posture = posture
        self.mechanism = posture.mechanism
        self.links = tuple(range(len(self.mechanism.links))) if links is None else links
        self.composites = self._composites()
        self.A = zeros(self.mechanism.layout.nu, self.mechanism.layout.nu)
        for i in self.links:
            self._joint_columns(i)
            self._elastic_columns(i)
            for rotor in self.mechanism.links[i].rotors:
                for k in self.mechanism.links[i].columns:
                    self.A[k, k] = self.A[k, k] + posture.numbers.parameters[rotor]

    def _composites(self) -> dict[int, RigidInertia]:
        out: dict[int, RigidInertia] = {}
        for i in self.links:
            link = self.mechanism.links[i]
            own = (
                self.posture.deformations[i].inertia if link.elastic is not None else self.posture.numbers.inertia(link)
            )
            own = own or RigidInertia(0.0, zeros(3), zeros(3, 3))
            if link.telescopic is not None:
                own = RigidInertia(own.mass, own.first_moments, own.tensor + telescopic_tensors(self.posture, link)[0])
            out[i] = own
        for i in reversed(self.links):
            parent = self.mechanism.links[i].parent
            if parent in out:
                out[parent] = _sum(out[parent], seen_from_parent(self.posture.steps[i], out[i]))
        return out

    def _joint_columns(self, i: int) -> None:
        link, body = self.mechanism.links[i], self.composites[i]
        for k, column in enumerate(link.columns):
            linear, angular = self._motion(i, k)
            wrench = LinkWrench(*_needed(body, linear, angular))
            if link.is_platform:
                R = self.posture.R_WP
                self.A[:6, column] = np.concatenate([R @ wrench.f, R @ wrench.n])
                continue
            self.A[link.columns, column] = axis_force(self.posture.steps[i], wrench)
            self._inwards(i, wrench, column)

    def _motion(self, i: int, k: int) -> tuple[Vector, Vector]:
        """Acceleration of the origin and angular acceleration of link i per unit of its k-th rate, own axes."""
        link, step = self.mechanism.links[i], self.posture.steps[i]
        if link.is_platform:
            axis = self.posture.R_WP.T[:, k % 3]
            return (axis, zeros(3)) if k < 3 else (zeros(3), axis)
        linear, angular = link.motion.unit_motions(step.dimensions)[k]
        return zeros(3) if linear is None else linear, zeros(3) if angular is None else angular

    def _elastic_columns(self, i: int) -> None:
        elastic = self.mechanism.links[i].elastic
        if elastic is None:
            return
        body = self.posture.deformations[i]
        tied = [
            j
            for j in self.links
            if self.mechanism.links[j].parent == i and self.posture.steps[j].deflection is not None
        ]
        carried = [(self.posture.steps[j], *_at_tie(self.posture.steps[j], self.composites[j])) for j in tied]
        for k, column in enumerate(elastic.columns):
            f, n, own = body.D[:, k], body.beta[:, k], body.M[k:, k].copy()
            for step, hung, linear, angular in carried:
                force, moment = _needed(hung, linear[:, k], angular[:, k])
                f, n = f + force, n + moment + cross(step.place_p, force)
                own = own + linear[:, k:].T @ force + angular[:, k:].T @ moment
            self._enter(elastic.columns[k:], column, own)
            wrench = LinkWrench(f, n)
            if self.mechanism.links[i].is_platform:
                R = self.posture.R_WP
                self._enter(range(6), column, np.concatenate([R @ f, R @ n]))
                continue
            link = self.mechanism.links[i]
            if link.nu:
                self._enter(link.columns, column, axis_force(self.posture.steps[i], wrench))
            self._inwards(i, wrench, column)

    def _inwards(self, i: int, wrench: LinkWrench, column: int) -> None:
        """Entries of a column for everything between link i and the root."""
        while True:
            step, parent = self.posture.steps[i], self.mechanism.links[i].parent
            if parent == WORLD or parent not in self.composites:
                return
            if step.deflection is not None:
                self._enter(step.link.moved_by, column, step.deflection.forces(step.to_parent(wrench.f), wrench.n))
            wrench, i = wrench_at_parent(step, wrench), parent
            link = self.mechanism.links[i]
            if link.is_platform:
                R = self.posture.R_WP
                self._enter(range(6), column, np.concatenate([R @ wrench.f, R @ wrench.n]))
            elif link.nu:
                self._enter(link.columns, column, axis_force(self.posture.steps[i], wrench))

    def _enter(self, rows: range, column: int, values: Vector) -> None:
        for row, value in zip(rows, values, strict=True):
            self.A[row, column] = self.A[column, row] = value


def _needed(body: RigidInertia, linear: Vector, angular: Vector) -> tuple[Vector, Vector]:
    """Force and moment that give a body at rest an acceleration."""
    ms = body.first_moments
    return body.mass * linear + cross(angular, ms), body.tensor @ angular + cross(ms, linear)


def _at_tie(step: Step, x: RigidInertia) -> tuple[RigidInertia, Matrix, Matrix]:
    """What hangs on a tied frame about the frame's origin, and how unit elastic rates move it (3, m) and turn it (3, m); axes
    of the flexible link, in which coordinates that are motions of the frame itself move it along one axis."""
    tie = step.deflection
    assert tie is not None
    here = x if x.massless else RigidInertia(x.mass, step.to_parent(x.first_moments), _turned(step, x.tensor))
    return here, tie.translation, step.to_parent(tie.turn.J @ tie.turning)


def seen_from_parent(step: Step, x: RigidInertia) -> RigidInertia:
    """A body's inertia in its parent's axes, about the parent's origin."""
    if x.massless:
        return x
    p = step.place_p if step.slide is None else step.place_p + step.to_parent(step.slide)
    c = step.to_parent(x.first_moments)
    J = _turned(step, x.tensor)
    if all(structurally_zero(k) for k in p):
        return RigidInertia(x.mass, c, J)
    s = c + x.mass * p
    of_design = step.slide is None and step.deflection is None
    if of_design and sum(not structurally_zero(k) for k in p) == 1:  # p cᵀ + c pᵀ + m p pᵀ = p hᵀ + h pᵀ
        h, one = c + 0.5 * x.mass * p, np.array(np.eye(3), dtype=object)
        return RigidInertia(x.mass, s, J + 2.0 * dot(p, h) * one - np.outer(p, h) - np.outer(h, p))
    square = p * s + p * c  # p cᵀ + c pᵀ + m p pᵀ = p sᵀ + c pᵀ
    for i in range(3):
        for j in range(i):
            J[i, j] = J[j, i] = J[i, j] - p[i] * s[j] - c[i] * p[j]
        J[i, i] = J[i, i] + square[i - 1] + square[i - 2]
    return RigidInertia(x.mass, s, J)


def _turned(step: Step, tensor: Matrix) -> Matrix:
    """R tensor Rᵀ, symmetric."""
    half = np.array([step.to_parent(tensor[:, k]) for k in range(3)], dtype=object)  # rows: R columns of the tensor
    full = np.array([step.to_parent(half[:, k]) for k in range(3)], dtype=object)
    for i in range(3):
        for j in range(i):
            full[i, j] = full[j, i]
    return full


def _sum(a: RigidInertia, b: RigidInertia) -> RigidInertia:
    return RigidInertia(a.mass + b.mass, a.first_moments + b.first_moments, a.tensor + b.tensor)
