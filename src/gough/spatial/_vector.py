"""Three-vectors of any scalar."""

from typing import Any

import numpy as np

Vector = np.ndarray


def vector(x: Any, y: Any, z: Any) -> Vector:
    """Object array (3,)."""
    out = np.empty(3, dtype=object)
    out[0], out[1], out[2] = x, y, z
    return out


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def skew(a: Vector) -> np.ndarray:
    """Matrix (3, 3) with skew(a) @ b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]], dtype=object)


def turning_matrix(w: Vector, wd: Vector) -> np.ndarray:
    """Matrix (3, 3) with matrix @ r = α × r + ω × (ω × r) for angular velocity w and acceleration wd."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array(
        [
            [-(yy + zz), xy - wd[2], xz + wd[1]],
            [xy + wd[2], -(xx + zz), yz - wd[0]],
            [xz - wd[1], yz + wd[0], -(xx + yy)],
        ],
        dtype=object,
    )


def unit(k: int, sign: float = 1.0) -> Vector:
    """The k-th coordinate direction times sign."""
    out = np.full(3, 0.0, dtype=object)
    out[k] = sign
    return out
