"""Reciprocal condition numbers and signs of determinants of many small matrices, faster than a singular value
decomposition of each.

The extreme singular values of A are roots of the extreme eigenvalues of A Aᵀ, which loses digits where A is nearly
singular; there (and only there) the decomposition of A itself decides.
"""

import numpy as np

CAREFUL = 1e-4
"""Below this the decomposition decides. Eigenvalues err by some 1e-15 of the largest: relative error here below 1e-6."""
CAREFUL_CUBIC = 5e-2
"""The same for 3 x 3, whose roots in closed form err by up to 1e-8 where two of them meet: below 1e-5."""


def reciprocal_conditions(a: np.ndarray) -> np.ndarray:
    """Smallest over largest singular value (n,) of matrices (n, rows, columns), of the row space; of a single row the length, at
    most 1. NaN where a is not finite, 0 where there are fewer columns than rows."""
    n, rows, columns = a.shape
    finite = np.asarray(np.isfinite(a).all(axis=(1, 2)))
    if rows == 0 or n == 0:
        return np.where(finite, 1.0, np.nan)
    if columns < rows:
        return np.where(finite, 0.0, np.nan)
    clean = a if finite.all() else np.where(finite[:, None, None], a, 0.0)
    square = clean @ clean.transpose(0, 2, 1)
    if rows == 1:  # nothing to compare with
        return np.where(finite, np.sqrt(np.minimum(square[:, 0, 0], 1.0)), np.nan)
    if rows == 3:
        lowest, highest = _cubic(square)
    else:
        eigenvalues = np.linalg.eigvalsh(square)
        lowest, highest = eigenvalues[:, 0], eigenvalues[:, -1]
    out = np.sqrt(np.maximum(lowest, 0.0) / np.where(highest > 0, highest, 1.0))
    doubtful = np.flatnonzero(out < (CAREFUL_CUBIC if rows == 3 else CAREFUL))
    if len(doubtful):
        s = np.linalg.svd(clean[doubtful], compute_uv=False)
        out[doubtful] = s[:, -1] / np.where(s[:, 0] > 0, s[:, 0], 1.0)
    return np.where(finite, out, np.nan)


def determinant_signs(a: np.ndarray) -> np.ndarray:
    """Signs (n,) -1, 0, 1 of the determinants of square matrices (n, k, k); 0 where a is not finite."""
    finite = np.asarray(np.isfinite(a).all(axis=(1, 2)))
    clean = a if finite.all() else np.where(finite[:, None, None], a, 0.0)
    sign, _ = np.linalg.slogdet(clean)
    return np.where(finite, sign, 0.0).astype(np.int8)


def _cubic(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(smallest, largest) eigenvalues (n,) of symmetric b (n, 3, 3), by the trigonometric solution of the cubic."""
    x, y, z = b[:, 0, 0], b[:, 1, 1], b[:, 2, 2]
    u, v, w = b[:, 0, 1], b[:, 0, 2], b[:, 1, 2]
    mean = (x + y + z) / 3.0
    x, y, z = x - mean, y - mean, z - mean
    p = np.sqrt((x * x + y * y + z * z + 2.0 * (u * u + v * v + w * w)) / 6.0)
    det = x * (y * z - w * w) - u * (u * z - w * v) + v * (u * w - y * v)
    angle = np.arccos(np.clip(det / np.where(p > 0, 2.0 * p**3, 1.0), -1.0, 1.0)) / 3.0
    return mean + 2.0 * p * np.cos(angle + 2.0 * np.pi / 3.0), mean + 2.0 * p * np.cos(angle)
