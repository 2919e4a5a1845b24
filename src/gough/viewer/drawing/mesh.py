"""Triangle meshes, made or from files: vertices (n, 3) in m, faces (m, 3) with outward normals by the right hand.

A page shades smoothly over shared vertices, so an edge that shall look sharp has its vertices twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.errors import UsageError
from gough.interchange.usd.surfaces import read_triangles
from gough.robot import Robot
from gough.robot.body import BodyMesh
from gough.robot.files import resolve_path
from gough.robot.tree import bodies
from gough.structure import WORLD


@dataclass(frozen=True)
class Mesh:
    """vertices (n, 3) float32 (m); faces (m, 3) uint32."""

    vertices: np.ndarray
    faces: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", np.asarray(self.vertices, dtype=np.float32).reshape(-1, 3))
        object.__setattr__(self, "faces", np.asarray(self.faces, dtype=np.uint32).reshape(-1, 3))

    def moved_mesh(self, position: ArrayLike, rotation: np.ndarray | None = None) -> "Mesh":
        """Turned by `rotation` (3, 3), then shifted by `position` (3,)."""
        turned = self.vertices if rotation is None else self.vertices @ np.asarray(rotation).T
        return Mesh(turned + np.asarray(position), self.faces)

    def scaled_mesh(self, factors: np.ndarray | float) -> "Mesh":
        """Stretched by factors along x, y, z; faces stay outside where these mirror it."""
        mirrored = np.prod(np.broadcast_to(factors, 3)) < 0
        return Mesh(self.vertices * np.asarray(factors), self.faces[:, ::-1] if mirrored else self.faces)

    def bounds(self) -> np.ndarray:
        """(2, 3): lowest and highest coordinates."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)], dtype=float)

    def volume(self) -> float:
        """Enclosed volume (m³), positive where normals point outwards."""
        a, b, c = (self.vertices[self.faces[:, k]].astype(float) for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


EMPTY = Mesh(np.zeros((0, 3)), np.zeros((0, 3)))


def merge_meshes(meshes: Iterable[Mesh]) -> Mesh:
    """All of them as one."""
    parts = list(meshes)
    if not parts:
        return EMPTY
    starts = np.cumsum([0] + [len(m.vertices) for m in parts[:-1]])
    faces = [m.faces.astype(np.int64) + start for m, start in zip(parts, starts, strict=True)]
    return Mesh(np.concatenate([m.vertices for m in parts]), np.concatenate(faces))


def frame_along(axis: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) whose z axis is `axis`."""
    z = np.asarray(axis, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


# Sharp edges: a node of a surface gets a vertex for each smooth part that meets there.

CREASE = np.cos(np.radians(40.0))
"""Faces that meet at more than that angle meet in a sharp edge."""


def split_at_creases(nodes: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(node of every vertex (v,), faces by vertices (f, 3)) of a surface by its nodes (n, 3) and triangles (f, 3)."""
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    at: dict[int, list[tuple[int, np.ndarray]]] = {}
    station: list[int] = []
    faces = np.zeros_like(triangles)
    for f, triangle in enumerate(triangles):
        for k, node in enumerate(triangle.tolist()):
            known = at.setdefault(node, [])
            vertex = next((v for v, n in known if n @ normal[f] > CREASE), None)
            if vertex is None:
                vertex = len(station)
                station.append(node)
                known.append((vertex, normal[f]))
            faces[f, k] = vertex
    return np.array(station, dtype=int), faces


# Bodies that bring their looks with them: meshes from files.

MOST_CREASED = 60_000
"""Triangles up to which sharp edges are looked for; larger meshes are shaded smoothly."""
REMEDY = "drawing meshes of bodies needs trimesh, which comes with the viewer: pip install 'gough[view]'"


def body_meshes(robot: Robot) -> dict[str, list[tuple[Mesh, tuple[int, int, int] | None]]]:
    """(mesh in the body's axes (m), colour) of every body's surfaces, by its full name; those of one colour are one."""
    found: dict[str, list[tuple[Mesh, tuple[int, int, int] | None]]] = {}
    for name, body in bodies(robot).items():
        coloured: dict[tuple[int, int, int] | None, list[Mesh]] = {}
        for described in body.mesh:
            coloured.setdefault(described.color, []).append(_place(described, robot.origin))
        if coloured:
            found[name] = [(merge_meshes(parts), colour) for colour, parts in coloured.items()]
    return found


def _place(described: BodyMesh, file: str | None) -> Mesh:
    mesh = read_mesh(resolve_path(described.file, file), described.prim)
    pose = described.placement
    return mesh.scaled_mesh(described.scale * np.array(described.stretch)).moved_mesh(
        np.array(pose.position), pose.rotation()
    )


def read_mesh(path: Path, prim: str | None = None) -> Mesh:
    """The surface in a file (of a stage, of a prim in it), with sharp edges; UsageError where it is missing or cannot be read."""
    vertices, faces = _load(path) if prim is None else read_triangles(path, prim)
    if not len(faces) or not np.isfinite(vertices).all():
        raise UsageError(f"{path}: no triangles with finite corners in it; export a surface")
    if len(faces) > MOST_CREASED:
        return Mesh(vertices, faces)
    station, sharp = split_at_creases(vertices, faces)
    return Mesh(vertices[station], sharp)


def _load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        import trimesh
    except ImportError as error:
        raise UsageError(REMEDY) from error
    try:
        found = trimesh.load_mesh(path)
        return np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=np.int64)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except Exception as error:  # trimesh raises whatever its readers stumble over
        raise UsageError(f"{path}: cannot be read as a mesh ({type(error).__name__}: {error})") from error


ROLES = ("base", "link", "platform", "joint", "drive", "rod", "spring", "inertia", "skin")
"""What something is: decides its colour."""
GROUPS = ("bodies", "joints", "frames", "inertia")
"""What can be hidden together."""


@dataclass(frozen=True)
class LinkMesh:
    """A mesh in the description's axes of link `link` (WORLD: the world's).

    role: one of ROLES. group: one of GROUPS. leg: index of the leg it belongs to, -1 for none. colour: of its own, 0 … 255.
    """

    link: int
    mesh: Mesh
    role: str
    group: str = "bodies"
    leg: int = -1
    colour: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Span:
    """Something between two points of two links: `mesh` runs from z = 0 to z = 1 and is stretched along z to their distance."""

    links: tuple[int, int]
    points: np.ndarray
    mesh: Mesh
    role: str
    group: str = "bodies"
    leg: int = -1

    def place(self, position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both ends (..., 2, 3) in the world; position (..., links, 3), rotation (..., links, 3, 3) of all links."""
        ends = []
        for link, point in zip(self.links, self.points, strict=True):
            if link == WORLD:
                ends.append(np.broadcast_to(point, (*position.shape[:-2], 3)))
            else:
                ends.append(position[..., link, :] + rotation[..., link, :, :] @ point)
        return ends[0], ends[1]
