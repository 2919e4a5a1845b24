"""What the figures of the reports share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
"""Of legs."""
AXES = ("x", "y", "z")
LEGS = tuple(f"leg {k + 1}" for k in range(6))
"""Counted from 1, as the papers do."""
MANY = (*COLORS, "#777777", "#EE8866", "#44BB99", "#222222")


def canvas(width: float, height: float) -> Any:
    """An empty matplotlib figure (inches) that needs no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def label_axes(axes: Any, title: str, y: str, x: str = "time (s)") -> None:
    """Title, names of the axes, a faint grid."""
    axes.set_title(title, fontsize=10.5)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)


def plot_curves(axes: Any, t: np.ndarray, values: np.ndarray, names: Sequence[str], **style: Any) -> None:
    """A line a column of values (n, k) over t (n,); the axis is as long as the time."""
    for k, name in enumerate(names):
        axes.plot(t, values[:, k], color=MANY[k % len(MANY)], label=name, **({"linewidth": 1.4} | style))
    axes.set_xlim(float(t[0]), float(t[-1]))


def put_legend_below(figure: Any, axes: Any, columns: int = 6) -> None:
    """The legend of one panel under all of them."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, ncols=columns, loc="outside lower center", frameon=False)


def add_style_legend(axes: Any, names: Sequence[str], lines: Sequence[Any], **place: Any) -> None:
    """A legend of line styles."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color="0.3", linewidth=1.4, linestyle=s) for s in lines]
    axes.legend(handles, names, **({"frameon": False, "loc": "best"} | place))
