"""IDIM-LS: weighted least squares of the inverse dynamic model (Gautier 1997).

Noise in positions makes noise in Y: estimates lean towards small parameters (attenuation), the more the noisier velocities and
accelerations are. The other estimators do not; so this one is where they begin. Noise of forces makes no
such bias, unknown gains or not (`gains`).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from gough.identification.estimation._linear import RowTriangles, solve_weighed
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.gains import demand_scale, instruments, solve_gains
from gough.identification.estimation.hands import HERE, Hands
from gough.identification.estimation.rows import EquationPart, ForceEquations
from gough.identification.estimation.spread import block_squares, gather_residuals, spread_matrices

ENOUGH = 100_000
"""Samples that tell the colour of the noise."""


def estimate_linear(equations: ForceEquations, first: np.ndarray, hands: Hands = HERE) -> tuple[Estimate, RowTriangles]:
    """Least squares, and the triangles of its data. first (p,): what stays where the data tell nothing."""
    triangles = RowTriangles.of(equations, hands)
    rows = equations.rows
    if rows.gains:
        demand_scale(triangles, first, rows.names)
        found, T = solve_gains(triangles, first)
    else:
        found = solve_weighed(triangles, first)
        T, _ = triangles.weighed_triangle(found.sigma)
    seen = replace(gather_residuals(equations, found.phi, ENOUGH), count=triangles.count)
    seen = replace(seen, squares=triangles.squares(found.phi))

    def squares(*given: Any) -> list[tuple[np.ndarray, int]]:
        return hands.over(part_squares, equations.parts(given[-1]), *given)

    even, rank = T @ found.half, len(found.phi) - len(found.directions)
    spread = spread_matrices(squares, found.phi, found.sigma, found.half, found.half, even.T @ even, seen, rank)
    estimate = Estimate(
        "ls",
        found.phi,
        spread.covariance,
        spread.information,
        found.sigma,
        found.directions,
        found.singular_values,
        seen,
    )
    return estimate, triangles


def part_squares(
    part: EquationPart, phi: np.ndarray, sigma: np.ndarray, even: np.ndarray, length: int
) -> tuple[np.ndarray, int]:
    """`block_squares` of a part of the equations, with the instruments of least squares."""
    pieces = (piece for (piece,) in part)
    pairs = instruments(pieces, phi) if part.rows.gains else ((piece, piece.Y) for piece in pieces)
    return block_squares(pairs, phi, sigma, even, length)
