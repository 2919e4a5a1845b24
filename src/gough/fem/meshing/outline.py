"""Polygons with holes: checks, which side a point is on, how far from the boundary it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
