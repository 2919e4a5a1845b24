"""Pictures of the flexible robot of [Long 2014] under three controllers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.report.canvas import COLORS, MANY, canvas, labelled

if TYPE_CHECKING:
    from gough_papers.long2014.runs import Tracked

LEAST = 1e-16
"""m: errors below it are drawn there."""
FIRST_MODE = 7


def draw_tracking(runs: Sequence["Tracked"]) -> Any:
    """Distance from the path, and elastic coordinates, each controller's."""
    from gough_papers.long2014.runs import OFF_THE_PATH

    figure = canvas(11, 8.2)
    figure.get_layout_engine().set(w_pad=0.1)
    panels = figure.subplot_mosaic([["error"] * 3, [0, 1, 2]], height_ratios=[1, 1.1])
    for run, color in zip(runs, COLORS, strict=False):
        far = np.maximum(run.position, LEAST)
        panels["error"].semilogy(run.run.time, far, color=color, label=run.name, linewidth=1.4)
        if not run.run.info.finished:
            panels["error"].plot(run.run.time[-1], far[-1], "x", color=color, markersize=9, markeredgewidth=2)
    panels["error"].axhline(OFF_THE_PATH, color="0.4", linewidth=0.8, linestyle=":")
    panels["error"].text(0.02, 1.6 * OFF_THE_PATH, "off the path", color="0.3", fontsize=9)
    labelled(panels["error"], "Distance of the plate's floating frame from its path (× ends early)", "error (m)")
    panels["error"].set_xlim(0, _end(runs))
    panels["error"].legend(loc="center right", bbox_to_anchor=(1, 0.42))
    for k, run in enumerate(runs):
        elastic = run.run["elastic"]
        for i in range(elastic.shape[1]):
            panels[k].plot(
                run.run.time, elastic[:, i], color=MANY[i % len(MANY)], linewidth=1.1, label=f"{FIRST_MODE + i}"
            )
        labelled(panels[k], f"{run.name}: elastic", "modal amplitude (m √kg)")
        _stop(panels[k], run)
    figure.legend(
        *panels[0].get_legend_handles_labels(), title="mode", ncols=10, loc="outside lower center", frameon=False
    )
    return figure


def draw_forces(runs: Sequence["Tracked"]) -> Any:
    """Drive forces, each controller's."""
    figure = canvas(11, 4.4)
    axes = np.atleast_1d(figure.subplots(1, len(runs)))
    for ax, run in zip(axes, runs, strict=True):
        for i in range(run.run.tau.shape[1]):
            ax.plot(run.run.time, run.run.tau[:, i] / 1e3, color=COLORS[i], linewidth=1.3, label=f"leg {i + 1}")
        labelled(ax, run.name, "drive force (kN)")
        _stop(ax, run)
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=6, loc="outside lower center", frameon=False)
    return figure


def _end(runs: Sequence["Tracked"]) -> float:
    return max(float(run.run.time[-1]) for run in runs)


def _stop(ax: Any, run: "Tracked") -> None:
    """Where a run ends early, why."""
    ax.set_xlim(0, float(run.run.time[-1]))
    if not run.run.info.finished:
        ax.set_xlabel(f"time (s); ended: {run.run.stopped.split(' at t')[0]}")
