"""Polygons with holes: checks, which side a point is on, how far from the boundary it is; their sides cut into edges, as long as
wanted, shorter where the body is narrow or something small is near."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.errors import UsageError

MOST_CORNERS = 2000
AT_ONCE = 1_000_000
"""Distances computed together: bounds the memory."""


@dataclass(frozen=True)
class Outline:
    """A polygon with holes as loops of corners; loops[0] is the outer one, the rest are holes.

    start, end (s, 2): the sides of all loops. loop (s,): whose they are; side (s,): which of that loop's.
    """

    loops: tuple[np.ndarray, ...]
    start: np.ndarray
    end: np.ndarray
    loop: np.ndarray
    side: np.ndarray

    @property
    def area(self) -> float:
        """Of the body, holes taken out (m²)."""
        areas = [abs(signed_area(corners)) for corners in self.loops]
        return areas[0] - sum(areas[1:])

    @property
    def extent(self) -> float:
        """Longer side of the bounding box (m)."""
        return float(np.max(np.ptp(self.loops[0], axis=0)))

    @property
    def following(self) -> np.ndarray:
        """Index (s,) of the side that starts where a side ends."""
        first = np.searchsorted(self.loop, self.loop)
        count = np.bincount(self.loop)[self.loop]
        return first + (self.side + 1) % count

    @property
    def inward(self) -> np.ndarray:
        """Unit normals (s, 2) of the sides, into the body."""
        turns = np.array([np.sign(signed_area(c)) * (1 if i == 0 else -1) for i, c in enumerate(self.loops)])
        along = (self.end - self.start) * (turns[self.loop] / np.linalg.norm(self.end - self.start, axis=1))[:, None]
        return np.column_stack([-along[:, 1], along[:, 0]])

    def inside(self, points: np.ndarray) -> np.ndarray:
        """Whether points (n, 2) are in the body (n,); those on the boundary may be either."""
        return crossings(self.start, self.end, points) % 2 == 1

    def side_name(self, s: int) -> str:
        """Name of side s for messages."""
        loop = "outline" if self.loop[s] == 0 else f"hole {self.loop[s] - 1}"
        return f"side {self.side[s]} of the {loop}"


def outline_with_holes(outline: object, holes: Sequence[object]) -> Outline:
    """Checked outline from corners (k, 2) in order, either way round; a repeated last corner is dropped."""
    loops = tuple(_corners(c, "outline" if i == 0 else f"hole {i - 1}") for i, c in enumerate((outline, *holes)))
    if (count := sum(map(len, loops))) > MOST_CORNERS:
        raise UsageError(
            f"polygon: {count} corners, and every one becomes a node; at most {MOST_CORNERS} can be meshed: leave out corners on "
            "a line with their neighbours, and those nearer to each other than the elements are large"
        )
    start = np.concatenate(loops)
    end = np.concatenate([np.roll(c, -1, axis=0) for c in loops])
    loop = np.concatenate([np.full(len(c), i) for i, c in enumerate(loops)])
    side = np.concatenate([np.arange(len(c)) for c in loops])
    whole = Outline(loops, start, end, loop, side)
    for i, corners in enumerate(loops):  # before the crossings: a flat outline touches itself everywhere
        name = "outline" if i == 0 else f"hole {i - 1}"
        if np.linalg.matrix_rank(corners - corners[0], tol=1e-9 * whole.extent) < 2:
            raise UsageError(f"polygon: {name} encloses no area: its corners are on one line")
    _refuse_crossings(whole)
    for i, corners in enumerate(loops[1:]):
        for j, other in enumerate(loops):
            if j == i + 1:
                continue
            within = crossings(other, np.roll(other, -1, axis=0), corners[:1])[0] % 2 == 1
            if j == 0 and not within:
                raise UsageError(f"polygon: hole {i} lies outside the outline (corner 0 is {corners[0].tolist()})")
            if j > 0 and within:
                raise UsageError(f"polygon: hole {i} lies inside hole {j - 1}; leave it out")
    return whole


def _corners(corners: object, name: str) -> np.ndarray:
    c = np.array(corners, dtype=float)
    if c.ndim != 2 or c.shape[1:] != (2,) or not np.all(np.isfinite(c)):
        raise UsageError(f"polygon: {name} must be finite corners (k, 2) in m, got an array of shape {c.shape}")
    if len(c) > 1 and np.array_equal(c[0], c[-1]):
        c = c[:-1]
    if len(c) < 3:
        raise UsageError(f"polygon: {name} has {len(c)} corners; it needs three")
    length = np.linalg.norm(np.roll(c, -1, axis=0) - c, axis=1)
    short = int(np.argmin(length))
    if length[short] <= 1e-9 * np.max(np.ptp(c, axis=0)):
        raise UsageError(f"polygon: corners {short} and {(short + 1) % len(c)} of the {name} coincide; leave one out")
    return c


def signed_area(corners: np.ndarray) -> float:
    """Positive when the corners (k, 2) run counter-clockwise (m²)."""
    x, y = (corners - corners[0]).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def crossings(start: np.ndarray, end: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How many sides (s, 2)–(s, 2) a ray along +x from each point (n, 2) meets (n,)."""
    out = np.zeros(len(points), dtype=int)
    for part in blocks(len(points), len(start)):
        x, y = points[part, :1], points[part, 1:]
        meets = (start[:, 1] <= y) != (end[:, 1] <= y)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = start[:, 0] + (y - start[:, 1]) / (end[:, 1] - start[:, 1]) * (end[:, 0] - start[:, 0])
        out[part] = np.sum(meets & (at > x), axis=1)
    return out


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Parts of rows so that a table of them with so many columns stays small."""
    step = max(1, AT_ONCE // max(1, columns))
    return (slice(k, k + step) for k in range(0, rows, step))


def to_side(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Vectors (n, s, 2) from points (n, 2) to the nearest point of each segment start–end (s, 2)."""
    along = end - start
    from_start = points[:, None] - start
    t = np.clip(np.sum(from_start * along, axis=-1) / np.sum(along**2, axis=-1), 0, 1)
    return t[..., None] * along - from_start


def point_side_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance (n, s) of points (n, 2) to each segment start–end (s, 2)."""
    return np.linalg.norm(to_side(points, start, end), axis=-1)


def _refuse_crossings(whole: Outline) -> None:
    """No two sides may touch except neighbours in their shared corner."""
    a, b = whole.start, whole.end
    count, following = np.arange(len(a)), whole.following
    before = np.argsort(following)

    def turn(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        u, v = q - p, r - p
        return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]

    for part in blocks(len(a), len(a)):
        p, q, own = a[part, None], b[part, None], count[part, None]
        itself, after, ahead = own == count, following[part, None] == count, before[part, None] == count
        crossing = (turn(p, q, a) * turn(p, q, b) < 0) & (turn(a, b, p) * turn(a, b, q) < 0)
        touching = point_side_distance(a[part], a, b) <= 1e-9 * whole.extent  # a corner on a side that is not its own
        bad = np.argwhere((crossing & ~(itself | after | ahead)) | (touching & ~(itself | ahead)))
        if len(bad):
            i, j = bad[0] + [part.start, 0]
            raise UsageError(
                f"polygon: {whole.side_name(i)} and {whole.side_name(j)} cross or touch near {a[i].tolist()}–{b[i].tolist()}; "
                "sides may meet in their shared corner alone"
            )


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
