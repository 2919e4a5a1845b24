"""Linear algebra of numbers with slopes (`gough.scalar.slopes`).

What is decided by a size, an order or a rank is decided by real parts. What LAPACK does with conjugates is done here on real
parts, and slopes follow from the equations that it solves.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.linalg import null_space as real_null_space
from scipy.sparse import csr_array

from gough.scalar.slopes import has_slopes, join_slopes, real_part, slope_part

EQUAL = 1e-8
"""Eigenvalues nearer than that, of the largest, are equal: their vectors may be any of their span."""
NEAR = 1e-5
"""Difference of two numbers, of their sum, below which a divided difference is the slope between them."""


def apart(A: csr_array) -> tuple[csr_array, csr_array]:
    """(values, slopes times STEP) of a sparse matrix."""
    return csr_array(A.real), csr_array(A.imag) if has_slopes(A) else csr_array(A.shape)


def lengths(x: np.ndarray) -> np.ndarray:
    """Of vectors along the last axis."""
    return np.sqrt(np.sum(x * x, axis=-1)) if has_slopes(x) else np.linalg.norm(x, axis=-1)


def least_squares(A: np.ndarray, b: np.ndarray, rcond: float) -> np.ndarray:
    """x with A x nearest to b, of least size where A does not tell (its null space stays)."""
    values, _, rank, _ = np.linalg.lstsq(real_part(A), real_part(b), rcond=rcond)
    if not has_slopes(A, b):
        return values
    U, s, Vt = np.linalg.svd(real_part(A), full_matrices=False)
    U, s, V = U[:, :rank], s[:rank], Vt[:rank].T
    left = real_part(b) - real_part(A) @ values
    known = (U.T @ (slope_part(b) - slope_part(A) @ values)).T / s
    return join_slopes(values, V @ (known.T + (((slope_part(A) @ V).T @ left).T / s**2).T))


def symmetric_axes(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (n,), ascending, and vectors (n, n) of a symmetric matrix; vectors of equal ones turn no further than these."""
    values, axes = np.linalg.eigh(real_part(A))
    if not has_slopes(A):
        return values, axes
    change = axes.T @ slope_part(A) @ axes
    gap = values - values[:, None]
    near = np.abs(gap) <= EQUAL * np.abs(values).max(initial=0.0)
    turn = np.where(near, 0.0, change / np.where(near, 1.0, gap))
    return join_slopes(values, np.diag(change).copy()), join_slopes(axes, axes @ turn)


def spectral_sum(M: np.ndarray, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ_i w_i √(1/λ_i) K φ_i φ_iᵀ K over K φ = λ M φ with φᵀKφ = 1, slowest first; M may be singular."""
    inverse, phi = eigh(real_part(M), real_part(K))
    order = np.argsort(-inverse)
    inverse, phi = np.maximum(inverse[order], 0.0), phi[:, order]
    carried = real_part(K) @ phi
    factors = weights * np.sqrt(inverse)
    values = carried @ (factors * carried).T
    if not has_slopes(M, K):
        return values
    # Fast modes, of small 1/λ, carry rounding of slow ones: taken off, each measured by its own.
    S, T = phi.T @ real_part(K) @ phi, phi.T @ real_part(M) @ phi
    gap = np.diag(T) - np.diag(T)[:, None]
    near = np.abs(gap) <= NEAR * (np.diag(T) + np.diag(T)[:, None])
    phi = phi + phi @ np.where(near, -0.5 * (S - np.eye(len(S))), (T - np.diag(T) * S) / np.where(near, 1.0, gap))
    phi = phi / np.sqrt(np.sum(phi * (real_part(K) @ phi), axis=0))
    inverse, carried = np.maximum(np.sum(phi * (real_part(M) @ phi), axis=0), 0.0), real_part(K) @ phi
    factors = weights * np.sqrt(inverse)
    # With K = C Cᵀ, C = Kφ: K' = C S Cᵀ and M' in these axes; f of the symmetric matrix C⁻¹ M C⁻ᵀ by divided differences.
    S, T = phi.T @ slope_part(K) @ phi, phi.T @ slope_part(M) @ phi
    change = T - 0.5 * (S * inverse + inverse[:, None] * S)
    gap = inverse - inverse[:, None]
    near = np.abs(gap) <= NEAR * (inverse + inverse[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        by_root = np.where(inverse > 0.0, weights / (2.0 * np.sqrt(inverse)), 0.0)
        ratio = np.where(near, 0.5 * (by_root + by_root[:, None]), (factors - factors[:, None]) / gap)
    inner = ratio * change + 0.5 * (S * factors + factors[:, None] * S)
    return join_slopes(values, carried @ inner @ carried.T)


def null_space(A: np.ndarray, rcond: float) -> np.ndarray:
    """A basis (n, k) of what A takes to zero."""
    N = real_null_space(real_part(A), rcond=rcond)
    return join_slopes(N, -np.linalg.pinv(real_part(A), rcond=rcond) @ (slope_part(A) @ N)) if has_slopes(A) else N


def orthogonal_to(row: np.ndarray) -> np.ndarray:
    """Q (k, k), orthonormal, whose first column is along a row (k,)."""
    Q = np.linalg.qr(real_part(row)[:, None], mode="complete")[0]
    if not has_slopes(row):
        return Q
    first = row * (np.sign(real_part(row) @ Q[:, 0]) / np.sqrt(row @ row))
    turn = np.zeros(Q.shape)
    turn[1:, 0] = Q[:, 1:].T @ first.imag
    turn[0, 1:] = -turn[1:, 0]
    return join_slopes(Q, Q @ turn)


def orthonormal(products: np.ndarray) -> np.ndarray:
    """(n, n) that makes fields orthonormal whose values are so: products (n, n) of them with each other."""
    return (
        join_slopes(np.eye(len(products)), -0.5 * slope_part(products))
        if has_slopes(products)
        else np.eye(len(products))
    )
