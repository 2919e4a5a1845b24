"""A mesher of polygons with holes on scipy's Delaunay triangulation: edges first, then a relaxed lattice inside."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.errors import UsageError
from gough.fem.material import positive
from gough.fem.meshing.edges import Edges, boundary_edges, size_field
from gough.fem.meshing.interior import areas, interior_points, triangles_inside
from gough.fem.meshing.outline import Outline, outline_with_holes, point_side_distance

ROUNDS = 30
MOST_TRIANGLES = 100_000


@dataclass(frozen=True)
class TriangleMesh:
    """nodes (n, 2) in m, triangles (t, 3) counter-clockwise, boundary (b, 2): edges with the body on their left.

    point_nodes (p,): the node of each given point.
    """

    nodes: np.ndarray
    triangles: np.ndarray
    boundary: np.ndarray
    point_nodes: np.ndarray

    @property
    def smallest_angle(self) -> float:
        """Of all triangles (rad); 60° is the best there is."""
        corner = self.nodes[self.triangles]
        forward, back = np.roll(corner, -1, axis=1) - corner, np.roll(corner, 1, axis=1) - corner
        cosine = np.sum(forward * back, -1) / (np.linalg.norm(forward, axis=-1) * np.linalg.norm(back, axis=-1))
        return float(np.arccos(np.max(cosine)))


def mesh_polygon(
    outline: np.ndarray | Sequence[Sequence[float]],
    size: float,
    holes: Sequence[np.ndarray | Sequence[Sequence[float]]] = (),
    points: np.ndarray | Sequence[Sequence[float]] = (),
) -> TriangleMesh:
    """Triangles of a polygon with corners `outline` (k, 2) and holes, edges about `size` long (m), shorter where narrow.

    Every one of `points` (p, 2), inside or on a side, becomes a node exactly.
    """
    positive("polygon", size=size)
    body = outline_with_holes(outline, holes)
    if size > body.extent / 2:
        raise UsageError(
            f"polygon: size = {size!r} is too large for a body {body.extent:.4g} m long; take at most half of that"
        )
    if body.area / (0.43 * size**2) > MOST_TRIANGLES:
        least = np.sqrt(body.area / (0.43 * MOST_TRIANGLES))
        raise UsageError(
            f"polygon: size = {size!r} would make more than {MOST_TRIANGLES} triangles; take {least:.2g} m or more"
        )
    given, on_side, which = _attachments(body, points)
    edges = boundary_edges(body, size, given, on_side)
    inside = given[on_side < 0]
    for _ in range(ROUNDS):
        nodes = np.concatenate(
            [edges.nodes, inside, interior_points(body, size, edges, inside, size_field(size, edges, inside))]
        )
        triangles = triangles_inside(body, nodes)
        missing = _missing(edges, triangles, len(nodes))
        if not np.any(missing):
            return _checked(body, nodes, triangles, edges, given[which])
        edges = edges.halved(missing)
    raise UsageError(
        "polygon: its sides could not be kept in the mesh; it may have very sharp corners: take a smaller size"
    )


def _attachments(body: Outline, points: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct points (p, 2), the side each is on or -1 (p,), and which of them every given point is."""
    given = np.array(points, dtype=float).reshape(-1, 2) if np.size(points) else np.zeros((0, 2))
    if not np.all(np.isfinite(given)):
        raise UsageError("polygon: points must be finite (p, 2) numbers in m")
    if not len(given):
        return given, np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    distance = point_side_distance(given, body.start, body.end)
    on_side = np.where(distance.min(axis=1) <= 1e-9 * body.extent, distance.argmin(axis=1), -1)
    for k in np.flatnonzero((on_side < 0) & ~body.inside(given)):
        raise UsageError(
            f"polygon: point {k} at {given[k].tolist()} is off the body, {distance[k].min():.4g} m from its nearest side"
        )
    kept, which = np.unique(given, axis=0, return_inverse=True)
    side = np.empty(len(kept), dtype=int)
    side[which.ravel()] = on_side
    return kept, side, which.ravel()


def _missing(edges: Edges, triangles: np.ndarray, n: int) -> np.ndarray:
    """Which edges (e,) no triangle has."""
    sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    wanted = np.sort(edges.edges, axis=1)
    return ~np.isin(wanted @ [n, 1], sides @ [n, 1])


def _checked(body: Outline, nodes: np.ndarray, triangles: np.ndarray, edges: Edges, given: np.ndarray) -> TriangleMesh:
    """The mesh, after seeing that it fills the body and has its edges as boundary."""
    used = np.unique(triangles)
    number = np.full(len(nodes), -1)
    number[used] = np.arange(len(used))
    mesh = triangle_mesh(nodes[used], number[triangles], given)
    filled = float(np.sum(areas(mesh.nodes, mesh.triangles)))
    if len(mesh.boundary) != len(edges.edges) or abs(filled - body.area) > 1e-6 * body.area:
        raise UsageError(
            f"polygon: the mesh covers {filled:.9g} m² of {body.area:.9g} m² with {len(mesh.boundary)} boundary edges for "
            f"{len(edges.edges)}; move points that are very near each other or a side, or change the size"
        )
    return mesh


def triangle_mesh(nodes: np.ndarray, triangles: np.ndarray, given: np.ndarray) -> TriangleMesh:
    """Mesh with its boundary found: edges that one triangle has. given (p, 2): points that are nodes."""
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    n = len(nodes)
    boundary = directed[~np.isin(directed @ [n, 1], directed[:, ::-1] @ [n, 1])]
    point_nodes = [int(np.argmin(np.linalg.norm(nodes - p, axis=1))) for p in given]
    return TriangleMesh(nodes, triangles, boundary, np.array(point_nodes, dtype=int))


# A thin row of triangles along the boundary: where a sheared plate's twist falls off within about its thickness.

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
