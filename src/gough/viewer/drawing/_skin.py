"""The surface of a flexible body as it bends.

It hangs on stations, points of the body whose motion is known: x = X + Φ e + ½ eᵀΨ e, turned by θ = Θ e; a vertex stands on
an arm a from its station: x + exp(θ̂) a. Nodes of a mesh are stations; a beam has more of them between its nodes.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.fem.elastic_body import ElasticBody
from gough.spatial.charts import cross


@dataclass(frozen=True)
class SkinSurface:
    """Of a body with m elastic coordinates, in its axes (m).

    rest (k, 3), shapes, turnings (k, 3, m), second (k, 3, m, m) or None: stations. station (n,), arms (n, 3): vertices.
    faces (f, 3): outward by the right hand.
    """

    rest: np.ndarray
    shapes: np.ndarray
    turnings: np.ndarray
    second: np.ndarray | None
    station: np.ndarray
    arms: np.ndarray
    faces: np.ndarray


def on_nodes(body: ElasticBody, station: np.ndarray, arms: np.ndarray, faces: np.ndarray) -> SkinSurface:
    """A surface whose stations are the body's nodes; without rotations of nodes arms are not turned."""
    turnings = np.zeros_like(body.shapes) if body.turnings is None else body.turnings
    return SkinSurface(body.nodes, body.shapes, turnings, body.second, station, arms, faces)


@dataclass(frozen=True)
class Skin:
    """The surface of the body of link `link` (description axes, m), its elastic coordinates at `coordinates` in q."""

    link: int
    name: str
    leg: int
    coordinates: slice
    surface: SkinSurface

    def displacement(self, q: np.ndarray) -> np.ndarray:
        """Of the stations (..., k, 3), link axes, at q (..., nq)."""
        e = np.asarray(q, dtype=float)[..., self.coordinates]
        u = _linear(self.surface.shapes, e)
        if self.surface.second is not None:
            k, m = len(self.surface.rest), e.shape[-1]
            bent = (e @ self.surface.second.reshape(-1, m).T).reshape(*e.shape[:-1], 3 * k, m)
            u = u + 0.5 * np.matmul(bent, e[..., None])[..., 0].reshape(*e.shape[:-1], k, 3)
        return u

    def vertices(self, q: np.ndarray) -> np.ndarray:
        """(..., n, 3) in link axes at q (..., nq)."""
        e = np.asarray(q, dtype=float)[..., self.coordinates]
        placed = self.surface.rest + self.displacement(q)
        turn = _linear(self.surface.turnings, e)
        return placed[..., self.surface.station, :] + turn_vectors(
            turn[..., self.surface.station, :], self.surface.arms
        )

    def deflection(self, q: np.ndarray) -> np.ndarray:
        """How far each vertex (..., n) is from its place in the body at rest (m)."""
        return np.linalg.norm(self.vertices(q) - self.undeformed, axis=-1)

    @cached_property
    def undeformed(self) -> np.ndarray:
        """Vertices (n, 3) at rest, link axes."""
        return self.surface.rest[self.surface.station] + self.surface.arms


def _linear(shapes: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Sums (..., k, 3) of shapes (k, 3, m) with coordinates (..., m)."""
    return (e @ shapes.reshape(-1, shapes.shape[-1]).T).reshape(*e.shape[:-1], *shapes.shape[:2])


def turn_vectors(vector: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x (..., 3) turned by rotation vectors (..., 3), rad."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    s, c = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    once = cross(vector, x)
    return x + s * once + c * cross(vector, once)
