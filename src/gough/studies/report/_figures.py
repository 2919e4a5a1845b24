"""Figures of a study: the front, parallel coordinates, slices through a design, sensitivities."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gough.studies.result import StudyResult

COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
CHOSEN = "#EE6677"
MOST_POINTS = 20_000
MOST_LINES = 400
MOST_PAIRS = 10
FAR, NAMED = 1.0, 3
"""Bounds farther from a curve than this part of its range are written, not drawn; rows of slices under which names stand."""
ALIKE = 1e-7
"""Difference of objectives, of themselves, that no figure shows."""
ROUNDING = 1e-9
"""Slopes, of the largest of a figure, that are written as 0."""


def canvas(width: float, height: float) -> Any:
    """A figure without a window (inches)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def label(found: "StudyResult", name: str) -> str:
    """A measure or variable with its unit."""
    e = found.study.evaluator
    units = {m.name: m.unit for m in e.measures} | {v.name: v.unit for v in e.space.variables}
    return f"{name}, {units[name]}" if units.get(name) not in ("", "1", None) else name


def _some_feasible(found: "StudyResult") -> np.ndarray:
    """Measures of the first feasible designs that were kept."""
    out, count = [found.front.designs.values[:0]], 0
    for part in found.kept_parts():
        out.append(part.values[part.feasible])
        count += len(out[-1])
        if count >= MOST_POINTS:
            break
    return np.concatenate(out)[:MOST_POINTS]


def objective_spread(found: "StudyResult") -> np.ndarray:
    """(least, largest) of the first objective of feasible designs that were kept; equal where they differ by rounding alone, as
    ends of several descents to one optimum do."""
    place = found.study.evaluator.names.index(found.study.evaluator.objectives[0].measure)
    values = np.concatenate([_some_feasible(found)[:, place], found.front.designs.values[:, place]])
    low, high = np.nanmin(values), np.nanmax(values)
    return np.array([low, low if high - low <= ALIKE * max(abs(low), abs(high)) else high])


def draw_front(found: "StudyResult", row: int) -> Any:
    """Every pair of objectives: designs that were kept, the front, the chosen one."""
    e = found.study.evaluator
    names = [o.measure for o in e.objectives]
    places = [e.names.index(n) for n in names]
    pairs = list(combinations(range(len(names)), 2))[:MOST_PAIRS] or [(0, 0)]
    columns = min(3, len(pairs))
    rows = -(-len(pairs) // columns)
    figure = canvas(4.2 * columns + 0.4, 3.6 * rows + 0.3)
    front, good = found.front.designs.values, _some_feasible(found)
    for k, (a, b) in enumerate(pairs):
        axis = figure.add_subplot(rows, columns, k + 1)
        if a == b:
            shown = good[:, places[0]] if len(good) else front[:, places[0]]
            axis.hist(shown[np.isfinite(shown)], bins=40, color="#bbbbbb")
            axis.axvline(front[row, places[0]], color=CHOSEN)
            axis.set_xlabel(label(found, names[0]))
            axis.set_ylabel("designs")
            continue
        if found.study.keep != "front":
            axis.plot(good[:, places[a]], good[:, places[b]], ".", ms=2, color="#cccccc", label="feasible")
        axis.plot(front[:, places[a]], front[:, places[b]], ".", ms=4, color=COLORS[0], label="front")
        axis.plot(
            front[row, places[a]], front[row, places[b]], "o", ms=7, mfc="none", mew=2, color=CHOSEN, label="chosen"
        )
        axis.set_xlabel(label(found, names[a]))
        axis.set_ylabel(label(found, names[b]))
        if k == 0:
            axis.legend(fontsize=8)
    return figure


def draw_parallel(found: "StudyResult", row: int) -> Any:
    """Variables, then measures, of all designs of the front, each over its range there."""
    names = [*found.study.variables, *found.study.measures]
    X = np.concatenate([found.front.designs.x, found.front.designs.values], axis=1)
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    size = np.where(high > low, high - low, 1.0)
    shown = (X - low) / size
    objective = found.front.objectives[:, 0]
    order = np.argsort(objective, kind="stable")
    order = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), MOST_LINES)).astype(int))]
    figure = canvas(max(7.0, 0.95 * len(names)), 4.6)
    axis = figure.add_subplot()
    from matplotlib import colormaps

    shade = colormaps["viridis"]
    for rank, k in enumerate(order):
        axis.plot(shown[k], color=shade(rank / max(len(order) - 1, 1)), lw=0.8, alpha=0.5)
    axis.plot(shown[row], color=CHOSEN, lw=2.2)
    axis.set_xticks(range(len(names)), [label(found, n) for n in names], rotation=35, ha="right", fontsize=8)
    for k in range(len(names)):
        axis.text(k, 1.03, f"{high[k]:.3g}", ha="center", fontsize=7)
        axis.text(k, -0.07, f"{low[k]:.3g}", ha="center", fontsize=7)
    axis.axvline(len(found.study.variables) - 0.5, color="#888888", lw=0.8)
    axis.set_yticks([])
    axis.set_ylim(-0.12, 1.1)
    axis.set_xlim(-0.3, len(names) - 0.7)
    return figure


