"""A rigid mesh of a robot in a scene, of one link and colour; legs that are bad are drawn red.

A page spends its time on meshes more than on triangles, and on each one again for its shadow. So what several legs have on one
link is one mesh, and the red faces get a mesh of their own only when there are some; joints cast no shadows.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gough.viewer.drawing.mesh import Mesh, merged
from gough.viewer.drawing.piece import Piece
from gough.viewer.scene.palette import BAD, Colour

HIDDEN = ("frames", "inertia")
"""Groups that are made when they are first shown."""
SEE_THROUGH = 0.45
"""Opacity of inertias."""


class PieceNode:
    """mesh with the leg of each face (f,), -1 of none. group: what it is shown and hidden with."""

    def __init__(self, scene: Any, name: str, mesh: Mesh, legs: np.ndarray, group: str, colour: Colour) -> None:
        self.scene, self.name, self.mesh, self.legs, self.group, self.colour = scene, name, mesh, legs, group, colour
        self.node = self._add(name, mesh.faces, colour)
        self._red: Any = None
        self._bad = np.zeros(len(legs), dtype=bool)

    def _add(self, name: str, faces: np.ndarray, colour: Colour) -> Any:
        return self.scene.add_mesh_simple(
            name,
            self.mesh.vertices,
            faces,
            color=colour,
            opacity=SEE_THROUGH if self.group == "inertia" else None,
            cast_shadow=self.group == "bodies",
            receive_shadow=self.group not in HIDDEN,
        )

    def paint(self, bad_legs: frozenset[int], all_bad: bool) -> None:
        """The faces of these legs, or all, in red."""
        bad = np.isin(self.legs, list(bad_legs)) | all_bad
        if np.array_equal(bad, self._bad):
            return
        self._bad = bad
        if self._red is not None:
            self._red.remove()
            self._red = None
        whole = bad.all() or not bad.any()
        self.node.faces = self.mesh.faces if whole else self.mesh.faces[~bad]
        self.node.color = BAD if bad.all() else self.colour
        if not whole:
            self._red = self._add(f"{self.name}/red", self.mesh.faces[bad], BAD)

    def show(self, visible: bool) -> None:
        """Show or hide it; what is red goes with its parent."""
        self.node.visible = visible


def by_node(pieces: Iterable[Piece]) -> dict[tuple[int, str, str, Colour | None], tuple[Mesh, np.ndarray]]:
    """Pieces of one link, role, group and colour of their own as one mesh each, with the legs of its faces."""
    alike: dict[tuple[int, str, str, Colour | None], list[Piece]] = {}
    for piece in pieces:
        alike.setdefault((piece.link, piece.role, piece.group, piece.colour), []).append(piece)
    return {
        key: (merged(p.mesh for p in found), np.repeat([p.leg for p in found], [len(p.mesh.faces) for p in found]))
        for key, found in alike.items()
    }
