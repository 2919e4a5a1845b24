"""The tab that moves the robot: sliders, a drag handle, and the numbers of the pose.

Everything that changes the robot runs in the page's quick lane, one thing after the other; equilibrium, frequency and
stiffness go to the slow lane unless they are known to be quick.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.viewer.panels._conditions import ConditionsForm
from gough.viewer.panels._handle import PoseHandle
from gough.viewer.panels._tables import drives_table, line, measures_table, note
from gough.viewer.posing.attempt import Attempt, Poser
from gough.viewer.posing.axes import PosingAxes, ranges_of, sets_of_axes
from gough.viewer.posing.readout import Readout, Settled, read_pose, settle_pose, warming_steps

if TYPE_CHECKING:
    from gough.viewer._session import Session

# Sliders of the coordinates a robot is moved by: in m and degrees on the page, in m and rad inside.


class CoordinateSliders:
    """One slider a coordinate. touched: called with the index of a slider that the user moved."""

    def __init__(
        self, session: "Session", axes: PosingAxes, values: np.ndarray, touched: Callable[[int], None]
    ) -> None:
        self.axes = axes
        self.ranges = [ranges_of(axes)[n] for n in axes.names]
        self._factors = [180.0 / np.pi if unit == "rad" else 1.0 for unit in axes.units]
        self._handles = []
        for k, (name, unit) in enumerate(zip(axes.names, axes.units, strict=True)):
            own, factor = self.ranges[k], self._factors[k]
            slider = session.gui.add_slider(
                f"{name} ({'°' if unit == 'rad' else unit})",
                min=round(own.low * factor, 9),
                max=round(own.high * factor, 9),
                step=round(own.step * factor, 9),
                initial_value=self._shown(k, float(values[k])),
            )
            slider.on_update(lambda event, k=k: touched(k) if event.client is not None else None)
            self._handles.append(slider)

    @property
    def values(self) -> np.ndarray:
        """What the sliders ask for (n,), m and rad, within their ranges."""
        asked = [float(handle.value) / factor for handle, factor in zip(self._handles, self._factors, strict=True)]
        return np.array([own.clip(x) if np.isfinite(x) else own.low for own, x in zip(self.ranges, asked, strict=True)])

    def put(self, values: np.ndarray) -> None:
        """Move the sliders to values (n,) without asking for anything."""
        for k, handle in enumerate(self._handles):
            handle.value = self._shown(k, float(values[k]))

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Values (n,) within the ranges; joint angles by whole turns, where those make no difference and bring them inside."""
        out = np.array(values, dtype=float)
        periodic = self.axes.periodic
        for k, own in enumerate(self.ranges):
            if periodic[k] and not own.low <= out[k] <= own.high:
                turned = own.low + np.remainder(out[k] - own.low, 2 * np.pi)
                out[k] = turned if turned <= own.high else out[k]
            out[k] = own.clip(out[k])
        return out

    def _shown(self, k: int, value: float) -> float:
        own, factor = self.ranges[k], self._factors[k]
        digits = max(0, 1 - int(np.floor(np.log10(own.step * factor))))
        inside = round(own.clip(value) * factor, digits + 2)
        return float(min(max(inside, round(own.low * factor, 9)), round(own.high * factor, 9)))

    @property
    def visible(self) -> bool:
        """Whether they are on the page."""
        return all(handle.visible for handle in self._handles)

    @visible.setter
    def visible(self, shown: bool) -> None:
        for handle in self._handles:
            handle.visible = shown


QUICK = 0.04
"""Seconds that an equilibrium may take to be computed before the picture is drawn."""
LOOK_AGAIN = 0.4
"""Seconds between looks at whether another tab has moved the robot."""
NO_COORDINATES = "The freedoms of this robot are ball joints without scalar coordinates: it cannot be moved by sliders."


