"""Arrows of forces in a scene, with one arrow of a round number of newtons as their legend; and the mesh of arrows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.viewer.drawing.figure import Figure
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


# Arrows as one mesh: short ones keep their shape and shrink as a whole, so that a small force looks small.

Array = np.ndarray

SIDES = 10
HEAD_WIDTH, HEAD_LENGTH, MOST_HEAD = 2.4, 5.0, 0.45
"""Of the head: radius and length in shaft radii, and the largest part of an arrow that it may be."""
VERTICES = 3 * SIDES + 2


def arrow_faces(count: int) -> Array:
    """Triangles (count · f, 3) of so many arrows."""
    k = np.arange(SIDES)
    n = (k + 1) % SIDES
    tail, tip = 3 * SIDES, 3 * SIDES + 1
    rings = [(r + k, r + n, r + SIDES + n, r + SIDES + k) for r in (0, SIDES)]
    quads = [np.stack(t, axis=1) for a, b, c, d in rings for t in ((a, b, c), (a, c, d))]
    end, point = (
        np.stack([np.full(SIDES, tail), n, k], axis=1),
        np.stack([2 * SIDES + k, 2 * SIDES + n, np.full(SIDES, tip)], 1),
    )
    one = np.concatenate([*quads, end, point])
    return (one[None] + VERTICES * np.arange(count)[:, None, None]).reshape(-1, 3).astype(np.uint32)


def arrow_vertices(segments: Array, radius: float) -> Array:
    """Vertices (n · VERTICES, 3) of arrows from segments[:, 0] to segments[:, 1] (n, 2, 3), shafts of a radius (m).

    An arrow whose head would be too long for it is thinner; one of no length is a point."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(along, axis=1)
    unit = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 0)
    size = np.minimum(radius, MOST_HEAD * length / HEAD_LENGTH)
    helper = np.where(np.abs(unit[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    a = np.cross(unit, helper)
    norm = np.linalg.norm(a, axis=1, keepdims=True)
    a = np.divide(a, norm, out=np.zeros_like(a), where=norm > 0)
    b = np.cross(unit, a)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = a[:, None] * np.cos(angle)[:, None] + b[:, None] * np.sin(angle)[:, None]
    base = start + unit * (length - HEAD_LENGTH * size)[:, None]
    shaft, head = size[:, None, None] * ring, HEAD_WIDTH * size[:, None, None] * ring
    tips = np.stack([start, segments[:, 1]], axis=1)
    out = np.concatenate([start[:, None] + shaft, base[:, None] + shaft, base[:, None] + head, tips], axis=1)
    return out.reshape(-1, 3).astype(np.float32)
