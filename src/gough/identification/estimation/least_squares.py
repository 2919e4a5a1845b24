"""IDIM-LS: weighted least squares of the inverse dynamic model (Gautier 1997).

Noise in positions makes noise in Y: estimates lean towards small parameters (attenuation), the more the noisier velocities and
accelerations are. The other estimators do not; so this one is where they begin. Noise of forces makes no
such bias, unknown gains or not (`gains`).
"""

from dataclasses import replace

import numpy as np

from gough.identification.estimation._linear import RowTriangles, solve_weighed
from gough.identification.estimation._spread import gather_residuals, spread_covariance
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.gains import demand_scale, instruments, solve_gains
from gough.identification.estimation.rows import ForceEquations

ENOUGH = 100_000
"""Samples that tell the colour of the noise."""


def estimate_linear(equations: ForceEquations, first: np.ndarray) -> tuple[Estimate, RowTriangles]:
    """Least squares, and the triangles of its data. first (p,): what stays where the data tell nothing."""
    triangles = RowTriangles.of(equations)
    rows = equations.rows
    if rows.gains:
        demand_scale(triangles, rows.base.rank)
        found, plain = solve_gains(triangles, first)
    else:
        found = solve_weighed(triangles, first)
        T, _ = triangles.weighed_triangle(found.sigma)
        plain = T.T @ T
    seen = replace(gather_residuals(equations, found.phi, ENOUGH), count=triangles.count)
    seen = replace(seen, squares=triangles.squares(found.phi))
    parts = [
        instruments(part, found.phi) if rows.gains else ((piece, piece.Y) for piece in part)
        for part in equations.parts(seen.block)
    ]
    covariance = spread_covariance(parts, found.phi, found.sigma, found.covariance, plain, seen)
    return Estimate("ls", found.phi, covariance, found.sigma, found.directions, found.singular_values, seen), triangles
