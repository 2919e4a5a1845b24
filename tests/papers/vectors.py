"""The vector algebra the transcriptions are written in; everything broadcasts on leading axes."""

import numpy as np


def dot(a, b):
    """Scalar product over the last axis."""
    return np.sum(a * b, axis=-1)


def cross(a, b):
    """Vector product over the last axis."""
    return np.cross(a, b)


def times(s, a):
    """Scalar field ``s (...)`` times vector field ``a (..., 3)``."""
    return np.asarray(s)[..., None] * a


def mv(M, a):
    """Matrix field ``(..., m, n)`` times vector field ``(..., n)``."""
    return np.einsum("...ij,...j->...i", M, a)


def outer(a, b):
    """Dyad a bᵀ over the last axis."""
    return a[..., :, None] * b[..., None, :]


def skew(a):
    """Matrix of the vector product: ``skew(a) b = a × b``."""
    a = np.asarray(a)
    S = np.zeros((*a.shape, 3), dtype=a.dtype)
    S[..., 0, 1], S[..., 0, 2] = -a[..., 2], a[..., 1]
    S[..., 1, 0], S[..., 1, 2] = a[..., 2], -a[..., 0]
    S[..., 2, 0], S[..., 2, 1] = -a[..., 1], a[..., 0]
    return S


def transpose(M):
    """Transpose of a matrix field."""
    return np.swapaxes(M, -1, -2)


def parallel_axis(m, s):
    """m (|s|² 1 − s sᵀ): what the theorem of parallel axes adds to a central tensor."""
    return -m * skew(s) @ skew(s)


def rotation_x(a):
    """Rotation about x by the angle ``a`` (...)."""
    a = np.asarray(a)
    one, zero = np.ones_like(a), np.zeros_like(a)
    return _rows([[one, zero, zero], [zero, np.cos(a), -np.sin(a)], [zero, np.sin(a), np.cos(a)]])


def rotation_y(a):
    """Rotation about y by the angle ``a`` (...)."""
    a = np.asarray(a)
    one, zero = np.ones_like(a), np.zeros_like(a)
    return _rows([[np.cos(a), zero, np.sin(a)], [zero, one, zero], [-np.sin(a), zero, np.cos(a)]])


def rotation_z(a):
    """Rotation about z by the angle ``a`` (...)."""
    a = np.asarray(a)
    one, zero = np.ones_like(a), np.zeros_like(a)
    return _rows([[np.cos(a), -np.sin(a), zero], [np.sin(a), np.cos(a), zero], [zero, zero, one]])


def _rows(rows):
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
