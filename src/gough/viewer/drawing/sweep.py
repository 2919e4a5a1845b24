"""A round section swept along a line."""

import numpy as np

from gough.viewer.drawing.mesh import Mesh, frame_along, merged
from gough.viewer.drawing.solids import band


def swept(line: np.ndarray, radius: float, sides: int = 10) -> Mesh:
    """A round bar along points (n, 3), its section carried along without twisting."""
    line = np.asarray(line, dtype=float)
    tangents = np.gradient(line, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    x = frame_along(tangents[0])[:, 0]
    turn = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    rings = []
    for p, t in zip(line, tangents, strict=True):
        x = x - (x @ t) * t
        x = x / np.linalg.norm(x)
        y = np.cross(t, x)
        rings.append(p + radius * (np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y))
    i = np.arange(sides)
    fan = np.column_stack([np.full(sides, sides), i, (i + 1) % sides])
    first, last = (np.concatenate([rings[k], line[k : k + 1] if k == 0 else line[-1:]]) for k in (0, -1))
    return merged([band(*rings), Mesh(first, fan[:, ::-1]), Mesh(last, fan)])


def coil(radius: float, wire: float, turns: int = 9, steps: int = 14) -> Mesh:
    """A spring from z = 0 to z = 1, straight at its ends; stretched along z its turns move apart, its wire hardly shows it."""
    t = np.linspace(0.0, 1.0, turns * steps + 1)
    swell = radius * np.minimum(1.0, np.minimum(t, 1.0 - t) * turns)
    angle = 2 * np.pi * turns * t
    line = np.column_stack([swell * np.cos(angle), swell * np.sin(angle), 0.08 + 0.84 * t])
    return swept(np.concatenate([[[0, 0, 0], [0, 0, 0.07]], line[1:-1], [[0, 0, 0.93], [0, 0, 1]]]), wire, 8)
