"""Least squares of any number of rows: a triangle for every kind of row, weighed and joined afterwards.

R of the QR decomposition of [Y | target] holds all that least squares needs of its rows. Rows of one kind (of one drive) have one
noise; so a triangle each is kept while samples pass by once, and noises are found from the triangles alone:
    σ_r² = |R_r (φ, -1)|² / (n_r - p n_r/n),   φ = argmin Σ |R_r (φ, -1)|² / σ_r²,   in turns (IDIM-LS, Gautier 1997).
Rows are first divided by R₀, the triangle of a few of them taken from everywhere: columns of what is left are nearly
orthonormal, so that its squares G lose nothing, and R = chol(G) R₀ is as exact as Householder's and many times as fast. A column
that is 0 in all rows of a kind (friction of another drive) stays 0 in its R, which is then no triangle but has the same squares.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.compilation.row_squares import RowSquares
from gough.errors import UsageError
from gough.identification.data.samples import Samples
from gough.identification.estimation.hands import HERE, Hands
from gough.identification.estimation.rows import EquationPart, ForceEquations, Piece, Rows

ENOUGH = 2
"""ForceEquations for each parameter, at least: with fewer a drive can be fitted exactly, and would count more than all others."""
TURNS = 30
"""Of weights and estimates."""
SETTLED = 1e-10
"""Relative change of the weights that ends them."""
FEW = 8
"""Samples for R₀ over parameters."""
CLEAR = 1e-9
"""Least diagonal of R₀ of its columns, and inverse of the largest condition of G, for squares to be exact."""
RANK = 1e-10
"""Singular values of the data, columns of unit length, that count as none."""
QUIET = 1e-9
"""Least noise of a row, of the largest force: of data without noise."""


@dataclass(frozen=True)
class RowTriangles:
    """R (rows, p + 1, p + 1) of [Y | target] of every kind of row, from `count` samples."""

    R: np.ndarray
    count: int

    @classmethod
    def of(cls, equations: ForceEquations, hands: Hands = HERE) -> "RowTriangles":
        """From all pieces of samples."""
        size, kinds, total = equations.rows.size, len(equations.rows.names), equations.count
        if total * kinds < ENOUGH * size:
            raise UsageError(
                f"{total} samples that are left give {total * kinds} equations for {size} parameters, and {ENOUGH * size} are "
                "the least that tell their noise, too; record for longer, thin out less (thin=), or identify fewer parameters"
            )
        few = _first_triangles(equations.rows, equations.samples)
        R = None if few is None else _by_squares(equations, few, hands)
        return cls(_by_reflections(equations, kinds, size) if R is None else R, total)

    def squares(self, phi: np.ndarray) -> np.ndarray:
        """Σ residual² (rows,) of an estimate."""
        return ((self.R @ np.append(phi, -1.0)) ** 2).sum(axis=1)

    def noise(self, phi: np.ndarray) -> np.ndarray:
        """σ (rows,) of the residuals of an estimate; what it fits counts as shared by all rows."""
        share = len(phi) / (len(self.R) * self.count)
        floor = QUIET * np.abs(self.R[:, :, -1]).max() / np.sqrt(self.count)
        return np.maximum(np.sqrt(self.squares(phi) / (self.count * max(1.0 - share, 0.05))), floor)

    def weighed_triangle(self, sigma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(T (p, p), z (p,)) with least squares |T φ - z|² of all rows, each over its noise."""
        stacked: Any = np.linalg.qr((self.R / sigma[:, None, None]).reshape(-1, self.R.shape[2]), mode="r")
        return stacked[:-1, :-1], stacked[:-1, -1]


