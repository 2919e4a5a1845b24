"""Cross products as matrices."""

import numpy as np


def hat(a: np.ndarray) -> np.ndarray:
    """Cross-product matrices (…, 3, 3) of vectors (…, 3): hat(a) @ b = a × b."""
    z = np.zeros(a.shape[:-1])
    x, y, w = a[..., 0], a[..., 1], a[..., 2]
    return np.stack([np.stack(row, -1) for row in ((z, -w, y), (w, z, -x), (-y, x, z))], -2)
