"""Eigenvalues of the linear robot and their derivatives, repeated ones included.

K x = λ M x with xᵀ M x = 1: λ' = xᵀ(K' - λ M')x. Of a group of equal λ with shapes X, the derivatives along one direction are the
eigenvalues of Xᵀ(K' - λ M')X, and x are those of its eigenvectors that continue. For several directions at once the basis of the
group is the one that makes all of these matrices as diagonal as one basis can (Jacobi's rotations); where they commute, as for
equal legs, that is exact. Damped: (s² M + s C + K) x = 0, s' = -wᴴ(s² M' + s C' + K')x / wᴴ(2 s M + C)x.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gough.analysis.modes import undamped_modes
from gough.identification.elastic._rest import RestMatrices

REPEATED = 1e-6
"""Relative distance of squares of frequencies that are one."""
SWEEPS = 60


@dataclass(frozen=True)
class Vibration:
    """squares (n,): λ in 1/s², slowest first; shapes (n, n) along y, xᵀ M x = 1; groups: of equal λ, as (first, last + 1)."""

    squares: np.ndarray
    shapes: np.ndarray
    groups: tuple[tuple[int, int], ...]

    @property
    def repeated(self) -> tuple[tuple[int, ...], ...]:
        """Modes of equal frequency, counted from 0."""
        return tuple(tuple(range(a, b)) for a, b in self.groups if b - a > 1)


def vibration(at: RestMatrices) -> Vibration:
    """Undamped vibrations."""
    squares, shapes = undamped_modes(at.M, at.K)
    shapes = shapes / np.sqrt(np.einsum("ij,ik,kj->j", shapes, at.M, shapes)) if len(squares) else shapes
    near = np.diff(squares) <= REPEATED * np.maximum(np.abs(squares[1:]), np.abs(squares[:-1]))
    ends = [0, *(np.flatnonzero(~near) + 1).tolist(), len(squares)] if len(squares) else [0]
    return Vibration(squares, shapes, tuple(pairwise(ends)))


def group_slopes(at: RestMatrices, found: Vibration, group: tuple[int, int]) -> np.ndarray:
    """Xᵀ(K' - λ M')X (k, m, m) of a group, by every unknown."""
    a, b = group
    X, square = found.shapes[:, a:b], float(found.squares[a:b].mean())
    return X.T @ (at.K_slopes - square * at.M_slopes) @ X


def square_slopes(at: RestMatrices, found: Vibration, bases: dict[int, np.ndarray] | None = None) -> np.ndarray:
    """λ' (k, n) by every unknown. bases: {first mode of a group: basis (m, m) in it}; default: the common one."""
    out = np.zeros((len(at.K_slopes), len(found.squares)))
    for a, b in found.groups:
        G = group_slopes(at, found, (a, b))
        Q = np.eye(b - a) if b - a == 1 else (bases or {}).get(a)
        Q = common_basis(G) if Q is None else Q
        out[:, a:b] = np.einsum("ij,kil,lj->kj", Q, G, Q)
    return out


def common_basis(matrices: np.ndarray) -> np.ndarray:
    """The rotation Q (m, m) for which Qᵀ A Q of symmetric matrices (k, m, m) are nearest to diagonal."""
    size = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    A = matrices / np.where(size > 0, size, 1.0)[:, None, None]
    m = A.shape[1]
    Q = np.eye(m)
    for _ in range(SWEEPS):
        largest = 0.0
        for p in range(m):
            for q in range(p + 1, m):
                h = np.stack([A[:, p, p] - A[:, q, q], 2 * A[:, p, q]])
                G = h @ h.T
                on, off = G[0, 0] - G[1, 1], 2 * G[0, 1]
                angle = 0.5 * np.arctan2(off, on + np.hypot(on, off))
                if on < 0 and abs(off) <= 1e-15 * abs(on):  # all of it stands beside the diagonal
                    angle = np.pi / 4
                R = np.eye(m)
                R[p, p] = R[q, q] = np.cos(angle)
                R[q, p], R[p, q] = np.sin(angle), -np.sin(angle)
                A, Q = R.T @ A @ R, Q @ R
                largest = max(largest, abs(float(angle)))
        if largest < 1e-14:
            break
    return Q


@dataclass(frozen=True)
class Poles:
    """Of the damped robot those that swing, above the real axis, slowest first: s (m,) 1/s and slopes (k, m)."""

    values: np.ndarray
    slopes: np.ndarray

    @property
    def frequencies_hz(self) -> np.ndarray:
        """|s| / 2π."""
        return np.abs(self.values) / (2 * np.pi)


def poles(at: RestMatrices) -> Poles:
    """Poles and their slopes; of equal ones those of the basis that the sum of all slopes has."""
    from scipy import linalg

    n, k = len(at.M), len(at.K_slopes)
    if not n:
        return Poles(np.zeros(0, dtype=complex), np.zeros((k, 0), dtype=complex))
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(at.M, at.K), -np.linalg.solve(at.M, at.C)]])
    found: Any = linalg.eig(A, left=True, right=True)
    values, left, right = found
    chosen = np.flatnonzero(np.imag(values) > 1e-9 * np.abs(values).max())
    chosen = chosen[np.argsort(np.abs(values[chosen]), kind="stable")]
    s, X, W = values[chosen], right[:n, chosen], np.linalg.solve(at.M.T, left[n:, chosen])
    slopes = np.zeros((k, len(s)), dtype=complex)
    begin = 0
    while begin < len(s):
        end = begin + 1
        while end < len(s) and abs(s[end] - s[begin]) <= REPEATED * abs(s[begin]):
            end += 1
        x, w, mean = X[:, begin:end], W[:, begin:end].conj().T, s[begin:end].mean()
        scale = np.linalg.inv(w @ (2 * mean * at.M + at.C) @ x)
        G = -scale @ (w @ (mean**2 * at.M_slopes + mean * at.C_slopes + at.K_slopes) @ x)
        if end - begin > 1 and k:
            size = np.abs(G).max(axis=(1, 2), keepdims=True)
            mixed = (G / np.where(size > 0, size, 1.0) * np.cos(np.arange(k))[:, None, None]).sum(axis=0)
            V = np.linalg.eig(mixed)[1]
            G = np.linalg.inv(V) @ G @ V
        slopes[:, begin:end] = np.einsum("kii->ki", G)
        begin = end
    return Poles(s, slopes)
