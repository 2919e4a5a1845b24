"""A flexible body whose displacement is of second order in its coordinates: geometric stiffening with its exact inertia.

Computes  the same as flexible.py, for r = x + Σ e_k Φ_k + ½ Σ e_k e_l Ψ_kl.
Sources   the shapes: fem/elastic_body.py. Where Ψ enters T only together with the rigid motion, T is that of no motion, and
          mass matrices of bent bodies may not be positive definite; so nothing is left out, unless a body's constants leave it
          out (`rigid_motion`: C = 0, G = 0 of slaved shapes).
Symbols   σ_j = ½ eᵀ Q_j e the coordinates of slaved shapes, ê = (e + C σ, σ) those of all shapes, own and slaved.
Derivation  r is linear in ê, so equations (1)–(5) of flexible.py hold with ê for e, and by virtual power
    ê' = Ĵ ė,   ê'' = Ĵ ë + (C, 1) ėᵀQė,   Ĵ = (1 + C P, P),   P_j = eᵀ Q_j                                    (7)
    Q = Ĵᵀ Q̂ + D ė + K e,   mass matrix Ĵᵀ M̂ Ĵ,   D̂ Ĵ and β̂ Ĵ its couplings                                  (8)
  with Q̂ of (6). What moves with ê_l accelerates by W_l Φ_l, so a pair of shapes adds to Q̂_k and N_k, with G_kl = ∫ Φ_k Φ_lᵀ dm,
    W_l : G_kl,   W_l = (α̂ + ω̂ω̂) ê_l + 2 ω̂ ê'_l + 1 ê''_l,      and      tr(ê_l G_kl) 1 - ê_l G_kl                (9)
  which serves pairs with a slaved shape, (2) and (6) the others.
Pairs of two slaved shapes  with u = Σ_j N_j σ_j and ∂_k u = Σ_j N_j P_jk, R_kl = ∫ ∂_k u (∂_l u)ᵀ dm = Σ_ij e_i e_j T_kl,ij is a
  quadratic form of the coordinates whose coefficients are of the design. u = ½ Σ_k e_k ∂_k u and u̇ = Σ_k ė_k ∂_k u, so that
    V_k = ∫ ∂_k u uᵀ dm = ½ Σ_l e_l R_kl,    ∫ u uᵀ dm = ½ Σ_k e_k V_k,    ∫ u̇ uᵀ dm = Σ_k ė_k V_k                (10)
  Where every σ is the product of two coordinates, that is less work than summing over all pairs of shapes three times.
"""

from functools import cached_property
from typing import Any

import numpy as np

from gough.dynamics.flexible import (
    Deformation,
    axial,
    move_origin,
    quadratic_form,
    split_spin,
    symmetric_part,
    weighted_sum,
    weighted_sums,
)
from gough.dynamics.numbers import Numbers
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot, product, zeros
from gough.spatial import RigidInertia, cross, skew, turning_matrix
from gough.spatial.inertia import kinetic_energy
from gough.structure.mechanism import Link

Vector = np.ndarray
Matrix = np.ndarray
Pair = tuple[int, int]
Terms = dict[Pair, dict[Pair, dict[Pair, Any]]]
"""T: {(k, l), k <= l: {(i, j), i <= j: {(row, column): number}}}."""
LARGEST = 40_000
"""Products of entries of forms up to which coefficients are looked for: more are never few."""

WORTH = 0.7
"""Share of the multiplications of sums over shapes below which coefficients are taken; of these sums some are shared."""


