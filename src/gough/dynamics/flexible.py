"""A flexible body: the generalised Newton–Euler model.

Computes  force, moment (about the body's origin) and elastic forces that a motion with elastic rates needs; its energies.
Sources   [Briot 2014], [Long 2014]; the constants: fem/elastic_body.py.
Frames    body axes, at the body's origin (a frame that moves with one part of the body, or floats with all of it).
Symbols   e elastic coordinates, r = x + Φ e where a point is, a acceleration of the origin minus gravity.
          Displacements of second order: stiffened.py.
Derivation  T = ½ ∫ |v + ω × r + ṙ|² dm; with
    MS = ∫ r dm = MS0 + Σ e_k D_k,                              D_k = ∫ Φ_k dm                                 (1)
    N_k = -∫ r̂ Φ̂_k dm = N1_k + Σ_l e_l N2_lk,                   β_k = ∫ r × Φ_k dm = axial(N_k)                (2)
    J = J0 + Σ e_k sym(N1_k + N_k)                                                                            (3)
    f = m a + α × MS + ω × (ω × MS) + 2 ω × D ė + D ë                                                          (4)
    n = MS × a + J α + ω × J ω + 2 Σ ė_k N_k ω + axial(Σ ë_k N_k)                                              (5)
    Q_k = D_k · a + β_k · α - ω · N_k ω + 2 ω · Σ_j λ_jk ė_j + (M ë + D ė + K e)_k,  λ_jk = ∫ Φ_j × Φ_k dm      (6)
    axial(A) = (A23 - A32, A31 - A13, A12 - A21).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot, product, zeros
from gough.spatial import RigidInertia, cross, skew, turning_matrix
from gough.spatial.inertia import kinetic_energy
from gough.structure.elastic.places import Elastic
from gough.structure.mechanism import Link

Vector = np.ndarray
Matrix = np.ndarray


@dataclass
class ElasticNumbers:
    """Constants of a flexible link as scalars; see fem.ElasticBody. N2[k][l] (3, 3)."""

    MSde: Matrix
    N1: list[Matrix]
    N2: list[list[Matrix]]
    M: Matrix
    K: Matrix
    D: Matrix


def elastic_numbers(numbers: Numbers, elastic: Elastic) -> ElasticNumbers:
    """The constants at their places in the parameters."""
    m = elastic.modes

    at = numbers.elastic
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]

    def symmetric(positions: tuple[int, ...]) -> Matrix:
        out = zeros(m, m)
        for (k, ell), x in zip(pairs, at(positions, 1), strict=True):
            out[k, ell] = out[ell, k] = x[0]
        return out

    N2 = [[zeros(3, 3) for _ in range(m)] for _ in range(m)]
    blocks = [x.reshape(3, 3) for x in at(elastic.N2, 9)]
    for (k, ell), block in zip(pairs, blocks, strict=True):
        N2[k][ell], N2[ell][k] = block, block.T
    return ElasticNumbers(
        at(elastic.MSde, 3).T.reshape(3, m),
        [x.reshape(3, 3) for x in at(elastic.N1, 9)],
        N2,
        symmetric(elastic.M),
        symmetric(elastic.K),
        symmetric(elastic.D),
    )


class Deformation:
    """A flexible link at given elastic coordinates: equations (1)–(3)."""

    def __init__(self, numbers: Numbers, link: Link, q: Vector) -> None:
        assert link.elastic is not None
        self.e: Vector = np.asarray(q[link.elastic.coordinates])
        self.m = link.elastic.modes
        self.of = elastic_numbers(numbers, link.elastic)
        self.shift = numbers.shift(link)
        if self.shift is not None:
            self.of.N1 = move_origin(self.of.N1, self.of.MSde, self.shift)
        self._own = numbers.inertia(link) or RigidInertia(0.0, zeros(3), zeros(3, 3))

    @cached_property
    def D(self) -> Matrix:
        """∂MS/∂e (3, m)."""
        return self.of.MSde

    @cached_property
    def N(self) -> list[Matrix]:
        """N_k (3, 3) of every coordinate."""
        changes = weighted_sums(self.of.N2, self.e).reshape(self.m, 3, 3)
        return [constant + change for constant, change in zip(self.of.N1, changes, strict=True)]

    @cached_property
    def beta(self) -> Matrix:
        """MS_re: ∫ r × Φ_k dm (3, m) [Briot 2014, eq. 57, corrected], [Long 2014, eq. 34, corrected]."""
        return np.array([axial(N) for N in self.N], dtype=object).T.reshape(3, self.m)

    @cached_property
    def M(self) -> Matrix:
        """Mass matrix of the elastic coordinates (m, m)."""
        return self.of.M

    @cached_property
    def inertia(self) -> RigidInertia:
        """The deformed body as a rigid one [Briot 2014, eqs. 56, 60]."""
        return self._as_rigid(self.e, self.of.MSde, self.of.N1)

    def _as_rigid(self, e: Vector, MSde: Matrix, N1: list[Matrix]) -> RigidInertia:
        MS = self._own.first_moments + MSde @ e
        change = weighted_sum(e, [a + b for a, b in zip(N1, self.N, strict=True)], (3, 3))
        return RigidInertia(self._own.mass, MS, self._own.tensor + symmetric_part(change))

    def wrench(self, w: Vector, wd: Vector, a: Vector, rate: Vector, rate_dot: Vector) -> tuple[Vector, Vector, Vector]:
        """(f, n, Q) of equations (4)–(6) [Briot 2014, eqs. 53–55, corrected], [Long 2014, eq. 34, corrected].

        With velocity terms in f, n and Q [Briot 2014, eqs. 65–67, corrected]. No matrix is formed for the accelerations
        [Briot 2014, eqs. 4, 64].
        """
        body, of, m = self.inertia, self.of, self.m
        spin, swept = split_spin(w, rate)
        f = body.mass * a + turning_matrix(w, wd) @ body.first_moments + self.D @ rate_dot
        f = f + cross(spin, self.D @ swept)
        moving = weighted_sum(swept, self.N, (3, 3))
        pushed = weighted_sum(rate_dot, self.N, (3, 3))
        n = cross(body.first_moments, a) + body.tensor @ wd + cross(w, body.tensor @ w)
        n = n + moving @ spin + axial(pushed)
        Q = zeros(m)
        held = product(of.M, rate_dot) + product(of.K, self.e) + product(of.D, rate)
        squares = np.outer(w, w)
        lambdas = [[axial(of.N2[j][k]) for k in range(m)] for j in range(m)]
        turning = weighted_sums(lambdas, swept).reshape(m, 3)
        for k in range(m):
            Q[k] = (
                dot(self.D[:, k], a)
                + dot(self.beta[:, k], wd)
                - quadratic_form(self.N[k], squares)
                + dot(spin, turning[k])
                + held[k]
            )
        return f, n, Q

    def kinetic(self, velocity: Vector, w: Vector, rate: Vector) -> Any:
        """Kinetic energy (J)."""
        mixed = dot(velocity, self.D @ rate) + dot(w, self.beta @ rate)
        return kinetic_energy(self.inertia, w, velocity) + mixed + 0.5 * dot(rate, self.of.M @ rate)

    def strain(self) -> Any:
        """Strain energy (J)."""
        return 0.5 * dot(self.e, self.of.K @ self.e)

    def losses(self, rate: Vector) -> Any:
        """Power taken by the material's damping (W)."""
        return dot(rate, self.of.D @ rate)