class PosePanel:
    """Moves the robot. poser: keeps the last good pose; conditions: the load and what the drives do."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.model = session.subject.model
        self.poser = Poser(self.model, session.q)
        self.sets = sets_of_axes(self.model)
        self._touched: set[int] = set()
        self._pulled: dict[str, float] | None = None
        self._mine = False
        self._foreign = self._moving = False
        self._version = 0
        self._cost = np.inf
        self._readout: Readout | None = None
        self._settled: Settled | None = None
        with session.tabs.add_tab("Pose", None):
            self._build()
        self._ticker = session.worker.every(LOOK_AGAIN, self._look)
        session.on_show.append(self._shown)
        session.worker.post("pose numbers", lambda: self._look_at(session.q))
        self._warm(warming_steps(self.model, self.conditions.load.frame))

    def _build(self) -> None:
        gui = self.session.gui
        self._verdict = gui.add_html(line("", lines=3))
        names = list(self.sets)
        self.sliders: dict[str, CoordinateSliders] = {}
        self._choice = gui.add_dropdown("Move by", tuple(names)) if len(names) > 1 else None
        if self._choice is not None:
            self._choice.on_update(lambda event: self._chosen() if event.client is not None else None)
        for name, axes in self.sets.items():
            self.sliders[name] = CoordinateSliders(self.session, axes, axes.values(self.session.q), self._slid)
            self.sliders[name].visible = name == names[0]
        if not names:
            gui.add_html(note(NO_COORDINATES))
        self._way = names[0] if names else ""
        self.handle = PoseHandle(self.session, self.sets[names[0]], self._pull) if names else None
        if names:
            turning = any("rad" in axes.units for axes in self.sets.values())
            options = ("Home", "Zero angles", "Last good") if turning else ("Home", "Last good")
            buttons = gui.add_button_group("Go to", options)
            buttons.on_click(lambda _: self._button(str(buttons.value)))
        self._drives = gui.add_html(" ")
        self._measures = gui.add_html(" ")
        self.conditions = ConditionsForm(self.session, self._conditions_changed)
        if self.handle is not None and self.handle.free:
            shown = gui.add_checkbox("Drag handle", not self.session.subject.runs)
            shown.on_update(lambda _: self._show_handle(bool(shown.value)))
        self._handle_wanted = not self.session.subject.runs  # it would cover the platform of a run that is played
        self._show_handle(self._handle_wanted)
        self._place_handle(self.session.q)

    @property
    def shown(self) -> CoordinateSliders:
        """The sliders that are used now."""
        return self.sliders[self._way]

    # what the user does: notes it and leaves the rest to the quick lane

    def _slid(self, k: int) -> None:
        self._touched.add(k)
        self._begin()

    def _pull(self, coordinates: dict[str, float]) -> None:
        self._pulled = coordinates
        self._begin()

    def _button(self, name: str) -> None:
        self.session.act(self)
        if name in ("Home", "Zero angles", "Last good"):
            self.session.worker.post("pose", lambda: self._go_to(name))

    def _begin(self) -> None:
        self.session.act(self)
        self.session.worker.post("pose", self._go)

    def _chosen(self) -> None:
        def change() -> None:
            assert self._choice is not None
            way = str(self._choice.value)
            if way in self.sliders and way != self._way:
                for name, sliders in self.sliders.items():
                    sliders.visible = name == way
                self._way = way
                self._adopt()
                self._show_handle(self._handle_wanted)

        self.session.worker.post("pose way", change)

    def _conditions_changed(self) -> None:
        self.session.worker.post("pose numbers", self._numbers)

    def go(self, values: dict[str, float]) -> None:
        """Ask for values of some coordinates of the first way to move; the others stay. Any thread."""
        self.session.act(self)

        def ask() -> None:
            first = next(iter(self.sliders))
            if self._way != first and self._choice is not None:
                self._choice.value = first
                for name, sliders in self.sliders.items():
                    sliders.visible = name == first
                self._way = first
            if self._foreign:
                self._adopt()
            axes = self.shown.axes
            wanted = axes.values(self.poser.q)
            for name, value in values.items():
                wanted[axes.names.index(name)] = value
            self._ask(wanted)

        self.session.worker.post("pose", ask)

    # in the quick lane

    def _go(self) -> None:
        if self._foreign:
            self._adopt(keep=self._touched)
        self._touched = set()
        wanted = self.shown.values
        pulled, self._pulled = self._pulled, None
        if pulled:
            for name, value in pulled.items():
                if name in self.shown.axes.names:
                    wanted[self.shown.axes.names.index(name)] = value
            wanted = self.shown.clip(wanted)
        self._ask(wanted)

    def _go_to(self, name: str) -> None:
        if self._foreign:
            self._adopt()
        axes = self.shown.axes
        if name == "Home":
            self.poser.adopt(self.model.home)  # whatever the assembly is now
            wanted = axes.values(self.model.home)
        else:
            wanted = axes.values(self.poser.q)
            if name == "Zero angles":
                wanted = np.where([unit == "rad" for unit in axes.units], 0.0, wanted)
        self._ask(self.shown.clip(wanted))

    def _ask(self, wanted: np.ndarray) -> None:
        """Try values (n,), and show what came of it."""
        attempt = self.poser.try_values(self.shown.axes, wanted)
        with self.session.client.atomic():
            self.shown.put(wanted)
            self._judge(attempt)
            if attempt.good:
                self._numbers()
            else:
                self._place_handle(None, wanted)

    def _look_at(self, q: np.ndarray) -> None:
        """Say what is to be said about a closed configuration, and go on from it."""
        self._judge(self.poser.take(q))
        self._numbers()

    def _judge(self, attempt: Attempt) -> None:
        robot, legs = self.session.robot, len(self.model.mechanism.legs)
        if attempt.reasons:
            prefix = "" if attempt.good else "Not there: "
            self._verdict.content = line(f"{prefix}{attempt.text}.", bad=True, lines=3)
        else:
            self._verdict.content = line("Within reach and limits.", good=True, lines=3)
        whole = attempt.all_marked
        robot.mark(range(legs) if whole else attempt.legs)
        robot.mark_all(whole and not legs)

    def _numbers(self) -> None:
        """Draw the last good pose with its numbers."""
        self._version += 1
        q, load, hold = self.poser.q, self.conditions.load, self.conditions.hold
        self._readout = read_pose(self.model, q, load)
        version = self._version
        if self._cost < QUICK:
            self._settle(version, q)
            return
        self._draw(q)
        self._tables(waiting=True)
        self.session.worker.post("pose settle", lambda: self._settle_later(version, q, load, hold), slow=True)

    def _settle(self, version: int, q: np.ndarray) -> None:
        begin = time.perf_counter()
        settled = settle_pose(self.model, q, self.conditions.load, self.conditions.hold)
        self._cost = time.perf_counter() - begin
        self._apply(version, settled)

    def _settle_later(self, version: int, q: np.ndarray, load: Any, hold: Any) -> None:
        """In the slow lane."""
        if version != self._version:
            return
        begin = time.perf_counter()
        settled = settle_pose(self.model, q, load, hold)
        self._cost = time.perf_counter() - begin
        self.session.worker.post("pose settled", lambda: self._apply(version, settled))

    def _apply(self, version: int, settled: Settled) -> None:
        if version != self._version or self._foreign:
            return
        self._settled = settled
        if self.model.layout.n_elastic:
            self.poser.adopt(settled.q)
        with self.session.client.atomic():
            self._draw(self.poser.q)
            self._tables(waiting=False)

    def _draw(self, q: np.ndarray) -> None:
        self._mine = True
        try:
            self.session.show(q)
        finally:
            self._mine = False
        self._place_handle(q)

    def _tables(self, waiting: bool) -> None:
        if self._readout is not None:
            self._drives.content = drives_table(self.model, self._readout, self._settled, waiting)
            self._measures.content = measures_table(self.model, self._readout, self._settled, waiting)

    # the handle

    def _show_handle(self, wanted: bool) -> None:
        self._handle_wanted = wanted
        if self.handle is not None:
            self.handle.visible = wanted and not self._moving and not self.shown.axes.by_drives

    def _place_handle(self, q: np.ndarray | None, wanted: np.ndarray | None = None) -> None:
        """At the platform of q (nq,), or where the coordinates `wanted` (n,) would put it."""
        if self.handle is None or not self.handle.free:
            return
        if wanted is None:
            assert q is not None
            self.handle.place(q[:7])
        elif self.shown.axes.takes_any_pose:
            self.handle.place(self.shown.axes.target(wanted)["pose"])
        else:
            pose = np.array(self.poser.q[:7])
            for name, value in zip(self.shown.axes.names, wanted, strict=True):
                if name in ("x", "y", "z"):
                    pose["xyz".index(name)] = value
            self.handle.place(pose)

    # other tabs move the robot too

    def _shown(self, q: np.ndarray) -> None:
        if not self._mine:
            self._foreign = self._moving = True

    def _look(self) -> None:
        """Hide the handle while another tab moves the robot, and follow when it has come to rest."""
        if not self._foreign:
            return
        if self._moving:
            self._moving = False
            if self.handle is not None and self.handle.visible:
                self.handle.visible = False
            return
        self._adopt()

    def _adopt(self, keep: set[int] | None = None) -> None:
        """Go on from what is shown; sliders in `keep` stay as they are."""
        q = self.session.q
        self._foreign = self._moving = False
        if not np.isfinite(q).all():
            return
        if self._way:
            asked = self.shown.values
            values = self.shown.clip(self.shown.axes.values(q))
            for k in keep or ():
                values[k] = asked[k]
            self.shown.put(values)
        self._show_handle(self._handle_wanted)
        self._look_at(q)

    def _warm(self, steps: Any) -> None:
        """Compile in the slow lane, one thing at a time, so that others can come between."""

        def one() -> None:
            step = next(steps, None)
            if step is not None and not self.session.closed:
                step()
                self.session.worker.post("warm", one, slow=True)

        self.session.worker.post("warm", one, slow=True)

    def rest(self) -> None:
        """Another tab takes the robot."""

    def close(self) -> None:
        """No more looks."""
        self._ticker.stop()
