"""Words and colours of the figures of a workspace: titles, labels, legends."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.grids import Axis
from gough.analysis.workspace_result import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAP = "cividis"
LIMIT_COLOR, SINGULAR_COLOR, HOME_COLOR = "#DDDDDD", "#D55E00", "#CC79A7"
LABEL = "reciprocal condition (lower of parallel and serial)"


def title(workspace: Workspace, cut: dict[str, float]) -> str:
    """Robot, coordinates that are held, what was found."""
    units = {a.name: a.unit for a in workspace.samples.axes}
    held = workspace.samples.fixed | cut
    text = ", ".join(
        [*(f"{n} = {value_text(x, units.get(n) or _unit(n))}" for n, x in held.items()), "others as at home"]
    )
    v = workspace.volume
    what = {1: "length", 2: "area", 3: "volume"}.get(len(workspace.samples.axes), "volume")
    parts = [f"{workspace.robot}: workspace" + f" ({text})"]
    if workspace.orientations is not None:
        parts.append(f"in {'all' if workspace.every else 'any'} of {len(workspace.orientations)} orientations")
    if workspace.partial:
        parts.append("INTERRUPTED")
    free = f"singularity-free (condition ≥ {workspace.condition:g}) {v.singularity_free:.4g} {_pretty(v.unit)}"
    limits = "" if workspace.limits else ", limits off"
    return ", ".join(parts) + f"\nreachable {what} {v.reachable:.4g} {_pretty(v.unit)}, {free}{limits}"


def add_legend(made: "Figure", workspace: Workspace) -> None:
    """What the lines and patches mean, as far as there are any."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    there = {name for name, count in workspace.counts().items() if count}
    entries: list[Any] = [Line2D([], [], color=HOME_COLOR, marker="P", linestyle="", markersize=9, label="home")]
    if there & {"LIMIT", "UNREACHED", "NOT_DONE"}:
        entries.append(Line2D([], [], color="black", linewidth=1.4, label="edge of what is reachable"))
    if "SINGULAR" in there:
        text = f"condition below {workspace.condition:g}"
        entries.append(Patch(facecolor="none", edgecolor=SINGULAR_COLOR, hatch="////", label=text))
    if {-1, 1} <= set(np.unique(workspace.aspect[workspace.reachable]).tolist()):
        entries.append(
            Line2D([], [], color=SINGULAR_COLOR, linestyle="--", label="parallel singularity (sign changes)")
        )
    if "LIMIT" in there:
        entries.append(Patch(facecolor=LIMIT_COLOR, label="a limit is violated"))
    if "UNREACHED" in there:
        entries.append(Patch(facecolor="white", edgecolor="0.5", label="not reached"))
    made.legend(handles=entries, loc="outside lower center", ncols=3, frameon=False, fontsize=9)


def add_bar(made: "Figure", shown: Any, axes: Any) -> None:
    """A colour bar with round ticks."""
    low, high = shown.get_clim()
    made.colorbar(shown, ax=axes, label=LABEL, shrink=0.85, ticks=np.linspace(low, high, 6))


def few_ticks(ax: Any) -> None:
    """Ticks of a three-dimensional panel that do not run into each other."""
    from matplotlib.ticker import MaxNLocator

    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MaxNLocator(4))


def axis_named(workspace: Workspace, name: str) -> Axis:
    """The axis of a coordinate."""
    return next(axis for axis in workspace.samples.axes if axis.name == name)


def label(axis: Axis) -> str:
    """Name and unit."""
    return f"{axis.name} ({axis.unit})"


def _unit(name: str) -> str:
    return {"x": "m", "y": "m", "z": "m", "yaw": "rad", "pitch": "rad", "roll": "rad"}.get(name, "")


def value_text(x: float, unit: str) -> str:
    """A value with its unit; -0 is 0."""
    return f"{round(x, 9) + 0.0:.4g} {unit}".strip()


def _pretty(unit: str) -> str:
    return unit.replace("2", "²").replace("3", "³").replace(".", "·")


def step_colors(count: int) -> Any:
    """The colour map in steps."""
    from matplotlib import colormaps

    return colormaps[MAP].resampled(count)


def one_color(color: str) -> Any:
    """A colour map of one colour."""
    from matplotlib.colors import ListedColormap

    return ListedColormap([color])
