"""IDIM-LS: weighted least squares of the inverse dynamic model (Gautier 1997).

Noise in positions makes noise in Y: estimates lean towards small parameters (attenuation), the more the noisier velocities and
accelerations are. The other estimators do not; so this one is where they begin.
"""

from dataclasses import replace

import numpy as np

from gough.identification.estimation._linear import RowTriangles, solve_weighed
from gough.identification.estimation._spread import gather_residuals, spread_covariance
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.rows import ForceEquations

ENOUGH = 100_000
"""Samples that tell the colour of the noise."""


def estimate_linear(equations: ForceEquations, first: np.ndarray) -> tuple[Estimate, RowTriangles]:
    """Least squares, and the triangles of its data. first (p,): what stays where the data tell nothing."""
    triangles = RowTriangles.of(equations)
    found = solve_weighed(triangles, first)
    seen = replace(gather_residuals(equations, found.phi, ENOUGH), count=triangles.count)
    seen = replace(seen, squares=triangles.squares(found.phi))
    pairs = ((piece, piece.Y) for piece in equations)
    T, _ = triangles.weighed_triangle(found.sigma)
    covariance = spread_covariance(pairs, found.phi, found.sigma, found.covariance, T.T @ T, seen)
    return Estimate("ls", found.phi, covariance, found.sigma, found.directions, found.singular_values, seen), triangles
