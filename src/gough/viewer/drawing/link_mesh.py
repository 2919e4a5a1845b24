"""What a drawing is made of: meshes that go with one link, and what spans two of them."""

from dataclasses import dataclass

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing.mesh import Mesh

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
