"""Sparse operators from dense blocks, and the mass matrix from points."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array


def dimensions(operator: Any) -> tuple[int, int]:
    """Rows and columns; scipy's types leave the shape of a sparse array open."""
    rows, columns = operator.shape
    return rows, columns


def mass_matrix(mass: np.ndarray, field: csr_array) -> csr_array:
    """Σ_p mass_p field_pᵀ field_p (d, d), symmetric to the last bit."""
    M = field.T @ diags_array(np.repeat(mass, 3)) @ field
    return csr_array((M + M.T) / 2)


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
