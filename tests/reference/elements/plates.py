"""Plates of the library's freedoms, evaluated independently: the deflection as a polynomial of its own in every triangle.

Freedoms: at a node w, theta_x, theta_y and, times a length, w_xx, w_xy, w_yy; at the middle of an edge the slope across it;
then shear strains gamma_x, gamma_y (Mindlin), cubic, in scikit-fem's order. Slopes: w_x = gamma_x - theta_y,
w_y = gamma_y + theta_x. A quintic of each triangle is found from its 21 numbers; scikit-fem evaluates the cubics.
Quadrature: Gauss points of a square collapsed to the triangle, and three layers across the thickness.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import skfem

from .field import ElementField, gauss

POINTS = 7
DEGREE = 5
EXPONENTS = [(i, j) for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i)]
SIDES = ((0, 1), (1, 2), (0, 2))


def collapsed(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, 2) and weights (q,) of the reference triangle, exact to degree 2 n - 2."""
    x, w = gauss(n)
    a, b = (g.ravel() for g in np.meshgrid(x, x, indexing="ij"))
    return np.column_stack([a, b * (1 - a)]), (np.outer(w, w).ravel()) * (1 - a)


def monomials(x: np.ndarray, dx: int = 0, dy: int = 0) -> np.ndarray:
    """(points, 21) derivatives of x^i y^j."""

    def power(t: np.ndarray, n: int, d: int) -> np.ndarray:
        factor = float(np.prod([n - k for k in range(d)])) if d else 1.0
        return factor * t ** (n - d) if n >= d else np.zeros_like(t)

    return np.stack([power(x[:, 0], i, dx) * power(x[:, 1], j, dy) for i, j in EXPONENTS], axis=1)


