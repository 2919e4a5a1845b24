"""[Long 2014, eqs. 45–48] along a run: what the paper says of its matrices.

A_ee is the elastic block of the mass matrix in V_p and q̇_e, A what is left of the rigid block when q̈_e is eliminated.
"""

import numpy as np

from gough import Run
from gough_papers.comparison import KnownComparison, at_least, paper_origin

REGULAR = 1e-9
"""Reciprocal condition number of a matrix that can be inverted with digits to spare."""


def matrix_comparisons(run: Run) -> list[KnownComparison]:
    """Of all stored states."""
    n = run.model.mobility
    M = run.model.mass_matrix(run.q)
    A_ee = M[:, n:, n:]
    A = M[:, :n, :n] - M[:, :n, n:] @ np.linalg.solve(A_ee, M[:, n:, :n])
    J_sys = run.model.singularity(run.q).inverse
    positive, regular = "“a definite positive square matrix”", "“outside special configurations, are invertible”"
    after_45, after_46 = paper_origin("[Long 2014, eq. 45]"), paper_origin("[Long 2014, eq. 46]")
    return [
        at_least("A_ee on the path: least eigenvalue", np.linalg.eigvalsh(A_ee).min(), 0.0, "", after_45, positive),
        at_least("A on the path: one over its condition number", _reciprocal(A), REGULAR, "", after_46, regular),
        at_least("J_sys on the path: the same", float(np.min(J_sys)), REGULAR, "", after_46, regular),
    ]


def _reciprocal(A: np.ndarray) -> float:
    """The least of matrices (n, k, k), SI."""
    return float((1.0 / np.linalg.cond(A)).min())
