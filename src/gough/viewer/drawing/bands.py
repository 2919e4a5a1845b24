"""A surface cut into bands of equal steps of a value, as contour plots show it: one mesh a band.

A page colours a mesh as a whole and has no colours of vertices that could change from frame to frame; meshes of one colour
each, cut along the lines of equal value, need none.
"""

import numpy as np

from gough.viewer.drawing.mesh import Mesh


class Banded:
    """Cuts one surface again and again. faces (f, 3): the same for all frames; bands: how many."""

    def __init__(self, faces: np.ndarray, bands: int) -> None:
        self.faces = np.asarray(faces, dtype=np.int64)
        self.bands = bands
        sides = np.stack([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]], axis=1)
        ends, inverse = np.unique(np.sort(sides.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
        self.ends = ends
        self.side = inverse.reshape(-1, 3)  # side k runs from corner k to corner k + 1

    def cut(self, vertices: np.ndarray, values: np.ndarray, shown: np.ndarray | None = None) -> list[Mesh]:
        """Meshes of the bands. vertices (n, 3); values (n,), 0 … 1 (beyond is clipped); shown (f,): which faces are meant."""
        v = np.clip(np.asarray(values, dtype=float), 0.0, 1.0 - 1e-12) * self.bands
        chosen = np.arange(len(self.faces)) if shown is None else np.flatnonzero(shown)
        corner = self.faces[chosen]
        order = np.argsort(v[corner], axis=1, kind="stable")
        a, b, c = (np.take_along_axis(corner, order[:, k : k + 1], axis=1)[:, 0] for k in range(3))
        odd = np.isin((order * np.array([9, 3, 1])).sum(axis=1), _ODD)
        edges = [self._edge(chosen, order, i, j) for i, j in ((0, 1), (1, 2), (0, 2))]
        lowest, highest = np.floor(v[a]), np.floor(v[c])
        out = []
        for band in range(self.bands):
            here = (lowest <= band) & (highest >= band) & ((v[c] > band) | (lowest == band))
            out.append(self._band(vertices, v, band, a[here], b[here], c[here], [e[here] for e in edges], odd[here]))
        return out

    def _edge(self, chosen: np.ndarray, order: np.ndarray, i: int, j: int) -> np.ndarray:
        """The edge between the corners that are i-th and j-th by value."""
        pair = order[:, i] + order[:, j]  # 1: corners 0 1, side 0; 3: 1 2, side 1; 2: 2 0, side 2
        side = np.select([pair == 1, pair == 3], [0, 1], 2)
        return self.side[chosen, side]

    def _band(
        self,
        vertices: np.ndarray,
        v: np.ndarray,
        band: int,
        a: np.ndarray,
        b: np.ndarray,
        c: np.ndarray,
        edges: list[np.ndarray],
        odd: np.ndarray,
    ) -> Mesh:
        """Triangles with corners a, b, c by value, clipped to band … band + 1; edges: ab, bc, ac."""
        n, ab, bc, ac = len(vertices), *edges
        low, high = float(band), float(band + 1)
        at_low, at_high = n, n + len(self.ends)  # numbers of the points where edges cross the two levels

        def on_way(level: float, first: int) -> np.ndarray:
            """Where the way a b c crosses a level."""
            return np.where(v[b] > level, first + ab, first + bc)

        begins, ends = v[a] >= low, v[c] <= high
        long_start = np.where(begins, a, at_low + ac)
        way_start = np.where(begins, a, on_way(low, at_low))
        long_end = np.where(ends, c, at_high + ac)
        way_end = np.where(ends, c, on_way(high, at_high))
        bend = np.where((v[b] >= low) & (v[b] <= high), b, way_start)
        ring = np.stack([long_start, way_start, bend, way_end, long_end], axis=1)
        ring = np.where(odd[:, None], ring[:, ::-1], ring)
        faces = np.concatenate([ring[:, [0, 1, 2]], ring[:, [0, 2, 3]], ring[:, [0, 3, 4]]])
        whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        used, faces = np.unique(faces[whole], return_inverse=True)
        return Mesh(self._points(vertices, v, used, low, high), faces.reshape(-1, 3))

    def _points(self, vertices: np.ndarray, v: np.ndarray, used: np.ndarray, low: float, high: float) -> np.ndarray:
        n, count = len(vertices), len(self.ends)
        points = np.empty((len(used), 3))
        own = used < n
        points[own] = vertices[used[own]]
        crossing = used[~own] - n
        level = np.where(crossing < count, low, high)
        i, j = self.ends[crossing % count].T if count else np.zeros((2, 0), dtype=int)
        t = (level - v[i]) / np.where(v[j] != v[i], v[j] - v[i], 1.0)
        points[~own] = vertices[i] + np.clip(t, 0.0, 1.0)[:, None] * (vertices[j] - vertices[i])
        return points


_ODD = np.array([(np.array(p) * np.array([9, 3, 1])).sum() for p in ((1, 0, 2), (0, 2, 1), (2, 1, 0))])
"""Orders of corners that turn a triangle over."""
