"""Arrows as one mesh: short ones keep their shape and shrink as a whole, so that a small force looks small."""

import numpy as np

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
