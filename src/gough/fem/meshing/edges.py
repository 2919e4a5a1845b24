"""Sides of a polygon cut into edges: as long as wanted, shorter where the body is narrow or something small is near."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.errors import UsageError
from gough.fem.meshing.outline import Outline, blocks, point_side_distance, to_side

GAP = 1.5
"""An edge is at most this many times as long as the body is wide there."""
GROWTH = 0.35
"""Sizes grow by at most this much a metre away from something small."""
MOST = 4000
"""Edges of a boundary; each looks at all others, so more would take minutes."""


@dataclass(frozen=True)
class Edges:
    """nodes (n, 2) on the boundary; edges (e, 2) of them; parent (e,): the side each is part of."""

    nodes: np.ndarray
    edges: np.ndarray
    parent: np.ndarray

    @property
    def start(self) -> np.ndarray:
        """(e, 2)."""
        return self.nodes[self.edges[:, 0]]

    @property
    def end(self) -> np.ndarray:
        """(e, 2)."""
        return self.nodes[self.edges[:, 1]]

    @property
    def length(self) -> np.ndarray:
        """(e,), m."""
        return np.linalg.norm(self.end - self.start, axis=1)

    def halve(self, which: np.ndarray) -> "Edges":
        """With the edges marked in which (e,) cut in the middle."""
        middle = (self.start[which] + self.end[which]) / 2
        new = len(self.nodes) + np.arange(len(middle))
        first, second = self.edges[which, 0], self.edges[which, 1]
        edges = np.concatenate([self.edges[~which], np.column_stack([first, new]), np.column_stack([new, second])])
        parent = np.concatenate([self.parent[~which], self.parent[which], self.parent[which]])
        return Edges(np.concatenate([self.nodes, middle]), edges, parent)


@dataclass(frozen=True)
class SizeField:
    """The wanted length of edges anywhere: `size` at most, less near short edges and near close points."""

    size: float
    edges: Edges
    points: np.ndarray
    near: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Wanted length (n,) at x (n, 2)."""
        out = np.full(len(x), self.size)
        for part in blocks(len(x), len(self.edges.edges)):
            distance = point_side_distance(x[part], self.edges.start, self.edges.end)
            out[part] = np.minimum(out[part], np.min(self.edges.length + GROWTH * distance, axis=1))
            if len(self.points):
                away = np.linalg.norm(x[part, None] - self.points, axis=-1)
                out[part] = np.minimum(out[part], np.min(self.near + GROWTH * away, axis=1))
        return out


def boundary_edges(outline: Outline, size: float, points: np.ndarray, on_side: np.ndarray) -> Edges:
    """Edges at most `size` long; points (p, 2) with on_side (p,) >= 0 become nodes of that side, the others keep edges fine."""
    first = _sides_cut_at(outline, points[on_side >= 0], on_side[on_side >= 0])
    edges = _cut_evenly(first, size)
    free = points[on_side < 0]
    strangers = ~_meeting(outline)
    while True:
        length, middle = edges.length, (edges.start + edges.end) / 2
        allowed = np.full(len(length), np.inf)
        for part in blocks(len(length), len(length)):
            away = to_side(middle[part], edges.start, edges.end)
            distance = np.linalg.norm(away, axis=-1)
            # Across the body, not across a slit: what lies on the inner side of the edge.
            across = np.einsum("ijk,ik->ij", away, outline.inward[edges.parent[part]]) > 0
            gap = np.where(across & strangers[np.ix_(edges.parent[part], edges.parent)], distance, np.inf)
            graded = np.min(length + GROWTH * distance, axis=1)
            # Twice: an edge beside one that was just halved may stay, else all would be halved for ever.
            allowed[part] = np.minimum(GAP * np.min(gap, axis=1), 2 * graded)
        if len(free):
            allowed = np.minimum(allowed, GAP * np.min(point_side_distance(free, edges.start, edges.end), axis=0))
        long = length > allowed
        if not np.any(long):
            return edges
        if len(length) > MOST:
            raise UsageError(
                f"polygon: more than {MOST} edges on its boundary, the shortest {length.min():.2g} m long: the body is too "
                f"narrow at {np.round(middle[np.argmin(length)], 9).tolist()}, or a point is too near a side there. Make it "
                "wider (or use a beam), move the point onto the side, or take larger elements"
            )
        edges = edges.halve(long)


def size_field(size: float, edges: Edges, points: np.ndarray) -> SizeField:
    """Field for these edges and free points (p, 2) inside."""
    if not len(points):
        return SizeField(size, edges, points, np.zeros(0))
    near = np.min(point_side_distance(points, edges.start, edges.end), axis=1)
    if len(points) > 1:
        apart = np.linalg.norm(points[:, None] - points, axis=-1) + np.diag(np.full(len(points), np.inf))
        near = np.minimum(near, np.min(apart, axis=1))
    return SizeField(size, edges, points, np.minimum(near, size))


def _meeting(outline: Outline) -> np.ndarray:
    """(s, s): sides that are the same or share a corner; the body is not narrow there, only pointed."""
    s = len(outline.start)
    out = np.eye(s, dtype=bool)
    out[np.arange(s), outline.following] = True
    return out | out.T


def _sides_cut_at(outline: Outline, points: np.ndarray, on_side: np.ndarray) -> Edges:
    """One edge a side, cut at the points on it; a point at a corner takes its place."""
    nodes = list(outline.start)
    corner_tolerance = 1e-9 * outline.extent
    cuts: list[list[tuple[float, int]]] = [[] for _ in outline.start]
    for point, s in zip(points, on_side, strict=True):
        at_corner = np.flatnonzero(np.linalg.norm(outline.start - point, axis=1) <= corner_tolerance)
        if len(at_corner):
            nodes[at_corner[0]] = point
            continue
        along = outline.end[s] - outline.start[s]
        cuts[s].append((float((point - outline.start[s]) @ along), len(nodes)))
        nodes.append(point)
    edges, parent = [], []
    for s, after in enumerate(outline.following):
        chain = [s, *(node for _, node in sorted(cuts[s])), int(after)]
        edges += pairwise(chain)
        parent += [s] * (len(chain) - 1)
    return Edges(np.array(nodes), np.array(edges), np.array(parent))


def _cut_evenly(edges: Edges, size: float) -> Edges:
    """Each edge cut into equal parts no longer than size."""
    nodes = [edges.nodes]
    count, rows, parent = len(edges.nodes), [], []
    for (a, b), length, p in zip(edges.edges, edges.length, edges.parent, strict=True):
        parts = max(1, int(np.ceil(length / size - 1e-9)))
        t = np.arange(1, parts)[:, None] / parts
        nodes.append((1 - t) * edges.nodes[a] + t * edges.nodes[b])
        chain = [a, *range(count, count + parts - 1), b]
        count += parts - 1
        rows += pairwise(chain)
        parent += [p] * parts
    return Edges(np.concatenate(nodes), np.array(rows), np.array(parent))
