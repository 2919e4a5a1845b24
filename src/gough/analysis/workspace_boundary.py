"""The boundary of a part of a grid."""

import numpy as np


def boundary_points(mask: np.ndarray) -> np.ndarray:
    """True where a grid point of the mask has a neighbour along an axis that is not in it, or lies at the border."""
    padded = np.pad(mask, 1)
    inner = np.ones_like(mask)
    middle = tuple(slice(1, -1) for _ in mask.shape)
    for axis in range(mask.ndim):
        for step in (-1, 1):
            inner &= np.roll(padded, step, axis=axis)[middle]
    return mask & ~inner