def _first_triangles(rows: Rows, samples: Samples) -> np.ndarray | None:
    """R₀ (rows, p + 1, p + 1) of samples from everywhere; None where they are few, or do not tell all columns apart."""
    size = rows.size + 1
    if len(samples) < 4 * FEW * size:
        return None
    Y, target, _ = rows.equations(samples, slice(0, len(samples), len(samples) // (FEW * size)))
    out = np.tile(np.eye(size), (Y.shape[1], 1, 1))
    for r, own in enumerate(out):
        block = np.column_stack([Y[:, r], target[:, r]])
        there = np.flatnonzero(block.any(axis=0))  # a column of zeros is divided by 1
        R: Any = np.linalg.qr(block[:, there], mode="r")
        if (np.abs(np.diagonal(R)) <= CLEAR * np.linalg.norm(R, axis=0)).any():
            return None
        own[np.ix_(there, there)] = R
    return out


def even_squares(part: EquationPart, few: np.ndarray) -> np.ndarray:
    """G (rows, p + 1, p + 1) of a part of the equations, divided by R₀."""
    out = RowSquares(few)
    for (piece,) in part:
        out.add(piece.Y, piece.target)
    return out.total


def _by_squares(equations: ForceEquations, few: np.ndarray, hands: Hands) -> np.ndarray | None:
    """chol(G) R₀; None where G is not clearly positive: the few were not like the rest."""
    G: Any = sum(hands.over(even_squares, equations.parts(), few))
    empty = np.diagonal(G, axis1=1, axis2=2) == 0  # no row has a number there
    usual = np.trace(G, axis1=1, axis2=2) / np.maximum((~empty).sum(axis=1), 1)
    G = G + (empty * np.where(usual > 0, usual, 1.0)[:, None])[:, None] * np.eye(few.shape[1])
    try:
        factors = np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        return None
    if (np.linalg.cond(G) > 1.0 / CLEAR).any():
        return None
    return np.where(empty[:, None], 0.0, np.swapaxes(factors, 1, 2) @ few)


def _by_reflections(pieces: Iterable[Piece], kinds: int, size: int) -> np.ndarray:
    """By Householder's decomposition, block after block."""
    R = np.zeros((kinds, size + 1, size + 1))
    for piece in pieces:
        for r in range(kinds):
            block = np.column_stack([piece.Y[:, r], piece.target[:, r]])
            found = np.linalg.qr(np.vstack([R[r], block]), mode="r")
            R[r, : len(found)] = found
    return R


@dataclass(frozen=True)
class WeighedSolution:
    """φ (p,), noise of the rows sigma (rows,), half (p, p) with half halfᵀ = (JᵀJ)⁻¹ of
    weighed rows; directions (k, p): of φ that
    the data leave where they were; singular_values (p,): of the data, columns of unit length."""

    phi: np.ndarray
    sigma: np.ndarray
    half: np.ndarray
    directions: np.ndarray
    singular_values: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """(JᵀJ)⁻¹ (p, p): of white noise."""
        return self.half @ self.half.T


def solve_weighed(triangles: RowTriangles, first: np.ndarray, weights: np.ndarray | None = None) -> WeighedSolution:
    """Least squares in which rows count by their noise, found from the data unless `weights` (rows,), the noises, are given.
    first (p,): what stays where the data tell nothing."""
    sigma = np.ones(len(triangles.R)) if weights is None else weights
    phi = np.array(first)
    for _ in range(TURNS if weights is None else 1):
        T, z = triangles.weighed_triangle(sigma)
        phi, inverse, directions, values = solve_scaled(T, z, first)
        found = triangles.noise(phi) if weights is None else sigma
        done = bool((np.abs(found - sigma) <= SETTLED * found).all())
        sigma = found
        if done:
            break
    T, z = triangles.weighed_triangle(sigma)
    phi, inverse, directions, values = solve_scaled(T, z, first)
    return WeighedSolution(phi, sigma, inverse, directions, values)


def solve_scaled(
    T: np.ndarray, z: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(φ, inverse (p, p), directions, singular values) of |T φ - z| least and, among those, φ nearest to `first`; columns are
    scaled to unit length before ranks are judged."""
    size = np.linalg.norm(T, axis=0)
    size = np.where(size > 0, size, 1.0)
    U, values, Vt = np.linalg.svd(T / size)
    told = values > RANK * values[0] if values.size and values[0] > 0 else np.zeros(len(values), dtype=bool)
    inverse = (Vt[told].T / values[told]) @ U[:, told].T / size[:, None]
    return first + inverse @ (z - T @ first), inverse, Vt[~told] / size, values