class Stiffened(Deformation):
    """A flexible link with slaved shapes. All shapes: its own m, then the slaved ones, n together."""

    def __init__(self, numbers: Numbers, link: Link, q: Vector) -> None:
        super().__init__(numbers, link, q)
        assert link.elastic is not None and link.elastic.slaved is not None
        slaved, m, at = link.elastic.slaved, self.m, numbers.elastic
        self.slaved = o = slaved.own
        self.of_moments = slaved.stiffening == "moments"
        pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
        self.forms = [zeros(m, m) for _ in range(slaved.count)]
        for form, entries in zip(self.forms, at(slaved.forms, len(pairs)), strict=True):
            for (k, ell), x in zip(pairs, entries, strict=True):
                form[k, ell] = form[ell, k] = x
        self.along = at(slaved.along, slaved.count).reshape(m, slaved.count)
        self.MSde: Matrix = np.concatenate([self.of.MSde, at(slaved.MSde, 3).T.reshape(3, o)], axis=1)
        own = [x.reshape(3, 3) for x in at(slaved.N1, 9)]
        if self.shift is not None:
            own = move_origin(own, self.MSde[:, m:], self.shift)
        self.N1: list[Matrix] = self.of.N1 + own
        self.G = [[zeros(3, 3) for _ in range(m + o)] for _ in range(m + o)]
        both = [(m + i, k) for i in range(o) for k in range(m)]
        both += [(m + i, m + j) for i in range(o) for j in range(i, o)]
        for (i, k), x in zip(both, at(slaved.products, 9), strict=True):
            self.G[i][k], self.G[k][i] = x.reshape(3, 3), x.reshape(3, 3).T
        self.between = [row[m:] for row in self.G[m:]]
        terms = quadratic_terms(self.forms, self.between) if slaved.count == o and o else None
        self.short = None if terms is None else SlavedInertia(self.e, terms)
        if self.short is not None:
            self.G = [[x if min(i, j) < m else zeros(3, 3) for j, x in enumerate(row)] for i, row in enumerate(self.G)]

    @cached_property
    def P(self) -> Matrix:
        """∂σ/∂e (s, m)."""
        return np.array([form @ self.e for form in self.forms], dtype=object).reshape(-1, self.m)

    @cached_property
    def lead(self) -> Matrix:
        """Ĵ = ∂ê/∂e (n, m)."""
        unit = zeros(self.m, self.m)
        for k in range(self.m):
            unit[k, k] = 1.0
        return np.concatenate([unit + self.along @ self.P, self.P[: self.slaved]])

    @cached_property
    def coordinates(self) -> Vector:
        """ê (n,)."""
        return self._all(self.e, 0.5 * (self.P @ self.e))

    def rates(self, rate: Vector) -> Vector:
        """ê' (n,)."""
        return self._all(rate, self.P @ rate)

    def accelerations(self, rate: Vector, rate_dot: Vector) -> Vector:
        """ê'' (n,)."""
        return self._all(rate_dot, self.P @ rate_dot + self._bends(rate))

    def _bends(self, rate: Vector) -> Vector:
        """ėᵀQ_jė (s,), by products of two rates, which all forms share."""
        out, squares = zeros(len(self.forms)), np.outer(rate, rate)
        for j, form in enumerate(self.forms):
            for k, ell in zip(*np.triu_indices(self.m), strict=True):
                if not structurally_zero(form[k, ell]):
                    out[j] = out[j] + ((1.0 if k == ell else 2.0) * form[k, ell]) * squares[k, ell]
        return out

    def _all(self, own: Vector, sigma: Vector) -> Vector:
        return np.concatenate([own + self.along @ sigma, sigma[: self.slaved]])

    @cached_property
    def D(self) -> Matrix:
        """∂MS/∂e (3, m)."""
        return product(self.MSde, self.lead)

    @cached_property
    def N(self) -> list[Matrix]:
        """N_k (3, 3) of every shape."""
        own = list(weighted_sums(self.of.N2, self.coordinates[: self.m]).reshape(self.m, 3, 3))
        own += [zeros(3, 3) for _ in range(self.slaved)]
        sums = weighted_sums(self.G, self.coordinates).reshape(-1, 3, 3)
        return [N1 + a + _crossed(S.T) for N1, a, S in zip(self.N1, own, sums, strict=True)]

    @cached_property
    def beta(self) -> Matrix:
        """∫ r × ∂r/∂e_k dm (3, m)."""
        out = product(self._beta, self.lead)
        if self.short is not None:
            out = out - np.array([axial(V) for V in self.short.V], dtype=object).T
        return out

    @cached_property
    def _beta(self) -> Matrix:
        return np.array([axial(N) for N in self.N], dtype=object).T.reshape(3, -1)

    @cached_property
    def _masses(self) -> Matrix:
        """M̂ (n, n)."""
        M = np.array([[x[0, 0] + x[1, 1] + x[2, 2] for x in row] for row in self.G], dtype=object)
        M[: self.m, : self.m] = self.of.M
        return M

    @cached_property
    def M(self) -> Matrix:
        """∫ ∂r/∂e_k · ∂r/∂e_l dm (m, m)."""
        if self.of_moments:
            return self._mass_of_moments()
        return self._led_mass(self.lead)

    @cached_property
    def held_mass(self) -> Matrix:
        """W (m, m): M of a body whose slaved shapes shift none of its coordinates."""
        unit = np.array(np.eye(self.m), dtype=object)
        return self._led_mass(np.concatenate([unit, self.P[: self.slaved]]))

    def _led_mass(self, lead: Matrix) -> Matrix:
        moved, out = product(self._masses, lead), zeros(self.m, self.m)
        for k in range(self.m):
            for ell in range(k, self.m):
                out[k, ell] = out[ell, k] = dot(lead[:, k], moved[:, ell])
        return out if self.short is None else out + self.short.masses

    def _mass_of_moments(self) -> Matrix:
        """M with slaved shapes that are orthonormal, and orthogonal to the body's own: M0 + A P + (A P)ᵀ + Pᵀ (Cᵀ A + 1) P with
        A = M0 C."""
        A = product(self.of.M, self.along)
        among = product(self.along.T, A)
        for j in range(self.slaved):
            among[j, j] = among[j, j] + 1.0
        mixed, felt, out = product(A, self.P), product(among, self.P), self.of.M.copy()
        for k in range(self.m):
            for ell in range(k, self.m):
                out[k, ell] = out[k, ell] + mixed[k, ell] + mixed[ell, k] + dot(self.P[:, k], felt[:, ell])
                out[ell, k] = out[k, ell]
        return out

    @cached_property
    def inertia(self) -> RigidInertia:
        """The deformed body as a rigid one."""
        body = self._as_rigid(self.coordinates, self.MSde, self.N1)
        if self.short is None:
            return body
        drawn = 0.5 * weighted_sum(self.e, self.short.V, (3, 3))
        return RigidInertia(body.mass, body.first_moments, body.tensor + symmetric_part(_crossed(drawn)))

    def wrench(self, w: Vector, wd: Vector, a: Vector, rate: Vector, rate_dot: Vector) -> tuple[Vector, Vector, Vector]:
        """(f, n, Q) of equations (4)–(9)."""
        body, of, m = self.inertia, self.of, self.m
        moves, pushes = self.rates(rate), self.accelerations(rate, rate_dot)
        turning, squares = turning_matrix(w, wd), np.outer(w, w)
        spin, swept = split_spin(w, moves)
        f = body.mass * a + turning @ body.first_moments + self.MSde @ pushes + cross(spin, self.MSde @ swept)
        n = cross(body.first_moments, a) + body.tensor @ wd + cross(w, body.tensor @ w)
        n = n + weighted_sum(swept, self.N, (3, 3)) @ spin + axial(weighted_sum(pushes, self.N, (3, 3)))
        if self.short is not None:
            n = n + self._moment_of_shortening(*split_spin(w, rate), rate, rate_dot)

        lambdas = [[axial(of.N2[j][k]) for k in range(m)] for j in range(m)]
        coriolis = weighted_sums(lambdas, swept[:m]).reshape(m, 3)
        own = weighted_sums(of.N2, self.coordinates[:m]).reshape(m, 3, 3)
        held = product(of.M, pushes[:m])
        hat = skew(spin)
        W = [turning * x for x in self.coordinates]
        for k, (rate_k, push) in enumerate(zip(swept, pushes, strict=True)):
            W[k] = W[k] + rate_k * hat
            for i in range(3):
                W[k][i, i] = W[k][i, i] + push
        rows = np.array([np.concatenate([x.ravel() for x in row]) for row in self.G], dtype=object)
        Q = product(rows, np.concatenate([x.ravel() for x in W]))
        for k in range(len(Q)):
            N = self.N1[k] + own[k] if k < m else self.N1[k]
            Q[k] = Q[k] + dot(self.MSde[:, k], a) + dot(axial(N), wd) - quadratic_form(N, squares)
            if k < m:
                Q[k] = Q[k] + dot(spin, coriolis[k]) + held[k]
        Q = product(self.lead.T, Q) + product(of.K, self.e) + product(of.D, rate)
        if self.short is not None:
            Q = Q + self._forces_of_shortening(turning, *split_spin(w, rate), rate, rate_dot)
        return f, n, Q

    def _pushed_by_bends(self, rate: Vector) -> list[Matrix]:
        """B_l = Σ_j ėᵀQ_jė ∫ N_j N_lᵀ dm (3, 3) of every slaved shape: the part of ü that no ë makes."""
        return list(weighted_sums(self.between, self._bends(rate)).reshape(-1, 3, 3))

    def _moment_of_shortening(self, spin: Vector, swept: Vector, rate: Vector, rate_dot: Vector) -> Vector:
        """What products of two slaved shapes add to n of (5)."""
        assert self.short is not None
        sigma = self.coordinates[self.m :]
        pushed = weighted_sum(rate_dot, self.short.V, (3, 3)) + weighted_sum(sigma, self._pushed_by_bends(rate), (3, 3))
        return _crossed(weighted_sum(swept, self.short.V, (3, 3))) @ spin - axial(pushed)

    def _forces_of_shortening(
        self, turning: Matrix, spin: Vector, swept: Vector, rate: Vector, rate_dot: Vector
    ) -> Vector:
        """The same of Q: (9) for pairs of slaved shapes, with (10)."""
        assert self.short is not None
        hat, traces = (
            skew(spin),
            np.array([B[0, 0] + B[1, 1] + B[2, 2] for B in self._pushed_by_bends(rate)], dtype=object),
        )
        Q = product(self.P.T, traces) + product(self.short.masses, rate_dot)
        for k in range(self.m):
            Q[k] = Q[k] + dot(self.short.V[k].ravel(), turning.ravel())
            Q[k] = Q[k] + dot(self.short.along(swept, k).ravel(), hat.ravel())
        return Q

    def kinetic(self, velocity: Vector, w: Vector, rate: Vector) -> Any:
        """Kinetic energy (J)."""
        moves = self.rates(rate)
        mixed = dot(velocity, self.MSde @ moves) + dot(w, self._beta @ moves)
        mixed = mixed + 0.5 * dot(moves, self._masses @ moves)
        if self.short is not None:
            mixed = mixed - dot(w, axial(weighted_sum(rate, self.short.V, (3, 3))))
            mixed = mixed + 0.5 * dot(rate, self.short.masses @ rate)
        return kinetic_energy(self.inertia, w, velocity) + mixed


