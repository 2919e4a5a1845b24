"""Round and square solids along z, centred at the origin unless stated, and flat things: a plate with rounded corners around
points, the frame along its rim, and which plane points lie in. Lengths in m."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.viewer.drawing.mesh import Mesh, frame_along, merge_meshes

SIDES = 16
"""Of what is round."""
SHARP = np.radians(35.0)


def lathe(profile: np.ndarray, sides: int = SIDES) -> Mesh:
    """Solid of revolution about z; profile (k, 2): radius and height, upwards outside. Corners of more than 35° are sharp."""
    profile = np.asarray(profile, dtype=float)
    turn = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    rings = [np.column_stack([r * circle, np.full(sides, z)]) for r, z in profile]
    steps = np.diff(profile, axis=0)
    heading = np.arctan2(steps[:, 1], steps[:, 0])
    bend = np.abs((np.diff(heading) + np.pi) % (2 * np.pi) - np.pi)
    sharp = np.flatnonzero(bend > SHARP) + 1
    parts = []
    for run in np.split(np.arange(len(steps)), sharp):
        parts.append(band(*[rings[k] for k in (*run, run[-1] + 1)]))
    return merge_meshes(parts)


def band(*rings: np.ndarray) -> Mesh:
    """The smooth strip through closed rings (n, 3), anticlockwise seen from the last one: its outside."""
    n = len(rings[0])
    i, j = np.arange(n), (np.arange(n) + 1) % n
    quad = np.concatenate([np.column_stack([i, j, n + j]), np.column_stack([i, n + j, n + i])])
    faces = np.concatenate([quad + n * k for k in range(len(rings) - 1)])
    vertices = np.concatenate(rings)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Mesh(vertices, faces[area > 1e-12 * float(area.max(initial=0.0))])


def cylinder(radius: float, length: float, sides: int = SIDES, broken: bool = True) -> Mesh:
    """Closed; broken: with slightly broken edges, which catch the light."""
    h, c = length / 2, min(0.12 * radius, 0.1 * length)
    if not broken:
        return lathe(np.array([[0, -h], [radius, -h], [radius, h], [0, h]]), sides)
    outline = [[0, -h], [radius - c, -h], [radius, c - h], [radius, h - c], [radius - c, h], [0, h]]
    return lathe(np.array(outline), sides)


def tube(radius: float, inner: float, length: float, sides: int = SIDES) -> Mesh:
    """Open at both ends, with a wall."""
    h = length / 2
    return lathe(np.array([[inner, -h], [radius, -h], [radius, h], [inner, h], [inner, -h]]), sides)


def cone(radius: float, length: float, sides: int = SIDES) -> Mesh:
    """From its base at z = 0 to its tip at z = length."""
    return lathe(np.array([[0, 0], [radius, 0], [0, length]]), sides)


def sphere(radius: float, sides: int = SIDES) -> Mesh:
    """Smooth all around."""
    rows = max(sides // 2, 4)
    tilt = np.linspace(0.0, np.pi, rows + 1)[1:-1]
    turn = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    ring = [
        np.column_stack([np.sin(t) * np.cos(turn), np.sin(t) * np.sin(turn), np.full(sides, -np.cos(t))]) for t in tilt
    ]
    vertices = np.concatenate([[[0, 0, -1]], *ring, [[0, 0, 1]]])
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = [np.column_stack([np.zeros(sides, int), 1 + j, 1 + i])]
    for k in range(rows - 2):
        low, high = 1 + k * sides, 1 + (k + 1) * sides
        faces += [np.column_stack([low + i, low + j, high + j]), np.column_stack([low + i, high + j, high + i])]
    last = 1 + (rows - 2) * sides
    faces.append(np.column_stack([last + i, last + j, np.full(sides, len(vertices) - 1)]))
    return Mesh(radius * vertices, np.concatenate(faces))


def ring(radius: float, thickness: float, sides: int = 28, around: int = 10) -> Mesh:
    """A torus about z; thickness: radius of its section."""
    turn = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    section = np.linspace(0.0, 2 * np.pi, around, endpoint=False)
    r = radius + thickness * np.cos(section)[None, :]
    x, y = r * np.cos(turn)[:, None], r * np.sin(turn)[:, None]
    z = np.broadcast_to(thickness * np.sin(section)[None, :], x.shape)
    i, j = np.meshgrid(np.arange(sides), np.arange(around), indexing="ij")
    a, b = i * around + j, ((i + 1) % sides) * around + j
    c, d = ((i + 1) % sides) * around + (j + 1) % around, i * around + (j + 1) % around
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return Mesh(np.stack([x, y, z], -1).reshape(-1, 3), faces)


def box(size: np.ndarray) -> Mesh:
    """Edges of lengths `size` (3,)."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(size) / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [[4 * k, 4 * k + 1, 4 * k + 2, 4 * k, 4 * k + 2, 4 * k + 3] for k in range(6)]
    return Mesh(corners[np.array(quads).ravel()], np.array(faces).reshape(-1, 3))


