"""Covariances of a filter over many samples at once, by doubling.

    P' = Q + Φ P (I + G P)⁻¹ Φᵀ,   G = Cᵀ C  (readings of variance 1)                                                    (1)
is one sample. So many of them are a map of the same form, P' = H + Aᵀ P (I + G P)⁻¹ A, from A = Φᵀ, H = Q on; twice as many
    A₂ = A W A,  G₂ = G + A W G Aᵀ,  H₂ = H + Aᵀ H W A,   W = (I + G H)⁻¹                                               (2)
[Anderson 1978, "Second-order convergent algorithms for the steady-state Riccati equation"]. H has a limit where a steady filter
exists: the least covariance that solves (1).
"""

import numpy as np

Vector = np.ndarray
MOST_DOUBLINGS = 48
SETTLED = 1e-12
"""Change of a covariance, of its size, that is rounding."""


def longer_step(step: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector, Vector]:
    """Equation (2): the map (A, G, H) of twice as many samples."""
    A, G, H = step
    n = len(A)
    solved = np.linalg.solve(np.eye(n) + G @ H, np.concatenate([A, G @ A.T], axis=1))
    WA, WGA = solved[:, :n], solved[:, n:]
    more, grown = A @ WGA, A.T @ H @ WA
    return A @ WA, G + 0.5 * (more + more.T), H + 0.5 * (grown + grown.T)


def steady_covariance(transition: Vector, C: Vector, Q: Vector) -> Vector | None:
    """P (n, n) before a reading that (1) leaves as it is; None where errors of something that nothing shows do not die out."""
    step = transition.T, C.T @ C, Q
    for _ in range(MOST_DOUBLINGS):
        try:
            after = longer_step(step)
        except np.linalg.LinAlgError:
            return None
        if not all(np.isfinite(x).all() for x in after):
            return None
        change = np.abs(after[2] - step[2]).max()
        step = after
        if change <= SETTLED * np.abs(step[2]).max():
            return step[2]
    return None


def covariance_after(P: Vector, transition: Vector, C: Vector, Q: Vector, samples: int) -> Vector:
    """P (n, n) before a reading, so many samples later."""
    step, left, n = (transition.T, C.T @ C, Q), samples, len(P)
    while left:
        if left % 2:
            A, G, H = step
            found = H + A.T @ P @ np.linalg.solve(np.eye(n) + G @ P, A)
            P = 0.5 * (found + found.T)
        left //= 2
        step = longer_step(step) if left else step
    return P
