"""Figures of an identification: forces and what they leave, spectra, whiteness, parameters, correlations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import welch

from gough.identification.data.samples import Samples
from gough.identification.estimation.rows import Thinning, stretches

if TYPE_CHECKING:
    from gough.identification.identification import Identification

COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
MOST_POINTS = 4000
"""Of a curve that is drawn."""
MOST_ROWS = 12
"""Drives with a panel of their own."""
LAGS = 40
LEAST_RATIO, MOST_RATIO = -1.0, 3.0
"""Identified over described, beyond which a number is an arrow at the edge."""


@dataclass(frozen=True)
class Residual:
    """Measured and predicted forces (n, rows) of one run over time (n,), name: of the run."""

    name: str
    time: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray

    @property
    def missing(self) -> np.ndarray:
        """(n, rows)."""
        return self.measured - self.predicted

    @property
    def rate(self) -> float:
        """Samples a second."""
        return float(1.0 / np.median(np.diff(self.time))) if len(self.time) > 1 else 1.0


def residuals_of(found: "Identification", samples: Samples) -> list[Residual]:
    """Of every run of samples."""
    predicted = found.predict(samples)
    out = []
    for run, begin, end in stretches(samples):
        part = slice(begin, end)
        measured = samples.force[part] if found.rows.at_drives else found.rows.measured_force(samples, part)
        out.append(Residual(samples.runs[run], samples.time[part], measured, predicted[part]))
    return out


def _canvas(width: float, height: float) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def draw_forces(residual: Residual, names: tuple[str, ...], units: tuple[str, ...]) -> Any:
    """Two panels a drive: measured and predicted, and below the difference in its own scale."""
    rows = min(len(names), MOST_ROWS)
    figure = _canvas(9.5, 1.0 + 2.2 * rows)
    every = max(1, len(residual.time) // MOST_POINTS)
    t = residual.time[::every]
    panels = figure.subplots(2 * rows, 1, sharex=True, squeeze=False, height_ratios=[1.4, 0.8] * rows)[:, 0]
    for k in range(rows):
        force, apart = panels[2 * k], panels[2 * k + 1]
        force.plot(t, residual.measured[::every, k], color="0.72", linewidth=3.0, label="measured")
        force.plot(t, residual.predicted[::every, k], color=COLORS[0], linewidth=1.0, label="predicted")
        apart.plot(t, residual.missing[::every, k], color=COLORS[1], linewidth=0.8, label="difference, its own scale")
        force.set_ylabel(f"{names[k]}\n({units[k]})", fontsize=8.5)
        apart.set_ylabel(f"difference\n({units[k]})", fontsize=8.5)
        for axes in (force, apart):
            axes.grid(alpha=0.3)
            axes.set_xlim(float(t[0]), float(t[-1]))
    panels[-1].set_xlabel("time (s)")
    (lines, names_of), (line, name_of) = (panel.get_legend_handles_labels() for panel in panels[:2])
    figure.legend([*lines, *line], [*names_of, *name_of], ncols=3, loc="outside upper center", frameon=False)
    return figure


def draw_colour(residual: Residual, names: tuple[str, ...], units: tuple[str, ...], thinning: Thinning) -> Any:
    """Spectra of the differences, and their autocorrelation at the rate of the equations with the band of white noise."""
    figure = _canvas(9.5, 3.6)
    left, right = figure.subplots(1, 2)
    size = min(len(residual.time), 1024)
    kept = thinning.apply(residual.missing)
    for k, name in enumerate(names[:MOST_ROWS]):
        colour = COLORS[k % len(COLORS)]
        f, power = welch(residual.missing[:, k], residual.rate, nperseg=size)
        left.semilogy(f[1:], np.sqrt(power[1:]), color=colour, linewidth=1.0, label=name)
        e = kept[:, k] - kept[:, k].mean()
        lags = np.arange(1, max(1, min(LAGS, len(e) - 1)) + 1)
        scale = float(e @ e) or 1.0
        right.plot(
            lags, [float(e[j:] @ e[: len(e) - j]) / scale for j in lags], color=colour, marker=".", linewidth=0.8
        )
    band = 1.96 / np.sqrt(max(1, len(kept)))
    right.axhspan(-band, band, color="0.85", zorder=0)
    low, high = right.get_ylim()
    right.set_ylim(min(low, -0.3), max(high, 0.3))
    left.set_xlabel("frequency (Hz)")
    left.set_ylabel(f"difference ({units[0]}/√Hz)")
    right.set_xlabel("lag (equations)")
    right.set_ylabel("autocorrelation")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend(fontsize=7.5, frameon=False, ncols=2)
    return figure


def draw_parameters(found: "Identification") -> Any:
    """Base parameters over what the description says, with 95 % intervals, where that is not 0 and intervals are shorter."""
    was, now = found.base.values, found.base_values
    half = found.estimate.half_width()[: found.base.rank]
    keep = np.flatnonzero((was != 0) & (half < np.abs(was)))
    figure = _canvas(9.5, 0.9 + 0.22 * max(1, len(keep)))
    axes = figure.subplots()
    y = np.arange(len(keep))[::-1]
    axes.axvline(1.0, color="0.5", linewidth=1.0)
    ratio = now[keep] / was[keep]
    own = np.abs(half[keep] / was[keep])
    ends = (ratio - own)[ratio >= LEAST_RATIO], (ratio + own)[ratio <= MOST_RATIO]  # whole intervals of what is shown
    low, high = float(ends[0].min(initial=0.95)), float(ends[1].max(initial=1.05))
    room = 0.06 * (high - low)
    low, high = low - room, high + room
    inside = (ratio >= low) & (ratio <= high)
    axes.errorbar(
        ratio[inside],
        y[inside],
        xerr=own[inside],
        fmt="o",
        markersize=3.5,
        capsize=2,
        color=COLORS[0],
    )
    for r, place in zip(ratio[~inside], y[~inside], strict=True):  # an arrow and the number, at the edge
        left = bool(r < low)
        axes.plot([low if left else high], [place], marker="<" if left else ">", color=COLORS[1], clip_on=False)
        at = (6, -3) if left else (-6, -3)
        axes.annotate(
            f"{r:.3g}",
            (low if left else high, place),
            at,
            textcoords="offset points",
            ha="left" if left else "right",
            fontsize=7.5,
        )
    axes.set_yticks(y, [_short(found.base.names[k]) for k in keep], fontsize=7.5)
    axes.set_xlim(low, high)
    axes.set_ylim(-0.6, max(1, len(keep)) - 0.4)
    axes.set_xlabel("identified / described, with 95 % intervals")
    axes.grid(alpha=0.3)
    return figure


def draw_correlation(found: "Identification") -> Any:
    """Correlations of the estimates."""
    rank = found.base.rank
    covariance = found.estimate.covariance[:rank, :rank]
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    side = min(9.5, 2.6 + 0.19 * rank)
    figure = _canvas(side, side * 0.86)
    axes = figure.subplots()
    shown = axes.imshow(covariance / np.outer(scale, scale), vmin=-1, vmax=1, cmap="RdBu_r")
    names = [_short(n, 26) for n in found.base.names]
    if rank <= 60:
        axes.set_xticks(range(rank), names, rotation=90, fontsize=6.5)
        axes.set_yticks(range(rank), names, fontsize=6.5)
    else:
        axes.set_xlabel("base parameter, by its row in the table (the first is 0)")
    figure.colorbar(shown, ax=axes, shrink=0.8, label="correlation")
    return figure


def _short(name: str, most: int = 44) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
