"""Tables of numbers over a grid of coordinates, smooth between its points: tensor products of natural cubic splines.

f(p) = Σ c_jk… β(u_1 - j) β(u_2 - k) …,  u = (p - low)/spacing held within the grid, β the cubic B-spline, which is 0 beyond 2;
c are such that f has the given values at the grid's points and no curvature at its ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.grids import Axis
from gough.scalar import abs_, product, select

Vector = np.ndarray


@dataclass(frozen=True, eq=False)
class SplineTable:
    """axes: of the grid. coefficients (Π (points + 2), k)."""

    axes: tuple[Axis, ...]
    coefficients: Vector

    @classmethod
    def of(cls, axes: Sequence[Axis], values: Vector) -> "SplineTable":
        """Through values (Π points, k), the last axis fastest."""
        shape = [axis.points for axis in axes]
        c = np.reshape(values, (*shape, -1))
        for k, points in enumerate(shape):
            c = np.moveaxis(np.tensordot(_of_values(points), c, axes=(1, k)), 0, k)
        return cls(tuple(axes), c.reshape(-1, c.shape[-1]))

    @property
    def settings(self) -> Vector:
        """All numbers, as the compiled loop is given them: low and 1/spacing of the axes, coefficients."""
        ends = [x for axis in self.axes for x in (axis.low, 1.0 / axis.spacing)]
        return np.concatenate([ends, self.coefficients.ravel()])

    def look(self, settings: Vector, at: Sequence[Any]) -> Vector:
        """f (k,) at coordinates (axes,), of any scalar."""
        weights: Any = np.ones(1)
        for k, (axis, p) in enumerate(zip(self.axes, at, strict=True)):
            own = np.array(_weights((p - settings[2 * k]) * settings[2 * k + 1], axis.points), dtype=object)
            weights = (weights[:, None] * own[None, :]).ravel()
        table = settings[2 * len(self.axes) :].reshape(self.coefficients.shape)
        return product(table.T, weights)

    def value(self, at: Sequence[float]) -> Vector:
        """f (k,) at coordinates (axes,)."""
        return np.asarray(self.look(self.settings, at), dtype=float)


def _weights(u: Any, points: int) -> list[Any]:
    """β(u - j) for j = -1 … points."""
    u = select(u, u, 0.0 * u)
    u = select(u - (points - 1.0), 0.0 * u + (points - 1.0), u)
    out = []
    for j in range(-1, points + 1):
        a = abs_(u - float(j))
        near, far = 2.0 / 3.0 - a * a + 0.5 * a * a * a, (2.0 - a) * (2.0 - a) * (2.0 - a) * (1.0 / 6.0)
        out.append(select(1.0 - a, near, select(2.0 - a, far, 0.0 * a)))
    return out


def _of_values(points: int) -> Vector:
    """Coefficients (points + 2, points) of values at the points."""
    M = np.zeros((points + 2, points + 2))
    M[0, :3] = M[-1, -3:] = 1.0, -2.0, 1.0
    for k in range(points):
        M[k + 1, k : k + 3] = 1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0
    return np.linalg.inv(M)[:, 1:-1]