def move_origin(N1: list[Matrix], MSde: Matrix, shift: Vector) -> list[Matrix]:
    """N1 (3, 3) of shapes about another origin, from which the old one is at `shift` (3,): -∫ (x̂ + ŝ) Φ̂_k dm."""
    return [N - skew(shift) @ skew(MSde[:, k]) for k, N in enumerate(N1)]


def axial(A: Matrix) -> Vector:
    """(A23 - A32, A31 - A13, A12 - A21)."""
    return np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]], dtype=object)


def split_spin(w: Vector, rate: Vector) -> tuple[Vector, Vector]:
    """(s, x) with 2 ω ė_k = s x_k for all k: the axis and 2 ω ė where ω keeps to one axis, so that what the rates move is
    multiplied by x alone; else 2 ω and ė."""
    along = [k for k in range(3) if not structurally_zero(w[k])]
    if len(along) != 1:
        return 2.0 * w, rate
    axis = zeros(3)
    axis[along[0]] = 1.0
    return axis, (2.0 * w[along[0]]) * rate


def quadratic_form(A: Matrix, squares: Matrix) -> Any:
    """ω · A ω from the products ω ωᵀ, which all shapes share."""
    total: Any = 0.0
    for i in range(3):
        total = total + A[i, i] * squares[i, i]
        for j in range(i):
            total = total + (A[i, j] + A[j, i]) * squares[i, j]
    return total


def symmetric_part(A: Matrix) -> Matrix:
    """½ (A + Aᵀ)."""
    out = A.copy()
    for i in range(3):
        for j in range(i):
            out[i, j] = out[j, i] = 0.5 * (A[i, j] + A[j, i])
    return out


def weighted_sums(arrays: list[list[Any]], weights: Vector) -> Vector:
    """Σ_j weight_j · arrays[j][k], flat, for every k: one product, that may run as a loop."""
    m = len(weights)
    matrix = np.array(
        [[np.asarray(arrays[j][k], dtype=object).ravel() for j in range(m)] for k in range(m)], dtype=object
    )
    return product(matrix.transpose(0, 2, 1).reshape(-1, m), weights)


def weighted_sum(weights: Vector, arrays: list[Any], shape: tuple[int, ...] = (3,)) -> Any:
    """Σ weight · array, zeros left out."""
    total = zeros(*shape)
    for weight, x in zip(weights, arrays, strict=True):
        if not structurally_zero(weight):
            total = total + x * weight
    return total
