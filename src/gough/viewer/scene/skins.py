"""Flexible bodies in a scene, coloured by how far they bend: one mesh a colour."""

from collections import deque
from typing import Any

import numpy as np

from gough.viewer.drawing.bands import Banded
from gough.viewer.drawing.figure import Figure, Placed
from gough.viewer.drawing.mesh import EMPTY, Mesh
from gough.viewer.scene.colours import BAD, Colour, mix_colours, scale_colours

BANDS = 12
BANDS_OF_MANY = 5
"""Where more than MANY bodies are carried by their links: every colour of every body is a mesh."""
MANY = 2
FLAT = Mesh(np.zeros((3, 3)), np.zeros((1, 3)))
REMEMBERED = 90
"""Frames whose largest deflection makes the range of the colours, so that it does not jump while something swings."""


class SkinsScene:
    """Nodes of a figure's skins. range_m: the deflection of the highest colour.

    carried: names of the nodes of the flexible links, {link: name}; each skin then hangs on its link's node. A page takes over
    poses in the frame in which they arrive and vertices one frame later: so only the bending comes late, not the motion.
    None: all skins together in world axes under `root`, in fewer meshes.
    """

    def __init__(
        self, scene: Any, figure: Figure, root: str, tint: Colour | None, carried: dict[int, str] | None = None
    ) -> None:
        self.figure = figure
        self.range_m = 0.0
        self.bad_legs: frozenset[int] = frozenset()
        self.all_bad = False
        self.surface = np.zeros((0, 3)), np.zeros(0)  # as last shown: vertices (n, 3) and their deflections (n,), m
        self._largest: deque[float] = deque(maxlen=REMEMBERED)
        self.faces, self._legs, links = _together(figure)
        self._in_world = carried is None
        if carried is None:
            parts, bands, part = [f"{root}/skin"], BANDS, np.zeros(len(links), dtype=int)
        else:
            bands = BANDS if len(carried) <= MANY else BANDS_OF_MANY
            parts = [f"{carried[link]}/skin" for link in sorted(carried)]
            part = np.searchsorted(sorted(carried), links)
        self._banded = Banded(self.faces, bands, part)
        sparing = not self._in_world
        self._bad_nodes = [_Patch(scene, f"{name}{bands}", BAD, sparing) for name in parts]
        colours: list[Colour] = [(int(r), int(g), int(b)) for r, g, b in scale_colours(bands)]
        if tint is not None:
            colours = [mix_colours(c, tint, 0.35) for c in colours]
        self._nodes = [_Patch(scene, f"{name}{k}", c, sparing) for name in parts for k, c in enumerate(colours)]

    def show(self, q: np.ndarray, drawn: np.ndarray, placed: Placed) -> None:
        """Draw at configuration `drawn` (nq,) with its links' poses, coloured by the deflections at q."""
        own, world, values = [], [], []
        for skin in self.figure.skins:
            vertices = skin.vertices(drawn)
            own.append(vertices)
            world.append(vertices @ placed.rotation[skin.link].T + placed.position[skin.link])
            true = vertices if drawn is q else skin.vertices(q)
            values.append(np.linalg.norm(true - skin.undeformed, axis=-1))
        self.surface = np.concatenate(world), np.concatenate(values)
        self._largest.append(float(self.surface[1].max(initial=0.0)))
        self.range_m = nice_above(max(self._largest), 1e-9 * self.figure.size)
        vertices = self.surface[0] if self._in_world else np.concatenate(own)
        bad = self._bad_faces()
        meshes = self._banded.cut(vertices, self.surface[1] / self.range_m, None if bad is None else ~bad)
        for node, mesh in zip(self._nodes, meshes, strict=True):
            node.show(mesh)
        for k, node in enumerate(self._bad_nodes):
            wrong = EMPTY if bad is None else Mesh(vertices, self.faces[bad & (self._banded.part == k)])
            node.show(wrong)

    def _bad_faces(self) -> np.ndarray | None:
        """Which faces (f,) are drawn as bad; None where none is."""
        if self.all_bad:
            return np.ones(len(self.faces), dtype=bool)
        return np.isin(self._legs, list(self.bad_legs)) if self.bad_legs else None

    def set_visible(self, visible: bool) -> None:
        """Show or hide all of them."""
        for node in (*self._nodes, *self._bad_nodes):
            node.allow(visible)


def _together(figure: Figure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles (f, 3) of all skins, whose vertices stand one after the other; the leg and the link of each (f,)."""
    starts = np.cumsum([0] + [len(skin.surface.station) for skin in figure.skins])
    faces = [skin.surface.faces + start for skin, start in zip(figure.skins, starts, strict=False)]
    counts = [len(skin.surface.faces) for skin in figure.skins]
    legs = np.repeat([skin.leg for skin in figure.skins], counts)
    return np.concatenate(faces), legs, np.repeat([skin.link for skin in figure.skins], counts)


class _Patch:
    """A mesh of one colour whose triangles change; its arrays keep a length as long as they fit, which a page likes.

    sparing: made when it first has triangles; one that has lost them is drawn flat at first and hidden only when that is long
    seen, because a page hides a node at once, but takes over the triangles that fill the gap one frame later. Otherwise there
    from the beginning, as files want it.
    """

    def __init__(self, scene: Any, name: str, colour: Colour, sparing: bool) -> None:
        self._add = lambda mesh: scene.add_mesh_simple(
            name, mesh.vertices, mesh.faces, color=colour, visible=False, receive_shadow=False
        )
        self._node: Any = None
        self._room = (3, 1)
        self._empty = 0
        self._allowed, self._sparing = True, sparing
        if not sparing:
            self._fill(FLAT)

    def show(self, mesh: Mesh) -> None:
        if len(mesh.faces):
            self._fill(self._padded(mesh))
        elif self._node is not None:
            self._empty += 1
            if self._empty == 1:
                self._node.faces = np.zeros((self._room[1], 3), dtype=np.uint32)
            elif self._empty == REMEMBERED and self._sparing:
                self._node.visible = False

    def _fill(self, mesh: Mesh) -> None:
        if self._node is None:
            self._node = self._add(mesh)
        else:
            self._node.vertices, self._node.faces = mesh.vertices, mesh.faces
        self._empty = 0
        self._node.visible = self._allowed

    def _padded(self, mesh: Mesh) -> Mesh:
        """With flat triangles at its end, so that the next one may have some more."""
        need = len(mesh.vertices), len(mesh.faces)
        if any(n > room or n < 0.4 * room for n, room in zip(need, self._room, strict=True)):
            self._room = (int(1.3 * need[0]) + 16, int(1.3 * need[1]) + 16)
        vertices = np.empty((self._room[0], 3), dtype=np.float32)
        vertices[: need[0]], vertices[need[0] :] = mesh.vertices, mesh.vertices[0]
        faces = np.zeros((self._room[1], 3), dtype=np.uint32)
        faces[: need[1]] = mesh.faces
        return Mesh(vertices, faces)

    def allow(self, allowed: bool) -> None:
        self._allowed = allowed
        if self._node is not None:
            self._node.visible = allowed and not (self._sparing and self._empty >= REMEMBERED)


def nice_above(value: float, least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `value` or `least`."""
    value = max(value, least)
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * min(k for k in (1, 2, 5, 10) if k * power >= value * (1 - 1e-12)))
