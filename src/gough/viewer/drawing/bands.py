"""A surface cut into bands of equal steps of a value, as contour plots show it: one mesh a band.

A page colours a mesh as a whole and has no colours of vertices that could change from frame to frame; meshes of one colour
each, cut along the lines of equal value, need none.
"""

import numpy as np

from gough.viewer.drawing.mesh import EMPTY, Mesh


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
