"""IDIM-IV: instrumental variables from the simulated robot (Janot, Vandanjon and Gautier 2014).

Zᵀ W (target - Y φ) = 0 with Z the rows of the robot simulated under its controller, with the estimate so far. Z is like Y but
knows nothing of its noise, so that noise in positions leaves no bias. A few turns are enough: Z changes little with φ.

What the filter of the measured states does to Y is no noise, and Z would not remove it: dry friction jumps a little off its
place. The simulated robot tells it, passed through the same filter (Z_f): Y + Z - Z_f stands in the place of Y.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.compilation.row_squares import RowSquares
from gough.errors import UsageError
from gough.identification.data.samples import Samples
from gough.identification.estimation._linear import RowTriangles, solve_scaled
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.hands import HERE, Hands
from gough.identification.estimation.least_squares import ENOUGH, estimate_linear
from gough.identification.estimation.rows import EquationPart, ForceEquations, Piece, Rows
from gough.identification.estimation.spread import block_squares, gather_residuals, spread_matrices

TURNS = 12
SETTLED = 0.01
"""Largest change of a parameter over its deviation that ends the turns."""

Simulate = Callable[[np.ndarray], tuple[Samples, Samples]]
"""φ to the samples of the simulated robot, and to the same with states that were filtered as the measured ones."""


def estimate_by_instruments(
    equations: ForceEquations, first: np.ndarray, simulate: Simulate, hands: Hands = HERE
) -> tuple[Estimate, Samples]:
    """Instrumental variables, begun with least squares; and the simulated robot."""
    start, triangles = estimate_linear(equations, first, hands)
    phi, spread = start.phi, start.deviations
    changes: list[float] = []
    for _ in range(TURNS):
        simulated, filtered = simulate(phi)
        sharp = SharpEquations(equations, equations.at(simulated), equations.at(filtered), hands)
        found = _turn(sharp, triangles, phi, first)
        spread = np.sqrt(np.maximum(np.diag(found.covariance), 1e-300))
        changes.append(float(np.max(np.abs(found.phi - phi) / spread, initial=0.0)))
        phi = found.phi
        if changes[-1] < SETTLED:
            return replace(found, turns=tuple(changes)), simulated
    return replace(found, turns=tuple(changes), settled=False), simulated


@dataclass(frozen=True)
class SharpEquations:
    """Measured equations in which what the filter did to their regressor is taken back: Y + Z - Z_f."""

    measured: ForceEquations
    simulated: ForceEquations
    blurred: ForceEquations
    hands: Hands = HERE

    @property
    def rows(self) -> Rows:
        """As those of the measured ones."""
        return self.measured.rows

    def __iter__(self) -> Iterator[Piece]:
        for piece, Z, Z_f in zip(self.measured, self.simulated, self.blurred, strict=True):
            yield replace(piece, Y=piece.Y + Z.Y - Z_f.Y)

    def over(self, do: Callable[..., Any], *given: Any, together: int = 1) -> list[Any]:
        """do(part, *given) of all parts, for `sharp_pairs`."""
        return self.hands.over(do, self.measured.parts(together, self.simulated, self.blurred), *given)


def sharp_pairs(part: EquationPart) -> Iterator[tuple[Piece, np.ndarray]]:
    """Sharp pieces of a part of the equations, and their instruments."""
    for piece, Z, Z_f in part:
        yield replace(piece, Y=piece.Y + Z.Y - Z_f.Y), Z.Y


def part_products(part: EquationPart) -> np.ndarray:
    """Sums of products (rows, 2 p + 1, 2 p + 1) of [Z, Y, target]."""
    p = part.rows.size
    out = RowSquares((len(part.rows.names), 2 * p + 1))
    for piece, Z in sharp_pairs(part):
        out.add(np.concatenate([Z, piece.Y], axis=2), piece.target)
    return out.total


def part_squares(
    part: EquationPart, phi: np.ndarray, sigma: np.ndarray, even: np.ndarray, length: int
) -> tuple[np.ndarray, int]:
    """`block_squares` of a part of the equations."""
    return block_squares(sharp_pairs(part), phi, sigma, even, length)


def _turn(equations: SharpEquations, triangles: RowTriangles, phi: np.ndarray, first: np.ndarray) -> Estimate:
    """The solution with these instruments; noises of the rows are those of φ so far."""
    p = equations.rows.size
    products: Any = sum(equations.over(part_products))
    ZZ, ZY, Zt = products[:, :p, :p], products[:, :p, p : 2 * p], products[:, :p, 2 * p]
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

    def squares_of(*given: Any) -> list[tuple[np.ndarray, int]]:
        return equations.over(part_squares, *given, together=given[-1])

    spread = spread_matrices(
        squares_of, found, sigma, inverse, whiten.T, whiten @ N @ whiten.T, seen, p - len(directions)
    )
    return Estimate("iv", found, spread.covariance, spread.information, sigma, directions, singular, seen)