def draw_slices(found: "StudyResult", row: int) -> Any:
    """Objectives and constrained measures while one variable after the other goes through its range; gaps: no robot."""
    e = found.study.evaluator
    names = list(dict.fromkeys([o.measure for o in e.objectives] + [c.measure for c in e.constraints])) or list(e.names)
    slices = found.slices(row)
    figure = canvas(max(6.0, 2.6 * len(slices)), 2.1 * len(names) + 0.5)
    bounds = {c.measure: [b for _, b, _ in c.bounds()] for c in e.constraints}
    for i, name in enumerate(names):
        place = e.names.index(name)
        for j, (variable, (x, designs)) in enumerate(slices.items()):
            axis = figure.add_subplot(len(names), len(slices), i * len(slices) + j + 1)
            axis.plot(x, designs.values[:, place], color=COLORS[0], lw=1.4)
            axis.plot(found.front.designs.x[row, j], found.front.designs.values[row, place], "o", color=CHOSEN, ms=5)
            low, high = axis.get_ylim()
            for bound in bounds.get(name, []):  # one that is far away would make all curves flat
                if low - FAR * (high - low) <= bound <= high + FAR * (high - low):
                    axis.axhline(bound, color="#888888", lw=0.8, ls="--")
                    continue
                axis.text(
                    0.98, 0.03 if bound < low else 0.88, f"bound {bound:g} {'↓' if bound < low else '↑'}",
                    transform=axis.transAxes, ha="right", fontsize=6, color="#666666",
                )  # fmt: skip
            axis.tick_params(labelsize=7)
            if i == len(names) - 1 or i % NAMED == NAMED - 1:
                axis.set_xlabel(label(found, variable), fontsize=8)
            if j == 0:
                axis.set_ylabel(label(found, name), fontsize=8)
    return figure


def draw_sensitivities(found: "StudyResult", slopes: dict[str, dict[str, float]], row: int) -> Any:
    """By how many per cent measures change for a step of each variable through a hundredth of its range."""
    e = found.study.evaluator
    names, sizes = list(slopes), {v.name: v.upper - v.lower for v in e.space.variables}
    values = found.values(row)
    part = np.array([[slopes[m][v] * sizes[v] / (abs(values[m]) or 1.0) for v in found.study.variables] for m in names])
    largest = np.abs(part).max(initial=1e-12)
    part = np.where(np.abs(part) > ROUNDING * largest, part, 0.0)
    figure = canvas(max(5.0, 0.8 * len(found.study.variables) + 2.5), 0.45 * len(names) + 1.6)
    axis = figure.add_subplot()
    shown = axis.imshow(part, cmap="RdBu_r", vmin=-largest, vmax=largest, aspect="auto")
    axis.set_xticks(range(part.shape[1]), found.study.variables, rotation=35, ha="right", fontsize=8)
    axis.set_yticks(range(len(names)), names, fontsize=8)
    for i, j in np.ndindex(*part.shape):
        dark = abs(part[i, j]) > 0.6 * largest
        axis.text(
            j,
            i,
            f"{part[i, j]:+.2g}" if part[i, j] else "0",
            ha="center",
            va="center",
            fontsize=7,
            color="white" if dark else "black",
        )
    figure.colorbar(shown, label="% for a hundredth of the range")
    return figure
