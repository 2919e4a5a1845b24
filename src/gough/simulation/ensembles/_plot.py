"""Pictures of an ensemble: bands of channels over time, one panel a channel and unit."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.files import write_figure
from gough.simulation.ensembles._bands import Band, band_of

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import Ensemble

DEFAULT = ("drives.position", "drives.force", "elastic", "tracking")
"""Panels of a plain `plot()`, where the runs have them."""
SHOWN = 6
"""Columns of a panel: of more the widest."""
ROUNDING = 1e-12
"""Distance (m, rad) from the motion up to which a panel shows nothing."""
WIDTH, HEIGHT = 8.2, 1.9


def draw_bands(
    found: "Ensemble", names: tuple[str, ...], percent: tuple[float, float], path: str | Path | None, title: str | None
) -> Any:
    """See `Ensemble.plot`."""
    from matplotlib.figure import Figure

    low, high = percent
    if not 0 <= low < high <= 100:
        raise UsageError(f"percent={percent!r}: give two numbers, 0 ≤ low < high ≤ 100")
    first = next(iter(found), None)
    if first is None:
        raise UsageError("plot: there are no runs")
    wanted = names or tuple(name for name in DEFAULT if name in first)
    if not wanted:
        raise UsageError(f"plot: these runs have none of {', '.join(DEFAULT)}; name channels")
    panels = [
        (name, unit, band)
        for name in wanted
        for band in [band_of(found, name, (low, 50.0, high))]
        for unit in dict.fromkeys(band.units)
        if names or name != "tracking" or _moves(band, unit)
    ]
    figure = Figure(figsize=(WIDTH, 0.8 + HEIGHT * len(panels)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
    for ax, (name, unit, band) in zip(axes, panels, strict=True):
        _draw(ax, name, unit, band)
    axes[-1].set_xlabel("time (s)", fontsize=9)
    figure.align_ylabels()
    failed = int(np.isfinite(found.failed).sum())
    told = f"{first.robot.name}: {found.runs} runs" + (f", {failed} of them ended early" if failed else "")
    told = title if title is not None else f"{told}; medians, and between which {low:g} and {high:g} % lie"
    figure.suptitle(told, fontsize=10, parse_math=False)
    if path is not None:
        write_figure(path, figure, 130)
    return figure


def _moves(band: Band, unit: str) -> bool:
    """Whether runs are anywhere off their motion in a unit by more than rounding: a robot that cannot turn never is in rad."""
    of = [i for i, u in enumerate(band.units) if u == unit]
    return bool(np.nanmax(np.abs(band.values[:, :, of]), initial=0.0) > ROUNDING)


def _draw(ax: Any, name: str, unit: str, band: Band) -> None:
    of = [i for i, u in enumerate(band.units) if u == unit]
    wide = np.nanmax(np.nan_to_num(band.values[2] - band.values[0])[:, of], axis=0, initial=0.0)
    kept = sorted(np.array(of)[np.argsort(-wide, kind="stable")[:SHOWN]].tolist())
    for k, i in enumerate(kept):
        low, middle, high = band.values[:, :, i]
        label = band.columns[i].removeprefix(f"{name}.").removeprefix("tau.")
        ax.fill_between(band.time, low, high, color=f"C{k}", alpha=0.25, lw=0)
        ax.plot(band.time, middle, color=f"C{k}", lw=1.2, label=label)
    more = len(of) - len(kept)
    if more:
        ax.plot([], [], color="none", label=f"{more} narrower ones")
    ax.set_ylabel(f"{name} ({unit})" if unit else name, fontsize=8, parse_math=False)
    ax.tick_params(labelsize=8)
    ax.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True)
    ax.yaxis.get_offset_text().set_fontsize(7)
    ax.grid(True, lw=0.4, color="0.9")
    ax.margins(x=0.0 if len(band.time) > 1 else 0.05)
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), fontsize=7, frameon=False, borderaxespad=0.0)
    for text in legend.get_texts():
        text.set_parse_math(False)
