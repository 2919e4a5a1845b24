"""Vectors and the block operations: linear solves, products with a constant matrix, calls of a sub-program."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.errors import Failure, Status
from gough.scalar._elementary import sqrt
from gough.scalar._symbol import Symbol, casadi_vector, is_mpmath, tracer_of

Array = np.ndarray
_SINGULAR = Status.SINGULAR.at("solve")


def zeros(*shape: int) -> Array:
    """Object array of float zeros: the neutral start of any sum."""
    return np.full(shape, 0.0, dtype=object)


def dot(a: Sequence[Any] | Array, b: Sequence[Any] | Array) -> Any:
    """Sum of products, left to right."""
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def norm(a: Sequence[Any] | Array) -> Any:
    """Euclidean length."""
    return sqrt(dot(a, a))


def solve(matrix: Array, rhs: Array, failure: Failure = _SINGULAR) -> Array:
    """Solution X (n,) or (n, m) of `matrix` (n, n) X = `rhs`; `failure` is what a pivot that is too small means."""
    return _solve("solve", matrix, rhs, failure)


def solve_spd(matrix: Array, rhs: Array, failure: Failure = _SINGULAR) -> Array:
    """As `solve` for a symmetric positive definite matrix (LDLᵀ, no pivoting); only its lower triangle is read."""
    return _solve("solve_spd", matrix, rhs, failure)


def solve_constrained(
    matrix: Array, rows: Array, rhs: Array, failure: Failure = _SINGULAR, order: Sequence[int] | None = None
) -> Array:
    """Solution X (n + r,) or (n + r, m) of [[matrix, rowsᵀ], [rows, 0]] X = `rhs`: unknowns of a symmetric positive definite
    matrix (n, n) that keep constraints, rows (r, n) of full rank; their multipliers come last. One LDLᵀ, no pivoting.
    order (n + r,): of elimination; rows must be of full rank in the unknowns before them."""
    n, r = len(matrix), len(rows)
    whole = zeros(n + r, n + r)
    whole[:n, :n], whole[n:, :n], whole[:n, n:] = matrix, rows, np.asarray(rows).T
    places = list(range(n + r) if order is None else order)
    negative = tuple(k for k, i in enumerate(places) if i >= n)
    found = _solve("solve_spd", whole[np.ix_(places, places)], np.asarray(rhs)[places], failure, negative)
    return found[np.argsort(places)]


def _solve(kind: str, matrix: Array, rhs: Array, failure: Failure, *more: tuple[int, ...]) -> Array:
    matrix, rhs = np.asarray(matrix), np.asarray(rhs)
    if len(matrix) == 0:
        return rhs
    flat = [*matrix.ravel(), *rhs.ravel()]
    tracer = tracer_of(flat)
    columns = rhs.reshape(len(matrix), -1)
    if tracer is not None:
        solution = getattr(tracer, kind)(matrix, columns, failure, *more)
    elif any(is_mpmath(x) for x in flat):
        import mpmath

        solution = np.array(
            [list(mpmath.lu_solve(mpmath.matrix(matrix.tolist()), mpmath.matrix(list(c)))) for c in columns.T],
            dtype=object,
        ).T
    elif any(isinstance(x, Symbol) for x in flat):
        solution = _casadi_solve(matrix, columns)
    else:
        solution = np.linalg.solve(matrix.astype(float), columns.astype(float))
    return np.asarray(solution).reshape(rhs.shape)


def _casadi_solve(matrix: Array, columns: Array) -> Array:
    import casadi

    def symbol(a: Array) -> Any:
        return casadi.horzcat(*[casadi_vector(column) for column in a.T])

    x = casadi.solve(symbol(matrix), symbol(columns))
    return np.array([[Symbol(x[i, j]) for j in range(x.shape[1])] for i in range(x.shape[0])], dtype=object)


def constant_matvec(matrix: Array, vector: Array) -> Array:
    """Product of a matrix of floats (n, m) with a vector (m,) of any scalar, kept as one block when traced."""
    matrix = np.asarray(matrix, dtype=float)
    tracer = tracer_of(vector)
    if tracer is not None:
        return tracer.constant_matvec(matrix, vector)
    return np.array([dot(row, vector) for row in matrix.tolist()])


def product(left: Array, right: Array) -> Array:
    """Product of matrices (n, k) and (k, m), or of a matrix and a vector (k,); kept as one block when traced and large."""
    left, right = np.asarray(left), np.asarray(right)
    tracer = tracer_of([*left.flat, *right.flat])
    if tracer is None:
        return left @ right
    columns = right.reshape(len(right), -1)
    return tracer.product(left, columns).reshape(len(left), *right.shape[1:])


def call(program: Any, inputs: Array) -> Array:
    """Outputs (flat) of a sub-program for its flat inputs; stays a call when traced."""
    tracer = tracer_of(inputs)
    if tracer is not None:
        return tracer.call(program, inputs)
    return program.evaluate_flat(inputs)
