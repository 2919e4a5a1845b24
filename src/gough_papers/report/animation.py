"""A line drawing that moves: a canvas and a small script inside the page; plays from a file, without a network.

Points of all frames are 32-bit floats in base64; polylines say which points are joined and how they are drawn.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

import numpy as np

MOST_FRAMES = 180


@dataclass(frozen=True)
class Polyline:
    """points: indices that are joined in this order. width: px. closed: and filled, lightly."""

    points: tuple[int, ...]
    color: str = "#444444"
    width: float = 2.0
    closed: bool = False


@dataclass(frozen=True)
class View:
    """From where it is seen at first: turned about `up` (deg), then from above (deg); `up` is the axis shown upwards."""

    turn: float = 30.0
    above: float = 20.0
    up: int = 2


def animation(
    t: np.ndarray,
    points: np.ndarray,
    lines: Sequence[Polyline],
    caption: str,
    view: View | None = None,
    trace: int = -1,
) -> str:
    """HTML of the drawing. t (n,): s. points (n, k, 3): m. trace: a point whose path is drawn, -1 for none."""
    view = view or View()
    keep = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_FRAMES)).astype(int))
    points = np.roll(points[keep], 2 - view.up, axis=-1)
    low, high = points.reshape(-1, 3).min(axis=0), points.reshape(-1, 3).max(axis=0)
    data = {
        "t": [round(float(x), 4) for x in t[keep]],
        "points": base64.b64encode((points - 0.5 * (low + high)).astype("<f4").tobytes()).decode("ascii"),
        "count": points.shape[1],
        "size": float(np.linalg.norm(high - low)),
        "lines": [[list(x.points), x.color, x.width, x.closed] for x in lines],
        "view": [view.turn, view.above],
        "trace": trace,
    }
    script = (resources.files("gough_papers.report") / "animation.js").read_text(encoding="utf-8")
    return (
        f'<figure class=moving><canvas width="1280" height="800" role="img" aria-label="{escape(caption)}"></canvas>'
        '<div><button type="button">Pause</button><input type="range" min="0" value="0" aria-label="time"><output></output></div>'
        f"<figcaption>{escape(caption)} Drag to turn.</figcaption>"
        f'<script type="application/json">{json.dumps(data)}</script><script>{script}</script></figure>'
    )
