"""What residuals say of the noise, and what noise leaves unknown."""

import numpy as np
from scipy.special import chdtrc

from gough.identification.calibration._adjustment import Adjusted, exact_space, reduce_rows

LARGER = 1.2
"""Noise over the stated one, from which it is told …"""
CHANCE = 1e-3
"""… where chance alone would not often make it so large."""


def noise_of(found: Adjusted, keep: np.ndarray) -> tuple[float, float]:
    """(found deviation over the stated one, degrees of freedom left) of poses kept (n,)."""
    s = np.linalg.svd(_reduced(found, keep.astype(float))[0], compute_uv=False)
    freedom = float(found.equations.freedom[keep].sum()) - float(np.sum(s**2 / (1.0 + s**2)))
    squares = float(found.squares[keep].sum())
    return (np.sqrt(squares / freedom) if freedom > 0.5 and squares > 0 else 1.0), freedom


def is_more_than_chance(squares: np.ndarray | float, freedom: np.ndarray | float) -> np.ndarray:
    """Whether sums of squares, in units of the stated noise, are larger than such noise makes them."""
    freedom = np.maximum(freedom, 0.5)
    return (squares > LARGER**2 * freedom) & (chdtrc(freedom, np.maximum(squares, 0.0)) < CHANCE)


def root_of_covariance(found: Adjusted, weights: np.ndarray, noise: float = 1.0) -> np.ndarray:
    """(p, k): F with F Fᵀ the covariance of all unknowns, in units of their prior deviations; weights (n,) of the poses."""
    A, Z = _reduced(found, weights)
    _, s, V = np.linalg.svd(A / noise, full_matrices=True)
    s = np.concatenate([s, np.zeros(Z.shape[1] - len(s))])
    return Z @ (V.T / np.sqrt(1.0 + s**2))


def _reduced(found: Adjusted, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the equations along directions that keep what must hold, these directions (p, k))."""
    R, _ = reduce_rows(found.equations, weights)
    Z = exact_space(found.equations.exact, found.equations.exact_rest, R.shape[1])[1]
    return R @ Z, Z
