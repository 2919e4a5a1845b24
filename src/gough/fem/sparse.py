"""Sparse matrices from dense blocks, and small steps with them that scipy's own types do not describe."""

from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import coo_array, csr_array, eye_array, kron, vstack


def order(A: csr_array) -> int:
    """Number of rows."""
    return len(A.indptr) - 1


def stack_rows(*parts: Any) -> csr_array:
    """Matrices one below the other."""
    return csr_array(vstack(parts, format="csr"))


def on_each_axis(A: csr_array) -> csr_array:
    """A ⊗ 1 (3 r, 3 c): a matrix (r, c) of scalars as one of displacements, the three components alike."""
    return csr_array(kron(A, eye_array(3), format="csr"))


def rows_of_blocks(blocks: np.ndarray, columns: np.ndarray, width: int) -> csr_array:
    """Sparse (b r, width) from dense blocks (b, r, c) whose entries stand in columns (b, c)."""
    b, r, _ = blocks.shape
    rows = np.broadcast_to(np.arange(b * r).reshape(b, r, 1), blocks.shape)
    where = np.broadcast_to(columns[:, None, :], blocks.shape)
    out = csr_array(coo_array((blocks.ravel(), (rows.ravel(), where.ravel())), shape=(b * r, width)))
    out.eliminate_zeros()
    return out


def sum_of_blocks(blocks: np.ndarray, freedoms: np.ndarray, size: int) -> csr_array:
    """Sparse symmetric (size, size): element matrices (e, c, c) added at their freedoms (e, c)."""
    rows = np.broadcast_to(freedoms[:, :, None], blocks.shape)
    columns = np.broadcast_to(freedoms[:, None, :], blocks.shape)
    out = csr_array(coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size)))
    out = csr_array((out + out.T) / 2)
    out.eliminate_zeros()
    return out


def most_telling_rows(A: np.ndarray) -> np.ndarray:
    """As many rows of A (n, k) as it has columns, in ascending order, chosen so that they determine the rest best."""
    if not A.shape[1]:
        return np.zeros(0, dtype=int)
    pivots = qr(A.T, mode="r", pivoting=True)[-1]
    return np.sort(np.asarray(pivots)[: A.shape[1]])
