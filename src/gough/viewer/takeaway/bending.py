"""Flexible bodies in a recording: their surface over the frames, from which the page cuts the bands of colour itself.

Bands have other triangles in every frame; the surface they are cut from keeps its own, is smaller, and can be interpolated.
"""

from typing import Any

import numpy as np

from gough.viewer.scene.skins import BANDS, SkinsScene, nice_above
from gough.viewer.scene.stage import Stage
from gough.viewer.takeaway.recording import Field, Messages, Node

KIND = "gough surface"
"""Type of the messages that the page cuts."""


class Surfaces:
    """The surfaces of a stage's robots, frame by frame."""

    def __init__(self, stage: Stage) -> None:
        robots = [robot for robot in (stage.first, stage.second) if robot is not None]
        self._skins: dict[str, SkinsScene] = {r.root: r.skins for r in robots if r.skins is not None}
        self._size = stage.size
        self._vertices: dict[str, list[np.ndarray]] = {root: [] for root in self._skins}
        self._values: dict[str, list[np.ndarray]] = {root: [] for root in self._skins}

    def take(self) -> None:
        """The surfaces as they are shown now."""
        for root, skins in self._skins.items():
            vertices, values = skins.surface
            self._vertices[root].append(vertices.astype(np.float32).ravel())
            self._values[root].append(values.astype(np.float32))

    @property
    def range_m(self) -> float:
        """The deflection (m) of the brightest colour, the same for all frames; 0.0 without flexible bodies."""
        largest = max((float(v.max(initial=0.0)) for values in self._values.values() for v in values), default=0.0)
        return nice_above(largest, 1e-9 * self._size) if self._skins else 0.0

    def without_bands(self, messages: Messages) -> Messages:
        """Messages less those of the bands."""
        return [m for m in messages if not any(m.get("name", "").startswith(f"{root}/skin") for root in self._skins)]

    def nodes(self, before: Messages) -> list[Node]:
        """What the page needs of each robot's surface. before: the scene's messages, of which some are patterns for its own."""
        out = []
        for root, skins in self._skins.items():
            message: dict[str, Any] = {
                "type": KIND,
                "name": f"{root}/skin0",
                "root": f"{root}/skin",
                "bands": BANDS,
                "faces": skins.faces.ravel().tolist(),
                "update": _pattern(before, "SceneNodeUpdateMessage", root) | {"updates": {}},
                "show": _pattern(before, "SetSceneNodeVisibilityMessage", root),
            }
            vertices = np.array(self._vertices[root], dtype=float)
            values = np.array(self._values[root], dtype=float) / self.range_m
            fields = [Field(("vertices",), "<f4", vertices), Field(("values",), "<f4", values)]
            out.append(Node(message, fields))
        return out


def _pattern(before: Messages, kind: str, root: str) -> dict[str, Any]:
    """A message of a kind to a band."""
    return next(dict(m) for m in before if m["type"] == kind and m.get("name", "").startswith(f"{root}/skin"))
