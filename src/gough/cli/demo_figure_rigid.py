"""The figure of `gough demo`: drive forces of [Pedrammehr 2012], and both models of [Lopes]."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.demo_canvas import COLORS, canvas, saved

if TYPE_CHECKING:
    from gough.papers import States


def draw(forces: dict[str, tuple["States", np.ndarray]], path: Path) -> Path:
    """Write the figure; `forces` are states and drive forces (n, 6) by scenario."""
    figure = canvas(11, 8.5)
    figure.suptitle("Drive forces by inverse dynamics (colours: legs, the same in all panels)", fontsize=14)
    axes = figure.subplot_mosaic([["path3", "path3"], ["lopes", "difference"]], height_ratios=[1.1, 1])
    _six(
        axes["path3"],
        *forces["pedrammehr2012_path3"],
        "6-UPS platform of Pedrammehr 2012, path 3: forces jump where ramps end",
    )
    axes["path3"].legend(ncols=6, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    (states, complete), (_, simple) = forces["lopes_p1p2p1"], forces["lopes_simplified_p1p2p1"]
    _six(axes["lopes"], states, complete, "6-PUS robot of Lopes, P1 → P2 → P1")
    for k in range(simple.shape[1]):
        axes["lopes"].plot(states.t, simple[:, k], "--", color=COLORS[k], linewidth=1)
    _styles(axes["lopes"])
    _six(axes["difference"], states, complete - simple, "Lopes: complete minus simplified model")
    axes["difference"].set_ylabel("difference of forces (N)")
    return saved(figure, path)


def _six(axes: Any, states: "States", forces: np.ndarray, title: str) -> None:
    for k in range(forces.shape[1]):
        axes.plot(states.t, forces[:, k], color=COLORS[k], label=f"leg {k}", linewidth=1.6)
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("drive force (N)")
    axes.set_xlim(0.0, round(float(states.t[-1]), 2))
    axes.grid(alpha=0.3)


def _styles(axes: Any) -> None:
    from matplotlib.lines import Line2D

    kinds = [Line2D([], [], color="0.3", linewidth=1.6), Line2D([], [], color="0.3", linewidth=1, linestyle="--")]
    axes.legend(kinds, ["complete model", "simplified model"], loc="upper center", ncols=2, frameon=False)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.12 * (high - low))
