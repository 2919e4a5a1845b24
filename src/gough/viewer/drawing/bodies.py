"""Rigid bodies between their anchors: rods, plates, the platform, the base."""

from itertools import pairwise

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing.joints import Drawn, body_role
from gough.viewer.drawing.layout import Layout
from gough.viewer.drawing.mesh import EMPTY, Mesh, frame_along, merged
from gough.viewer.drawing.piece import Piece
from gough.viewer.drawing.plates import plane_of, plate, rim
from gough.viewer.drawing.solids import box, cylinder, rod, sphere


def draw_bodies(layout: Layout, drawn: Drawn) -> list[Piece]:
    """Pieces of all rigid bodies, from where their joints' drawings end."""
    pieces = []
    for body in sorted(layout.points.keys() | drawn.anchors.keys()):
        if body != WORLD and (layout.mechanism.links[body].elastic is not None or layout.body(body) != body):
            continue
        if body != WORLD and body not in drawn.anchors:
            continue
        points = distinct(drawn.anchors.get(body, []), 0.3 * layout.radius)
        role = body_role(layout, body)
        leg = -1 if body == WORLD else layout.mechanism.links[body].leg
        mesh = _mesh(layout, drawn, body, points, role)
        if len(mesh.faces):
            drawn.shown.add(body)
            pieces.append(Piece(body, mesh, role, "bodies", leg))
    return pieces


def distinct(points: list[np.ndarray], near: float) -> np.ndarray:
    """Points (n, 3) no two of which are nearer than `near` (m)."""
    kept: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - other) > near for other in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, 3)


def _mesh(layout: Layout, drawn: Drawn, body: int, points: np.ndarray, role: str) -> Mesh:
    r = layout.radius
    if body == WORLD:
        return _base(layout, points)
    if len(points) < 2 and body not in drawn.shown:
        more = [*layout.tips.get(body, []), *([layout.centres[body]] if body in layout.centres else [])]
        points = distinct([*points, *more], 2.0 * r)[:2]
    kind = plane_of(points, 1.5 * r).kind if len(points) else "point"
    if role == "platform":
        return _platform(layout, points, kind)
    if kind == "area":
        return plate(points, 1.3 * r, 1.5 * r, r)
    return _course(points, r)


def _course(points: np.ndarray, radius: float) -> Mesh:
    """Rods along points that lie in a line, one after the other; round ends."""
    if len(points) < 2:
        return EMPTY
    along = plane_of(points)
    order = np.argsort((points - along.centre) @ along.axes[:, 0])
    parts = [sphere(radius, 12).moved(p) for p in points]
    parts += [rod(points[i], points[j], radius) for i, j in pairwise(order)]
    return merged(parts)


def _platform(layout: Layout, points: np.ndarray, kind: str) -> Mesh:
    r = layout.radius
    if kind == "area":
        return plate(points, 1.8 * r, 2.4 * r, 1.2 * r)
    if kind == "line" and len(points) > 1:
        return _course(points, 1.7 * r)
    if not len(points):
        return EMPTY
    return box(np.array([5.0, 5.0, 5.0]) * r).moved(points[0])


def _base(layout: Layout, points: np.ndarray) -> Mesh:
    """Feet under every joint on the ground, and bars between them."""
    r = layout.radius
    if not len(points):
        return EMPTY
    plane = plane_of(points, 1.5 * r)
    if plane.kind == "area" and len(points) > 2:
        return rim(points, 1.25 * r)
    if len(points) == 1:
        return cylinder(3.0 * r, 1.2 * r).moved(points[0], frame_along(np.array([0.0, 0.0, 1.0])))
    return _course(points, 1.25 * r)
