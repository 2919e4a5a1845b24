"""Figures of a workspace: condition maps with the reachable boundary, slices of volumes, clouds of random samples."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.grids import Axis
from gough.analysis.workspace.states import Verdict
from gough.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gough.analysis.workspace.result import Workspace

MOST_POINTS = 20_000
"""Points of a cloud; more are thinned out."""


def draw_workspace(workspace: "Workspace", axes: Sequence[str] | None = None) -> "Figure":
    """A figure by the number of coordinates: a curve, a map, or three slices and the boundary of a volume.

    axes: names of up to three of them; a grid is cut at home (or at its middle) in the others.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    chosen = list(axes or workspace.samples.names[:3])
    if not 1 <= len(chosen) <= 3 or len(set(chosen)) != len(chosen) or set(chosen) - set(workspace.samples.names):
        raise UsageError(f"axes={list(axes or ())}; give one to three of {', '.join(workspace.samples.names)}")
    size = {1: (8.0, 4.5), 2: (8.0, 6.5), 3: (12.0, 10.0)}[len(chosen)]
    if not workspace.samples.is_grid:
        size = (8.0, 6.5)
    elif len(chosen) == 2:
        size = (8.0, _map_height(workspace, chosen))
    made = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(made)
    if not workspace.samples.is_grid:
        cut = _cloud(made, workspace, chosen)
    else:
        cut = {1: _curve, 2: _map, 3: _volume}[len(chosen)](made, workspace, chosen)
    made.suptitle(title(workspace, cut), fontsize=11, parse_math=False)
    return made


def _curve(made: "Figure", workspace: "Workspace", chosen: list[str]) -> dict[str, float]:
    index, cut = _slice(workspace, chosen)
    axis = axis_named(workspace, chosen[0])
    ax = made.subplots()
    x, verdict = axis.values, workspace.grid(workspace.verdict)[index]
    ax.plot(x, workspace.grid(workspace.parallel)[index], color="#0072B2", label="parallel (drives)")
    if workspace.loop_names:
        ax.plot(x, workspace.grid(workspace.serial)[index], "--", color="#E69F00", label="serial (worst loop)")
    ax.axhline(workspace.condition, color=SINGULAR_COLOR, linewidth=0.8, label="threshold")
    for value, color, text in (
        (Verdict.LIMIT, LIMIT_COLOR, "limit violated"),
        (Verdict.UNREACHED, "0.6", "not reached"),
    ):
        if (verdict == value).any():
            ax.fill_between(x, 0, 1, where=verdict == value, color=color, step="mid", label=text, linewidth=0)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("reciprocal condition (1)")
    ax.set_xlabel(label(axis))
    ax.grid(alpha=0.3)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=5, frameon=False, fontsize=9)
    return cut


def _map_height(workspace: "Workspace", chosen: list[str]) -> float:
    """Height (inches) of a figure 8 wide in which a map of equal scales leaves no empty stripes."""
    across, up = (axis_named(workspace, name) for name in chosen)
    if across.unit != up.unit:
        return 6.5
    ratio = (up.high - up.low) / (across.high - across.low)
    return float(np.clip(6.0 * ratio + 1.5, 4.0, 9.0))


def _map(made: "Figure", workspace: "Workspace", chosen: list[str]) -> dict[str, float]:
    ax = made.subplots()
    cut, shown = _draw_map(ax, workspace, chosen, _top(workspace))
    add_bar(made, shown, ax)
    add_legend(made, workspace)
    return cut


def _volume(made: "Figure", workspace: "Workspace", chosen: list[str]) -> dict[str, float]:
    top = _top(workspace)
    x, y, z = chosen
    places = [(1, (x, y), z), (3, (x, z), y), (4, (y, z), x)]
    panels, shown, cut = [], None, {}
    for place, pair, normal in places:
        ax = made.add_subplot(2, 2, place)
        cut, shown = _draw_map(ax, workspace, list(pair), top)
        ax.set_title(f"{normal} = {value_text(cut[normal], axis_named(workspace, normal).unit)}", fontsize=10)
        panels.append(ax)
    solid = made.add_subplot(2, 2, 2, projection="3d")
    _draw_boundary(solid, workspace, chosen, top)
    add_bar(made, shown, [*panels, solid])
    add_legend(made, workspace)
    return {name: value for name, value in cut.items() if name not in chosen}


