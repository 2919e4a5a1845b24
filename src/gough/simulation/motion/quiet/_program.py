"""A convex quadratic program, min ½xᵀHx + gᵀx where A x ≤ b, by a primal-dual method of the interior.

Steps are Mehrotra's: one towards the corner, from which the middle is chosen, and one towards the middle, corrected for the first
[S. Mehrotra, SIAM J. Optimization 2(4), 1992; J. Nocedal, S. Wright, Numerical Optimization, 2006, algorithm 16.4].
"""

from typing import Any

import numpy as np

ROUNDS = 80
NEAR = 1e-11
"""Largest complementarity and infeasibility, relative to the sizes of the terms."""


def minimise_quadratic(H: np.ndarray, g: np.ndarray, A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, bool]:
    """(x (n,), whether it is the minimum). H (n, n) positive definite; rows of A (m, n) of about the same size."""
    m = len(b)
    x: Any = np.linalg.solve(H, -g)
    if not m or (A @ x <= b).all():
        return x, True
    y: Any = np.maximum(b - A @ x, 1.0)  # slack
    z: Any = np.full(m, max(1.0, float(np.abs(g).max())))
    best, left = x, np.inf
    for _ in range(ROUNDS):
        dual, primal = H @ x + g + A.T @ z, A @ x + y - b
        gap = float(y @ z) / m
        sizes = 1.0 + np.abs(g).max() + np.abs(H @ x).max(), 1.0 + np.abs(b).max()
        off = max(np.abs(dual).max() / sizes[0], np.abs(primal).max() / sizes[1], gap / sizes[0])
        if off < left:
            best, left = x, off
        if off < NEAR:
            break
        weight = z / y
        try:
            factor = np.linalg.cholesky(H + (A.T * weight) @ A)
        except np.linalg.LinAlgError:
            break

        def step(centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            """(dx, dy, dz) with y z + z dy + y dz = centre."""
            r = -dual - A.T @ (weight * primal) - A.T @ ((centre - y * z) / y)  # noqa: B023
            dx = np.linalg.solve(factor.T, np.linalg.solve(factor, r))  # noqa: B023
            dy = -primal - A @ dx  # noqa: B023
            return dx, dy, (centre - y * z - z * dy) / y  # noqa: B023

        _, dy, dz = step(np.zeros(m))
        a = min(_room(y, dy), _room(z, dz))
        after = float((y + a * dy) @ (z + a * dz)) / m
        dx, dy, dz = step((after / gap) ** 3 * gap - dy * dz)
        a = 0.995 * min(_room(y, dy), _room(z, dz))
        x, y, z = x + a * dx, y + a * dy, z + a * dz
    return best, left < 1e-7


def _room(x: np.ndarray, step: np.ndarray) -> float:
    """How much of a step, up to all of it, leaves x (m,) positive."""
    down = step < 0
    return min(1.0, float((-x[down] / step[down]).min(initial=1.0)))
