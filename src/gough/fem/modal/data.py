"""A flexible body as other codes give it: shapes at nodes that carry the mass, and modal matrices."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.fem.geometry import rigid_displacements
from gough.fem.integrals import inertia_points
from gough.fem.units import SI, UnitFactors
from gough.text import short_repr


@dataclass(frozen=True)
class ModalFrame:
    """A frame for joints and loads. position (3,) m, rotation (3, 3), at rest.

    Its motion per unit coordinate is that of `node` (whose shapes then need rotations, six rows), carried rigidly to the
    position, or translation and turning (3, m) themselves. second (3, m, m): Ψ at its origin where there is stiffening.
    """

    position: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    node: int | None = None
    translation: np.ndarray | None = None
    turning: np.ndarray | None = None
    second: np.ndarray | None = None


@dataclass(frozen=True)
class Stated:
    """What a file says of its body, to compare with what the nodes give: mass (kg), centre (3,), inertia (3, 3) about the
    body's origin, frequencies_hz (m,)."""

    mass: float | None = None
    center: np.ndarray | None = None
    inertia: np.ndarray | None = None
    frequencies_hz: np.ndarray | None = None


@dataclass(frozen=True)
class ModalData:
    """Modes of a body in m, kg, s; body axes.

    nodes (n, 3); masses (n,); inertias (n, 3, 3) of the nodes about themselves, or None; shapes (n, 3, m) displacements or
    (n, 6, m) displacements and rotations; K (m, m); M (m, m) or None (then from masses and shapes); D (m, m) or None.
    second (n, 3, m, m) or None: Ψ at the nodes, displacements of second order. Where a code has none, K_G (12, m, m):
    geometric stiffness for unit accelerations of the body along x, y, z, and for the nine acceleration fields a = A x with
    one unit entry A_ab, in the order xx, xy, xz, yx, …; so K_G[:3] = ∫ Ψ dm and K_G[3 + 3 a + b] = ∫ Ψ_a x_b dm.
    cells: nodes of each cell, for drawing.
    """

    nodes: np.ndarray
    masses: np.ndarray
    shapes: np.ndarray
    K: np.ndarray
    M: np.ndarray | None = None
    D: np.ndarray | None = None
    inertias: np.ndarray | None = None
    second: np.ndarray | None = None
    K_G: np.ndarray | None = None
    frames: dict[str, ModalFrame] = field(default_factory=dict)
    labels: tuple[str, ...] | None = None
    cells: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), dtype=int))
    stated: Stated = Stated()

    @property
    def stiffens(self) -> bool:
        """Whether it says how the body draws together when it bends."""
        return self.second is not None or self.K_G is not None

    @property
    def modes(self) -> int:
        """Number of coordinates m."""
        return self.shapes.shape[2]

    __repr__ = short_repr


def mass_points(data: ModalData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(masses (g,), positions (g, 3), shapes (g, 3, m)) whose integrals are those of the nodes with their inertias."""
    mass, node, arm = inertia_points(data.masses, data.inertias)
    shapes = data.shapes[node, :3]
    if data.shapes.shape[1] == 6 and np.any(arm):
        turning = data.shapes[node, 3:].transpose(0, 2, 1)
        shapes = shapes + np.cross(turning, arm[:, None, :]).transpose(0, 2, 1)
    return mass, data.nodes[node] + arm, shapes


def in_si(data: ModalData, units: UnitFactors) -> ModalData:
    """Data in m, kg, s. Coordinates are scaled so that M keeps its values (mass-normalised modes stay so)."""
    if units == SI:
        return data
    L, mass, T = units.length, units.mass, units.time
    move, turn = 1.0 / np.sqrt(mass), 1.0 / (np.sqrt(mass) * L)  # per new coordinate e' = √mass L e
    scale = np.array([move] * 3 + [turn] * 3)[: data.shapes.shape[1], None]
    second = 1.0 / (mass * L)

    def times(value: np.ndarray | None, factor: Any) -> np.ndarray | None:
        return None if value is None else np.asarray(value) * factor

    frames = {
        name: replace(
            frame,
            position=np.asarray(frame.position) * L,
            translation=times(frame.translation, move),
            turning=times(frame.turning, turn),
            second=times(frame.second, second),
        )
        for name, frame in data.frames.items()
    }
    s = data.stated
    stated = Stated(
        None if s.mass is None else s.mass * mass,
        times(s.center, L),
        times(s.inertia, mass * L**2),
        times(s.frequencies_hz, 1.0 / T),
    )
    K_G = times(data.K_G, np.array([1.0 / L] * 3 + [1.0] * 9)[:, None, None])
    return replace(
        data,
        nodes=data.nodes * L,
        masses=data.masses * mass,
        inertias=times(data.inertias, mass * L**2),
        shapes=data.shapes * scale,
        K=data.K / T**2,
        D=times(data.D, 1.0 / T),
        second=times(data.second, second),
        K_G=K_G,
        frames=frames,
        stated=stated,
    )


def elastic_share(nodes: np.ndarray, masses: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Part (m,) of shapes (n, 3 or 6, m), by the masses (n,), that is no rigid motion of the nodes."""
    weight = np.sqrt(np.repeat(np.maximum(masses, 0.0), 3))[:, None]
    rigid, moved = weight * rigid_displacements(nodes), weight * shapes[:, :3].reshape(3 * len(nodes), -1)
    left = moved - rigid @ np.linalg.lstsq(rigid, moved, rcond=1e-10)[0]
    return np.linalg.norm(left, axis=0) / np.maximum(np.linalg.norm(moved, axis=0), 1e-300)