def _draw_map(ax: Any, workspace: "Workspace", pair: list[str], top: float) -> tuple[dict[str, float], Any]:
    """Condition over two coordinates, cut at home in the others; (where it was cut, what the colours belong to)."""
    index, cut = _slice(workspace, pair)
    first, second = (axis_named(workspace, name) for name in pair)
    turned = workspace.samples.names.index(pair[0]) > workspace.samples.names.index(pair[1])

    def plane(array: np.ndarray) -> np.ndarray:
        found = workspace.grid(array)[index]
        return found if turned else found.T

    verdict, worst = plane(workspace.verdict), plane(workspace.worst)
    x, y = first.values, second.values
    over = np.where(verdict == Verdict.LIMIT, 1.0, np.nan)
    ax.pcolormesh(x, y, over, cmap=one_color(LIMIT_COLOR), shading="nearest", rasterized=True)
    values, levels = np.ma.masked_invalid(np.minimum(worst, top)), np.linspace(0.0, top, 21)
    ax.pcolormesh(
        x, y, values, cmap=step_colors(len(levels) - 1), vmin=0.0, vmax=top, shading="nearest", rasterized=True
    )
    shown = ax.contourf(x, y, values, levels=levels, cmap=MAP)  # smooth inside, whole cells at the edge
    good = verdict <= Verdict.SINGULAR
    if good.any() and not good.all():
        ax.contour(x, y, good.astype(float), levels=[0.5], colors="black", linewidths=1.4)
    if (verdict == Verdict.SINGULAR).any():
        ax.contourf(
            x, y, np.ma.masked_invalid(worst), levels=[-1.0, workspace.condition], colors="none", hatches=["////"]
        )
        ax.contour(
            x, y, np.ma.masked_invalid(worst), levels=[workspace.condition], colors=SINGULAR_COLOR, linewidths=1.2
        )
    side = np.ma.masked_where(~good | (plane(workspace.aspect) == 0), plane(workspace.aspect).astype(float))
    if side.count() and side.min() < side.max():
        ax.contour(x, y, side, levels=[0.0], colors=SINGULAR_COLOR, linewidths=1.6, linestyles="dashed")
    if first.low <= workspace.home[pair[0]] <= first.high and second.low <= workspace.home[pair[1]] <= second.high:
        ax.plot(
            workspace.home[pair[0]],
            workspace.home[pair[1]],
            "P",
            color=HOME_COLOR,
            markeredgecolor="white",
            markersize=10,
        )
    ax.set_xlabel(label(first))
    ax.set_ylabel(label(second))
    ax.set_xlim(first.low, first.high)
    ax.set_ylim(second.low, second.high)
    if first.unit == second.unit:
        ax.set_aspect("equal")
    return cut, shown


def _cloud(made: "Figure", workspace: "Workspace", chosen: list[str]) -> dict[str, float]:
    """Reachable random samples over two or three coordinates, coloured by condition."""
    columns = [workspace.samples.names.index(name) for name in chosen]
    keep = np.flatnonzero(workspace.reachable)
    keep = keep[:: max(1, len(keep) // MOST_POINTS)]
    x, color = workspace.coordinates[keep][:, columns], workspace.worst[keep]
    order = np.argsort(-color)  # the worst in front
    x, color = x[order], color[order]
    ax: Any = made.add_subplot(projection="3d") if len(chosen) == 3 else made.add_subplot()
    points = x.T if len(chosen) > 1 else [x[:, 0], color]
    size = float(np.clip(20_000 / max(len(x), 1), 3, 25))
    shown = ax.scatter(*points, c=color, s=size, cmap=MAP, vmin=0.0, vmax=_top(workspace), linewidths=0)
    names = [label(axis_named(workspace, name)) for name in chosen]
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1] if len(names) > 1 else LABEL)
    if len(names) == 3:
        ax.set_zlabel(names[2])
        ax.set_box_aspect(None, zoom=0.88)
        limit_ticks(ax)
    add_bar(made, shown, ax)
    return {}


