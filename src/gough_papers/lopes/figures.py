"""[Lopes, Figs. 4 and 5]: motion of the actuators, and their forces by both models."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.report.canvas import COLORS, below, canvas, curves, labelled, styles

if TYPE_CHECKING:
    from gough_papers.along import Along

NAMES = tuple(f"actuator {k + 1}" for k in range(6))


def draw_actuators(a: "Along") -> Any:
    """Fig. 4: lengths, and their rates and accelerations as they follow."""
    figure = canvas(9.5, 4.2)
    ax = figure.subplots()
    curves(ax, a.states.t, a.drives, NAMES)
    labelled(ax, "Actuators along P1 → P2 → P1", "length l (m)")
    below(figure, ax)
    return figure


def draw_forces(complete: "Along", simplified: "Along") -> Any:
    """Fig. 5: both models, and their difference, which the paper does not draw."""
    figure = canvas(9.5, 6.4)
    axes = figure.subplots(2, 1, height_ratios=[1.5, 1], sharex=True)
    t = complete.states.t
    curves(axes[0], t, complete.forces, NAMES)
    for k in range(6):
        axes[0].plot(t, simplified.forces[:, k], "--", color=COLORS[k], linewidth=1.0)
    labelled(axes[0], "Forces of the actuators", "force (N)", "")
    styles(axes[0], ("complete", "simplified"), ("-", "--"), loc="upper right", ncols=2)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low, high + 0.13 * (high - low))
    curves(axes[1], t, np.asarray(complete.forces - simplified.forces), NAMES)
    labelled(axes[1], "Complete minus simplified", "difference (N)")
    below(figure, axes[1])
    return figure