def _crossed(A: Matrix) -> Matrix:
    """tr(A) 1 - A."""
    out, trace = -A, A[0, 0] + A[1, 1] + A[2, 2]
    for i in range(3):
        out[i, i] = trace - A[i, i]
    return out


class SlavedInertia:
    """R at coordinates e (m,)."""

    def __init__(self, e: Vector, terms: Terms) -> None:
        self.e, self.m, self.terms = e, len(e), terms

    @cached_property
    def R(self) -> list[list[Matrix]]:
        """R[k][l] (3, 3)."""
        out = [[zeros(3, 3) for _ in range(self.m)] for _ in range(self.m)]
        for (k, ell), squares in self.terms.items():
            for (i, j), entries in squares.items():
                product = self.e[i] * self.e[j]
                for place, x in entries.items():
                    out[k][ell][place] = out[k][ell][place] + x * product
            out[ell][k] = out[k][ell].T
        return out

    @cached_property
    def masses(self) -> Matrix:
        """∫ ∂_k u · ∂_l u dm (m, m)."""
        return np.array([[x[0, 0] + x[1, 1] + x[2, 2] for x in row] for row in self.R], dtype=object)

    @cached_property
    def V(self) -> list[Matrix]:
        """V_k (3, 3) of equation (10)."""
        return [0.5 * self.along(self.e, k) for k in range(self.m)]

    def along(self, x: Vector, k: int) -> Matrix:
        """Σ_l x_l R_kl (3, 3)."""
        total = zeros(3, 3)
        for value, R in zip(x, self.R[k], strict=True):
            total = total + value * R
        return total


