"""Figures of [Pedrammehr 2012] redrawn: a panel a pod."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough_papers.canvas import COLORS, canvas, label_axes, put_legend_below
from gough_papers.pedrammehr2012.pods import PodForces

WITH = {"color": COLORS[0], "linewidth": 1.5}
WITHOUT = {"color": COLORS[1], "linewidth": 1.5, "linestyle": "--"}
BETWEEN = {"color": COLORS[2], "linewidth": 1.5, "linestyle": ":"}
AS_PRINTED = {"color": COLORS[4], "linewidth": 3.0}
CORRECTED = {"color": "0.15", "linewidth": 1.1}
TURNING = ("with spin (improved)", "without (simplified)", "|difference|")


@dataclass(frozen=True)
class Curve:
    """A line in each of six panels: values (n, 6)."""

    name: str
    values: np.ndarray
    style: Mapping[str, Any]


def draw_turning(t: np.ndarray, cases: Mapping[str, tuple[np.ndarray, np.ndarray]], unit: str, title: str) -> Any:
    """Sizes of angular velocities or accelerations (n, 6, 3): {axes: (with spin, without)}, one above the other."""
    figure = canvas(10, 5.2 * len(cases) + 0.3)
    figure.suptitle(title, fontsize=12)
    axes: Any = None
    for part, (name, (improved, simplified)) in zip(
        np.atleast_1d(figure.subfigures(len(cases), 1)), cases.items(), strict=True
    ):
        part.suptitle(name, fontsize=10.5, x=0.01, ha="left")
        axes = part.subplots(2, 3, sharex=True)
        three = (improved, simplified, improved - simplified)
        styles = (WITH, WITHOUT, BETWEEN)
        curves = [
            Curve(label, np.linalg.norm(values, axis=-1), style)
            for label, values, style in zip(TURNING, three, styles, strict=True)
        ]
        for k, ax in enumerate(axes.flat):
            _plot(ax, t, curves, k, unit if k % 3 == 0 else "", "time (s)" if k > 2 else "")
            ax.set_ylim(bottom=0.0)
    put_legend_below(figure, axes[0, 0], 3)
    return figure


def draw_forces(t: np.ndarray, printed: PodForces, corrected: PodForces, simplified: PodForces, title: str) -> Any:
    """Forces of the pods, N: as printed, corrected, simplified; under each panel how far the first two are from the last."""
    figure = canvas(10, 9.6)
    figure.suptitle(title, fontsize=12)
    axes = figure.subplots(4, 3, sharex=True, height_ratios=(3, 2, 3, 2))
    forces = [
        Curve("as printed", printed.f, AS_PRINTED),
        Curve("corrected", corrected.f, CORRECTED),
        Curve("simplified", simplified.f, WITHOUT),
    ]
    apart = [
        Curve("as printed minus simplified", printed.f - simplified.f, AS_PRINTED),
        Curve("corrected minus simplified", corrected.f - simplified.f, CORRECTED),
    ]
    for k in range(6):
        row, column = 2 * (k // 3), k % 3
        _plot(axes[row, column], t, forces, k, "force (N)" if column == 0 else "", "")
        _plot(axes[row + 1, column], t, apart, k, "difference (N)" if column == 0 else "", "time (s)" if k > 2 else "")
        axes[row + 1, column].set_title("")
    put_legend_below(figure, axes[0, 0], 3)
    return figure


def _plot(ax: Any, t: np.ndarray, curves: list[Curve], k: int, y: str, x: str) -> None:
    for curve in curves:
        ax.plot(t, curve.values[:, k], label=curve.name, **curve.style)
    label_axes(ax, f"pod {k + 1}", y, x)
    ax.set_xlim(0.0, round(float(t[-1] + t[0]), 3))
    ax.margins(y=0.08)
