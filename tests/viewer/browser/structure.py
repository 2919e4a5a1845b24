"""Pictures compared by structure: where something is drawn, on a coarse grid, not pixel by pixel.

Renderers differ in shading and edges; a robot that is missing, somewhere else or fallen apart differs in where it is.
"""

import io
from pathlib import Path

import numpy as np
from PIL import Image

GRID = (60, 96)
"""Rows and columns of the grid."""
CONTRAST = 24
"""How far a pixel is from the background's colour to count (0 to 255)."""


def pixels(picture: bytes | Path) -> np.ndarray:
    """(rows, columns, 3) of a PNG."""
    source = io.BytesIO(picture) if isinstance(picture, bytes) else picture
    return np.asarray(Image.open(source).convert("RGB")).astype(int)


def drawn(picture: np.ndarray) -> np.ndarray:
    """Share (rows, columns of GRID) of each cell's pixels that are not background: the colour that most pixels have."""
    flat = picture.reshape(-1, 3)
    values, counts = np.unique(flat // 8, axis=0, return_counts=True)
    background = values[np.argmax(counts)] * 8 + 4
    mask = np.abs(picture - background).max(axis=-1) > CONTRAST
    image = Image.fromarray((mask * 255).astype(np.uint8)).resize((GRID[1], GRID[0]), Image.Resampling.BOX)
    return np.asarray(image) / 255.0


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    """Overlap of two grids: 1 the same, 0 nothing in common."""
    return float(np.minimum(a, b).sum() / max(np.maximum(a, b).sum(), 1e-9))


def save_reference(grid: np.ndarray, path: Path) -> None:
    """A grid as a small PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.round(grid * 255).astype(np.uint8)).save(path, optimize=True)


def load_reference(path: Path) -> np.ndarray:
    """What `save_reference` wrote."""
    return np.asarray(Image.open(path)) / 255.0
