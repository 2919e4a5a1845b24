"""Sparse matrices from dense blocks, small steps with them that scipy's own types do not describe, and factors of a stiffness."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky, cholesky_banded, qr, solve_triangular
from scipy.sparse import coo_array, csc_array, csr_array, eye_array, kron, vstack
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from gough.errors import UsageError
from gough.fem._memory import limit
from gough.fem._slopes import apart
from gough.scalar.slopes import has_slopes, join_slopes, real_part, slope_part


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


# A stiffness held so that it is positive definite, factorised once: dense where it is small, banded where it is large.
#
# Freedoms are reordered (reverse Cuthill–McKee) so that a band holds the matrix: slender bodies and plates have narrow bands,
# and LAPACK's banded Cholesky is then several times faster than a general sparse factorisation.

SMALL = 700
"""Freedoms up to which dense factors and complete eigensolutions are the faster way."""
LARGEST_BAND = 2.5e8
"""Numbers in a band (2 GB) above which a general sparse factorisation is used."""
BYTES_IN_A_BAND = 16
"""Memory a number of the band takes, its copy included."""
LOST = 1e-14
"""A pivot this small against its diagonal entry is rounding: the matrix is singular there."""


class Factor:
    """K (n, n) sparse, symmetric, positive definite; it and loads may have slopes. `name(j)` says in words what freedom j is,
    for the error."""

    def __init__(self, K: csr_array, name: Callable[[int], str] = "freedom {}".format) -> None:
        self.L: np.ndarray | None = None
        n = order(K)
        K, self._change = apart(K)
        try:
            if n <= SMALL:
                self.L = L = cholesky(K.toarray(), lower=True)
                pivots, self._solve = (
                    np.diag(L) ** 2,
                    lambda b: solve_triangular(L.T, solve_triangular(L, b, lower=True)),
                )
            else:
                pivots, self._solve = _factor_band(csr_array(K))
        except LinAlgError as failure:
            words = str(failure).split("-th")
            at = int(words[0].split()[-1]) - 1 if len(words) > 1 else 0
            raise _soft(name(at) if n <= SMALL else "one of its freedoms") from None
        if n:
            share = pivots / np.where(K.diagonal() > 0.0, K.diagonal(), 1.0)
            if share.min() <= LOST:
                raise _soft(name(int(np.argmin(share))))

    def solve(self, b: np.ndarray) -> np.ndarray:
        """x (n, …) with K x = b."""
        x = self._solve(real_part(b))
        if not self._change.nnz and not has_slopes(b):
            return x
        return join_slopes(x, self._solve(slope_part(b) - self._change @ x))


def _factor_band(K: csr_array) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """(pivots (n,), the solver) of a large matrix."""
    sequence = reverse_cuthill_mckee(K, symmetric_mode=True)
    place = np.argsort(sequence)
    entries = coo_array(K)
    row, column = place[entries.row], place[entries.col]
    low = row >= column
    below = (row - column)[low]
    width = int(below.max()) + 1
    if width * order(K) > min(LARGEST_BAND, limit() / BYTES_IN_A_BAND):
        lu = splu(csc_array(K), permc_spec="COLAMD", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        return lu.U.diagonal()[lu.perm_c], lambda b: lu.solve(np.ascontiguousarray(b))
    band = np.zeros((width, order(K)))
    band[below, column[low]] = entries.data[low]
    L = cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)

    def solve(b: np.ndarray) -> np.ndarray:
        return cho_solve_banded((L, True), b[sequence], check_finite=False)[place]

    return (L[0] ** 2)[place], solve


def _soft(where: str) -> UsageError:
    return UsageError(
        f"the body has a motion that costs no energy and is not rigid, or is not held (seen at {where}): parts that are not "
        "connected, a hinge, a freedom without stiffness, or a clamp that does not hold it"
    )
