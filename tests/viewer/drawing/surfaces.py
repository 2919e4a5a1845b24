"""What a mesh must be, by counting: closed, all normals outwards."""

from collections import Counter

import numpy as np

from inner.viewer import Mesh


def open_edges(mesh: Mesh) -> int:
    """Edges that are not run through once in each direction; vertices in one place count as one."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    places = np.round(mesh.vertices.astype(float) / (1e-5 * size)).astype(int)
    _, number = np.unique(places, axis=0, return_inverse=True)
    faces = number.ravel()[mesh.faces.astype(int)]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    directed = Counter(map(tuple, np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).tolist()))
    return sum(1 for (a, b), n in directed.items() if directed.get((b, a), 0) != n)


def area(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
