"""A mesher of polygons with holes on scipy's Delaunay triangulation: edges first, then a relaxed lattice inside."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import Delaunay

from gough.errors import UsageError
from gough.fem._material import demand_positive
from gough.fem.meshing.outline import (
    Edges,
    Outline,
    SizeField,
    blocks,
    boundary_edges,
    outline_with_holes,
    point_side_distance,
    size_field,
)

ROUNDS = 30
MOST_TRIANGLES = 100_000
CLEAR = 0.55
"""Lattice points nearer than this many local sizes to an edge or to a given point are left out."""
SWEEPS = 20
MOST_WORK = 1_500_000
"""Nodes inside times edges: distances that each sweep looks at."""
THINNEST, WIDEST = 0.05, 0.35
"""Bounds of a boundary row's width, in lengths of the shortest edge at the node: slimmer triangles are ill-conditioned."""


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
    demand_positive("polygon", size=size)
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
    given, on_side, which = _attachment_points(body, points)
    edges = boundary_edges(body, size, given, on_side)
    inside = given[on_side < 0]
    for _ in range(ROUNDS):
        nodes = np.concatenate(
            [edges.nodes, inside, interior_points(body, size, edges, inside, size_field(size, edges, inside))]
        )
        triangles = triangles_inside(body, nodes)
        missing = _edges_missing(edges, triangles, len(nodes))
        if not np.any(missing):
            return _demand_whole(body, nodes, triangles, edges, given[which])
        edges = edges.halve(missing)
    raise UsageError(
        "polygon: its sides could not be kept in the mesh; it may have very sharp corners: take a smaller size"
    )


def _attachment_points(body: Outline, points: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def _edges_missing(edges: Edges, triangles: np.ndarray, n: int) -> np.ndarray:
    """Which edges (e,) no triangle has."""
    sides = np.sort(_sides(triangles), axis=1)
    wanted = np.sort(edges.edges, axis=1)
    return ~np.isin(wanted @ [n, 1], sides @ [n, 1])


def _demand_whole(
    body: Outline, nodes: np.ndarray, triangles: np.ndarray, edges: Edges, given: np.ndarray
) -> TriangleMesh:
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


def _sides(triangles: np.ndarray) -> np.ndarray:
    """Sides (3 t, 2) of triangles, each in its triangle's direction."""
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])


def triangle_mesh(nodes: np.ndarray, triangles: np.ndarray, given: np.ndarray) -> TriangleMesh:
    """Mesh with its boundary found: edges that one triangle has. given (p, 2): points that are nodes."""
    directed = _sides(triangles)
    n = len(nodes)
    boundary = directed[~np.isin(directed @ [n, 1], directed[:, ::-1] @ [n, 1])]
    point_nodes = [int(np.argmin(np.linalg.norm(nodes - p, axis=1))) for p in given]
    return TriangleMesh(nodes, triangles, boundary, np.array(point_nodes, dtype=int))


