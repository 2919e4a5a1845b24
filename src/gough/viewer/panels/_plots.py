"""Curves of channels on the page, in step with the time shown.

The curves are sent once, thinned to what the screen can show. What moves with time is one number: a style sheet sets the
variable --gough-time of the plots' lines, from which they have their place: a few bytes however many plots there are. (Set for
the whole page, it would make the page go through all its styles in every frame, which takes longer than drawing the robot.)
"""

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.viewer._curves import (
    CurvePanel,
    PlottedCurve,
    axis_power,
    curve_colours,
    curve_panels,
    offered_channels,
    samples_within,
    thin_curves,
    usual_channels,
    value_at,
    value_range,
)

if TYPE_CHECKING:
    from gough.viewer._session import Session

WIDE = 1100
"""Pages from this width on, pixels, have plots in a column of their own, others in a tab."""
WIDTH = 340
"""Of the column of plots, pixels."""
HEIGHT = 150
"""Of a plot, pixels."""
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 8, 27
"""Room around the curves for axes, pixels."""
BORDER, GAP = 2.25, 12
"""Left of a plot and between a plot and its legend, pixels."""
POINTS = 700
"""Of a curve: about two a pixel of a wide panel."""
WINDOWS = {"whole run": None, "10 s": 10.0, "1 s": 1.0, "0.1 s": 0.1}
LAST = 1e9
"""Place of the menus: below all plots."""
ROLES: dict[str, tuple[dict[str, Any], str]] = {
    "reference": ({"width": 4.0}, "▬"),
    "command": ({"width": 2.0, "dash": (2.0, 3.0)}, "┅"),
}
SENSOR: tuple[dict[str, Any], str] = ({"width": 1.0, "dash": (1.0, 1.5)}, "┈")
"""How curves of roles are drawn, wide and pale under what is or thin beside it, and their marks in legends; others: sensors."""
MOST = 8
"""Channels drawn at once."""


@dataclass
class Shown:
    """A plot of the page: its panel of curves and the handles of its chart and legend."""

    panel: CurvePanel
    chart: Any
    legend: Any


