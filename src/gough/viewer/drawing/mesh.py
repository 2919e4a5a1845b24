"""Triangle meshes: vertices (n, 3) in m, faces (m, 3) with outward normals by the right hand.

A page shades smoothly over shared vertices, so an edge that shall look sharp has its vertices twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Mesh:
    """vertices (n, 3) float32 (m); faces (m, 3) uint32."""

    vertices: np.ndarray
    faces: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", np.asarray(self.vertices, dtype=np.float32).reshape(-1, 3))
        object.__setattr__(self, "faces", np.asarray(self.faces, dtype=np.uint32).reshape(-1, 3))

    def moved(self, position: ArrayLike, rotation: np.ndarray | None = None) -> "Mesh":
        """Turned by `rotation` (3, 3), then shifted by `position` (3,)."""
        turned = self.vertices if rotation is None else self.vertices @ np.asarray(rotation).T
        return Mesh(turned + np.asarray(position), self.faces)

    def scaled(self, factors: np.ndarray | float) -> "Mesh":
        """Stretched by positive factors along x, y, z."""
        return Mesh(self.vertices * np.asarray(factors), self.faces)

    def bounds(self) -> np.ndarray:
        """(2, 3): lowest and highest coordinates."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)], dtype=float)

    def volume(self) -> float:
        """Enclosed volume (m³), positive where normals point outwards."""
        a, b, c = (self.vertices[self.faces[:, k]].astype(float) for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


EMPTY = Mesh(np.zeros((0, 3)), np.zeros((0, 3)))


def merged(meshes: Iterable[Mesh]) -> Mesh:
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
