"""Flat things: a plate with rounded corners around points, the frame along its rim, and which plane points lie in."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gough.viewer.drawing.mesh import Mesh, merge_meshes
from gough.viewer.drawing.solids import band, rod, sphere

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