def with_layer(mesh: TriangleMesh, width: float) -> TriangleMesh:
    """The mesh with a row of triangles at its boundary, where a sheared plate's twist falls off within about its thickness.

    The row is `width` (m) wide; none at nodes whose edges are no longer than that. Boundary nodes stay;
    copies of them move inwards and take their place in the triangles they had.
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
    i, j = _sides(mesh.triangles).T
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


def lattice(outline: Outline, size: float, wanted: SizeField) -> np.ndarray:
    """Points (n, 2) of an equilateral lattice along the longest side, halved again and again where `wanted` is smaller."""
    side = outline.end - outline.start
    length = np.linalg.norm(side, axis=1)
    longest = int(np.argmax(length))
    step = length[longest] / np.ceil(length[longest] / size - 1e-9) if length[longest] > size else size
    along = side[longest] / length[longest]
    across = np.array([-along[1], along[0]])
    frame = step * np.array([along, along / 2 + across * np.sqrt(3) / 2])
    at = np.linalg.solve(frame.T, (outline.loops[0] - outline.start[longest]).T).T
    low, high = np.floor(at.min(axis=0)).astype(int) - 1, np.ceil(at.max(axis=0)).astype(int) + 1
    i, j = (g.ravel() for g in np.meshgrid(*(np.arange(a, b) for a, b in zip(low, high, strict=True)), indexing="ij"))
    corner = np.stack([i, j], axis=-1)
    triangles = np.concatenate(
        [np.stack([corner, corner + [1, 0], corner + [0, 1]], axis=1),
         np.stack([corner + [1, 1], corner + [0, 1], corner + [1, 0]], axis=1)]
    ).astype(float)  # fmt: skip
    points, edge = [], step
    while len(triangles):
        position = outline.start[longest] + triangles @ frame
        reach = np.all(position.max(axis=1) >= outline.loops[0].min(axis=0), axis=1)
        reach &= np.all(position.min(axis=1) <= outline.loops[0].max(axis=0), axis=1)
        triangles, position = triangles[reach], position[reach]
        if not len(triangles):
            break
        fine = edge > 1.4 * wanted(position.mean(axis=1))
        points.append(triangles[~fine].reshape(-1, 2))
        a, b, c = triangles[fine].transpose(1, 0, 2)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        edge /= 2
        _refuse_work(len(triangles) // 4, len(wanted.edges.edges))
    inner = np.unique(np.concatenate(points), axis=0)  # dyadic lattice numbers: equal ones are equal exactly
    return outline.start[longest] + inner @ frame


def _refuse_work(nodes: int, edges: int) -> None:
    if nodes * edges > MOST_WORK:
        raise UsageError(
            f"polygon: about {nodes} nodes inside and {edges} edges on the boundary would take too long to mesh: take larger "
            "elements (size), or an outline with fewer corners and without narrow places"
        )


def clear_of(points: np.ndarray, edges: Edges, given: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Whether points (n, 2) keep the distance least (n,) to every edge and given point, and stay out of edges' circles."""
    out = np.ones(len(points), dtype=bool)
    for part in blocks(len(points), len(edges.edges)):
        x = points[part]
        out[part] &= np.min(point_side_distance(x, edges.start, edges.end), axis=1) >= least[part]
        middle = (edges.start + edges.end) / 2
        out[part] &= np.all(np.linalg.norm(x[:, None] - middle, axis=-1) > edges.length / 2, axis=1)
        if len(given):
            out[part] &= np.min(np.linalg.norm(x[:, None] - given, axis=-1), axis=1) >= least[part]
    return out


def interior_points(outline: Outline, size: float, edges: Edges, given: np.ndarray, wanted: SizeField) -> np.ndarray:
    """Points (n, 2) inside, besides the edges' nodes and the given points (p, 2)."""
    free = lattice(outline, size, wanted)
    free = free[outline.inside(free)]
    _refuse_work(len(free), len(edges.edges))
    free = free[clear_of(free, edges, given, CLEAR * wanted(free))]
    fixed = np.concatenate([edges.nodes, given])
    for _ in range(SWEEPS if len(free) else 0):
        points = np.concatenate([fixed, free])
        triangles = triangles_inside(outline, points)
        centre, area = points[triangles].mean(axis=1), areas(points, triangles)
        weight = np.bincount(triangles.ravel(), np.repeat(area, 3), len(points))[len(fixed) :]
        moment = [
            np.bincount(triangles.ravel(), np.repeat(area * centre[:, k], 3), len(points))[len(fixed) :] for k in (0, 1)
        ]
        moved = np.where(weight[:, None] > 0, np.stack(moment, axis=-1) / np.maximum(weight, 1e-300)[:, None], free)
        good = outline.inside(moved) & clear_of(moved, edges, given, 0.8 * CLEAR * wanted(moved))
        moved = np.where(good[:, None], moved, free)
        step = np.max(np.linalg.norm(moved - free, axis=1))
        free = moved
        if step < 1e-3 * size:
            break
    return free


def triangles_inside(outline: Outline, points: np.ndarray) -> np.ndarray:
    """Delaunay triangles (t, 3) of points (n, 2) whose middle is in the body, flat ones left out, counter-clockwise."""
    triangles = Delaunay(points).simplices
    area = areas(points, triangles)
    triangles = np.where((area > 0)[:, None], triangles, triangles[:, [0, 2, 1]])
    corner = points[triangles]
    longest = np.max(np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=-1), axis=1)
    return triangles[outline.inside(corner.mean(axis=1)) & (np.abs(area) > 1e-9 * longest**2)]


def areas(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Signed areas (t,), m²."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    u, v = b - a, c - a
    return (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2
