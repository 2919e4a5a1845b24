"""A stiffness held so that it is positive definite, factorised once: dense where it is small, banded where it is large.

Freedoms are reordered (reverse Cuthill–McKee) so that a band holds the matrix: slender bodies and plates have narrow bands,
and LAPACK's banded Cholesky is then several times faster than a general sparse factorisation.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky, cholesky_banded, solve_triangular
from scipy.sparse import coo_array, csc_array, csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from gough.errors import UsageError
from gough.fem.memory import limit
from gough.fem.sparse import order

SMALL = 700
"""Freedoms up to which dense factors and complete eigensolutions are the faster way."""
LARGEST_BAND = 2.5e8
"""Numbers in a band (2 GB) above which a general sparse factorisation is used."""
BYTES_IN_A_BAND = 16
"""Memory a number of the band takes, its copy included."""
LOST = 1e-14
"""A pivot this small against its diagonal entry is rounding: the matrix is singular there."""


class Factor:
    """K (n, n) sparse, symmetric, positive definite. `name(j)` says in words what freedom j is, for the error."""

    def __init__(self, K: csr_array, name: Callable[[int], str] = "freedom {}".format) -> None:
        self.L: np.ndarray | None = None
        n = order(K)
        try:
            if n <= SMALL:
                self.L = L = cholesky(K.toarray(), lower=True)
                pivots, self.solve = (
                    np.diag(L) ** 2,
                    lambda b: solve_triangular(L.T, solve_triangular(L, b, lower=True)),
                )
            else:
                pivots, self.solve = _factor_band(csr_array(K))
        except LinAlgError as failure:
            words = str(failure).split("-th")
            at = int(words[0].split()[-1]) - 1 if len(words) > 1 else 0
            raise _soft(name(at) if n <= SMALL else "one of its freedoms") from None
        if n:
            share = pivots / np.where(K.diagonal() > 0.0, K.diagonal(), 1.0)
            if share.min() <= LOST:
                raise _soft(name(int(np.argmin(share))))


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
