"""Arrows of forces in a scene, with one arrow of a round number of newtons as their legend."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.viewer.drawing.figure import Figure
from gough.viewer.playback.arrow_mesh import VERTICES, arrow_faces, arrow_vertices
from gough.viewer.playback.arrows import ForceArrows, arrow_scale, round_below

COLOURS = {"force": (214, 110, 20), "torque": (140, 84, 172), "reaction": (24, 122, 168)}
"""Drive forces, drive torques, reactions."""
NAMES = {"force": "drive force", "torque": "drive torque", "reaction": "reaction"}
RADIUS = 0.006
"""Of shafts, in robot sizes."""


@dataclass(frozen=True)
class Scales:
    """Metres a newton and metres a newton metre."""

    force: float
    torque: float

    def of(self, kind: str) -> float:
        """Of "force", "torque" or "reaction"."""
        return self.torque if kind == "torque" else self.force


def scales(found: tuple[ForceArrows, ...], size: float, reactions: bool, factor: float) -> Scales:
    """So that the largest arrow of all runs has about a third of the robot's size (m), times a factor."""
    kinds = ("force", "reaction") if reactions else ("force",)
    force = max((f.largest(kind) for f in found for kind in kinds), default=0.0)
    torque = max((f.largest("torque") for f in found), default=0.0)
    return Scales(factor * arrow_scale(force, size), factor * arrow_scale(torque, size))


class ForceScene:
    """The arrows of one run under a root of a scene. Nothing is drawn until kinds are switched on."""

    def __init__(self, scene: Any, figure: Figure, arrows: ForceArrows, root: str) -> None:
        self.scene, self.figure, self.arrows, self.root = scene, figure, arrows, root
        self.scales = Scales(0.0, 0.0)
        self._nodes: dict[str, Any] = {}
        self._kinds: set[str] = set()

    def switch(self, kinds: set[str]) -> None:
        """Draw these kinds of arrows and no others."""
        for kind in set(self._nodes) - kinds:
            self._nodes.pop(kind).remove()
        self._kinds = set(kinds)

    def show(self, time: float, q: np.ndarray) -> None:
        """The arrows at a time (s) and configuration (nq,)."""
        if not self._kinds:
            return
        placed = self.figure.place(q)
        for kind in self._kinds:
            if kind == "reaction":
                found = self.arrows.reactions(time, placed.position, placed.rotation)
            else:
                found = self.arrows.drives(time, placed.position, placed.rotation, torques=kind == "torque")
            self._draw(kind, arrow_vertices(found.segments(self.scales.of(kind)), RADIUS * self.figure.size))

    def _draw(self, kind: str, vertices: np.ndarray) -> None:
        if not len(vertices):
            return
        node = self._nodes.get(kind)
        if node is None:
            faces = arrow_faces(len(vertices) // VERTICES)
            name = f"{self.root}/{kind}"
            self._nodes[kind] = self.scene.add_mesh_simple(name, vertices, faces, color=COLOURS[kind])
        else:
            node.vertices = vertices

    def remove(self) -> None:
        """Take all out of the scene."""
        self.switch(set())


def reference(scale: Scales, kinds: set[str], size: float) -> dict[str, tuple[float, str]]:
    """{"force" or "torque": (round number, unit)} of arrows about a fifth of the robot's size (m) long."""
    out = {}
    if kinds & {"force", "reaction"} and scale.force > 0:
        out["force"] = (round_below(0.22 * size / scale.force), "N")
    if "torque" in kinds and scale.torque > 0:
        out["torque"] = (round_below(0.22 * size / scale.torque), "N m")
    return out
