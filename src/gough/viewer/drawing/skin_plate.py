"""Plates: their middle surface above and below by half the thickness, and a rim around it."""

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.viewer.drawing.skin_surface import Surface, on_nodes


def plate_surface(body: ElasticBody, thickness: float | None, radius: float) -> Surface:
    """The surface of a body of triangles or quadrilaterals; thickness (m), where it is known."""
    triangles = _triangles(np.asarray(body.cells))
    used = np.unique(triangles)
    half = max((thickness or 0.0) / 2, 0.3 * radius)
    normals = _normals(body.nodes, triangles)
    place = np.full(len(body.nodes), -1)
    place[used] = np.arange(len(used))
    n = len(used)
    rim = _rim(triangles)
    m = len(rim)
    station = np.concatenate([used, used, rim[:, 0], rim[:, 1], rim[:, 0], rim[:, 1]])
    up = half * normals[used]
    arms = np.concatenate(
        [up, -up, *(sign * half * normals[rim[:, end]] for sign, end in ((1, 0), (1, 1), (-1, 0), (-1, 1)))]
    )
    top = place[triangles]
    a, b, c, d = (2 * n + k * m + np.arange(m) for k in range(4))
    sides = np.concatenate([np.column_stack([a, c, d]), np.column_stack([a, d, b])])
    return on_nodes(body, station, arms, np.concatenate([top, top[:, ::-1] + n, sides]))


def _triangles(cells: np.ndarray) -> np.ndarray:
    if cells.shape[1] == 3:
        return cells
    fourth = cells[:, 3] >= 0  # triangles among quadrilaterals have none
    return np.concatenate([cells[:, [0, 1, 2]], cells[fourth][:, [0, 2, 3]]])


def _normals(nodes: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of the nodes (n, 3)."""
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    total = np.zeros_like(nodes)
    for k in range(3):
        np.add.at(total, triangles[:, k], normal)
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(size > 0, total / np.where(size > 0, size, 1.0), np.array([0.0, 0.0, 1.0]))


def _rim(triangles: np.ndarray) -> np.ndarray:
    """Edges (e, 2) that belong to one triangle only, as they run in it."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, inverse, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    return edges[counts[inverse.ravel()] == 1]
