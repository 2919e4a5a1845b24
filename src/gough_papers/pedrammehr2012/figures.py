"""[Pedrammehr 2012, Figs. 5–10]: angular velocities, accelerations and forces of the pods, with and without the spin."""

from typing import Any

import numpy as np

from gough_papers.pedrammehr2012.pods import PodForces
from gough_papers.report.canvas import COLORS, canvas, labelled

TURNING = ("with spin (improved)", "without (simplified)", "difference")
FORCES = ("improved, corrected", "older models", "difference")
STYLES = ({"color": COLORS[0]}, {"color": COLORS[1], "linestyle": "--"}, {"color": COLORS[2], "linestyle": ":"})


def _six(t: np.ndarray, three: tuple[np.ndarray, ...], names: tuple[str, ...], unit: str, title: str) -> Any:
    """A panel a pod; three: (n, 6) each."""
    figure = canvas(10, 5.6)
    figure.suptitle(title, fontsize=12)
    axes = figure.subplots(2, 3, sharex=True)
    for k, ax in enumerate(axes.flat):
        for values, name, style in zip(three, names, STYLES, strict=True):
            ax.plot(t, values[:, k], label=name, linewidth=1.5, **style)
        labelled(ax, f"pod {k + 1}", unit if k % 3 == 0 else "", "time (s)" if k > 2 else "")
        ax.set_xlim(0.0, round(float(t[-1] + t[0]), 3))
        ax.margins(y=0.08)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), ncols=3, loc="outside lower center", frameon=False)
    return figure


def draw_turning(t: np.ndarray, vectors: np.ndarray, n: np.ndarray, unit: str, title: str) -> Any:
    """Magnitudes of angular velocities or accelerations (n, 6, 3), of their parts across the pods n, and of what is
    left along them."""
    along = np.einsum("tki,tki->tk", vectors, n)
    across = np.linalg.norm(vectors - along[..., None] * n, axis=-1)
    return _six(t, (np.linalg.norm(vectors, axis=-1), across, np.abs(along)), TURNING, unit, title)


def draw_forces(t: np.ndarray, improved: PodForces, simplified: PodForces, title: str) -> Any:
    """Forces of the pods by both models."""
    return _six(t, (improved.f, simplified.f, improved.f - simplified.f), FORCES, "force (N)", title)


def draw_printed(t: np.ndarray, right: PodForces, printed: PodForces, title: str) -> Any:
    """Forces as they are and with the parallel axes counted twice, and the error."""
    figure = canvas(10, 4.2)
    axes = figure.subplots(1, 2)
    for k in range(6):
        axes[0].plot(t, right.f[:, k], color=COLORS[k], linewidth=1.5, label=f"pod {k + 1}")
        axes[0].plot(t, printed.f[:, k], "--", color=COLORS[k], linewidth=1.0)
        axes[1].plot(t, printed.f[:, k] - right.f[:, k], color=COLORS[k], linewidth=1.5)
    labelled(axes[0], f"{title}: corrected (solid), as printed (dashed)", "force (N)")
    labelled(axes[1], "As printed minus corrected", "error (N)")
    for ax in axes:
        ax.set_xlim(0.0, round(float(t[-1] + t[0]), 3))
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=6, loc="outside lower center", frameon=False)
    return figure
