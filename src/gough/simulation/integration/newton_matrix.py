"""The matrix of Newton's method for implicit steps, in traced scalars,
    W = ∂R/∂z + h a [∂R/∂v, ∂R/∂w] + h² b ∂R/∂q                                                                     (1)
along the motions of the closed robot. Its columns are derivatives of R along one direction each. Small programs have all of them
as one Jacobian, which shares work between them. Large ones would be straight code of n times their size: they are
differentiated along one direction, and that program is called n times. (A flexible hexapod under computed torque, n = 36 and
17 000 operations: 12 s to compile instead of 50.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.model.tangent import tangent_derivation
from gough.program import Program
from gough.scalar import zeros
from gough.simulation.integration.explicit import prepared
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
Matrix = Callable[..., Vector]
LARGE = 200_000
"""Operations of R times unknowns from which on columns are computed one by one."""


def newton_matrix(plant: Plant, residual: Program, of_v: float, of_q: float) -> Matrix:
    """(parameters, h, q, v, inner, z, row, t) → W (n, n). of_v, of_q: a and b of (1)."""
    inputs = ("q", "v", "z", "inner") if plant.inner_size else ("q", "v", "z")
    derivation = tangent_derivation(plant.model, plant.ordered(residual), inputs)
    if plant.unknowns * len(residual.ops) > LARGE:
        return _by_columns(plant, derivation.jvp(), of_v, of_q)
    return _at_once(plant, derivation.jacobian("auto"), of_v, of_q)


def _at_once(plant: Plant, program: Program, of_v: float, of_q: float) -> Matrix:
    slopes, n, moving = prepared(plant, program), plant.unknowns, plant.unknown_of_v

    def matrix(parameters: Vector, h: Any, **at: Any) -> Vector:
        found = slopes(parameters, slopes.hoisted(parameters), **at)
        R_q, R_v = (found[key].reshape(n, plant.model.layout.nv)[:, moving] for key in ("R_q", "R_v"))
        along = (h * of_v) * R_v + (h * h * of_q) * R_q
        if plant.inner_size:
            along = np.concatenate([along, (h * of_v) * found["R_inner"].reshape(n, plant.inner_size)], axis=1)
        return found["R_z"].reshape(n, n) + along

    return matrix


def _by_columns(plant: Plant, program: Program, of_v: float, of_q: float) -> Matrix:
    slope, n, nv = prepared(plant, program), plant.unknowns, plant.model.layout.nv

    def matrix(parameters: Vector, h: Any, **at: Any) -> Vector:
        hoisted = slope.hoisted(parameters)
        columns = []
        for k in range(n):
            d_q, d_v, d_z, d_inner = zeros(nv), zeros(nv), zeros(n), zeros(plant.inner_size)
            d_z[k] = 1.0
            if k < len(plant.unknown_of_v):
                d_v[plant.unknown_of_v[k]] = h * of_v
                d_q[plant.unknown_of_v[k]] = h * h * of_q
            else:
                d_inner[k - len(plant.unknown_of_v)] = h * of_v
            along = {"d_q": d_q, "d_v": d_v, "d_z": d_z, "d_inner": d_inner}
            columns.append(slope(parameters, hoisted, **at, **along)["d_R"])
        return np.stack(columns, axis=1)

    return matrix
