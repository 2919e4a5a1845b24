"""Choosing a link's internal axes: the description's own when the joint's axes are principal, the joint's triad else."""

import numpy as np

Vector3 = tuple[float, float, float]


def triad(axes: list[np.ndarray]) -> np.ndarray:
    """Right-handed orthonormal triad (3, 3), columns e0 e1 e2, with e0 (and e1 where given) along the stated axes.

    With one axis: for a coordinate axis the next two follow cyclically (z: x, y); a tilted axis takes e1 perpendicular
    to it and to the coordinate axis it is least aligned with.
    """
    if not axes:
        return np.eye(3)
    e0 = np.asarray(axes[0], dtype=float)
    e0 = e0 / np.linalg.norm(e0)
    if len(axes) > 1:
        e1 = np.asarray(axes[1], dtype=float)
        e1 = e1 - (e1 @ e0) * e0
        e1 = e1 / np.linalg.norm(e1)
    else:
        k = int(np.argmax(np.abs(e0)))
        if abs(abs(e0[k]) - 1.0) < 1e-15:
            e1 = np.eye(3)[(k + 1) % 3]
        else:
            e1 = np.cross(np.eye(3)[int(np.argmin(np.abs(e0)))], e0)
            e1 = e1 / np.linalg.norm(e1)
    return np.column_stack([e0, e1, np.cross(e0, e1)])


def is_signed_permutation(matrix: np.ndarray) -> bool:
    """True when every entry is 0 or ±1."""
    return bool(np.all(np.abs(matrix - np.round(matrix)) < 1e-14) and np.all(np.abs(np.round(matrix)).sum(axis=0) == 1))


def internal_axes(directions: np.ndarray) -> tuple[np.ndarray, list[tuple[int, float]]]:
    """(A, [(axis, sign), …]): internal axes A (3, 3) in description components, and each triad column in them."""
    if is_signed_permutation(directions):
        rounded = np.round(directions)
        principal = [(int(np.argmax(np.abs(c))), float(c[np.argmax(np.abs(c))])) for c in rounded.T]
        return np.eye(3), principal
    return directions, [(k, 1.0) for k in range(3)]
