"""Small steps with sparse matrices that scipy's own types do not describe."""

from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array, vstack


def order(A: csr_array) -> int:
    """Number of rows."""
    return len(A.indptr) - 1


def stacked(*parts: Any) -> csr_array:
    """Matrices one below the other."""
    return csr_array(vstack(parts, format="csr"))


def most_telling_rows(A: np.ndarray) -> np.ndarray:
    """As many rows of A (n, k) as it has columns, in ascending order, chosen so that they determine the rest best."""
    if not A.shape[1]:
        return np.zeros(0, dtype=int)
    pivots = qr(A.T, mode="r", pivoting=True)[-1]
    return np.sort(np.asarray(pivots)[: A.shape[1]])
