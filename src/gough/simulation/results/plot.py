"""Pictures of a run: panels over time, one a kind and unit."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.files import write_figure

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

DEFAULT = ("pose", "angles", "drives.position", "drives.force", "elastic", "energies")
"""Panels of a plain `plot()`, where the run has them."""
TITLES = {
    "pose": "platform",
    "angles": "platform",
    "twist": "platform",
    "drives.position": "drives",
    "drives.rate": "drive rates",
    "drives.force": "drive forces",
    "tau": "drive forces",
    "drives.power": "drive power",
    "elastic": "elastic",
    "elastic.rate": "elastic rates",
    "joints": "joints",
    "joints.rate": "joint rates",
}
SHOWN = 9
"""Lines that a legend names; of more the largest."""
WIDTH, HEIGHT = 8.2, 1.75
STOP = "#b2182b"


@dataclass(frozen=True)
class PlotPanel:
    """Lines in one unit."""

    title: str
    unit: str
    columns: tuple[str, ...]
    values: np.ndarray


def draw_run(run: "Run", names: tuple[str, ...], path: str | Path | None, title: str | None) -> Any:
    """See `Run.plot`."""
    from matplotlib.figure import Figure

    shown = panels(run, names)
    figure = Figure(figsize=(WIDTH, 0.7 + HEIGHT * len(shown)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(shown), 1, sharex=True))
    for ax, panel in zip(axes, shown, strict=True):
        _draw(ax, run, panel)
    axes[-1].set_xlabel("time (s)", fontsize=9)
    figure.align_ylabels()
    ended = "" if run.info.finished else f": {run.stopped}"
    # Names and titles are no mathematics: "$" is a character.
    figure.suptitle(title if title is not None else f"{run.robot.name}{ended}", fontsize=10, parse_math=False)
    if path is not None:
        write_figure(path, figure, 130)
    return figure


def panels(run: "Run", names: tuple[str, ...] = ()) -> list[PlotPanel]:
    """What is drawn: one panel for each unit of each channel; single columns of one unit that are named together share one."""
    wanted = names or tuple(name for name in DEFAULT if name in run)
    if not wanted:
        raise UsageError(f"plot: this run of {run.robot.name} has none of {', '.join(DEFAULT)}; name channels")
    found: list[PlotPanel] = []
    for name in wanted:
        channel, values = run.channel(name), run[name]
        if values.ndim == 1:  # a single column
            found.append(PlotPanel(_title(name), run.unit(name), (name,), values[:, None]))
            continue
        if channel.name == "energies":
            found += _energy_panels(channel.entries, values)
            continue
        kept = [i for i, e in enumerate(channel.entries) if not (name.endswith("pose") and e[-2:] in ROTATIONS)]
        for unit in dict.fromkeys(channel.units[i] for i in kept):
            at = [i for i in kept if channel.units[i] == unit]
            entries = tuple(shorten_column(channel.entries[i], name) for i in at)
            found.append(PlotPanel(_title(name), unit, entries, values[:, at]))
    return _merged(found)


ROTATIONS = ("qw", "qx", "qy", "qz")
"""Not drawn with a pose: quaternions say little to the eye; "angles" does."""


def _energy_panels(entries: tuple[str, ...], values: np.ndarray) -> list[PlotPanel]:
    """Energies and works since the start, and what their balance lacks on its own: it is smaller by far."""
    change = values - values[0]
    error = entries.index("energy.error")
    kept = [i for i in range(len(entries)) if i != error and np.any(change[:, i] != 0.0)]
    kept = kept or [entries.index("energy.total")]
    names = tuple(entries[i].removeprefix("energy.") for i in kept)
    lack = PlotPanel("lack of balance", "J", ("energy.error",), values[:, [error]])
    return [PlotPanel("energy since the start", "J", names, change[:, kept]), lack]


def _merged(found: list[PlotPanel]) -> list[PlotPanel]:
    """Neighbouring panels of single columns in one unit as one."""
    out: list[PlotPanel] = []
    for panel in found:
        last = out[-1] if out else None
        alone = len(panel.columns) == 1 and panel.title == panel.columns[0]
        if last is not None and alone and last.unit == panel.unit and last.title == "":
            out[-1] = PlotPanel("", last.unit, last.columns + panel.columns, np.hstack([last.values, panel.values]))
        else:
            out.append(PlotPanel("" if alone else panel.title, panel.unit, panel.columns, panel.values))
    return out


def _draw(ax: Any, run: "Run", panel: PlotPanel) -> None:
    size = np.nanmax(np.abs(np.where(np.isfinite(panel.values), panel.values, 0.0)), axis=0, initial=0.0)
    order = np.argsort(-size, kind="stable") if len(size) > SHOWN else np.arange(len(size))
    named = set(order[: SHOWN - 1].tolist()) if len(size) > SHOWN else set(range(len(size)))
    colours = [f"C{k}" for k in range(10)]
    step = "steps-post" if run.tau_held and panel.title == TITLES["drives.force"] else "default"
    for rank, i in enumerate(order[::-1] if len(size) > SHOWN else order):
        place = len(size) - 1 - rank if len(size) > SHOWN else rank
        style: dict[str, Any] = {"color": colours[place % 10], "lw": 1.2, "label": panel.columns[i]}
        if i not in named:
            style = {"color": "0.75", "lw": 0.7, "label": "_"}
        elif place >= 10 or panel.columns[i].startswith("work."):  # works lie on the energies they make
            style["ls"] = "--"
        marker = {"marker": "."} if len(run) == 1 else {}
        ax.plot(run.time, panel.values[:, i], drawstyle=step, **style, **marker)
    alone = len(panel.columns) == 1 and panel.title in ("", "lack of balance")
    title = panel.title or (panel.columns[0] if alone else "")
    ax.set_ylabel(f"{title} ({panel.unit})".strip(), fontsize=8, parse_math=False)
    ax.tick_params(labelsize=8)
    ax.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True)
    ax.yaxis.get_offset_text().set_fontsize(7)
    ax.grid(True, lw=0.4, color="0.9")
    ax.margins(x=0.0 if len(run) > 1 else 0.05)
    if not run.info.finished:
        ax.axvline(run.time[-1], color=STOP, lw=1.0, ls=":")
    if alone:
        return
    handles, labels = ax.get_legend_handles_labels()
    if len(size) > SHOWN:
        handles, labels = handles[::-1], labels[::-1]
        rest = len(size) - len(handles)
        handles.append(ax.plot([], [], color="0.75", lw=0.7)[0])
        labels.append(f"{rest} more")
    legend = ax.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.02), fontsize=7, frameon=False, borderaxespad=0.0
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _title(name: str) -> str:
    return TITLES.get(name, name)


def shorten_column(entry: str, channel: str) -> str:
    """A column's name without what its panel says already."""
    for prefix in (
        f"{channel}.",
        f"{channel.rsplit('.', 1)[0]}.",
        "tau." if channel in ("drives.force", "tau") else "\0",
    ):
        if entry.startswith(prefix):
            return entry.removeprefix(prefix)
    return entry