class Deflection:
    """w of all coordinates in every triangle: corner values (n, 6, m) of w, w_x, w_y, w_xx, w_xy, w_yy; edge slopes (e, m)."""

    def __init__(self, nodes: np.ndarray, cells: np.ndarray, corner: np.ndarray, edge: np.ndarray) -> None:
        every = np.unique(np.sort(np.concatenate([cells[:, list(s)] for s in SIDES]), axis=1), axis=0)
        number = {tuple(pair): k for k, pair in enumerate(every.tolist())}
        assert len(edge) == len(every)
        self.centre = nodes[cells].mean(axis=1)
        first, second = (nodes[cells[:, k]] - nodes[cells[:, 0]] for k in (1, 2))
        self.size = np.sqrt(np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]))
        self.a = []
        for c, cell in enumerate(cells):
            x, h = (nodes[cell] - self.centre[c]) / self.size[c], self.size[c]
            rows, right = [], []
            for k, (dx, dy) in enumerate([(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]):
                rows.append(monomials(x, dx, dy))
                right.append(corner[cell, k] * h ** (dx + dy))
            for i, j in SIDES:
                low, high = sorted((cell[i], cell[j]))
                t = nodes[high] - nodes[low]
                normal = np.array([-t[1], t[0]]) / np.linalg.norm(t)
                middle = (x[i] + x[j])[None] / 2
                rows.append(normal[0] * monomials(middle, 1, 0) + normal[1] * monomials(middle, 0, 1))
                right.append(edge[number[low, high]][None] * h)
            self.a.append(np.linalg.solve(np.concatenate(rows), np.concatenate(right)))

    def __call__(self, cell: int, x: np.ndarray, dx: int = 0, dy: int = 0) -> np.ndarray:
        """Derivative (points, m) at points (points, 2) of a triangle."""
        h = self.size[cell]
        return monomials((x - self.centre[cell]) / h, dx, dy) @ self.a[cell] / h ** (dx + dy)


def plate_field(
    nodes: np.ndarray,
    cells: np.ndarray,
    freedoms: np.ndarray,
    labels: tuple[str, ...],
    *,
    thickness: float,
    material: Any,
    size: float,
    mindlin: bool = True,
) -> ElementField:
    """A plate in the xy plane of its body. nodes (n, 3), cells (c, 3), freedoms (d, m) of the coordinates, size: the length
    that second derivatives are multiplied by. Rotary inertia as a Mindlin plate's."""
    flat, m, n = nodes[:, :2], freedoms.shape[1], len(nodes)
    mesh: Any = skfem.MeshTri(np.ascontiguousarray(flat.T), np.ascontiguousarray(cells.T))
    local, weight = collapsed(POINTS)
    cubic: Any = skfem.Basis(mesh, skfem.ElementTriP3(), quadrature=(local.T, weight))
    edges = len(mesh.facets.T)
    start = 6 * n + edges
    shear = [freedoms[start + k * cubic.N : start + (k + 1) * cubic.N] for k in range(2 if mindlin else 0)]
    assert len(freedoms) == start + len(shear) * cubic.N
    at_nodes = freedoms[: 6 * n].reshape(n, 6, m)
    turn = at_nodes[:, 1:3]  # the freedoms called theta_y and theta_x, in the places of w_x and w_y
    strain = np.stack([g[cubic.nodal_dofs[0]] for g in shear], axis=1) if mindlin else np.zeros((n, 2, m))
    slope = np.stack([strain[:, 0] - turn[:, 0], strain[:, 1] + turn[:, 1]], axis=1)
    corner = np.concatenate([at_nodes[:, :1], slope, at_nodes[:, 3:] / size], axis=1)
    w = Deflection(flat, cells, corner, freedoms[6 * n : start])

    def sheared(k: int, mode: int) -> Any:
        return cubic.interpolate(np.ascontiguousarray(shear[k][:, mode]))

    # gamma[k] (cells, points, m) and its slopes
    points = np.asarray(cubic.global_coordinates()).transpose(1, 2, 0)
    zero = np.zeros((*points.shape[:2], m))
    gamma, slopes = [zero, zero], [[zero, zero], [zero, zero]]
    if mindlin:
        fields = [[sheared(k, mode) for mode in range(m)] for k in range(2)]
        gamma = [np.stack([np.asarray(f) for f in row], axis=-1) for row in fields]
        slopes = [[np.stack([np.asarray(f.grad[i]) for f in row], axis=-1) for i in range(2)] for row in fields]
    z, layer = gauss(3)
    z = thickness * (z - 0.5)
    mass, position, shape, K = [], [], [], np.zeros((m, m))
    nu, E = material.nu, material.E
    G = material.G if material.G is not None else E / (2 * (1 + nu))
    D = E * thickness**3 / (12 * (1 - nu**2))
    for c in range(len(cells)):
        x, area = points[c], cubic.dx[c]
        slope_x, slope_y = w(c, x, 1, 0) - gamma[0][c], w(c, x, 0, 1) - gamma[1][c]
        xx, yy = w(c, x, 2, 0) - slopes[0][0][c], w(c, x, 0, 2) - slopes[1][1][c]
        xy = 2 * w(c, x, 1, 1) - slopes[0][1][c] - slopes[1][0][c]

        def both(a: np.ndarray, b: np.ndarray, area: np.ndarray = area) -> np.ndarray:
            return np.einsum("q,qk,ql->kl", area, a, b)

        K += D * (both(xx, xx) + both(yy, yy) + nu * (both(xx, yy) + both(yy, xx)) + (1 - nu) / 2 * both(xy, xy))
        K += 5 / 6 * G * thickness * (both(gamma[0][c], gamma[0][c]) + both(gamma[1][c], gamma[1][c]))
        for height, part in zip(z, layer, strict=True):
            mass.append(material.density * thickness * part * area)
            position.append(np.column_stack([x, np.full(len(x), height)]))
            shape.append(np.stack([-height * slope_x, -height * slope_y, w(c, x)], axis=1))
    turned = np.stack([turn[:, 1], turn[:, 0], 0 * turn[:, 0]], axis=1)
    moved = np.stack([0 * at_nodes[:, 0], 0 * at_nodes[:, 0], at_nodes[:, 0]], axis=1)
    return ElementField(
        np.concatenate(mass),
        np.concatenate(position),
        np.concatenate(shape),
        None,
        K,
        np.zeros((m, m)),
        labels,
        np.asarray(nodes, float),
        moved,
        turned,
    )
