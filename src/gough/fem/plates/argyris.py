"""Argyris' triangle: quintic, with continuous slopes, for the deflection of thin plates.

Freedoms: w, w_x, w_y, w_xx, w_xy, w_yy at the corners and the slope across each edge at its middle. The shapes are those of
the reference triangle, combined so that the freedoms are the real ones: cells of any place, size and slimness keep their
digits (scikit-fem's own inverts powers of the coordinates and loses them).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
_EDGES = ((0, 1), (1, 2), (0, 2))
_EXPONENTS = np.array([(i, j) for i in range(6) for j in range(6 - i)])
_ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
NAMES = ("", "_x", "_y", "_xx", "_xy", "_yy")


@dataclass(frozen=True)
class Argyris:
    """freedoms (c, 21) of each cell, their number, and values (c, q, 21) of w and its derivatives at q points, by `NAMES`.

    Freedom 6 i + k is NAMES[k] of w at node i; those of edges follow.
    """

    freedoms: np.ndarray
    count: int
    values: dict[str, np.ndarray]


def argyris(nodes: np.ndarray, cells: np.ndarray, points: np.ndarray) -> Argyris:
    """The space on triangles (c, 3) of nodes (n, 2), evaluated at points (q, 2) of the reference triangle."""
    corner = nodes[cells]
    jacobian = np.stack([corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]], axis=-1)
    change = _derivative_change(np.linalg.inv(jacobian))
    freedoms, count, normals = _numbering(nodes, cells)

    # Rows: the real freedoms applied to the shapes of the reference triangle.
    rows = np.zeros((len(cells), 21, 21))
    for k in range(3):
        rows[:, 6 * k : 6 * k + 6] = change @ _reference(_CORNERS[k : k + 1])[0]
    for k, (a, b) in enumerate(_EDGES):
        slopes = change[:, 1:3] @ _reference((_CORNERS[a] + _CORNERS[b])[None] / 2)[0]
        rows[:, 18 + k] = np.einsum("cx,cxj->cj", normals[:, k], slopes)
    combined = np.linalg.inv(rows)

    at = np.einsum("cde,qej,cjk->dcqk", change, _reference(points), combined, optimize=True)
    return Argyris(freedoms, count, dict(zip(NAMES, at, strict=True)))


def _derivative_change(inverse: np.ndarray) -> np.ndarray:
    """(c, 6, 6): (w, w_x, w_y, w_xx, w_xy, w_yy) from those by the reference's coordinates; inverse (c, 2, 2) of ∂x/∂X."""
    (a, c), (b, d) = inverse[:, :, 0].T, inverse[:, :, 1].T  # X_x, Y_x and X_y, Y_y
    out = np.zeros((len(inverse), 6, 6))
    out[:, 0, 0] = 1
    out[:, 1, 1], out[:, 1, 2] = a, c
    out[:, 2, 1], out[:, 2, 2] = b, d
    out[:, 3, 3], out[:, 3, 4], out[:, 3, 5] = a * a, 2 * a * c, c * c
    out[:, 4, 3], out[:, 4, 4], out[:, 4, 5] = a * b, a * d + b * c, c * d
    out[:, 5, 3], out[:, 5, 4], out[:, 5, 5] = b * b, 2 * b * d, d * d
    return out


def _numbering(nodes: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """Freedoms (c, 21), their number, unit normals (c, 3, 2) of the edges, the same seen from both sides."""
    ends = np.sort(np.stack([cells[:, list(e)] for e in _EDGES], axis=1), axis=-1)
    edges, which = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    along = nodes[ends[..., 1]] - nodes[ends[..., 0]]
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1) / np.linalg.norm(along, axis=-1)[..., None]
    at_corners = (6 * cells[:, :, None] + np.arange(6)).reshape(len(cells), 18)
    at_edges = 6 * len(nodes) + which.reshape(-1, 3)
    return np.concatenate([at_corners, at_edges], axis=1), 6 * len(nodes) + len(edges), normals


def _powers(points: np.ndarray) -> np.ndarray:
    """(q, 6, 21): derivatives `_ORDERS` of the monomials about the triangle's middle at points (q, 2)."""
    x = points - 1 / 3
    out = np.empty((len(points), 6, len(_EXPONENTS)))
    for k, order in enumerate(_ORDERS):
        left = _EXPONENTS - order
        factor = np.ones(len(_EXPONENTS))
        for axis in (0, 1):
            for step in range(order[axis]):
                factor = factor * (_EXPONENTS[:, axis] - step)
        out[:, k] = factor * np.prod(x[:, None] ** np.maximum(left, 0), axis=-1)
    return out


@cache
def _coefficients() -> np.ndarray:
    """(21, 21): monomials' coefficients of the reference triangle's own shapes."""
    rows = [*_powers(_CORNERS).reshape(18, -1)]
    for a, b in _EDGES:
        slopes = _powers((_CORNERS[a] + _CORNERS[b])[None] / 2)[0, 1:3]
        t = _CORNERS[b] - _CORNERS[a]
        rows.append(np.array([-t[1], t[0]]) @ slopes)
    return np.linalg.inv(np.array(rows))


def _reference(points: np.ndarray) -> np.ndarray:
    """(q, 6, 21): derivatives of the reference triangle's shapes at points (q, 2)."""
    return _powers(points) @ _coefficients()
