"""Solids: the faces that belong to one cell only; bodies without cells: a small ball at every node."""

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.fem.solids.cells import KINDS
from gough.viewer.drawing.creases import creased
from gough.viewer.drawing.skin_surface import Surface, on_nodes
from gough.viewer.drawing.solids import sphere

BALLS = 400
"""At most so many are drawn of a body without cells."""


def solid_surface(body: ElasticBody) -> Surface:
    """The outer surface of tetrahedra and hexahedra (corners are enough)."""
    faces, inside = [], []
    cells = np.asarray(body.cells)
    for row in cells:
        corners = row[row >= 0]
        kind = KINDS.get(len(corners))
        if kind is None:
            continue
        for face in kind.faces:
            faces.append(corners[list(face)])
            inside.append(body.nodes[corners[: kind.corners]].mean(axis=0))
    outer = _once(faces)
    triangles = []
    for k in outer:
        ids = faces[k]
        a, b, c = body.nodes[ids[:3]]
        outward = np.cross(b - a, c - a) @ (body.nodes[ids].mean(axis=0) - inside[k]) > 0
        ids = ids if outward else ids[::-1]
        triangles += [ids[[0, i, i + 1]] for i in range(1, len(ids) - 1)]
    station, corners = creased(body.nodes, np.array(triangles).reshape(-1, 3))
    return on_nodes(body, station, np.zeros((len(station), 3)), corners)


def _once(faces: list[np.ndarray]) -> list[int]:
    """Indices of the faces whose nodes no other face has."""
    seen: dict[tuple[int, ...], list[int]] = {}
    for k, face in enumerate(faces):
        seen.setdefault(tuple(sorted(map(int, face))), []).append(k)
    return [where[0] for where in seen.values() if len(where) == 1]


def cloud_surface(body: ElasticBody, radius: float) -> Surface:
    """Balls at the nodes, evenly picked where there are very many."""
    nodes = np.unique(np.linspace(0, len(body.nodes) - 1, min(len(body.nodes), BALLS)).astype(int))
    ball = sphere(0.6 * radius, 8)
    n = len(ball.vertices)
    faces = [ball.faces.astype(int) + n * k for k in range(len(nodes))]
    arms = np.tile(ball.vertices.astype(float), (len(nodes), 1))
    return on_nodes(body, np.repeat(nodes, n), arms, np.concatenate(faces))
