"""[Long 2014, eqs. 45–48] along a run: what the paper says of its matrices.

A_ee is the elastic block of the mass matrix in V_p and q̇_e, A what is left of the rigid block when q̈_e is eliminated: both are
positive definite because the mass matrix is.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gough import Run
from gough_papers.comparison import Demonstration


@dataclass(frozen=True)
class RobotMatrices:
    """least: eigenvalue of A_ee. regular, invertible: one over the condition numbers of A and J_sys. All the least of a run."""

    least: float
    regular: float
    invertible: float

    @classmethod
    def along(cls, run: Run) -> Self:
        """Of all stored states, SI."""
        n = run.model.mobility
        M = run.model.mass_matrix(run.q)
        A_ee = M[:, n:, n:]
        A = M[:, :n, :n] - M[:, :n, n:] @ np.linalg.solve(A_ee, M[:, n:, :n])
        invertible = run.model.singularity(run.q).inverse
        return cls(*(float(np.min(x)) for x in (np.linalg.eigvalsh(A_ee), 1.0 / np.linalg.cond(A), invertible)))

    def demonstrations(self) -> list[Demonstration]:
        """[Long 2014, eq. 45] “a definite positive square matrix”, and A and J_sys of [Long 2014, eq. 46]."""
        unit = "“a definite positive square matrix”: generalised masses of 1 and what the legs add"
        left = "“invertible”: what is left of a positive definite matrix"
        ours = "“outside special configurations, are invertible”: the path is ours and keeps away from them"
        return [
            Demonstration("A_ee on the path: least eigenvalue", f"{self.least:.3g}", unit),
            Demonstration("A on the path: one over its condition number", f"{self.regular:.3g}", left),
            Demonstration("J_sys on the path: one over its condition number", f"{self.invertible:.3g}", ours),
        ]
