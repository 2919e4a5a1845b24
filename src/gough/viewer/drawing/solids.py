"""Round and square solids along z, centred at the origin unless stated; lengths in m."""

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