def put_between(start: np.ndarray, end: np.ndarray, mesh: Mesh) -> Mesh:
    """A mesh along z, centred, put in the middle of two points with its z along them."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    return mesh.moved_mesh((start + end) / 2, frame_along(end - start))


def rod(start: np.ndarray, end: np.ndarray, radius: float, sides: int = 14) -> Mesh:
    """A cylinder from point to point."""
    return put_between(
        start, end, cylinder(radius, float(np.linalg.norm(np.subtract(end, start))), sides, broken=False)
    )


FLAT = 0.08
"""Width across, relative to the length, below which points lie on a line."""


@dataclass(frozen=True)
class FittedPlane:
    """The best plane of points: centre (3,), axes (3, 3) with columns along, across, normal; extent (3,): half widths."""

    centre: np.ndarray
    axes: np.ndarray
    extent: np.ndarray

    @property
    def kind(self) -> str:
        """ "point", "line" or "area": what the points spread over."""
        if self.extent[0] <= 0.0:
            return "point"
        return "line" if self.extent[1] <= FLAT * self.extent[0] else "area"


def plane_of(points: np.ndarray, near: float = 1e-9) -> FittedPlane:
    """Best plane of points (n, 3); what spreads less than `near` (m) is one point."""
    points = np.asarray(points, dtype=float).reshape(-1, 3)
    centre = points.mean(axis=0)
    _, _, rows = np.linalg.svd(points - centre, full_matrices=True)
    axes = rows.T
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    local = (points - centre) @ axes
    extent = np.abs(local).max(axis=0)
    return FittedPlane(centre, axes, np.where(extent <= near, 0.0, extent))


def hull_of(points: np.ndarray) -> np.ndarray:
    """Indices of the corners of the convex hull of points (n, 2), anticlockwise."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def half(indices: np.ndarray) -> list[int]:
        chain: list[int] = []
        for i in indices:
            while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[i]) <= 0.0:
                chain.pop()
            chain.append(int(i))
        return chain[:-1]

    return np.array(half(order) + half(order[::-1]))


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def round_outline(corners: np.ndarray, radius: float, arc: int = 6) -> np.ndarray:
    """Outline (n, 2) at distance `radius` around a convex polygon (k, 2), anticlockwise, with round corners."""
    outline = []
    for k in range(len(corners)):
        before, here, after = corners[k - 1], corners[k], corners[(k + 1) % len(corners)]
        first, last = (np.arctan2(*_outward(a, b)[::-1]) for a, b in ((before, here), (here, after)))
        sweep = (last - first) % (2 * np.pi)
        angles = first + np.linspace(0.0, sweep, arc)
        outline.append(here + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(outline)


def _outward(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    d = (b - a) / np.linalg.norm(b - a)
    return np.array([d[1], -d[0]])


def slab(outline: np.ndarray, thickness: float) -> Mesh:
    """A convex outline (n, 2), anticlockwise, as a plate of a thickness about z = 0, its edges slightly broken."""
    h, c = thickness / 2, 0.18 * thickness
    middle = outline.mean(axis=0)
    reach = np.linalg.norm(outline - middle, axis=1, keepdims=True)
    inner = middle + (outline - middle) * (1.0 - np.minimum(c / np.maximum(reach, 1e-300), 0.5))

    def at(shape: np.ndarray, z: float) -> np.ndarray:
        return np.column_stack([shape, np.full(len(shape), z)])

    levels = [at(inner, -h), at(outline, c - h), at(outline, h - c), at(inner, h)]
    sides = [band(low, high) for low, high in pairwise(levels)]
    n = len(outline)
    i, j = np.arange(n), (np.arange(n) + 1) % n
    fan = np.column_stack([np.full(n, n), i, j])
    top = Mesh(np.concatenate([levels[-1], [[*middle, h]]]), fan)
    bottom = Mesh(np.concatenate([levels[0], [[*middle, -h]]]), fan[:, ::-1])
    return merge_meshes([*sides, top, bottom])


def plate(points: np.ndarray, thickness: float, margin: float, radius: float) -> Mesh:
    """A plate in the best plane of points (n, 3) around them; posts of `radius` lead to points that are off it."""
    plane = plane_of(points)
    local = (np.asarray(points, dtype=float) - plane.centre) @ plane.axes
    corners = local[hull_of(local[:, :2]), :2]
    parts = [slab(round_outline(corners, margin), thickness).moved_mesh(plane.centre, plane.axes)]
    for p in local[np.abs(local[:, 2]) > 0.6 * thickness]:
        parts.append(rod(plane.centre + plane.axes @ np.array([*p[:2], 0.0]), plane.centre + plane.axes @ p, radius))
    return merge_meshes(parts)


def rim(points: np.ndarray, radius: float) -> Mesh:
    """Bars along the hull of points (n, 3) in their best plane; points inside it hang on the nearest corner."""
    points = np.asarray(points, dtype=float)
    plane = plane_of(points)
    local = (points - plane.centre) @ plane.axes
    hull = hull_of(local[:, :2])
    parts = [sphere(radius, 12).moved_mesh(points[i]) for i in hull]
    parts += [rod(points[i], points[j], radius) for i, j in zip(hull, np.roll(hull, -1), strict=True)]
    for i in set(range(len(points))) - set(hull.tolist()):
        near = hull[np.argmin(np.linalg.norm(points[hull] - points[i], axis=1))]
        if np.linalg.norm(points[i] - points[near]) > 1e-9:
            parts.append(rod(points[i], points[near], radius))
    return merge_meshes(parts)
