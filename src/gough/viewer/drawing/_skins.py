"""Skins of a robot's flexible bodies: beams swept with their section, plates with their thickness, solids by their surface."""

from typing import Any

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.fem.solids.cells import KINDS
from gough.model import Model
from gough.robot.flexible import Flexible
from gough.robot.flexible.beam import Beam, BeamSection
from gough.robot.tree import bodies
from gough.structure.elastic.bodies import elastic_bodies
from gough.viewer.drawing._skin import Skin, SkinSurface, on_nodes
from gough.viewer.drawing._solids import sphere
from gough.viewer.drawing.mesh import split_at_creases


def flexible_bodies(model: Model) -> dict[int, ElasticBody]:
    """Constants of flexible bodies in description axes, by link; those with nodes."""
    if not model.mechanism.flexible:
        return {}
    constants = model.cached("elastic bodies for drawing", lambda: elastic_bodies(model.robot, again=True))
    found = {i: constants[model.mechanism.links[i].name] for i in model.mechanism.flexible}
    return {i: body for i, body in found.items() if len(body.nodes)}


def skins_of(model: Model, radius: float) -> tuple[Skin, ...]:
    """Of all flexible bodies. radius (m): of a rod of this robot; nothing is drawn much thinner."""
    described = bodies(model.robot)
    skins = []
    for index, body in flexible_bodies(model).items():
        link = model.mechanism.links[index]
        assert link.elastic is not None
        surface = _surface(described[link.name].flexible, body, radius)
        skins.append(Skin(index, link.name, link.leg, link.elastic.coordinates, surface))
    return tuple(skins)


def _surface(flexible: Any, body: ElasticBody, radius: float) -> SkinSurface:
    """The surface of a body, by what its description says it is, else by its cells."""
    described = flexible if isinstance(flexible, Flexible) else None
    if not len(body.cells):
        return cloud_surface(body, radius)
    width = body.cells.shape[1]
    if width == 2:
        return beam_surface(body, described.beam if described is not None else None, radius)
    if width == 3 or (width == 4 and _flat(body)):
        return plate_surface(
            body, described.plate.thickness if described is not None and described.plate else None, radius
        )
    return solid_surface(body)


def _flat(body: ElasticBody) -> bool:
    """Whether cells of four nodes are quadrilaterals rather than tetrahedra."""
    if (body.cells[:, :3] < 0).any():
        return False
    fourth = body.cells[:, 3] >= 0  # triangles among quadrilaterals have none
    a, b, c, d = (body.nodes[body.cells[fourth, k]] for k in range(4))
    volume = np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)))
    edge = np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - a, axis=1) * np.linalg.norm(d - a, axis=1)
    return bool(np.all(volume <= 1e-2 * edge))


# Plates: their middle surface above and below by half the thickness, and a rim around it.


def plate_surface(body: ElasticBody, thickness: float | None, radius: float) -> SkinSurface:
    """The surface of a body of triangles or quadrilaterals; thickness (m), where it is known."""
    triangles = _triangles(np.asarray(body.cells))
    used = np.unique(triangles)
    half = max((thickness or 0.0) / 2, 0.3 * radius)
    normals = _normals(body.nodes, triangles)
    place = np.full(len(body.nodes), -1)
    place[used] = np.arange(len(used))
    n = len(used)
    rim = _rim(triangles)
    m = len(rim)
    station = np.concatenate([used, used, rim[:, 0], rim[:, 1], rim[:, 0], rim[:, 1]])
    up = half * normals[used]
    arms = np.concatenate(
        [up, -up, *(sign * half * normals[rim[:, end]] for sign, end in ((1, 0), (1, 1), (-1, 0), (-1, 1)))]
    )
    top = place[triangles]
    a, b, c, d = (2 * n + k * m + np.arange(m) for k in range(4))
    sides = np.concatenate([np.column_stack([a, c, d]), np.column_stack([a, d, b])])
    return on_nodes(body, station, arms, np.concatenate([top, top[:, ::-1] + n, sides]))


def _triangles(cells: np.ndarray) -> np.ndarray:
    if cells.shape[1] == 3:
        return cells
    fourth = cells[:, 3] >= 0  # triangles among quadrilaterals have none
    return np.concatenate([cells[:, [0, 1, 2]], cells[fourth][:, [0, 2, 3]]])


