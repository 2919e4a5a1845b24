"""A picture of natural vibrations: frequencies, and how much each coordinate moves."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.files import write_figure

if TYPE_CHECKING:
    from gough.analysis.modes import Modes
    from gough.compilation import Model


def shapes_in_typical_size(model: "Model", modes: "Modes") -> np.ndarray:
    """Shapes (nv, modes) with every entry of v over its typical size, the largest of each mode 1: metres, radians and
    elastic coordinates can be compared."""
    from gough.compilation.retraction import step_units

    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    shapes = modes.shapes / unit[:, None]
    return shapes / np.maximum(np.abs(shapes).max(axis=0, initial=0.0), 1e-300)


def draw_modes(model: "Model", modes: "Modes", path: str | Path, count: int = 12) -> None:
    """Shapes of the first `count` modes as a chart: a column a mode, a row an entry of v (in its typical size)."""
    from matplotlib.figure import Figure

    n = min(count, len(modes.frequencies_hz))
    if not n:
        raise UsageError(f"{path}: {model.robot.name} has no modes to draw: nothing of it can move")
    shapes = shapes_in_typical_size(model, modes)[:, :n]
    names = model.layout.v_names
    made = Figure(figsize=(2.4 + 0.62 * max(n, 4), 1.6 + 0.22 * len(names)), layout="constrained")
    ax = made.subplots()
    image = ax.imshow(shapes, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_xticks(range(n), [f"{f:.4g}" for f in modes.frequencies_hz[:n]], rotation=45, fontsize=8)
    ax.set_xlabel("natural frequency (Hz)")
    ax.set_title(f"{model.robot.name}: {modes.verdict.split(',')[0]}", fontsize=9)
    made.colorbar(image, ax=ax, label="motion (largest = 1)")
    write_figure(path, made, 130)
