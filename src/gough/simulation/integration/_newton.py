"""Newton's method for implicit steps, in traced scalars: its matrix, and Broyden's better steps.

Matrix   W = ∂R/∂z + h a [∂R/∂v, ∂R/∂w] + h² b ∂R/∂q                                                              (1)
along the motions of the closed robot. Its columns are derivatives of R along one direction each. Small programs have all of them
as one Jacobian, which shares work between them. Large ones would be straight code of n times their size: they are
differentiated along one direction, and that program is called n times. (A flexible hexapod under computed torque, n = 36 and
17 000 operations: 12 s to compile instead of 50.)
Broyden  With p = -W⁻¹ R, Newton's step in terms of the unknowns, and s_0, s_1, …, s_k the steps taken so far, the next one is
    p ← p + s_{j+1} (s_j · p)/|s_j|²  for j < k,   s_{k+1} = p / (1 - s_k · p/|s_k|²)                              (2)
[Kelley 1995, Iterative methods for linear and nonlinear equations, section 7.3]. In one dimension it is the secant's step. Where
friction reverses, Newton's own steps lead from one flat side of its law to the other and back; a secant falls between them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.model.tangent import tangent_derivation
from gough.program import Program
from gough.scalar import abs_, dot, select, zeros
from gough.simulation.integration._rates import prepare_rate
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
Matrix = Callable[..., Vector]
LARGE = 200_000
"""Operations of R times unknowns from which on columns are computed one by one."""
LONGEST = 0.1
"""Least denominator of (2): steps get no longer than ten times Newton's."""


def newton_matrix(plant: Plant, residual: Program, of_v: float, of_q: float) -> Matrix:
    """(parameters, h, q, v, inner, z, row, t) → W (n, n). of_v, of_q: a and b of (1)."""
    inputs = ("q", "v", "z", "inner") if plant.inner_size else ("q", "v", "z")
    derivation = tangent_derivation(plant.model, plant.order_program(residual), inputs)
    if plant.unknowns * len(residual.ops) > LARGE:
        return _by_columns(plant, derivation.jvp(), of_v, of_q)
    return _at_once(plant, derivation.jacobian("auto"), of_v, of_q)


def _at_once(plant: Plant, program: Program, of_v: float, of_q: float) -> Matrix:
    slopes, n, moving = prepare_rate(plant, program), plant.unknowns, plant.unknown_of_v

    def matrix(parameters: Vector, h: Any, **at: Any) -> Vector:
        found = slopes(parameters, **at)
        R_q, R_v = (found[key].reshape(n, plant.model.layout.nv)[:, moving] for key in ("R_q", "R_v"))
        along = (h * of_v) * R_v + (h * h * of_q) * R_q
        if plant.inner_size:
            along = np.concatenate([along, (h * of_v) * found["R_inner"].reshape(n, plant.inner_size)], axis=1)
        return found["R_z"].reshape(n, n) + along

    return matrix


def _by_columns(plant: Plant, program: Program, of_v: float, of_q: float) -> Matrix:
    slope, n, nv = prepare_rate(plant, program), plant.unknowns, plant.model.layout.nv

    def matrix(parameters: Vector, h: Any, **at: Any) -> Vector:
        hoisted = slope.hoisted_values(parameters)
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


def largest_change(change: Vector, h: Any, units: Vector, worst: Any = 0.0) -> Any:
    """The largest |change| h (n,) over typical sizes (n,), or `worst` where that is larger."""
    for x, unit in zip(change, units, strict=True):
        size = abs_(x) * (h * float(1.0 / unit))
        worst = size if isinstance(worst, float) else select(size - worst, size, worst)
    return worst


class Secants:
    """The steps of one solution. scales (n,): 1/typical sizes of the unknowns. least: scaled size of a step that shows nothing;
    after such a one steps are Newton's own."""

    def __init__(self, scales: Vector, least: Any) -> None:
        self.scales, self.least = scales, least * least
        self.steps: list[Vector] = []
        self.inverses: list[Any] = []

    def improved_step(self, newton: Vector) -> Vector:
        """The next step (n,) from Newton's (n,)."""
        p = newton * self.scales
        for s, after, inverse in zip(self.steps[:-1], self.steps[1:], self.inverses[:-1], strict=True):
            p = p + after * (dot(s, p) * inverse)
        if self.steps:
            along = 1.0 - dot(self.steps[-1], p) * self.inverses[-1]
            p = p * (1.0 / select(along - LONGEST, along, LONGEST))
        square = dot(p, p)
        shows = square - self.least
        self.steps.append(p)
        self.inverses.append(select(shows, 1.0 / select(shows, square, 1.0), 0.0))
        return p * (1.0 / self.scales)
