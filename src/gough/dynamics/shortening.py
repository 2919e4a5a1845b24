"""Inertia of shortening among a body's coordinates: products of two displacements of second order, as polynomials.

Computes  R_kl = ∫ ∂_k u (∂_l u)ᵀ dm (3, 3) of u = Σ_j N_j σ_j, σ_j = ½ eᵀ Q_j e (stiffened.py), and what follows from it.
Derivation  ∂_k u = Σ_j N_j P_jk with P_j = eᵀ Q_j, so R_kl = Σ_ij e_i e_j T_kl,ij is a quadratic form of the coordinates whose
            coefficients are of the design. u = ½ Σ_k e_k ∂_k u and u̇ = Σ_k ė_k ∂_k u, so that
    V_k = ∫ ∂_k u uᵀ dm = ½ Σ_l e_l R_kl,    ∫ u uᵀ dm = ½ Σ_k e_k V_k,    ∫ u̇ uᵀ dm = Σ_k ė_k V_k                  (1)
  Where every σ is the product of two coordinates, that is less work than summing over all pairs of shapes three times.
"""

from functools import cached_property
from typing import Any

import numpy as np

from gough.friction.coulomb import structurally_zero
from gough.scalar import zeros

Vector = np.ndarray
Matrix = np.ndarray
Pair = tuple[int, int]
Terms = dict[Pair, dict[Pair, dict[Pair, Any]]]
"""T: {(k, l), k <= l: {(i, j), i <= j: {(row, column): number}}}."""
LARGEST = 40_000
"""Products of entries of forms up to which coefficients are looked for: more are never few."""

WORTH = 0.7
"""Share of the multiplications of sums over shapes below which coefficients are taken; of these sums some are shared."""


class Shortening:
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
        """V_k (3, 3) of equation (1)."""
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
