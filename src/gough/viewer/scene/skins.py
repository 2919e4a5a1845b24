"""Flexible bodies in a scene, coloured by how far they bend: one mesh a colour."""

from collections import deque
from typing import Any

import numpy as np

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


# A surface cut into bands of equal steps of a value, as contour plots show it: one mesh a band.
#
# A page colours a mesh as a whole and has no colours of vertices that could change from frame to frame; meshes of one colour
# each, cut along the lines of equal value, need none.


class Banded:
    """Cuts one surface again and again. faces (f, 3): the same for all frames; bands: how many.

    part (f,): parts 0, 1, … of the surface that are wanted in meshes of their own; default one. All parts and bands are cut in
    one go: a frame has milliseconds.
    """

    def __init__(self, faces: np.ndarray, bands: int, part: np.ndarray | None = None) -> None:
        self.faces = np.asarray(faces, dtype=np.int64)
        self.bands = bands
        self.part = np.zeros(len(self.faces), dtype=np.int64) if part is None else np.asarray(part, dtype=np.int64)
        self.parts = int(self.part.max(initial=0)) + 1
        sides = np.stack([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]], axis=1)
        ends, inverse = np.unique(np.sort(sides.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
        self.ends = ends
        self.side = inverse.reshape(-1, 3)  # side k runs from corner k to corner k + 1

    def cut(self, vertices: np.ndarray, values: np.ndarray, shown: np.ndarray | None = None) -> list[Mesh]:
        """Meshes, part by part its bands. vertices (n, 3); values (n,), 0 … 1 (beyond is clipped); shown (f,): faces meant."""
        v = np.clip(np.asarray(values, dtype=float), 0.0, 1.0 - 1e-12) * self.bands
        face = np.arange(len(self.faces)) if shown is None else np.flatnonzero(shown)
        lowest, highest = self._reach(v, face)
        count = highest - lowest + 1
        first = np.repeat(np.cumsum(count) - count, count)
        face = np.repeat(face, count)  # once for every band it reaches into
        band = np.repeat(lowest, count) + np.arange(len(face)) - first
        ring = self._rings(len(vertices), v, face, band)
        owner = self.part[face] * self.bands + band
        faces = np.concatenate([ring[:, [0, 1, 2]], ring[:, [0, 2, 3]], ring[:, [0, 3, 4]]])
        owner = np.tile(owner, 3)
        whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        return self._meshes(vertices, v, faces[whole], owner[whole])

    def _reach(self, v: np.ndarray, face: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest band of each face; one that only touches the level above stays below it."""
        corners = v[self.faces[face]]
        low, high = corners.min(axis=1), corners.max(axis=1)
        lowest, highest = np.floor(low).astype(np.int64), np.floor(high).astype(np.int64)
        return lowest, np.where((high == highest) & (highest > lowest), highest - 1, highest)

    def _rings(self, n: int, v: np.ndarray, face: np.ndarray, band: np.ndarray) -> np.ndarray:
        """Five points (m, 5) around what is in the band; where it has fewer corners, some are the same."""
        corner, side = self.faces[face], self.side[face]
        order = np.argsort(v[corner], axis=1, kind="stable")
        row = np.arange(len(face))
        a, b, c = (corner[row, order[:, k]] for k in range(3))
        ab, bc, ac = (side[row, _SIDE[order[:, i], order[:, j]]] for i, j in ((0, 1), (1, 2), (0, 2)))
        levels = self.bands + 1

        def crossing(edge: np.ndarray, level: np.ndarray) -> np.ndarray:
            """Number of the point where an edge crosses a level."""
            return n + edge * levels + level

        low, high = band, band + 1
        begins, ends = v[a] >= low, v[c] <= high
        long_start = np.where(begins, a, crossing(ac, low))
        way_start = np.where(begins, a, crossing(np.where(v[b] > low, ab, bc), low))
        long_end = np.where(ends, c, crossing(ac, high))
        way_end = np.where(ends, c, crossing(np.where(v[b] > high, ab, bc), high))
        bend = np.where((v[b] >= low) & (v[b] <= high), b, way_start)
        ring = np.stack([long_start, way_start, bend, way_end, long_end], axis=1)
        odd = _ODD[order[:, 0], order[:, 1]]
        return np.where(odd[:, None], ring[:, ::-1], ring)

    def _meshes(self, vertices: np.ndarray, v: np.ndarray, faces: np.ndarray, owner: np.ndarray) -> list[Mesh]:
        """Split by owner, each with the points it uses."""
        points = len(vertices) + len(self.ends) * (self.bands + 1)
        used, corner = np.unique(faces + points * owner[:, None], return_inverse=True)
        place = self._points(vertices, v, used % points)
        sequence = np.argsort(owner, kind="stable")
        corner = corner.reshape(-1, 3)[sequence]
        owners = np.arange(self.parts * self.bands + 1)
        first_point = np.searchsorted(used, owners * points)
        first_face = np.searchsorted(owner[sequence], owners)
        out = [EMPTY] * (len(owners) - 1)
        for k in np.unique(owner):
            i, j = first_point[k : k + 2]
            out[k] = Mesh(place[i:j], corner[first_face[k] : first_face[k + 1]] - i)
        return out

    def _points(self, vertices: np.ndarray, v: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Where points (m,) are: vertices and crossings by their numbers."""
        n = len(vertices)
        out = np.empty((len(number), 3))
        own = number < n
        out[own] = vertices[number[own]]
        edge, level = np.divmod(number[~own] - n, self.bands + 1)
        i, j = self.ends[edge].T
        t = (level - v[i]) / np.where(v[j] != v[i], v[j] - v[i], 1.0)
        out[~own] = vertices[i] + np.clip(t, 0.0, 1.0)[:, None] * (vertices[j] - vertices[i])
        return out


_SIDE = np.array([[0, 0, 2], [0, 0, 1], [2, 1, 0]])
"""The side between two corners of a triangle."""
_ODD = np.array([[False, False, True], [True, False, False], [False, True, False]])
"""[i, j]: whether the corners in the order i, j, the third one turn the triangle over."""


class SkinsScene:
    """Nodes of a figure's skins. range_m: the deflection of the highest colour.

    carried: names of the nodes of the flexible links, {link: name}; each skin then hangs on its link's node. A page takes over
    poses in the frame in which they arrive and vertices one frame later: so only the bending comes late, not the motion.
    None: all skins together in world axes under `root`, in fewer meshes.
    """

    def __init__(
        self,
        scene: Any,
        figure: Figure,
        root: str,
        tint: Colour | None,
        carried: dict[int, str] | None = None,
        opacity: float | None = None,
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
        self._bad_nodes = [_Patch(scene, f"{name}{bands}", BAD, sparing, opacity) for name in parts]
        colours: list[Colour] = [(int(r), int(g), int(b)) for r, g, b in scale_colours(bands)]
        if tint is not None:
            colours = [mix_colours(c, tint, 0.35 if opacity is None else 0.8) for c in colours]
        self._nodes = [
            _Patch(scene, f"{name}{k}", c, sparing, opacity) for name in parts for k, c in enumerate(colours)
        ]

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

    def __init__(self, scene: Any, name: str, colour: Colour, sparing: bool, opacity: float | None) -> None:
        self._add = lambda mesh: scene.add_mesh_simple(
            name,
            mesh.vertices,
            mesh.faces,
            color=colour,
            opacity=opacity,
            visible=False,
            cast_shadow=opacity is None,
            receive_shadow=False,
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
