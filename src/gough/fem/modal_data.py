"""A flexible body as other codes give it: shapes at nodes that carry the mass, and modal matrices."""

from dataclasses import dataclass, field

import numpy as np

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
