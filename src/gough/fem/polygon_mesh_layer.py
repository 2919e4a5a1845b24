"""A thin row of triangles along the boundary: where a sheared plate's twist falls off within about its thickness."""

import numpy as np

from gough.fem.polygon_mesh import TriangleMesh, triangle_mesh
from gough.fem.polygon_mesh_interior import areas

THINNEST, WIDEST = 0.05, 0.35
"""Bounds of the row's width, in lengths of the shortest edge at the node: slimmer triangles are ill-conditioned."""


def with_layer(mesh: TriangleMesh, width: float) -> TriangleMesh:
    """The mesh with a row `width` (m) wide at its boundary; none at nodes whose edges are no longer than that.

    Boundary nodes stay; copies of them move inwards and take their place in the triangles they had.
    """
    n = len(mesh.nodes)
    following = np.full(n, -1)
    following[mesh.boundary[:, 0]] = mesh.boundary[:, 1]
    before = np.full(n, -1)
    before[mesh.boundary[:, 1]] = mesh.boundary[:, 0]
    shortest = _shortest_edge(mesh)
    on = np.flatnonzero((following >= 0) & (shortest > width))
    if not len(on):
        return mesh
    step = np.clip(width, THINNEST * shortest[on], WIDEST * shortest[on])
    offset = _mitre(mesh.nodes[before[on]], mesh.nodes[on], mesh.nodes[following[on]]) * step[:, None]
    copy = np.arange(n)
    copy[on] = n + np.arange(len(on))
    i, j = mesh.boundary.T
    strip = np.concatenate([np.column_stack([i, j, copy[j]]), np.column_stack([i, copy[j], copy[i]])])
    strip = strip[(strip[:, 1] != strip[:, 2]) & (strip[:, 0] != strip[:, 2])]
    triangles = np.concatenate([copy[mesh.triangles], strip])
    for _ in range(6):
        nodes = np.concatenate([mesh.nodes, mesh.nodes[on] + offset])
        if np.all(areas(nodes, triangles) > 0):
            return triangle_mesh(nodes, triangles, mesh.nodes[mesh.point_nodes])
        offset = offset / 2
    return mesh  # a mesh too crooked for a row along it: the plate is then a little stiffer at its edges, never wrong


def _shortest_edge(mesh: TriangleMesh) -> np.ndarray:
    """(n,): the shortest edge at each node."""
    out = np.full(len(mesh.nodes), np.inf)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        i, j = mesh.triangles[:, a], mesh.triangles[:, b]
        length = np.linalg.norm(mesh.nodes[i] - mesh.nodes[j], axis=1)
        np.minimum.at(out, i, length)
        np.minimum.at(out, j, length)
    return out


def _mitre(previous: np.ndarray, here: np.ndarray, following: np.ndarray) -> np.ndarray:
    """Inward vectors (b, 2) that keep distance 1 to both edges, no longer than 2 at pointed corners."""
    normals = []
    for a, b in ((previous, here), (here, following)):
        along = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
        normals.append(np.column_stack([-along[:, 1], along[:, 0]]))
    both = normals[0] + normals[1]
    out = both / np.maximum(1 + np.sum(normals[0] * normals[1], axis=1), 1e-6)[:, None]
    size = np.linalg.norm(out, axis=1)
    return out * np.minimum(1, 2 / np.maximum(size, 1e-12))[:, None]
