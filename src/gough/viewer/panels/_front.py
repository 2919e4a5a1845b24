"""The front as a plot with the present design marked, and designs as columns of a table.

The plot is sent when its axes or the chosen designs change. What moves is the ring around the present design: a style sheet says
where it is, a few bytes, as for the plots of runs.
"""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from gough.studies.result import StudyResult
from gough.studies.study.evaluation import Evaluated
from gough.viewer.panels._tables import BOX, CUT, WAITING, number
from gough.viewer.panels.variables import UNITS
from gough.viewer.scene.robot import nice_length

Array = np.ndarray
WIDTH, HEIGHT = 320, 232
"""Of the plot, in its own units."""
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 38
"""Room around the points."""
MOST_POINTS = 1200
"""Designs that are drawn; of more some."""
POINT, CHOSEN, HERE = "#4477AA", "#1b9e5a", "#e07b1a"
"""Colours of the front, of chosen designs and of the present one."""
SHORT = 10.0
"""Lengths below are told in millimetres."""


@dataclass(frozen=True)
class NamedNumber:
    """A measure or variable as it is told: its SI value times factor, in a unit."""

    name: str
    unit: str
    factor: float
    sense: float = 0.0
    """1 where it is to be small, -1 where it is to be large, 0 where nothing is asked."""

    @property
    def label(self) -> str:
        """With its unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


def named_numbers(found: StudyResult) -> tuple[list[NamedNumber], list[NamedNumber]]:
    """(measures, objectives first in their places of the study; variables)."""
    e, d = found.study.evaluator, found.front.designs
    senses = {o.measure: o.sense for o in e.objectives}
    measures = [_named(m.name, m.unit, d.values[:, k], senses.get(m.name, 0.0)) for k, m in enumerate(e.measures)]
    return measures, [_named(v.name, v.unit, d.x[:, k]) for k, v in enumerate(e.space.variables)]


def _named(name: str, unit: str, values: Array, sense: float = 0.0) -> NamedNumber:
    shown, factor = UNITS.get(unit, ("" if unit == "1" else unit.replace("m2", "m²").replace("m3", "m³"), 1.0))
    if unit == "m" and np.abs(values[np.isfinite(values)]).max(initial=0.0) >= SHORT:
        shown, factor = "m", 1.0
    return NamedNumber(name, shown, factor, sense)


@dataclass(frozen=True)
class FrontPlot:
    """Two numbers of designs against each other. across, up: what they are; x, y (n,): of the front, as told; marks:
    {name: (x, y)} of chosen designs; grey (m, 2): other designs."""

    across: NamedNumber
    up: NamedNumber
    x: Array
    y: Array
    marks: dict[str, tuple[float, float]]
    grey: Array

    @property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Of both axes, with some room."""
        more = np.array([*self.marks.values()]).reshape(-1, 2)
        return _range(np.concatenate([self.x, more[:, 0]])), _range(np.concatenate([self.y, more[:, 1]]))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where numbers as told stand in the plot; never outside of it."""
        (a, b), (c, d) = self.ranges
        parts = np.clip(np.nan_to_num([(x - a) / (b - a), (y - c) / (d - c)]), 0.0, 1.0)
        return LEFT + parts[0] * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - parts[1] * (HEIGHT - TOP - BOTTOM)

    def svg(self) -> str:
        """The plot."""
        (a, b), (c, d) = self.ranges
        right, low = WIDTH - RIGHT, HEIGHT - BOTTOM
        body = [f'<path d="M{LEFT} {TOP}V{low}H{right}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>']
        for t in ticks(a, b):
            x = self.place(t, c)[0]
            body.append(f'<path d="M{x:.1f} {low}V{TOP}" stroke="currentColor" stroke-opacity="0.1"/>')
            body.append(f'<text x="{x:.1f}" y="{low + 12}" text-anchor="middle">{t:g}</text>')
        for t in ticks(c, d):
            y = self.place(a, t)[1]
            body.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="currentColor" stroke-opacity="0.1"/>')
            body.append(f'<text x="{LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{t:g}</text>')
        middle = (LEFT + right) / 2
        body.append(
            f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle" font-size="11">{escape(_told(self.across))}</text>'
        )
        body.append(
            f'<text transform="translate(10 {(TOP + low) / 2}) rotate(-90)" text-anchor="middle" font-size="11">'
            f"{escape(_told(self.up))}</text>"
        )
        body += [self._dot(x, y, 1.5, "#999999", 0.45) for x, y in self.grey.tolist() if a <= x <= b and c <= y <= d]
        every = np.unique(np.linspace(0, len(self.x) - 1, min(len(self.x), MOST_POINTS)).astype(int))
        body += [self._dot(float(self.x[k]), float(self.y[k]), 2.1, POINT, 0.75) for k in every]
        for name, (x, y) in self.marks.items():
            px, py = self.place(x, y)
            body.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{CHOSEN}"/>')
            side, anchor = (-6, "end") if px > WIDTH - 60 else (6, "start")
            body.append(
                f'<text x="{px + side:.1f}" y="{py - 4:.1f}" text-anchor="{anchor}" font-weight="600" fill="{CHOSEN}">'
                f"{escape(name)}</text>"
            )
        body.append(
            f'<circle class="gough-here" r="6" fill="none" stroke="{HERE}" stroke-width="2.5" '
            'style="transform:translate(calc(var(--gough-x)*1px),calc(var(--gough-y)*1px))"/>'
        )
        return (
            f'<div style="padding:0 0.4rem"><svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" font-size="9.5" fill="currentColor" '
            f'style="display:block;font-variant-numeric:tabular-nums">{"".join(body)}</svg></div>'
        )

    def _dot(self, x: float, y: float, radius: float, colour: str, opacity: float) -> str:
        px, py = self.place(float(x), float(y))
        return f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{radius}" fill="{colour}" fill-opacity="{opacity}"/>'

    def ring_style(self, x: float, y: float) -> str:
        """The style sheet that puts the ring at numbers as told."""
        px, py = self.place(x, y)
        return f"<style>.gough-here{{--gough-x:{px:.2f};--gough-y:{py:.2f}}}</style>"


def ticks(low: float, high: float) -> list[float]:
    """A few round numbers between two."""
    step = nice_length((high - low) / 3)
    return [float(f"{k * step:.12g}") for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _range(values: Array) -> tuple[float, float]:
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def _told(n: NamedNumber) -> str:
    return n.label + {1.0: " ↓", -1.0: " ↑"}.get(n.sense, "")


@dataclass(frozen=True)
class DesignColumn:
    """A design in the table: its name, why it is there, variables (k,), measures (m,), whether those are awaited."""

    name: str
    why: str
    x: Array
    values: Array
    waiting: bool = False


def designs_table(columns: list[DesignColumn], measures: list[NamedNumber], variables: list[NamedNumber]) -> str:
    """Designs beside each other, the present one first; of objectives the best is bold."""
    first = 36 if len(columns) < 6 else 33
    each = (100 - first) / max(len(columns), 1)
    heads = "".join(
        f'<th style="text-align:right;{CUT};color:{HERE if k == 0 else CHOSEN}" title="{escape(c.why)}">{escape(c.name)}</th>'
        for k, c in enumerate(columns)
    )
    rows = [f"<tr><th></th>{heads}</tr>"]
    rows += [_row(n, [c.values[k] for c in columns], columns) for k, n in enumerate(measures)]
    rows.append(f'<tr><td colspan="{len(columns) + 1}" style="border-top:1px solid #8884;padding:0"></td></tr>')
    rows += [_row(n, [c.x[k] for c in columns], None) for k, n in enumerate(variables)]
    sizes = f'<col style="width:{first}%">' + f'<col style="width:{each:.1f}%">' * len(columns)
    style = "width:100%;table-layout:fixed;border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:0.72rem"
    return f'<div style="{BOX}"><table style="{style}">{sizes}{"".join(rows)}</table></div>'


def _row(n: NamedNumber, values: list[float], waiting: list[DesignColumn] | None) -> str:
    scored = np.array([n.sense * x for x in values])
    best = np.flatnonzero(scored <= np.nanmin(scored)) if n.sense and np.isfinite(scored).any() else np.zeros(0, int)
    cells = ""
    for k, x in enumerate(values):
        weight = "font-weight:700;" if k in best and len(values) > 1 else ""
        late = f"{WAITING};" if waiting is not None and waiting[k].waiting else ""
        cells += f'<td style="text-align:right;padding:1px 0;{CUT};{weight}{late}">{_short(x * n.factor)}</td>'
    told = escape(_told(n))
    return f'<tr><td style="{CUT};padding:1px 0" title="{told}">{told}</td>{cells}</tr>'


def _short(x: float) -> str:
    return escape(number(float(f"{x:.3g}") if abs(x) < 1000 else float(round(x))))


def design_text(head: str, values: Array, measures: list[NamedNumber]) -> str:
    """Lines over a robot: which design it is, and its objectives."""
    asked = [(n, x) for n, x in zip(measures, values.tolist(), strict=True) if n.sense]
    return "\n".join([head, *(f"{n.name} {number(float(f'{x * n.factor:.4g}'))} {n.unit}".rstrip() for n, x in asked)])


class FrontColumn:
    """The plot and the table on a page. measures, variables: as they are told."""

    def __init__(self, gui: Any, found: StudyResult) -> None:
        self.found = found
        self.measures, self.variables = named_numbers(found)
        self._known = {n.name: ("values", k, n) for k, n in enumerate(self.measures)}
        self._known |= {n.name: ("x", k, n) for k, n in enumerate(self.variables) if n.name not in self._known}
        objectives = [o.measure for o in found.study.evaluator.objectives]
        second = next((n for n in (*objectives[1:], *self._known) if n != objectives[0]), objectives[0])
        self._style = gui.add_html(" ")
        self._chart = gui.add_html(" ")
        self._across = gui.add_dropdown("Across", tuple(self._known), initial_value=objectives[0])
        self._up = gui.add_dropdown("Up", tuple(self._known), initial_value=second)
        self._table = gui.add_html(" ")
        self._columns: list[DesignColumn] = []
        for menu in (self._across, self._up):
            menu.on_update(lambda _: self.draw())

    def _of(self, menu: Any) -> tuple[str, int, NamedNumber]:
        return self._known[str(menu.value)]

    def _points(self, designs: Evaluated) -> Array:
        told = [getattr(designs, kind)[:, k] * n.factor for kind, k, n in (self._of(self._across), self._of(self._up))]
        return np.stack(told, axis=1)

    def _point(self, column: DesignColumn) -> tuple[float, float]:
        first, second = (
            float((column.values if kind == "values" else column.x)[k]) * n.factor
            for kind, k, n in (self._of(self._across), self._of(self._up))
        )
        return first, second

    def plot(self) -> FrontPlot:
        """As the menus say."""
        front, kept = self._points(self.found.front.designs), self.found.kept
        grey = np.zeros((0, 2))
        if kept is not self.found.front.designs:
            grey = self._points(kept)[kept.feasible]
            grey = grey[np.unique(np.linspace(0, len(grey) - 1, min(len(grey), MOST_POINTS)).astype(int))]
        marks = {c.name: self._point(c) for c in self._columns[1:]}
        return FrontPlot(self._of(self._across)[2], self._of(self._up)[2], front[:, 0], front[:, 1], marks, grey)

    def draw(self) -> None:
        """Plot, ring and table anew."""
        if str(self._across.value) in self._known and str(self._up.value) in self._known:
            self._chart.content = self.plot().svg()
            self.tell(self._columns)

    def choose(self, columns: list[DesignColumn]) -> None:
        """Other designs beside the present one, which is the first."""
        self._columns = columns
        self.draw()

    def tell(self, columns: list[DesignColumn]) -> None:
        """New numbers of the present design."""
        self._columns = columns
        if columns:
            self._style.content = self.plot().ring_style(*self._point(columns[0]))
            self._table.content = designs_table(columns, self.measures, self.variables)
