"""Points of a body: how far they reach, how they move with it, axes they are seen in, rules to integrate over lengths."""

import numpy as np

from gough.errors import UsageError


def extent(points: np.ndarray) -> float:
    """Diagonal (m) of the box around points (n, 3)."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def hat(a: np.ndarray) -> np.ndarray:
    """Cross-product matrices (…, 3, 3) of vectors (…, 3): hat(a) @ b = a × b."""
    z = np.zeros(a.shape[:-1])
    x, y, w = a[..., 0], a[..., 1], a[..., 2]
    return np.stack([np.stack(row, -1) for row in ((z, -w, y), (w, z, -x), (-y, x, z))], -2)


def rigid_displacements(points: np.ndarray) -> np.ndarray:
    """Displacements (3 n, 6) of points (n, 3): three unit translations, three unit turns about the origin."""
    unit = np.broadcast_to(np.eye(3), (len(points), 3, 3))
    return np.concatenate([unit, -hat(points)], axis=2).reshape(-1, 6)


def rotation_matrix(rotation: object, where: str, tolerance: float) -> np.ndarray:
    """A rotation (3, 3), orthonormal to a tolerance, or an error; None is the identity."""
    R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=tolerance) or np.linalg.det(R) < 0.0:
        raise UsageError(f"{where}: rotation must be a right-handed orthonormal matrix (3, 3)")
    return R


def gauss_on_unit(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points and weights on 0 … 1."""
    points, weights = np.polynomial.legendre.leggauss(n)
    return (points + 1) / 2, weights / 2
