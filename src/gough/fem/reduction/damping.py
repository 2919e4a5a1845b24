"""Damping of the elastic coordinates: a ratio for each mode, Rayleigh's, or a matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.fem._slopes import spectral_sum


@dataclass(frozen=True)
class ModalRatio:
    """Ratio(s) to critical damping of the elastic modes (the body's axes held): one number, or one for each mode."""

    ratio: float | Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Rayleigh:
    """D = alpha M + beta K; alpha in 1/s, beta in s."""

    alpha: float
    beta: float


@dataclass(frozen=True)
class DampingMatrix:
    """D (m, m) itself, symmetric, positive semi-definite."""

    matrix: np.ndarray


Damping = ModalRatio | Rayleigh | DampingMatrix


def damping_matrix(damping: Damping | None, M: np.ndarray, K: np.ndarray) -> np.ndarray:
    """D (m, m) for mass and stiffness of the elastic coordinates (m, m)."""
    match damping:
        case None:
            return np.zeros_like(K)
        case ModalRatio(ratio):
            return _modal(np.asarray(ratio, dtype=float), M, K)
        case Rayleigh(alpha, beta):
            if not (np.isfinite(alpha) and np.isfinite(beta) and alpha >= 0.0 and beta >= 0.0):
                raise UsageError(f"Rayleigh damping needs alpha >= 0 (1/s) and beta >= 0 (s), not {alpha}, {beta}")
            return alpha * M + beta * K
        case DampingMatrix(matrix):
            return semidefinite_matrix(matrix, len(K), "the damping matrix")
    raise UsageError(f"{damping!r} is no damping; use ModalRatio, Rayleigh or DampingMatrix")


def damping_remark(damping: Damping | None) -> str:
    """One line on how the body is damped."""
    return "damping: none" if damping is None else f"damping: {type(damping).__name__}"


def _modal(ratio: np.ndarray, M: np.ndarray, K: np.ndarray) -> np.ndarray:
    m = len(K)
    if ratio.shape not in ((), (m,)) or not np.isfinite(ratio).all() or (ratio < 0.0).any():
        raise UsageError(
            f"damping ratios must be one number or {m} of them (one a mode), none negative; got {ratio.tolist()}"
        )
    if _is_diagonal(M) and _is_diagonal(K):
        return np.diag(2.0 * ratio * np.sqrt(np.diag(K) * np.diag(M)))
    return spectral_sum(M, K, np.broadcast_to(2.0 * ratio, m))  # 2ζ/ω on every mode of unit stiffness


def _is_diagonal(A: np.ndarray) -> bool:
    return not np.any(A - np.diag(np.diag(A)))


def semidefinite_matrix(matrix: np.ndarray, size: int, what: str) -> np.ndarray:
    """The matrix (size, size), checked finite, symmetric and positive semi-definite."""
    D = np.asarray(matrix, dtype=float)
    if D.shape != (size, size) or not np.isfinite(D).all():
        raise UsageError(f"{what} must be ({size}, {size}) finite numbers, not {D.shape}")
    scale = np.abs(D).max(initial=0.0)
    if np.abs(D - D.T).max(initial=0.0) > 1e-8 * scale:
        i, j = np.unravel_index(int(np.argmax(np.abs(D - D.T))), D.shape)
        raise UsageError(f"{what} is not symmetric: entries ({i}, {j}) and ({j}, {i}) are {D[i, j]:g} and {D[j, i]:g}")
    D = 0.5 * (D + D.T)
    lowest = float(np.linalg.eigvalsh(D)[0]) if size else 0.0
    if lowest < -1e-10 * scale:
        raise UsageError(f"{what} has the negative eigenvalue {lowest:g}: it must not feed energy")
    return D
