"""IDIM-IV: instrumental variables from the simulated robot (Janot, Vandanjon and Gautier 2014).

Zᵀ W (target - Y φ) = 0 with Z the rows of the robot simulated under its controller, with the estimate so far. Z is like Y but
knows nothing of its noise, so that noise in positions leaves no bias. A few turns are enough: Z changes little with φ.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from gough.errors import UsageError
from gough.identification.data.samples import Samples
from gough.identification.estimation._linear import RowTriangles, solve_scaled
from gough.identification.estimation._spread import gather_residuals, spread_covariance
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.least_squares import ENOUGH, estimate_linear
from gough.identification.estimation.rows import ForceEquations, Piece

TURNS = 12
SETTLED = 0.01
"""Largest change of a parameter over its deviation that ends the turns."""

Simulate = Callable[[np.ndarray], Samples]
"""φ to the samples of the simulated robot."""


def estimate_by_instruments(
    equations: ForceEquations, first: np.ndarray, simulate: Simulate
) -> tuple[Estimate, Samples]:
    """Instrumental variables, begun with least squares; and the simulated robot."""
    start, triangles = estimate_linear(equations, first)
    phi, spread = start.phi, start.deviations
    changes: list[float] = []
    for _ in range(TURNS):
        simulated = simulate(phi)
        found = _turn(equations, equations.at(simulated), triangles, phi, first)
        spread = np.sqrt(np.maximum(np.diag(found.covariance), 1e-300))
        changes.append(float(np.max(np.abs(found.phi - phi) / spread, initial=0.0)))
        phi = found.phi
        if changes[-1] < SETTLED:
            return replace(found, turns=tuple(changes)), simulated
    return replace(found, turns=tuple(changes), settled=False), simulated


def _pairs(equations: ForceEquations, simulated: ForceEquations) -> Iterator[tuple[Piece, np.ndarray]]:
    for piece, own in zip(equations, simulated, strict=True):
        yield piece, own.Y


def _turn(
    equations: ForceEquations, simulated: ForceEquations, triangles: RowTriangles, phi: np.ndarray, first: np.ndarray
) -> Estimate:
    """The solution with these instruments; noises of the rows are those of φ so far."""
    p, kinds = equations.rows.size, len(equations.rows.names)
    ZY, Zt, ZZ = np.zeros((kinds, p, p)), np.zeros((kinds, p)), np.zeros((kinds, p, p))
    for piece, Z in _pairs(equations, simulated):
        turned = np.moveaxis(Z, 0, 2)  # (rows, p, n)
        ZY += turned @ np.moveaxis(piece.Y, 1, 0)
        Zt += np.einsum("rpn,nr->rp", turned, piece.target)
        ZZ += turned @ np.moveaxis(Z, 1, 0)
    sigma = triangles.noise(phi)
    A, b, N = (np.tensordot(1.0 / sigma**2, x, axes=1) for x in (ZY, Zt, ZZ))
    scale = np.sqrt(np.maximum(np.diag(N), 1e-300))
    values, vectors = np.linalg.eigh(N / np.outer(scale, scale))
    if values[-1] <= 0:
        raise UsageError(
            "the simulated robot does not move: its samples are no instruments; give the motion it followed"
        )
    told = values > 1e-12 * values[-1]
    whiten = (vectors[:, told] / np.sqrt(values[told])).T / scale
    T, z = whiten @ A, whiten @ b
    if len(T) < p:
        T, z = np.vstack([T, np.zeros((p - len(T), p))]), np.append(z, np.zeros(p - len(z)))
        whiten = np.vstack([whiten, np.zeros((p - len(whiten), p))])
    found, inverse, directions, singular = solve_scaled(T, z, first)
    squares = triangles.squares(found)
    seen = gather_residuals(equations, found, ENOUGH)
    seen = replace(seen, count=triangles.count, squares=squares)
    pairs = _pairs(equations, simulated)
    covariance = spread_covariance(pairs, found, sigma, inverse @ whiten, N, seen)
    return Estimate("iv", found, covariance, sigma, directions, singular, seen)