def _normals(nodes: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of the nodes (n, 3)."""
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    total = np.zeros_like(nodes)
    for k in range(3):
        np.add.at(total, triangles[:, k], normal)
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(size > 0, total / np.where(size > 0, size, 1.0), np.array([0.0, 0.0, 1.0]))


def _rim(triangles: np.ndarray) -> np.ndarray:
    """Edges (e, 2) that belong to one triangle only, as they run in it."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, inverse, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    return edges[counts[inverse.ravel()] == 1]


# Solids: the faces that belong to one cell only; bodies without cells: a small ball at every node.

BALLS = 400
"""At most so many are drawn of a body without cells."""


def solid_surface(body: ElasticBody) -> SkinSurface:
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
    station, corners = split_at_creases(body.nodes, np.array(triangles).reshape(-1, 3))
    return on_nodes(body, station, np.zeros((len(station), 3)), corners)


def _once(faces: list[np.ndarray]) -> list[int]:
    """Indices of the faces whose nodes no other face has."""
    seen: dict[tuple[int, ...], list[int]] = {}
    for k, face in enumerate(faces):
        seen.setdefault(tuple(sorted(map(int, face))), []).append(k)
    return [where[0] for where in seen.values() if len(where) == 1]


def cloud_surface(body: ElasticBody, radius: float) -> SkinSurface:
    """Balls at the nodes, evenly picked where there are very many."""
    nodes = np.unique(np.linspace(0, len(body.nodes) - 1, min(len(body.nodes), BALLS)).astype(int))
    ball = sphere(0.6 * radius, 8)
    n = len(ball.vertices)
    faces = [ball.faces.astype(int) + n * k for k in range(len(nodes))]
    arms = np.tile(ball.vertices.astype(float), (len(nodes), 1))
    return on_nodes(body, np.repeat(nodes, n), arms, np.concatenate(faces))


# Beams: a section swept along the line, turned with the material.
#
# Between two nodes the line is the cubic that has their displacements and slopes (rotations of the nodes), which is the shape
# of a straight beam loaded at its ends; torsion is linear. Displacements of second order are interpolated likewise linearly.

STATIONS = 16
"""About so many along a beam."""
AROUND = 10
"""Of a round section."""

Outline = list[np.ndarray]
"""Smooth pieces (n, 2) of a section's closed outline in y and z, anticlockwise; they meet in sharp corners."""


def beam_surface(body: ElasticBody, described: Beam | None, radius: float) -> SkinSurface:
    """The surface of a body of cells with two nodes each."""
    cells = np.asarray(body.cells)
    parts = max(1, round(STATIONS / len(cells)))
    stations = _Stations(body, cells, parts)
    station, arms, faces, count = [], [], [], 0
    for k, cell in enumerate(cells):
        axes = _axes(body, cell, described)
        outline = _outline(_section(described, body, cell), radius)
        first = k * (parts + 1)
        open_end = (not _joined(cells, k, 0), not _joined(cells, k, 1))
        s, a, f = _sweep(outline, axes, first, parts, open_end)
        station.append(s)
        arms.append(a)
        faces.append(f + count)
        count += len(s)
    return SkinSurface(
        stations.rest,
        stations.shapes,
        stations.turnings,
        stations.second,
        np.concatenate(station),
        np.concatenate(arms),
        np.concatenate(faces),
    )


class _Stations:
    """parts + 1 stations on every cell, both of its nodes among them."""

    def __init__(self, body: ElasticBody, cells: np.ndarray, parts: int) -> None:
        x = np.linspace(0.0, 1.0, parts + 1)
        h = np.column_stack([1 - 3 * x**2 + 2 * x**3, x - 2 * x**2 + x**3, 3 * x**2 - 2 * x**3, x**3 - x**2])
        dh = np.column_stack([6 * x**2 - 6 * x, 1 - 4 * x + 3 * x**2, 6 * x - 6 * x**2, 3 * x**2 - 2 * x])
        linear = np.column_stack([1 - x, x])
        turnings = body.turnings if body.turnings is not None else _slopes(body, cells)
        rest, shapes, turned, second = [], [], [], []
        for i, j in cells:
            along = body.nodes[j] - body.nodes[i]
            length = float(np.linalg.norm(along))
            t = along / length
            u, theta = body.shapes[[i, j]], turnings[[i, j]]
            slope = length * np.cross(theta, t[None, :, None], axis=1)  # θ × t: how fast the line leaves its place
            across = np.eye(3) - np.outer(t, t)
            bent = np.einsum("xp,pam->xam", h, np.stack([u[0], slope[0], u[1], slope[1]]))
            straight = np.einsum("xp,pam->xam", linear, u)
            rest.append(body.nodes[i] + x[:, None] * along)
            shapes.append(_part(across, bent) + _part(np.outer(t, t), straight))
            rate = np.einsum("xp,pam->xam", dh, np.stack([u[0], slope[0], u[1], slope[1]])) / length
            twist = np.einsum("xp,pam->xam", linear, theta)
            bending = np.cross(t[None, :, None], rate, axis=1)
            turned.append(_part(across, bending) + _part(np.outer(t, t), twist))
            if body.second is not None:
                second.append(np.einsum("xp,pamn->xamn", linear, body.second[[i, j]]))
        self.rest, self.shapes = np.concatenate(rest), np.concatenate(shapes)
        self.turnings = np.concatenate(turned)
        self.second = np.concatenate(second) if second else None


def _part(P: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("ab,xbm->xam", P, x)


def _slopes(body: ElasticBody, cells: np.ndarray) -> np.ndarray:
    """Rotations of nodes (n, 3, m) where none are known: t × the mean slope of the cells that meet there."""
    total, count = np.zeros_like(body.shapes), np.zeros(len(body.nodes))
    for i, j in cells:
        along = body.nodes[j] - body.nodes[i]
        length = float(np.linalg.norm(along))
        theta = np.cross(along / length, (body.shapes[j] - body.shapes[i]) / length, axisb=0, axisc=0)
        total[[i, j]] += theta
        count[[i, j]] += 1
    return total / np.maximum(count, 1)[:, None, None]


def _joined(cells: np.ndarray, k: int, end: int) -> bool:
    """Whether another cell goes on where cell k ends."""
    return bool(np.any(np.delete(cells, k, axis=0) == cells[k, end]))


def _axes(body: ElasticBody, cell: np.ndarray, described: Beam | None) -> np.ndarray:
    """Columns x (along), y, z of the section at a cell."""
    x = body.nodes[cell[1]] - body.nodes[cell[0]]
    x = x / np.linalg.norm(x)
    if described is not None and described.plane:
        wanted = np.array([-x[1], x[0], 0.0])
    elif described is not None and described.section_y is not None:
        wanted = np.asarray(described.section_y, dtype=float)
    else:
        wanted = np.eye(3)[np.argmin(np.abs(x))]
    y = wanted - (wanted @ x) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _section(described: Beam | None, body: ElasticBody, cell: np.ndarray) -> BeamSection | None:
    """The section of the segment a cell lies on."""
    if described is None:
        return None
    corners, middle = np.array(described.corners()), body.nodes[cell].mean(axis=0)
    start, along = corners[:-1], np.diff(corners, axis=0)
    t = np.clip(np.einsum("ij,ij->i", middle - start, along) / np.einsum("ij,ij->i", along, along), 0.0, 1.0)
    off = np.linalg.norm(middle - start - t[:, None] * along, axis=1)
    return described.segment_sections()[int(np.argmin(off))]


def _outline(section: BeamSection | None, radius: float) -> Outline:
    """Of a section, made thicker where it would hardly be seen."""
    pieces = _true_outline(section, radius)
    reach = max(float(np.abs(p).max()) for p in pieces)
    return [p * max(1.0, 0.45 * radius / reach) for p in pieces]


def _true_outline(section: BeamSection | None, radius: float) -> Outline:
    if section is None:
        return _circle(0.8 * radius)
    if section.rectangle is not None:
        return _rectangle(section.rectangle.y, section.rectangle.z)
    if section.circle is not None or section.tube is not None:
        round_one = section.circle or section.tube
        assert round_one is not None
        return _circle(round_one.radius)
    if section.i_beam is not None:
        b = section.i_beam
        y, z, web, inner = b.height / 2, b.width / 2, b.web / 2, b.height / 2 - b.flange
        corners = [(-y, -z), (-inner, -z), (-inner, -web), (inner, -web), (inner, -z), (y, -z)]
        corners += [(-a, -c) for a, c in corners]
        return _polygon(np.array(corners))
    assert section.area is not None and section.Iz is not None
    height = np.sqrt(12.0 * section.Iz / section.area)  # the rectangle that bends alike
    return _rectangle(height, section.area / height)


def _circle(radius: float) -> Outline:
    turn = np.linspace(0.0, 2 * np.pi, AROUND + 1)
    return [radius * np.column_stack([np.cos(turn), np.sin(turn)])]


def _rectangle(y: float, z: float) -> Outline:
    return _polygon(np.array([(-y, -z), (y, -z), (y, z), (-y, z)]) / 2)


def _polygon(corners: np.ndarray) -> Outline:
    area = np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - corners[:, 1] * np.roll(corners[:, 0], -1))
    corners = corners if area > 0 else corners[::-1]
    return [np.array([a, b]) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]


def _sweep(
    outline: Outline, axes: np.ndarray, first: int, parts: int, open_end: tuple[bool, bool]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(station (n,), arms (n, 3), faces) of an outline along stations first … first + parts, caps where it ends."""
    station, arms, faces, count = [], [], [], 0
    along = np.arange(parts + 1)
    for piece in outline:
        n = len(piece)
        arm = piece @ axes[:, 1:].T
        station.append(np.repeat(first + along, n))
        arms.append(np.tile(arm, (parts + 1, 1)))
        k, i = np.meshgrid(np.arange(parts), np.arange(n - 1), indexing="ij")
        a, b = (count + k * n + i).ravel(), (count + k * n + i + 1).ravel()
        c, d = b + n, a + n
        faces += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
        count += n * (parts + 1)
    rim = np.concatenate(outline)
    for end, at in enumerate((first, first + parts)):
        if open_end[end]:
            n = len(rim)
            station.append(np.full(n + 1, at))
            arms.append(np.concatenate([rim @ axes[:, 1:].T, np.zeros((1, 3))]))
            i = np.arange(n)
            fan = np.column_stack([np.full(n, count + n), count + i, count + (i + 1) % n])
            faces.append(fan if end else fan[:, ::-1])
            count += n + 1
    return np.concatenate(station), np.concatenate(arms), np.concatenate(faces)