class Plots:
    """The plots of a page, start to end (s)."""

    def __init__(self, session: "Session", start: float, end: float) -> None:
        self.session, self.start, self.end = session, start, end
        self.runs = session.subject.runs
        self.time = start
        self.names = offered_channels(self.runs)
        self._drawn = (0.0, 1.0)
        self._chosen: dict[str, list[Shown]] = {}
        gui = session.gui
        if session.width >= WIDE:
            column = gui.add_panel()
            column.dock_left()
            session.make_room()
            column.set_width(WIDTH)
            self._tab = column.add_tab("Plots", Icon.CHART_LINE)
        else:  # a column at both sides would leave no room for the robot
            self._tab = session.tabs.add_tab("Plots")
        with self._tab:
            self._cursor = gui.add_html(_cursor_style(0.0))
            spans = [name for name, s in WINDOWS.items() if s is None or s < end - start]
            self._window = gui.add_dropdown(
                "Window", spans, initial_value="whole run", visible=len(spans) > 1, order=LAST
            )
            self._window.on_update(lambda _: session.worker.post("plots", self._redraw))
            self._add = gui.add_dropdown("Add channel", ("…", *self.names), initial_value="…", order=LAST + 1)
            self._add.on_update(lambda _: self._picked(self._add, self.add))
            self._drop: Any = gui.add_dropdown("Remove", ("…",), initial_value="…", order=LAST + 2)
            self._drop.on_update(lambda _: self._picked(self._drop, self.remove))
        for name in usual_channels(self.runs[0]):
            self.add(name)

    def _picked(self, menu: Any, act: Any) -> None:
        name = str(menu.value)
        if name == "…":
            return
        menu.value = "…"
        if name in self.names:
            self.session.worker.post(f"plot {name}", lambda: act(name))

    def add(self, name: str) -> None:
        """Draw a channel, if there is room and it is not drawn yet."""
        if name in self._chosen:
            return
        if len(self._chosen) >= MOST:
            self.session.say(f"{MOST} channels are drawn; remove one first")
            return
        self._chosen[name] = []
        with self._tab:
            self._chosen[name] = [self._plot(panel) for panel in curve_panels(self.runs, name)]
        self._drop.options = ("…", *self._chosen)
        self.show(self.time)

    def remove(self, name: str) -> None:
        """Draw a channel no longer."""
        for shown in self._chosen.pop(name, []):
            shown.chart.remove()
            shown.legend.remove()
        self._drop.options = ("…", *self._chosen)

    def _plot(self, panel: CurvePanel) -> Shown:
        gui = self.session.gui
        series: list[dict[str, Any]] = [{"label": "t"}]
        for curve, colour in zip(panel.curves, curve_colours(panel), strict=True):
            line: dict[str, Any] = {"label": curve.name, "stroke": colour, "width": 1.3, "points": {"show": False}}
            series.append(line | line_style(curve))
        chart = gui.add_uplot(
            self._data(panel),
            tuple(series),  # pyright: ignore[reportArgumentType]
            scales=_scales(panel, self._span()),
            axes=(
                {"size": BOTTOM, "font": "10px sans-serif", "space": 45},
                {"size": LEFT, "font": "10px sans-serif"},
            ),
            legend={"show": False},
            cursor={"show": True, "drag": {"x": False, "y": False, "setScale": False}},
            height=HEIGHT,
            padding=(TOP, RIGHT, 0, 0),
        )
        return Shown(panel, chart, gui.add_html(self._legend(panel)))

    # ---- data

    def _span(self) -> tuple[float, float]:
        width = WINDOWS.get(str(self._window.value))
        if width is None or width >= self.end - self.start:
            return self.start, self.end if self.end > self.start else self.start + 1.0
        begin = min(max(self.time - width / 2, self.start), self.end - width)
        return begin, begin + width

    def _data(self, panel: CurvePanel) -> tuple[np.ndarray, ...]:
        time, *values = align_curves(panel, *self._span())
        return (time, *(v / 10.0 ** axis_power(panel) for v in values))

    def _redraw(self) -> None:
        span = self._span()
        with self.session.client.atomic():
            for shown in self._all():
                shown.chart.scales = _scales(shown.panel, span)
                shown.chart.data = self._data(shown.panel)
        self.show(self.time)

    def _all(self) -> list[Shown]:
        return [shown for group in list(self._chosen.values()) for shown in group]

    # ---- what moves

    def show(self, at: float, numbers: bool = True) -> None:
        """Move the cursor to a time (s). numbers: with the values under the plots and a window that moves."""
        self.time = at
        if numbers:
            self._tell()
        begin, end = self._drawn
        self._cursor.content = _cursor_style((at - begin) / (end - begin))

    def _tell(self) -> None:
        self._drawn = begin, end = self._span()
        moving = (begin, end) != (self.start, self.end) and WINDOWS.get(str(self._window.value)) is not None
        for shown in self._all():
            shown.legend.content = self._legend(shown.panel)
            if moving:
                shown.chart.scales = _scales(shown.panel, (begin, end))
                shown.chart.data = self._data(shown.panel)

    def _legend(self, panel: CurvePanel) -> str:
        power = axis_power(panel)
        counted = f", axis in 10<sup>{power}</sup> {html.escape(panel.unit)}" if power else ""
        rows = [f"<b>{html.escape(panel.label)}</b>{counted}"]
        besides: dict[tuple[str, int], list[str]] = {}
        for curve, colour in zip(panel.curves, curve_colours(panel), strict=True):
            value = value_at(curve, self.time)
            number = "–" if np.isnan(value) else f"{value:.4g}"
            if curve.role:
                besides.setdefault((curve.name, curve.run), []).append(number)
                continue
            mark, more = "╌" if curve.run else "━", besides.get((curve.name, curve.run))
            number += f"&nbsp;({', '.join(more)})" if more else ""
            rows.append(f'<span style="color:{colour}">{mark}</span>&nbsp;{html.escape(curve.name)}&nbsp;{number}')
        roles = dict.fromkeys(curve.role for curve in panel.curves if curve.role)
        if roles:
            marks = ", ".join(f"{ROLES.get(role, SENSOR)[1]}&nbsp;{html.escape(role)}" for role in roles)
            rows[0] += f" &ensp;({marks})"
        if panel.more:
            rows.append(f"and {panel.more} smaller")
        line = (
            '<div class="gough-now" style="position:absolute;width:0;margin-left:-0.75px;opacity:0.75;pointer-events:none;'
            f"border-left:1.5px solid currentColor;bottom:calc(100% + {BOTTOM + GAP}px);height:{HEIGHT - TOP - BOTTOM}px;"
            f'left:calc({LEFT + BORDER}px + var(--gough-time) * (100% - {LEFT + RIGHT + BORDER}px))"></div>'
        )
        text = "&ensp; ".join(rows)
        return (
            f'<div style="position:relative;font-size:0.72em;line-height:1.45;margin:0 0.75em;'
            f'font-variant-numeric:tabular-nums">{line}{text}</div>'
        )


def line_style(curve: PlottedCurve) -> dict[str, Any]:
    """How the line differs from that of what is."""
    if curve.role:
        return ROLES.get(curve.role, SENSOR)[0]
    return {"dash": (5.0, 4.0)} if curve.run else {}


def _scales(panel: CurvePanel, span: tuple[float, float]) -> dict[str, Any]:
    """Times (s), and values in the power of ten of their axis."""
    low, high = (x / 10.0 ** axis_power(panel) for x in value_range(panel))
    return {"x": {"time": False, "range": span}, "y": {"range": (low, high)}}


def _cursor_style(part: float) -> str:
    part = min(max(part, 0.0), 1.0) if np.isfinite(part) else 0.0
    return f"<style>.gough-now{{--gough-time:{part:.6f}}}</style>"


def align_curves(panel: CurvePanel, start: float, end: float, points: int = POINTS) -> tuple[np.ndarray, ...]:
    """Times (m,) and each curve (m,) from start to end (s), thinned; curves of runs with other times have NaN in between."""
    groups: dict[int, list[int]] = {}
    for k, curve in enumerate(panel.curves):
        groups.setdefault(curve.run, []).append(k)
    found = []
    for members in groups.values():
        curve = panel.curves[members[0]]
        part = samples_within(curve.time, start, end)
        values = np.stack([panel.curves[k].values[part] for k in members], axis=1)
        found.append((members, *thin_curves(curve.time[part], values, points)))
    if len(found) == 1:
        _, t, values = found[0]
        return (np.array(t), *np.array(values).T)
    t = np.unique(np.concatenate([times for _, times, _ in found]))
    out = np.full((len(panel.curves), len(t)), np.nan)
    for members, times, values in found:
        for column, k in enumerate(members):
            inside = (t >= times[0]) & (t <= times[-1])
            out[k, inside] = np.interp(t[inside], times, values[:, column])
    return (t, *out)
