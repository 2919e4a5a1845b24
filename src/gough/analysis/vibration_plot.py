"""Maps of first frequencies and stiffness as pictures and files."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.files import npz, write_figure, write_file

if TYPE_CHECKING:
    from gough.analysis.vibration_map import VibrationMap

UNSTABLE = "#b2182b"


def draw_map(made: "VibrationMap", path: str | Path) -> None:
    """First frequency (and stiffness, where it was asked for) over one or two coordinates; more: the middle of the others."""
    from matplotlib.figure import Figure

    panels: list[tuple[str, np.ndarray]] = [("first natural frequency (Hz)", made.frequencies_hz[:, 0])]
    if np.isfinite(made.stiffness).any():
        panels.append((f"least stiffness of {made.frame} (N/m)", made.stiffness))
    flat = not made.samples.is_grid or len(made.samples.axes) == 1
    figure = Figure(figsize=(5.2 * len(panels), 4.0), layout="constrained")
    for ax, (label, values) in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
        (_curve if flat else _plane)(ax, figure, made, label, values)
    figure.suptitle(f"{made.robot}: about static equilibrium", fontsize=10, parse_math=False)
    write_figure(path, figure, 130)


def _curve(ax: Any, figure: Any, made: "VibrationMap", label: str, values: np.ndarray) -> None:
    axis = made.samples.axes[0]
    x = made.samples.coordinates()[:, 0]
    stable = np.where(made.unstable, np.nan, values)
    ax.plot(x, stable, "-" if made.samples.is_grid else ".", color="#2166ac")
    if made.unstable.any():
        ax.plot(x[made.unstable], np.zeros(int(made.unstable.sum())), ".", color=UNSTABLE, label="unstable")
        ax.legend(frameon=False)
    ax.set_xlabel(f"{axis.name} ({axis.unit})")
    ax.set_ylabel(label)


def _plane(ax: Any, figure: Any, made: "VibrationMap", label: str, values: np.ndarray) -> None:
    first, second = made.samples.axes[:2]
    place = (slice(None), slice(None), *(axis.points // 2 for axis in made.samples.axes[2:]))
    shown = np.where(made.unstable, np.nan, values)
    image = ax.pcolormesh(first.values, second.values, made.grid(shown)[place].T, cmap="viridis", shading="nearest")
    bad = made.grid(made.unstable)[place]
    if bad.any():
        x, y = np.meshgrid(first.values, second.values, indexing="ij")
        ax.plot(x[bad], y[bad], "x", color=UNSTABLE, ms=4, label="unstable")
        ax.legend(loc="upper right", fontsize=8)
    ax.set_xlabel(f"{first.name} ({first.unit})")
    ax.set_ylabel(f"{second.name} ({second.unit})")
    figure.colorbar(image, ax=ax, label=label)


def save_map(made: "VibrationMap", path: str | Path) -> Path:
    """All samples as NPZ: coordinates (n, k) with `names`, frequencies_hz, stiffness, inverse, inverse_ratio, tau, status."""
    path = Path(path).with_suffix(".npz")
    kept = ("frequencies_hz", "stiffness", "inverse", "inverse_ratio", "tau", "status")
    named = {"robot": np.array(made.robot), "names": np.array(made.samples.names)}
    named["coordinates"] = made.samples.coordinates()
    return write_file(path, npz(named | {name: getattr(made, name) for name in kept}))
