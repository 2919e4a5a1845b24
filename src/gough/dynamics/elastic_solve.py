"""Equations M_ee x = b of the elastic coordinates, where their mass matrix is a constant and few squares beside it.

Computes  M_ee⁻¹ b for bodies whose displacement of second order is known by its moments (fem/_stiffening.py, `moment_shapes`).
Sources   the inverse of a matrix with a few squares added (Sherman and Morrison 1950, Woodbury 1950).
Symbols   P, C of stiffened.py; M0 the constant mass matrix of the body's own shapes.
Derivation  slaved shapes are orthonormal, and orthogonal to the body's own, so that (8) of stiffened.py reads
    M = Ĵᵀ M0 Ĵ + PᵀP,   Ĵ = 1 + C P
  with the rows of P alone that have a shape. C shifts coordinates of stretching, P has to do with those of bending: P C = 0, so
    Ĵ⁻¹ = 1 - C P,   P Ĵ⁻¹ = P,   M⁻¹ = Ĵ⁻¹ (M0 + PᵀP)⁻¹ Ĵ⁻ᵀ,
    (M0 + PᵀP)⁻¹ = M0⁻¹ - Y (1 + P Y)⁻¹ Yᵀ,   Y = M0⁻¹ Pᵀ,
  and 1 + P Y, of the size of the number of slaved shapes (two of a straight beam), is positive definite at every state.
"""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.stiffened import Stiffened
from gough.errors import Failure
from gough.friction.coulomb import structurally_zero
from gough.scalar import product, solve_spd, zeros
from gough.structure import Mechanism

Matrix = np.ndarray
Vector = np.ndarray
FEWEST = 3
"""Coordinates of a body from which its mass matrix is not formed."""


def solve_elastic(loops: Loops, M: Matrix, rest: Matrix, failure: Failure) -> Matrix:
    """M⁻¹ rest (m, k) for the mass matrix M (m, m) of the elastic coordinates in v."""
    if not adds_squares(loops):
        return solve_spd(M, rest, failure)
    out, columns = zeros(*rest.shape), loops.mechanism.selection.independent[-len(rest) :]
    for i in loops.mechanism.flexible:
        elastic, body = loops.mechanism.links[i].elastic, loops.posture.deformations[i]
        assert elastic is not None
        rows = [columns.index(c) for c in elastic.columns]
        if isinstance(body, Stiffened) and _few_squares(body):
            out[rows] = _solve_squares(body, rest[rows], failure)
        else:
            out[rows] = solve_spd(M[np.ix_(rows, rows)], rest[rows], failure)
    return out


def solve_whole(loops: Loops, M: Matrix, rest: Vector, failure: Failure) -> Vector:
    """M⁻¹ rest (nv,) for the whole mass matrix, elastic coordinates last; these are eliminated where `adds_squares`."""
    if not adds_squares(loops):
        return solve_spd(M, rest, failure)
    n = loops.mechanism.layout.mobility
    moved = solve_elastic(loops, M[n:, n:], np.concatenate([M[n:, :n], rest[n:, None]], axis=1), failure)
    felt, pushed = moved[:, :n], moved[:, n]
    rigid = solve_spd(M[:n, :n] - product(M[:n, n:], felt), rest[:n] - M[:n, n:] @ pushed, failure) if n else zeros(0)
    return np.concatenate([rigid, pushed - product(felt, rigid)])


def adds_squares(loops: Loops) -> bool:
    """Whether there is a body whose mass matrix need not be formed."""
    bodies = [loops.posture.deformations[i] for i in loops.mechanism.flexible]
    return _bend_alone(loops.mechanism) and any(isinstance(body, Stiffened) and _few_squares(body) for body in bodies)


def _bend_alone(mechanism: Mechanism) -> bool:
    """Whether each flexible body has a mass matrix of its own, and all of it is in v: there are no loops, and none carries
    anything with mass."""
    if mechanism.cuts or len(mechanism.selection.independent) != mechanism.layout.nu:
        return False
    heavy = [
        i for i, x in enumerate(mechanism.links) if not (x.ten is None and x.elastic is None and x.telescopic is None)
    ]
    return not any(mechanism.links[j].tie is not None for i in heavy for j in mechanism.path_to_root(i))


def _few_squares(body: Stiffened) -> bool:
    """Whether the derivation holds, and few squares stand against many coordinates."""
    if not body.of_moments or body.m < FEWEST or body.slaved >= body.m:
        return False
    return all(structurally_zero(x) for x in (body.P @ body.along).ravel())


def _solve_squares(body: Stiffened, rest: Matrix, failure: Failure) -> Matrix:
    P, C, k = body.P, body.along, rest.shape[1]
    rows = P[: body.slaved]
    rest = rest - product(P.T, product(C.T, rest))
    moved = solve_spd(body.of.M, np.concatenate([rest, rows.T], axis=1), failure)
    x, Y = moved[:, :k], moved[:, k:]
    small = product(rows, Y)
    for i in range(len(small)):
        small[i, i] = small[i, i] + 1.0
    x = x - product(Y, solve_spd(small, product(rows, x), failure))
    return x - product(C, product(P, x))