def _draw_boundary(ax: Any, workspace: "Workspace", chosen: list[str], top: float) -> None:
    """The points at the edge of the reachable volume, coloured by condition."""
    index, _ = _slice(workspace, chosen)
    names = [name for name in workspace.samples.names if name in chosen]
    order = [names.index(name) for name in chosen]
    worst = workspace.grid(workspace.worst)[index].transpose(order)
    edge = boundary_points(workspace.grid(workspace.reachable)[index].transpose(order))
    axes = [axis_named(workspace, name) for name in chosen]
    points = [axis.values[k] for axis, k in zip(axes, np.nonzero(edge), strict=True)]
    ax.scatter(*points, c=worst[edge], s=7, cmap=MAP, vmin=0.0, vmax=top, linewidths=0, depthshade=False)
    for letter, axis in zip("xyz", axes, strict=True):
        getattr(ax, f"set_{letter}label")(label(axis))
        getattr(ax, f"set_{letter}lim")(axis.low, axis.high)
    if len({axis.unit for axis in axes}) == 1:
        ax.set_box_aspect([axis.high - axis.low for axis in axes], zoom=0.85)
    limit_ticks(ax)
    ax.set_title("edge of the reachable volume", fontsize=10)


def _slice(workspace: "Workspace", chosen: list[str]) -> tuple[tuple, dict[str, float]]:
    """(index of a grid that leaves the chosen axes, values of the others): nearest to home, or the middle."""
    index, cut = [], {}
    for axis in workspace.samples.axes:
        if axis.name in chosen:
            index.append(slice(None))
            continue
        home = workspace.home[axis.name]
        at = home if axis.low <= home <= axis.high else 0.5 * (axis.low + axis.high)
        index.append(int(np.abs(axis.values - at).argmin()))
        cut[axis.name] = float(axis.values[index[-1]])
    return tuple(index), cut


def _top(workspace: "Workspace") -> float:
    """End of the colour scale: a round number above nearly all conditions."""
    seen = workspace.worst[np.isfinite(workspace.worst)]
    high = float(np.quantile(seen, 0.999)) if len(seen) else 1.0
    return next((t for t in (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8) if high <= t), 1.0)


# The boundary of a part of a grid.


def boundary_points(mask: np.ndarray) -> np.ndarray:
    """True where a grid point of the mask has a neighbour along an axis that is not in it, or lies at the border."""
    padded = np.pad(mask, 1)
    inner = np.ones_like(mask)
    middle = tuple(slice(1, -1) for _ in mask.shape)
    for axis in range(mask.ndim):
        for step in (-1, 1):
            inner &= np.roll(padded, step, axis=axis)[middle]
    return mask & ~inner


# Words and colours of the figures of a workspace: titles, labels, legends.

MAP = "cividis"
LIMIT_COLOR, SINGULAR_COLOR, HOME_COLOR = "#DDDDDD", "#D55E00", "#CC79A7"
LABEL = "reciprocal condition (lower of parallel and serial)"


def title(workspace: "Workspace", cut: dict[str, float]) -> str:
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


def add_legend(made: "Figure", workspace: "Workspace") -> None:
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


def limit_ticks(ax: Any) -> None:
    """Ticks of a three-dimensional panel that do not run into each other."""
    from matplotlib.ticker import MaxNLocator

    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MaxNLocator(4))


def axis_named(workspace: "Workspace", name: str) -> Axis:
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
