"""Rotations as a page wants them: quaternions."""

import numpy as np


def quaternion_wxyz(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4) of rotations (..., 3, 3): the eigenvector that Shepperd's largest term gives."""
    R = np.asarray(rotation, dtype=float)
    t = np.trace(R, axis1=-2, axis2=-1)
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    # Row k of K is 4 q_k q: the largest is the safest.
    K = np.empty((*R.shape[:-2], 4, 4))
    K[..., 0, 0] = 1.0 + t
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[..., i + 1, i + 1] = 1.0 - t + 2.0 * diagonal[..., i]
        K[..., 0, i + 1] = K[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
        K[..., j + 1, k + 1] = K[..., k + 1, j + 1] = R[..., j, k] + R[..., k, j]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def between_points(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(quaternions (..., 4) that turn z towards end - start, lengths (...))."""
    d = np.asarray(end) - np.asarray(start)
    length = np.linalg.norm(d, axis=-1)
    z = d / np.where(length > 0, length, 1.0)[..., None]
    w = 1.0 + z[..., 2]
    flipped = w < 1e-9  # straight down: half a turn about x
    q = np.stack([w, -z[..., 1], z[..., 0], np.zeros_like(w)], axis=-1)
    q[flipped] = (0.0, 1.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=-1, keepdims=True), length
