"""Flexible bodies in a scene, coloured by how far they bend: one mesh a colour."""

from collections import deque
from typing import Any

import numpy as np

from gough.viewer.drawing.bands import Banded
from gough.viewer.drawing.colours import scale_colours
from gough.viewer.drawing.figure import Figure, Placed
from gough.viewer.drawing.mesh import EMPTY, Mesh
from gough.viewer.scene.palette import BAD, Colour, mixed

BANDS = 12
BANDS_OF_MANY = 5
"""Where more than MANY bodies are carried by their links: every colour of every body is a mesh."""
MANY = 2
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
        everything = list(range(len(figure.skins)))
        if carried is None:
            self._parts = [_Part(scene, figure, everything, f"{root}/skin", BANDS, tint)]
        else:
            bands = BANDS if len(carried) <= MANY else BANDS_OF_MANY
            links = {link: [k for k in everything if figure.skins[k].link == link] for link in carried}
            self._parts = [_Part(scene, figure, links[i], f"{carried[i]}/skin", bands, tint) for i in carried]
        self._in_world = carried is None
        self.faces = self._parts[0].faces if self._in_world else _together(figure, everything)

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
        for part in self._parts:
            vertices = np.concatenate([(world if self._in_world else own)[k] for k in part.skins])
            shares = np.concatenate([values[k] for k in part.skins]) / self.range_m
            part.show(vertices, shares, np.isin(part.legs, list(self.bad_legs)) | self.all_bad)

    def visible(self, visible: bool) -> None:
        """Show or hide all of them."""
        for part in self._parts:
            for node in part.nodes:
                node.allow(visible)


class _Part:
    """Skins that are drawn together, one mesh a colour and one for what is bad."""

    def __init__(
        self, scene: Any, figure: Figure, skins: list[int], name: str, bands: int, tint: Colour | None
    ) -> None:
        self.skins = skins
        self.faces = _together(figure, skins)
        self.legs = np.concatenate([np.full(len(figure.skins[k].faces), figure.skins[k].leg) for k in skins])
        self._banded = Banded(self.faces, bands)
        colours: list[Colour] = [(int(r), int(g), int(b)) for r, g, b in scale_colours(bands)]
        if tint is not None:
            colours = [mixed(c, tint, 0.35) for c in colours]
        self.nodes = [_Patch(scene, f"{name}{k}", colour) for k, colour in enumerate([*colours, BAD])]

    def show(self, vertices: np.ndarray, shares: np.ndarray, bad: np.ndarray) -> None:
        meshes = self._banded.cut(vertices, shares, ~bad)
        wrong = self.faces[bad]
        meshes.append(Mesh(vertices, wrong) if len(wrong) else EMPTY)
        for node, mesh in zip(self.nodes, meshes, strict=True):
            node.show(mesh)


def _together(figure: Figure, skins: list[int]) -> np.ndarray:
    """Triangles (f, 3) of some skins whose vertices stand one after the other."""
    starts = np.cumsum([0] + [len(figure.skins[k].station) for k in skins])
    return np.concatenate([figure.skins[k].faces + start for k, start in zip(skins, starts, strict=False)])


class _Patch:
    """A mesh of one colour whose triangles change; its arrays keep a length as long as they fit, which a page likes.

    One without triangles stays visible, with flat ones: a page hides a node at once, but takes over the triangles that fill the
    gap one frame later.
    """

    def __init__(self, scene: Any, name: str, colour: Colour) -> None:
        start = np.zeros((3, 3), dtype=np.float32), np.zeros((1, 3), dtype=np.uint32)
        self._node = scene.add_mesh_simple(name, *start, color=colour, visible=False, receive_shadow=False)
        self._room = (3, 1)
        self._filled = False
        self.allow(True)

    def show(self, mesh: Mesh) -> None:
        filled, self._filled = self._filled, bool(len(mesh.faces))
        if not self._filled:
            if filled:
                self._node.faces = np.zeros((self._room[1], 3), dtype=np.uint32)
            return
        need = len(mesh.vertices), len(mesh.faces)
        if any(n > room or n < 0.4 * room for n, room in zip(need, self._room, strict=True)):
            self._room = (int(1.3 * need[0]) + 16, int(1.3 * need[1]) + 16)
        vertices = np.empty((self._room[0], 3), dtype=np.float32)
        vertices[: need[0]], vertices[need[0] :] = mesh.vertices, mesh.vertices[0]
        faces = np.zeros((self._room[1], 3), dtype=np.uint32)
        faces[: need[1]] = mesh.faces
        self._node.vertices, self._node.faces = vertices, faces

    def allow(self, allowed: bool) -> None:
        self._node.visible = allowed


def nice_above(value: float, least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `value` or `least`."""
    value = max(value, least)
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * min(k for k in (1, 2, 5, 10) if k * power >= value * (1 - 1e-12)))
