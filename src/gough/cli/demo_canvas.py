"""What the figures of `gough demo` share."""

from pathlib import Path
from typing import Any

COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
"""Of legs."""
MANY = (*COLORS, "#777777", "#EE8866", "#44BB99", "#222222")


def canvas(width: float, height: float) -> Any:
    """An empty matplotlib figure (inches) that needs no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def saved(figure: Any, path: Path) -> Path:
    """Write it; the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


def labelled(axes: Any, title: str, y: str, x: str = "time (s)") -> None:
    """Title, names of the axes, a faint grid."""
    axes.set_title(title, fontsize=10.5)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