def quadratic_terms(forms: list[Matrix], products: list[list[Matrix]]) -> Terms | None:
    """Coefficients T of R from forms Q (m, m) and products ∫ N_a N_bᵀ dm (3, 3); None where sums over shapes are less work."""
    entries = [
        [(k, i, form[k, i]) for k, i in np.ndindex(form.shape) if not structurally_zero(form[k, i])] for form in forms
    ]
    filled = [
        [[(place, x) for place, x in np.ndenumerate(G) if not structurally_zero(x)] for G in row] for row in products
    ]
    number = sum(map(len, entries))
    if number**2 > LARGEST:
        return None
    out: Terms = {}
    for a, first in enumerate(entries):
        for b, second in enumerate(entries):
            if not filled[a][b]:
                continue
            for k, i, x in first:
                for ell, j, y in second:
                    if k <= ell:
                        squares = out.setdefault((k, ell), {}).setdefault((min(i, j), max(i, j)), {})
                        for place, G in filled[a][b]:
                            squares[place] = squares.get(place, 0.0) + x * y * G
    here = sum(len(x) for squares in out.values() for x in squares.values())
    columns = [{j for j, form in enumerate(entries) for k, _, _ in form if k == c} for c in range(len(forms[0]))]
    pairs = sum(map(len, (x for row in filled for x in row)))
    moved = sum(1 for c in columns for a in range(len(forms)) for b in c if filled[a][b])
    closed = sum(len(c) * (n + 1) for n, c in enumerate(columns))
    return out if here + len(filled) ** 2 <= WORTH * (2 * pairs + moved + closed) else None
