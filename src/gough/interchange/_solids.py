"""Mass, mass centre and central tensor of solids of even density: what a file leaves to its collision shapes.

Shapes stand in their own axes, round ones along z, in the middle of their height. A mesh is a sum of tetrahedra from its origin
to each triangle; it must be closed, or it has no volume.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.interchange.foreign import Placement


@dataclass(frozen=True)
class Lump:
    """mass (kg), center (3,) in m and the tensor (3, 3) about it, in the same axes."""

    mass: float = 0.0
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def with_density(self, density: float) -> "Lump":
        """The same shape, this many times as heavy."""
        return Lump(self.mass * density, self.center, self.inertia * density)

    def lump_at(self, at: Placement) -> "Lump":
        """In the axes in which `at` places its own."""
        R = at.rotation
        return Lump(self.mass, Placement(self.center).after(at).position, R @ self.inertia @ R.T)


def sum_of_lumps(lumps: Iterable[Lump]) -> Lump:
    """All of them as one body."""
    parts = list(lumps)
    mass = sum(p.mass for p in parts)
    if not mass:
        return Lump()
    center = sum((p.mass * np.asarray(p.center) for p in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for p in parts:
        d = np.asarray(p.center) - center
        inertia += p.inertia + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Lump(float(mass), (float(center[0]), float(center[1]), float(center[2])), inertia)


def _lump(volume: float, moments: Sequence[float], center: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Lump:
    return Lump(float(volume), center, volume * np.diag(np.asarray(moments, dtype=float)))


def box(x: float, y: float, z: float) -> Lump:
    """A box of density 1; its edges."""
    return _lump(x * y * z, [(y * y + z * z) / 12, (z * z + x * x) / 12, (x * x + y * y) / 12])


def ellipsoid(a: float, b: float, c: float) -> Lump:
    """An ellipsoid of density 1; its half axes."""
    return _lump(4 / 3 * np.pi * a * b * c, [(b * b + c * c) / 5, (c * c + a * a) / 5, (a * a + b * b) / 5])


def cylinder(radius: float, height: float) -> Lump:
    """A cylinder of density 1."""
    across = radius * radius / 4 + height * height / 12
    return _lump(np.pi * radius * radius * height, [across, across, radius * radius / 2])


def capsule(radius: float, height: float) -> Lump:
    """A cylinder of density 1 between two half balls; height: the cylinder's alone."""
    middle = np.pi * radius * radius * height
    ends = 4 / 3 * np.pi * radius**3
    along = middle * radius * radius / 2 + ends * 0.4 * radius * radius
    across = middle * (radius * radius / 4 + height * height / 12)
    across += ends * (0.4 * radius * radius + height * height / 4 + 0.375 * height * radius)
    return Lump(float(middle + ends), inertia=np.diag([across, across, along]))


def cone(radius: float, height: float) -> Lump:
    """A cone of density 1, its base below: the mass centre is a quarter of the height below the middle."""
    across = 0.15 * radius * radius + 0.0375 * height * height
    volume = np.pi * radius * radius * height / 3
    return _lump(volume, [across, across, 0.3 * radius * radius], (0.0, 0.0, -height / 4))


def is_closed(triangles: np.ndarray) -> bool:
    """Whether every edge of triangles (n, 3) of corner numbers is met once in each direction."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there = {(int(a), int(b)) for a, b in edges}
    return len(there) == len(edges) > 0 and all((b, a) in there for a, b in there)


def mesh(corners: np.ndarray, triangles: np.ndarray) -> Lump:
    """What closed triangles (n, 3) between corners (m, 3) enclose, density 1; a mesh turned inside out is turned back."""
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    volumes = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6
    volume = float(volumes.sum())
    if volume == 0.0:
        return Lump()
    center = volumes @ (a + b + c) / 4 / volume
    a, b, c, d = a - center, b - center, c - center, -center
    volumes = np.einsum("ni,ni->n", a - d, np.cross(b - d, c - d)) / 6
    total = a + b + c + d
    second = np.einsum("n,ni,nj->ij", volumes, total, total)
    for corner in (a, b, c, np.broadcast_to(d, a.shape)):
        second += np.einsum("n,ni,nj->ij", volumes, corner, corner)
    second /= 20 * np.sign(volume)
    inertia = np.trace(second) * np.eye(3) - second
    return Lump(abs(volume), (float(center[0]), float(center[1]), float(center[2])), inertia)
