"""The tab of a study: along its front, through its cases, chosen designs beside it, and what can be taken away."""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.viewer._clock import FASTEST, SLOWEST, Player
from gough.viewer.panels._chosen import ChosenDesigns
from gough.viewer.panels._front import DesignColumn, FrontColumn, design_text
from gough.viewer.panels._plots import WIDE
from gough.viewer.panels._tables import line, note
from gough.viewer.panels.motion import FRAME, SPEEDS, TOLD_EVERY, no_markdown, time_step
from gough.viewer.posing.designs import DesignStates, FrontWay, front_way
from gough.viewer.scene.designs import DesignStage

if TYPE_CHECKING:
    from gough.studies.result import StudyResult
    from gough.viewer._session import Session

SECONDS = 15.0
"""A way is played in, at 1×; few stops take less, a second each."""
NARROW, BROAD = 350, 430
"""Of the column with the front, pixels."""
DOCKED = 325
"""Of the panel, pixels."""
BETWEEN = "between designs {} and {}, {:.0f} % of the way: interpolated and assembled"
KEYS = "Keys: **space** play or pause along the front, **J** / **L** stop back and forward, **Home** / **End** to its ends."


class DesignsPanel:
    """Moves the page's robot along the front of its study."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.found: StudyResult = session.subject.demand_study()
        self.states = DesignStates(self.found)
        self.objectives = [o.measure for o in self.found.study.evaluator.objectives]
        self._lock = threading.Lock()
        self._ticker: Any = None
        self._told, self._asked = 0.0, -1.0
        self._evaluated: tuple[float, np.ndarray] | None = None
        self.described = self._as_described()
        way = front_way(self.found, 0, self._all_in_order())
        self.stage = DesignStage(session.scene, self.states, session.robot, way, self._replaced)
        self.stage.columns = 6 if self.wide else 3
        self.player, self.clock = self._player(way), Player(0.0, self.states.seconds(self.states.first))
        self.clock.loop = True
        self._column()
        with session.tabs.add_tab("Designs"):
            self._headline()
            self._folder = session.gui.add_folder("Along the front")
            with self._folder:
                self._build_way()
            self._case_folder = session.gui.add_folder("Case")
            with self._case_folder:
                self._build_case()
            self.beside = ChosenDesigns(session, self)
            session.gui.add_markdown(KEYS)
        self._keys()
        self.beside.choose(dict(self.beside.usual))

    def _all_in_order(self) -> bool:
        return len(self.objectives) < 3

    @property
    def _column_width(self) -> int:
        return int(np.clip(0.27 * self.session.width, NARROW, BROAD)) if self.session.width >= WIDE else 0

    @property
    def wide(self) -> bool:
        """Whether the scene has room for all in a row."""
        return self.aspect > 0.85

    @property
    def aspect(self) -> float:
        """Width over height of what is left for the scene."""
        left = max(self.session.width - self._column_width - DOCKED, 150)
        return left / max(int(self.session.client.camera.image_height), 1)

    def _as_described(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(x, measures) of the description's own design; None where it does not take all states."""
        x = self.states.space.start
        found = self.found.study.evaluator.evaluate(x[None])
        return None if found.violation[0] > 0 else (x, found.values[0])

    def _player(self, way: FrontWay) -> Player:
        return Player(0.0, way.last)

    # ---- what is on the page

    def _column(self) -> None:
        session, gui = self.session, self.session.gui
        if session.width >= WIDE:
            column = gui.add_panel()
            column.dock_left()
            session.make_room()
            column.set_width(self._column_width)
            tab = column.add_tab("Front", Icon.CHART_DOTS)
        else:
            tab = session.tabs.add_tab("Front", Icon.CHART_DOTS)
        with tab:
            self.front = FrontColumn(gui, self.found)
            self._binding = gui.add_html(" ")

    def _headline(self) -> None:
        found, gui = self.found, self.session.gui
        title = no_markdown(found.study.title or found.study.name)
        kind = f"{len(found)} on the front" if len(self.objectives) > 1 else "the best of them"
        gui.add_markdown(f"**{title}**: {found.designs} designs, {found.feasible} feasible, {kind}")
        for remark in found.remarks:
            gui.add_html(line(remark[0].upper() + remark[1:], bad=True))

    def _build_way(self) -> None:
        gui, alone = self.session.gui, len(self.found) < 2
        self._order = gui.add_dropdown("Order by", tuple(self.objectives), visible=len(self.objectives) > 1)
        self._every = gui.add_checkbox(
            "Every design", self._all_in_order(), disabled=len(self.found) < 3,
            hint="All designs in this order; else those that lead from end to end in small steps",
        )  # fmt: skip
        self._slider: Any = None
        self._slide()
        self._said = gui.add_html(" ")
        self._play = gui.add_button("Play", icon=Icon.PLAYER_PLAY, disabled=alone)
        moves = gui.add_button_group("Go to", ("Start", "Back", "Next", "End"), disabled=alone)
        self._number = gui.add_number("Design", 0, min=0, max=len(self.found) - 1, step=1, hint="By its number")
        self._order.on_update(lambda event: self._reorder() if event.client is not None else None)
        self._every.on_update(lambda event: self._reorder() if event.client is not None else None)
        self._play.on_click(lambda _: self.toggle())
        moves.on_click(lambda _: self._moved(str(moves.value)))
        self._number.on_update(lambda event: self._numbered() if event.client is not None else None)

    def _slide(self) -> None:
        """The slider of the way that is there now."""
        last, before = self.stage.way.last, self._slider
        with nullcontext() if before is None else self._folder:
            self._slider = self.session.gui.add_slider(
                "Stop", min=0.0, max=max(last, 1e-9), step=0.01 if last < 200 else 0.1, initial_value=0.0,
                disabled=last == 0, order=None if before is None else before.order,
            )  # fmt: skip
        if before is not None:
            before.remove()
        self._slider.on_update(self._scrubbed)

    def _build_case(self) -> None:
        gui = self.session.gui
        names = tuple(self.states.cases)
        self._case = gui.add_dropdown("Case", names, initial_value=self.states.first, visible=len(names) > 1)
        self._time: Any = None
        self._timed()
        self._ride = gui.add_button("Play the case", icon=Icon.PLAYER_PLAY, disabled=self.clock.end == 0)
        self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1×", hint="Of the case, and along the front")
        self._speed.on_update(lambda _: self._pace())
        self._pace()
        self._case.on_update(lambda event: self._recase() if event.client is not None else None)
        self._ride.on_click(lambda _: self.play_case())

    def _timed(self) -> None:
        """The slider of the case that is chosen."""
        before, name = self._time, str(self._case.value)
        case, span = self.states.cases[name], self.states.seconds(name)
        label, step = ("Time (s)", time_step(span)) if case.time is not None else ("Pose", 1.0)
        with nullcontext() if before is None else self._case_folder:
            self._time = self.session.gui.add_slider(
                label, min=0.0, max=max(span, 1e-9), step=step, initial_value=0.0, disabled=span == 0,
                order=None if before is None else before.order,
            )  # fmt: skip
        if before is not None:
            before.remove()
            self._ride.disabled = span == 0
        self._time.on_update(self._time_scrubbed)

    def _keys(self) -> None:
        keys: dict[str, tuple[Any, Callable[[], None]]] = {
            "Play or pause along the front": ("space", self.toggle),
            "Stop before": ("J", lambda: self._moved("Back")),
            "Stop after": ("L", lambda: self._moved("Next")),
            "To the best": ("home", lambda: self._moved("Start")),
            "To the worst": ("end", lambda: self._moved("End")),
        }
        for label, (key, act) in keys.items():
            command = self.session.gui.add_command(label, hotkey=key)
            command.on_trigger(lambda _, act=act: act())

    # ---- along the front

    def toggle(self) -> None:
        """Play or pause along the front."""
        if len(self.found) > 1:
            self.player.toggle()
            self._follow()

    def play_case(self) -> None:
        """Play or pause the case."""
        self.clock.toggle()
        self._follow()

    def hold(self) -> None:
        """Stay still."""
        self.player.pause()
        self.clock.pause()
        self._follow()

    def _pace(self) -> None:
        way = self.stage.way.last
        told = float(str(self._speed.value).removesuffix("×")) if self._speed.value in SPEEDS else 1.0
        self.player.speed = float(np.clip(told * max(1.0, way / SECONDS), SLOWEST, FASTEST))
        self.clock.speed = told

    def _follow(self) -> None:
        with self._lock:
            for button, player, words in ((self._play, self.player, "Play"), (self._ride, self.clock, "Play the case")):
                button.label = "Pause" if player.playing else words
                button.icon = Icon.PLAYER_PAUSE if player.playing else Icon.PLAYER_PLAY
            playing = self.player.playing or self.clock.playing
            if playing and self._ticker is None:
                self._ticker = self.session.worker.every(FRAME, self._beat)
            elif not playing and self._ticker is not None:
                self._ticker.stop()
                self._ticker = None
                self.session.worker.post("show", self.show)  # where the clocks stopped

    def _beat(self) -> None:
        still = not (self.player.playing or self.clock.playing)
        try:
            self.show(told=still or monotonic() - self._told >= TOLD_EVERY)
        except Exception:
            self.hold()
            raise
        if still or self.player.playing != (self._play.label == "Pause"):
            self._follow()

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None and np.isfinite(self._slider.value):
            self.player.pause()
            self._follow()
            self.go_to(float(self._slider.value), slider=False)

    def _time_scrubbed(self, event: Any) -> None:
        if event.client is not None and np.isfinite(self._time.value):
            self.clock.pause()
            self._follow()
            self.clock.seek(float(self._time.value))
            self.session.worker.post("show", self.show)

    def go_to(self, place: float, slider: bool = True) -> None:
        """Show a place of the way."""
        self.player.seek(place)
        self.session.worker.post("show", lambda: self.show(slider=slider))

    def _moved(self, where: str) -> None:
        if where not in ("Start", "Back", "Next", "End"):
            return
        self.player.pause()
        self._follow()
        now, last = self.player.time, self.stage.way.last
        place = {"Start": 0.0, "End": last, "Back": np.ceil(now - 1e-6) - 1, "Next": np.floor(now + 1e-6) + 1}[where]
        self.go_to(float(np.clip(place, 0.0, last)))

    def _reorder(self) -> None:
        """Another way, from the stop nearest to the present design."""
        if str(self._order.value) not in self.objectives:
            return
        here = self.stops()[0]
        self.player.pause()
        self._follow()
        way = front_way(self.found, self.objectives.index(str(self._order.value)), bool(self._every.value))
        self.stage.way, self.player = way, self._player(way)
        self._pace()
        self._slide()
        self.go_to(float(way.place_of(here)))

    def _numbered(self) -> None:
        """To a design by its number; where it is not on the way, along every design."""
        row = int(np.clip(float(self._number.value), 0, len(self.found) - 1))
        if row not in self.stage.way.rows:
            self._every.value = True
            way = front_way(self.found, self.objectives.index(str(self._order.value)), True)
            self.stage.way, self.player = way, self._player(way)
            self._pace()
            self._slide()
        self.player.pause()
        self._follow()
        self.go_to(float(np.flatnonzero(self.stage.way.rows == row)[0]))

    def _recase(self) -> None:
        name = str(self._case.value)
        if name in self.states.cases:
            self.clock.pause()
            self._follow()
            self.clock = Player(0.0, self.states.seconds(name))
            self.clock.loop = True
            self._pace()
            self._timed()
            self.session.worker.post("show", self.show)

    def stops(self) -> tuple[int, int, float]:
        """(design before, design after, part of the way) now."""
        return self.stage.way.stops(self.player.time)

    def show(self, slider: bool = True, told: bool = True) -> None:
        """Everything as it is now. slider: move it too; told: with numbers."""
        if self.session.closed:
            return
        place, time = self.player.time, self.clock.time
        with self.session.client.atomic():
            self.stage.show(place, time, str(self._case.value))
            if told:
                self._told = monotonic()
                if slider:
                    self._slider.value = min(place, self.stage.way.last)
                self._time.value = time
                self._tell(place)
                self._number_here()

    def _tell(self, place: float) -> None:
        a, b, part = self.stage.way.stops(place)
        at_stop = a == b
        text = f"design {a} of the front" if at_stop else BETWEEN.format(a, b, 100 * part)
        text = text[0].upper() + text[1:]
        problem = self.stage.problem
        self._said.content = line(f"{text}. No robot here: {problem}" if problem else text, bad=bool(problem), lines=2)
        held = self.found.binding(a) if at_stop else []
        self._binding.content = note("Held by " + "; ".join(held)) if held else " "
        if at_stop and int(self._number.value) != a:
            self._number.value = a
        if not at_stop and not problem and self._asked != place:
            self._asked = place
            self.session.worker.post("evaluate", lambda: self._evaluate(place), slow=True)

    def measure(self) -> None:
        """Evaluate the present design at once where it stands between two."""
        place = self.player.time
        a, b, _ = self.stage.way.stops(place)
        if a != b:
            self._asked = place
            self._evaluate(place)

    def _evaluate(self, place: float) -> None:
        """Measures of a design between two, in the slow lane."""
        x = self.stage.way.variables(place)
        found = self.found.study.evaluator.evaluate(x[None])
        self._evaluated = (place, found.values[0])
        if self.player.time == place:
            self.session.worker.post("evaluated", self._number_here)

    def _number_here(self) -> None:
        """Numbers of the present design, as far as they are known."""
        place = self.player.time
        a, b, _ = self.stage.way.stops(place)
        columns = self.columns(place)
        head = f"▸ {a}" if a == b else f"▸ {a} → {b}"
        self.stage.name_present(design_text(head, columns[0].values, self.front.measures))
        self.front.tell(columns)

    def columns(self, place: float) -> list[DesignColumn]:
        """The present design, then the chosen ones."""
        way = self.stage.way
        a, b, _ = way.stops(place)
        name = str(a) if a == b else "here"
        known = self._evaluated is not None and self._evaluated[0] == place
        values = self._evaluated[1] if known and self._evaluated is not None else way.values(place)
        columns = [DesignColumn(name, "the present one", way.variables(place), values, a != b and not known)]
        d = self.found.front.designs
        for design in self.stage.chosen:
            if design.key is not None:
                columns.append(DesignColumn(str(design.key), design.text, d.x[design.key], d.values[design.key]))
            elif self.described is not None:
                columns.append(DesignColumn("own", design.text, *self.described))
        return columns

    def _replaced(self, robot: Any) -> None:
        self.session.robot = robot
        self.session.dress_robots([robot])

    def rest(self) -> None:
        """Another panel moves the robot now."""
        self.hold()

    def close(self) -> None:
        """The page is gone."""
        self._ticker = None
