"""[Briot 2014, Figs. 7–14]: trajectories, acceleration of P, forces of the drives; our model alone, no measurements. Table 3 and
the square in pictures of ours."""

from typing import Any

import numpy as np

from gough import Run
from gough_papers.briot2014.runs import PERIOD, Square, acceleration_of_P, rest_spectrum
from gough_papers.canvas import COLORS, canvas, label_axes, put_legend_below

TIPS = ("link13.tip.y", "link16.tip.y", "link23.tip.y")
REST = (1.6, 3.0)
"""s: the end of the first move and the begin of its rest."""
HIGHEST = 60.0
"""Hz that are drawn."""


def draw_trajectory(run: Run) -> Any:
    """Fig. 7: the square in joint space, and the speed along one edge."""
    figure = canvas(10, 4.2)
    axes = figure.subplots(1, 2, width_ratios=[1, 1.35])
    at = run["drives.position"]
    axes[0].plot(1e3 * at[:, 0], 1e3 * at[:, 1], color=COLORS[0], linewidth=1.8)
    label_axes(axes[0], "(a) the square in joint space", "q21 (mm)", "q11 (mm)")
    axes[0].set_aspect("equal")
    part = run.between(0.0, PERIOD - 1e-9)
    axes[1].plot(part.time, part["drives.rate"][:, 0], color=COLORS[0], linewidth=1.8)
    label_axes(axes[1], "(b) velocity of the slide on an edge: moves 1.8 s, then rests", "velocity (m/s)")
    axes[1].set_xlim(0.0, PERIOD)
    return figure


def draw_workspace(square: Run, circle: Run) -> Any:
    """Fig. 8: where P goes, in the plane of the robot."""
    figure = canvas(7.6, 3.7)
    ax = figure.subplots()
    for run, name, color in (
        (square, "first (square in joint space)", COLORS[0]),
        (circle, "second (circle)", COLORS[1]),
    ):
        P = run["link17.pose"]
        ax.plot(P[:, 0], P[:, 2], color=color, linewidth=1.6, label=name)
    label_axes(ax, "Paths of P", "z0 (m)", "x0 (m)")
    ax.set_aspect("equal")
    put_legend_below(figure, ax, 2)
    return figure


def draw_acceleration(run: Run, title: str) -> Any:
    """Figs. 9 and 12: the whole, and a part of it."""
    figure = canvas(10, 4.0)
    axes = figure.subplots(1, 2, width_ratios=[1.7, 1])
    t, y = acceleration_of_P(run)
    axes[0].plot(t, y, color=COLORS[0], linewidth=0.7)
    label_axes(axes[0], title, "acceleration across link 17 (m/s²)")
    axes[0].set_xlim(0.0, float(run.time[-1]))
    zoom = (t >= 0.0) & (t <= min(3.0, 0.35 * float(run.time[-1])))
    axes[1].plot(t[zoom], y[zoom], color=COLORS[0], linewidth=0.9)
    label_axes(axes[1], "its begin", "")
    axes[1].set_xlim(0.0, float(t[zoom][-1]))
    return figure


def draw_force(run: Run, drive: int, title: str) -> Any:
    """Figs. 10, 11, 13, 14: the force of one drive."""
    figure = canvas(10, 3.4)
    ax = figure.subplots()
    ax.plot(run.time, run.tau[:, drive], color=COLORS[drive], linewidth=0.9)
    label_axes(ax, title, "force at the slide (N)")
    ax.set_xlim(0.0, float(run.time[-1]))
    return figure


def draw_table3(by_mesh: dict[int, np.ndarray], paper: dict[str, tuple[float, ...]], resolution: float) -> Any:
    """Relative distance of every row of Table 3, and of coarser meshes, from the finest; the last row with its resolution, Hz."""
    figure = canvas(8.4, 3.9)
    ax = figure.subplots()
    finest = by_mesh[max(by_mesh)]
    measured, modes = np.array(list(paper.values())[-1]), range(1, 7)
    low, high = (100 * ((measured + side) / finest - 1) for side in (-resolution, resolution))
    ax.fill_between(modes, low, high, color="0.85", linewidth=0)
    ours = [(f"{n} element{'s' if n > 1 else ''} a link", by_mesh[n], "o-") for n in list(by_mesh)[:-2]]
    theirs = [(f"paper, {k}", np.array(v), "s--") for k, v in paper.items()]
    for k, (name, f, style) in enumerate(ours + theirs):
        ax.plot(modes, 100 * (f / finest - 1), style, markersize=4, linewidth=1.2, label=name, color=COLORS[k])
    ax.set_yscale("symlog", linthresh=5.0)
    ax.set_yticks(
        [-20, -10, -5, -2, 0, 2, 5, 10, 50, 100], ["−20", "−10", "−5", "−2", "0", "2", "5", "10", "50", "100"]
    )
    label_axes(ax, f"Frequencies beside {max(by_mesh)} elements a link", "difference (%)", "mode")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_square(made: Square, printed_hz: tuple[float, ...]) -> Any:
    """Slides, bending with and without Coulomb friction, a rest in detail, its spectrum."""
    figure = canvas(11, 9.2)
    rows = [["slides"] * 2, ["with"] * 2, ["without"] * 2, ["detail", "spectrum"]]
    axes = figure.subplot_mosaic(rows, height_ratios=[0.7, 1, 1, 1.15])
    for k, name in enumerate(made.run.layout.drive_names):
        axes["slides"].plot(made.run.time, made.run["drives.position"][:, k], color=COLORS[k], label=name)
    label_axes(axes["slides"], "Slides (prescribed)", "position (m)")
    axes["slides"].legend(loc="upper right")
    for panel, run in (("with", made.run), ("without", made.ringing)):
        _bending(axes[panel], run)
        label_axes(axes[panel], f"Bending of the links {panel} Coulomb friction: tips across", "mm")
    axes["with"].legend(ncols=3, loc="upper right")
    for name in ("slides", "with", "without"):
        axes[name].set_xlim(0, 25)
    for run, label, color in ((made.ringing, "without Coulomb friction", COLORS[1]), (made.run, "with", COLORS[0])):
        part = run.between(*REST)
        axes["detail"].plot(part.time, 1e3 * part[TIPS[0]], color=color, label=label, linewidth=1.1)
    label_axes(axes["detail"], "Link 13 where the first move ends (1.8 s)", "mm")
    axes["detail"].set_xlim(*REST)
    axes["detail"].legend(loc="lower right")
    hertz, lines = rest_spectrum(made.ringing, 0.0)
    shown = hertz < HIGHEST
    axes["spectrum"].plot(hertz[shown], lines[shown] / lines.max(), color=COLORS[1], linewidth=1.2)
    for f in printed_hz:
        axes["spectrum"].axvline(f, color="0.3", linewidth=0.8, linestyle=":")
    title = f"Spectrum of the first rest: {made.residual_hz[0]:.2f} Hz (dotted: Table 3, Model)"
    label_axes(axes["spectrum"], title, "largest = 1", "frequency (Hz)")
    axes["spectrum"].set_xlim(0, HIGHEST)
    axes["spectrum"].set_ylim(0, 1.05)
    return figure


def _bending(axes: Any, run: Run) -> None:
    for k, name in enumerate(TIPS):
        axes.plot(run.time, 1e3 * run[name], color=COLORS[k], linewidth=0.7, label=name.split(".")[0])
