"""Shape functions of tetrahedra and hexahedra, linear and quadratic, and their points of integration; nodes in VTK's order.

Reference cells: tetrahedron x, y, z >= 0, x + y + z <= 1; hexahedron 0 … 1 along each axis.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import roots_jacobi

from gough.fem.geometry import gauss_on_unit

_TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
_TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
_TET_FACES = ((0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3))
_HEX = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
_HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
_HEX_FACES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))


@dataclass(frozen=True)
class CellKind:
    """A kind of cell: its corners' number, the corners each further node lies between, its faces by corners."""

    name: str
    corners: int
    between: tuple[tuple[int, ...], ...]
    faces: tuple[tuple[int, ...], ...]
    degree: int

    @property
    def nodes(self) -> np.ndarray:
        """Places (k, 3) in the reference cell."""
        corner = _TET if self.corners == 4 else _HEX
        return np.array([*corner, *(corner[list(b)].mean(axis=0) for b in self.between)])


KINDS = {
    4: CellKind("tetrahedron of 4 nodes", 4, (), _TET_FACES, 1),
    10: CellKind("tetrahedron of 10 nodes", 4, _TET_EDGES, _TET_FACES, 2),
    8: CellKind("hexahedron of 8 nodes", 8, (), _HEX_FACES, 1),
    20: CellKind("hexahedron of 20 nodes", 8, _HEX_EDGES, _HEX_FACES, 2),
    27: CellKind("hexahedron of 27 nodes", 8, (*_HEX_EDGES, *_HEX_FACES, tuple(range(8))), _HEX_FACES, 2),
}


@cache
def _monomials(count: int) -> np.ndarray:
    """Exponents (k, 3) that span the shape functions of the cell with `count` nodes."""
    degree = KINDS[count].degree
    grid = np.array(np.meshgrid(*[np.arange(3)] * 3, indexing="ij")).reshape(3, -1).T
    if KINDS[count].corners == 4:
        return grid[grid.sum(axis=1) <= degree]
    grid = grid[grid.max(axis=1) <= degree]
    # Serendipity: at most one square, and quadratics times what is linear in the others.
    return grid if count != 20 else grid[np.sum(grid == 2, axis=1) <= 1]


def shapes(count: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (q, k) and gradients (q, k, 3) in the reference cell at points (q, 3)."""
    exponents = _monomials(count)

    def powers(x: np.ndarray) -> np.ndarray:
        return np.prod(x[:, None] ** exponents, axis=-1)

    coefficients = np.linalg.inv(powers(KINDS[count].nodes))
    gradient = []
    for axis in range(3):
        lower = exponents.copy()
        lower[:, axis] = np.maximum(lower[:, axis] - 1, 0)
        gradient.append(exponents[:, axis] * np.prod(points[:, None] ** lower, axis=-1) @ coefficients)
    return powers(points) @ coefficients, np.stack(gradient, axis=-1)


def quadrature(count: int, shape_degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, 3) and positive weights (q,) that integrate products of two shapes times the volume's change exactly.

    shape_degree 0: cells that are affine images of the reference; 1: hexahedra with straight edges; 2: curved cells.
    """
    kind = KINDS[count]
    if kind.corners == 4 and shape_degree == 2:
        return _tetrahedron_rule(4)  # degree 4 of the shapes, 3 of the volume
    if kind.corners == 4:
        from skfem.quadrature import get_quadrature
        from skfem.refdom import RefTet

        # scikit-fem 12's rule named 5 has degree 4, which is just enough for two quadratics.
        points, weights = get_quadrature(RefTet, {1: 2, 2: 5}[kind.degree])
        return points.T, weights
    # A point rule of n takes degree 2 n - 1 an axis: 2 a shape twice, and 0, 2 or 5 from the volume.
    n = kind.degree + 1 + (0, 1, 2)[shape_degree]
    x, w = gauss_on_unit(n)
    points = np.array(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1).T
    return points, np.einsum("i,j,k->ijk", w, w, w).ravel()


def _tetrahedron_rule(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rule of n³ points and degree 2 n - 1 on the tetrahedron: a cube's, with one face drawn to an edge and one to a point."""
    (u, a), (v, b), (w, c) = (roots_jacobi(n, alpha, 0) for alpha in (2, 1, 0))
    u, v, w = np.meshgrid((1 + u) / 2, (1 + v) / 2, (1 + w) / 2, indexing="ij")
    weights = np.einsum("i,j,k->ijk", a / 8, b / 4, c / 2)
    return np.stack([u, v * (1 - u), w * (1 - u) * (1 - v)], axis=-1).reshape(-1, 3), weights.ravel()
