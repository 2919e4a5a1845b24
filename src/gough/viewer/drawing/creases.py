"""Sharp edges: a node of a surface gets a vertex for each smooth part that meets there."""

import numpy as np

CREASE = np.cos(np.radians(40.0))
"""Faces that meet at more than that angle meet in a sharp edge."""


def creased(nodes: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(node of every vertex (v,), faces by vertices (f, 3)) of a surface by its nodes (n, 3) and triangles (f, 3)."""
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    at: dict[int, list[tuple[int, np.ndarray]]] = {}
    station: list[int] = []
    faces = np.zeros_like(triangles)
    for f, triangle in enumerate(triangles):
        for k, node in enumerate(triangle.tolist()):
            known = at.setdefault(node, [])
            vertex = next((v for v, n in known if n @ normal[f] > CREASE), None)
            if vertex is None:
                vertex = len(station)
                station.append(node)
                known.append((vertex, normal[f]))
            faces[f, k] = vertex
    return np.array(station, dtype=int), faces
