"""Curves of the last seconds of a robot that runs: drive forces, errors from the reference, the push."""

import html
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.viewer._curves import LINES, CurvePanel, PlottedCurve, axis_power, curve_colours, value_range
from gough.viewer.live.loop import LiveLoop, LiveSample
from gough.viewer.panels._plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDE, WIDTH

if TYPE_CHECKING:
    from gough.viewer._session import Session

Array = np.ndarray
SECONDS = {"10 s": 10.0, "3 s": 3.0, "1 s": 1.0, "30 s": 30.0}
NOISE = 1e-9
"""Of the largest value of a plot: less is shown as none."""
PUSH = ("fx", "fy", "fz", "mx", "my", "mz")


class LivePlots:
    """The plots of a live page, in a column of their own where there is room."""

    def __init__(self, session: "Session", loop: LiveLoop) -> None:
        self.session, self.loop = session, loop
        self._shown: dict[str, tuple[Any, Any]] = {}  # chart and legend by what a panel is called
        self._made: dict[tuple[str, ...], tuple[Any, Any]] = {}
        gui = session.gui
        if session.width >= WIDE:
            column = gui.add_panel()
            column.dock_left()
            session.make_room()
            column.set_width(WIDTH)
            self._tab = column.add_tab("Plots", Icon.CHART_LINE)
        else:
            self._tab = session.tabs.add_tab("Plots")
        with self._tab:
            self._window = gui.add_dropdown("Last", tuple(SECONDS), initial_value="10 s")
            self._window.on_update(lambda _: session.worker.post("plots", self.show))

    def begin(self) -> None:
        """Plots for the loop that runs now. Those of the one before are hidden, not taken out: a page may still have to take in
        what was sent to them."""
        before, self._shown = self._shown, {}
        with self._tab:
            for panel in live_panels(self.loop, self._samples()):
                key = panel.label, *(curve.name for curve in panel.curves)
                if key not in self._made:
                    self._made[key] = self._plot(panel), self.session.gui.add_html(_legend(panel))
                self._shown[panel.label] = self._made[key]
        for plot in before.values():
            _set_visible(plot, any(plot is other for other in self._shown.values()))
        for plot in self._shown.values():
            _set_visible(plot, True)
        self.show()

    def _plot(self, panel: CurvePanel) -> Any:
        series: list[dict[str, Any]] = [{"label": "t"}]
        for curve, colour in zip(panel.curves, curve_colours(panel), strict=True):
            series.append({"label": curve.name, "stroke": colour, "width": 1.3, "points": {"show": False}})
        return self.session.gui.add_uplot(
            self._data(panel),
            tuple(series),  # pyright: ignore[reportArgumentType]
            scales=self._scales(panel),
            axes=({"size": BOTTOM, "font": "10px sans-serif", "space": 45}, {"size": LEFT, "font": "10px sans-serif"}),
            legend={"show": False},
            cursor={"show": False},
            height=HEIGHT,
            padding=(TOP, RIGHT, 0, 0),
        )

    def show(self) -> None:
        """What was in the last seconds."""
        samples = self._samples()
        for panel in live_panels(self.loop, samples):
            if panel.label in self._shown:
                chart, legend = self._shown[panel.label]
                chart.scales = self._scales(panel)
                chart.data = self._data(panel)
                legend.content = _legend(panel)

    def _samples(self) -> list[LiveSample]:
        seconds = SECONDS.get(str(self._window.value), 10.0)
        with self.loop.lock:
            t = self.loop.t
            return [s for s in self.loop.samples if s.t >= t - seconds]

    def _data(self, panel: CurvePanel) -> tuple[Array, ...]:
        scale = 10.0 ** axis_power(panel)
        return (panel.curves[0].time, *(c.values / scale for c in panel.curves))

    def _scales(self, panel: CurvePanel) -> dict[str, Any]:
        low, high = (x / 10.0 ** axis_power(panel) for x in value_range(panel))
        seconds = SECONDS.get(str(self._window.value), 10.0)
        end = max(self.loop.t, seconds)
        return {"x": {"time": False, "range": (end - seconds, end)}, "y": {"range": (low, high)}}


def _set_visible(plot: tuple[Any, Any], visible: bool) -> None:
    for handle in plot:
        if handle.visible != visible:
            handle.visible = visible


def live_panels(loop: LiveLoop, samples: list[LiveSample]) -> list[CurvePanel]:
    """Drive forces, errors and the push over time, in one panel a unit."""
    layout, pushed = loop.model.layout, loop.pushed
    time = np.array([s.t for s in samples] or [loop.t])
    none = not samples

    def panels(title: str, entries: list[tuple[str, str]], values: Array) -> list[CurvePanel]:
        out = []
        for unit in dict.fromkeys(unit for _, unit in entries):
            at = [k for k, (_, own) in enumerate(entries) if own == unit][:LINES]
            more = sum(own == unit for _, own in entries) - len(at)
            curves = tuple(PlottedCurve(entries[k][0], 0, time, values[:, k]) for k in at)
            out.append(CurvePanel(title, unit, curves, more))
        return out

    def stacked(take: Any, count: int) -> Array:
        return np.zeros((1, count)) if none else np.stack([take(s) for s in samples])

    forces = list(zip(layout.drive_names, layout.drive_units, strict=True))
    out = panels("drive forces", forces, stacked(lambda s: s.tau, len(forces)))
    errors = list(loop.errors)
    out += panels("error", errors, stacked(lambda s: s.error, len(errors)))
    moved = [] if pushed is None else [k for k in range(6) if pushed.moves[k] and (k < 3 or not pushed.can_be_dragged)]
    loads = [(PUSH[k], "N" if k < 3 else "N m") for k in moved]
    return out + panels("push", loads, stacked(lambda s: s.push[moved], len(loads)))


def _legend(panel: CurvePanel) -> str:
    power = axis_power(panel)
    counted = f", axis in 10<sup>{power}</sup> {html.escape(panel.unit)}" if power else ""
    rows = [f"<b>{html.escape(panel.label)}</b>{counted}"]
    nothing = NOISE * max(float(np.abs(curve.values).max()) for curve in panel.curves)
    for curve, colour in zip(panel.curves, curve_colours(panel), strict=True):
        value = float(curve.values[-1]) if abs(curve.values[-1]) > nothing else 0.0
        rows.append(f'<span style="color:{colour}">━</span>&nbsp;{html.escape(curve.name)}&nbsp;{value:.4g}')
    if panel.more:
        rows.append(f"and {panel.more} more")
    text = "&ensp; ".join(rows)
    return (
        f'<div style="font-size:0.72em;line-height:1.45;margin:0 0.75em;font-variant-numeric:tabular-nums">{text}</div>'
    )
