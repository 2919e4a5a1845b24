"""How far what is drawn moves between two configurations."""

from itertools import product

import numpy as np

from gough.structure import WORLD
from gough.viewer.drawing.figure import Figure


def largest_motion(figure: Figure, before: np.ndarray, after: np.ndarray, exaggeration: float = 1.0) -> float:
    """Largest distance (m) that a drawn point travels from `before` (nq,) to `after` (nq,); NaN where one is not closed."""
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return float("nan")
    drawn = np.stack([figure.exaggerated(q, exaggeration) for q in (before, after)])
    placed = figure.place(drawn)
    largest = float(np.linalg.norm(np.diff(placed.position, axis=0), axis=-1).max(initial=0.0))
    points = {link: np.broadcast_to(p, (2, *p.shape)) for link, p in _corners(figure).items()}
    bodies = [*points.items(), *((skin.link, skin.vertices(drawn)) for skin in figure.skins)]
    for link, own in bodies:
        world = own @ np.swapaxes(placed.rotation[:, link], 1, 2) + placed.position[:, link, None]
        largest = max(largest, float(np.linalg.norm(world[1] - world[0], axis=-1).max(initial=0.0)))
    return largest


def _corners(figure: Figure) -> dict[int, np.ndarray]:
    """Corners (n, 3) of the boxes around the pieces of every moving link, in its axes."""
    out: dict[int, list[np.ndarray]] = {}
    for piece in figure.pieces:
        if piece.link != WORLD and piece.group in ("bodies", "joints") and len(piece.mesh.vertices):
            box = np.stack([piece.mesh.vertices.min(axis=0), piece.mesh.vertices.max(axis=0)])
            corners = [[box[i][k] for k, i in enumerate(corner)] for corner in product((0, 1), repeat=3)]
            out.setdefault(piece.link, []).append(np.array(corners))
    return {link: np.concatenate(points).astype(float) for link, points in out.items()}
