"""Points inside a polygon: a triangular lattice, finer where wanted, then relaxed with its Delaunay triangles."""

import numpy as np
from scipy.spatial import Delaunay

from gough.errors import UsageError
from gough.fem.meshing.edges import Edges, SizeField
from gough.fem.meshing.outline import Outline, blocks, point_side_distance

CLEAR = 0.55
"""Lattice points nearer than this many local sizes to an edge or to a given point are left out."""
SWEEPS = 20
MOST_WORK = 1_500_000
"""Nodes inside times edges: distances that each sweep looks at."""


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
