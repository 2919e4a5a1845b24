"""The tab that plays runs: time, speed, trace, arrows of forces, two runs beside each other."""

import html
import re
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.errors import GoughError
from gough.simulation.results.run import Run
from gough.viewer._clock import Player
from gough.viewer.panels._downloads import Downloads
from gough.viewer.panels._plots import Plots
from gough.viewer.scene.forces import COLOURS, NAMES, reference
from gough.viewer.scene.stage import PLACES, RunStage
from gough.viewer.scene.traces import traced_frames

if TYPE_CHECKING:
    from gough.viewer._session import Session

SPEEDS = ("0.1×", "0.2×", "0.5×", "1×", "2×", "5×", "10×")
FRAME = 1 / 30
"""Seconds between frames, and of a step of one frame."""
TOLD_EVERY = 0.1
"""Seconds between updates of the slider and of numbers while it plays."""
STEPS = ("stored state", "1/30 s")
NO_TRACE = "none"
KEYS = "Keys: **space** play or pause, **J** / **L** step back and forward, **Home** / **End** to the ends."
HINT = """No run to play. Make one and open it:

    gough simulate ROBOT --motion MOTION --controller computed_torque --out run.npz
    gough view run.npz

or in Python `gough.simulate(…).view()`. Two files are played beside each other."""


class MotionPanel:
    """Plays the runs of the page's subject."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.stage: RunStage | None = None
        self._ticker: Any = None
        self._told = 0.0
        self._lock = threading.Lock()
        with session.tabs.add_tab("Motion"):
            if not session.subject.runs:
                session.gui.add_markdown(HINT)
                self.files = Downloads(session, None, lambda: 1.0, lambda: None)
                return
            self._build()

    def _build(self) -> None:
        session, gui = self.session, self.session.gui
        stage = self.stage = RunStage(session.scene, session.subject, session.robot, session.show)
        self.player = Player(stage.start, stage.end)
        self._headline()
        self._play = gui.add_button("Play", icon=Icon.PLAYER_PLAY)
        self._play.on_click(lambda _: self.toggle())
        span = stage.end - stage.start
        self._slider = gui.add_slider(
            "Time (s)", min=stage.start, max=max(stage.end, stage.start + 1e-9), step=time_step(span),
            initial_value=stage.start, disabled=span == 0,
        )  # fmt: skip
        self._slider.on_update(self._scrubbed)
        moves = gui.add_button_group("Go to", ("Start", "Back", "Next", "End"))
        moves.on_click(lambda _: self._moved(str(moves.value)))
        self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1×")
        self._speed.on_update(lambda _: self._set_speed())
        self._step = gui.add_dropdown("Step", STEPS, initial_value=STEPS[0] if self._sparse() else STEPS[1])
        self._loop = gui.add_checkbox("Loop", False)
        self._loop.on_update(lambda _: setattr(self.player, "loop", bool(self._loop.value)))
        if len(session.subject.runs) > 1:
            self._comparison()
        with gui.add_folder("Trace, reference and forces" if stage.has_reference else "Trace and forces"):
            self._trace_and_forces()
        self.files = Downloads(session, stage, lambda: self.player.speed, self._hold)
        self.plots = Plots(session, stage.start, stage.end)
        gui.add_markdown(KEYS)
        self._keys()
        self._show(stage.start)

    def _headline(self) -> None:
        for k, run in enumerate(self.session.subject.runs):
            number = f"{k + 1}: " if len(self.session.subject.runs) > 1 else ""
            text = f"**{number}{no_markdown(run.robot.name)}**, {len(run)} states, {run.time[0]:g} … {run.time[-1]:g} s"
            if not run.info.finished:
                text += f". Stopped early: {no_markdown(run.stopped)}"
            self.session.gui.add_markdown(text)

    def _sparse(self) -> bool:
        run = self.session.subject.runs[0]
        return len(run) < 2 or run.duration / (len(run) - 1) > FRAME / 2

    # ---- time

    def toggle(self) -> None:
        """Play or pause."""
        self.session.act(self)
        self.player.toggle()
        self._follow()

    def _follow(self) -> None:
        """Let frames come while time goes on."""
        with self._lock:
            playing = self.player.playing
            self._play.label = "Pause" if playing else "Play"
            self._play.icon = Icon.PLAYER_PAUSE if playing else Icon.PLAYER_PLAY
            if playing and self._ticker is None:
                self._ticker = self.session.worker.every(FRAME, self._beat)
            elif not playing and self._ticker is not None:
                self._ticker.stop()
                self._ticker = None

    def _beat(self) -> None:
        playing = self.player.playing
        due = not playing or monotonic() - self._told >= TOLD_EVERY
        try:
            self._show(self.player.time, slider=due, numbers=due)
        except Exception:
            self.player.pause()  # told once, not thirty times a second
            self._follow()
            raise
        if not playing:
            self._follow()

    def _scrubbed(self, event: Any) -> None:
        value = self._slider.value
        if event.client is None or not np.isfinite(value):  # None: this panel moved its slider itself
            return
        self._hold()
        self.player.seek(float(value))
        self.session.worker.post("scrub", lambda: self._show(self.player.time, slider=False))

    def _moved(self, where: str) -> None:
        if where in ("Back", "Next"):
            self.step(1 if where == "Next" else -1)
        elif where in ("Start", "End"):
            assert self.stage is not None
            self.go_to(self.stage.start if where == "Start" else self.stage.end)

    def step(self, steps: int) -> None:
        """Pause, and go on by stored states or frames."""
        assert self.stage is not None
        now = self.player.time
        stored = self._step.value == STEPS[0]
        self.go_to(self.stage.frames[0].stepped_time(now, steps) if stored else now + steps * FRAME)

    def go_to(self, time: float) -> None:
        """Pause and show a time (s)."""
        self._hold()
        self.player.seek(time)
        self.session.worker.post("scrub", lambda: self._show(self.player.time))

    def _set_speed(self) -> None:
        if self._speed.value in SPEEDS:
            self.player.speed = float(str(self._speed.value).removesuffix("×"))

    def _show(self, time: float, slider: bool = True, numbers: bool = True) -> None:
        if self.stage is None or self.session.closed:
            return
        with self.session.client.atomic():
            self.stage.show(time)
            if slider:
                self._slider.value = time
            if numbers:
                self._told = monotonic()
            self.plots.show(time, numbers)

    def _keys(self) -> None:
        keys = {
            "Play or pause": ("space", self.toggle),
            "Step back": ("J", lambda: self.step(-1)),
            "Step forward": ("L", lambda: self.step(1)),
            "To the start": ("home", lambda: self._moved("Start")),
            "To the end": ("end", lambda: self._moved("End")),
        }
        for label, (key, act) in keys.items():
            command = self.session.gui.add_command(label, hotkey=key)  # pyright: ignore[reportArgumentType]
            command.on_trigger(lambda _, act=act: act())

    # ---- what is drawn besides the robot

    def _trace_and_forces(self) -> None:
        gui, stage = self.session.gui, self.stage
        assert stage is not None
        names = traced_frames(self.session.subject.runs[0])
        trace = gui.add_dropdown("Trace of", (NO_TRACE, *names), initial_value=names[0] if names else NO_TRACE)
        trace.on_update(lambda _: self._trace(str(trace.value), names))
        self._trace(str(trace.value), names)
        if stage.has_reference:
            seen = any(wanted.seen for wanted in stage.wanted)
            ghost = gui.add_checkbox("Reference", seen, hint="Where the motion wants the robot: a pale one, or a ball")
            ghost.on_update(lambda _: self._draw_ghost(bool(ghost.value)))
            self._draw_ghost(seen)
        labels = {"force": "Drive forces", "torque": "Drive torques", "reaction": "Reactions"}
        self._boxes = {kind: gui.add_checkbox(labels[kind], False) for kind in stage.force_kinds}
        self._length = gui.add_slider("Arrow length", min=0.1, max=4.0, step=0.1, initial_value=1.0)
        self._legend = gui.add_html("")
        for box in (*self._boxes.values(), self._length):
            box.on_update(lambda _: self.session.worker.post("arrows", self._forces))

    def _trace(self, name: str, names: tuple[str, ...]) -> None:
        stage = self.stage
        if stage is not None and name in (NO_TRACE, *names):
            self.session.worker.post("trace", lambda: stage.trace(None if name == NO_TRACE else name))

    def _draw_ghost(self, shown: bool) -> None:
        stage = self.stage
        if stage is not None:
            self.session.worker.post("ghost", lambda: stage.show_reference(shown))

    def _forces(self) -> None:
        stage = self.stage
        assert stage is not None
        kinds = {kind for kind, box in self._boxes.items() if box.value}
        if "reaction" in kinds:
            self._legend.content = _note("computing reactions …")
        factor = float(self._length.value)
        found = stage.forces(kinds, factor if np.isfinite(factor) else 1.0)
        scale = reference(found, kinds, stage.size)
        rows = [f"<span style='color:rgb{COLOURS[k]}'>➔</span> {NAMES[k]}" for k in COLOURS if k in kinds]
        for kind, (value, unit) in scale.items():
            rows.append(f"{value:g} {unit} is {1000 * value * found.of(kind):.3g} mm long")
        self._legend.content = _note("<br>".join(rows)) if rows else ""

    def _comparison(self) -> None:
        gui, stage = self.session.gui, self.stage
        assert stage is not None
        place = gui.add_dropdown("Second robot", PLACES, initial_value="beside")
        place.on_update(lambda _: self.session.worker.post("place", lambda: self._place(str(place.value))))
        with gui.add_folder("Largest differences", expand_by_default=False):
            shown = gui.add_html(_note("computing …"))
        first, second = self.session.subject.runs

        def compare() -> None:
            shown.content = differences_table(first, second)

        self.session.worker.post("differences", compare, slow=True)

    def _place(self, place: str) -> None:
        if self.stage is not None and place in PLACES:
            self.stage.place_second(place)

    def _hold(self) -> None:
        """Stay still: something else needs the robot."""
        self.session.act(self)
        self.player.pause()
        self._follow()

    def rest(self) -> None:
        """Another panel moves the robot now."""
        if self.stage is not None:
            self.player.pause()
            self._follow()

    def close(self) -> None:
        """The page is gone."""
        self._ticker = None


def time_step(span: float) -> float:
    """Step of a slider of time: a decimal number, at least 2000 steps in the span (s)."""
    return float(10.0 ** np.floor(np.log10(span / 2000))) if span > 0 else 1e-9


def no_markdown(text: str) -> str:
    """A text of a file as it is: links, pictures, code and tags are not made of it."""
    return re.sub(r"([\\`*\[\]<>!])", r"\\\1", text)


def _note(text: str) -> str:
    return f'<div style="font-size:0.8em;line-height:1.5;padding:0 0.75em">{text}</div>'


# What two runs differ by, as a table of the page.


def differences_table(first: Run, second: Run) -> str:
    """HTML: the largest difference of every shared channel, or why there is none."""
    try:
        found = first.compare(second)
    except GoughError as error:
        return f'<div style="font-size:0.8em;padding:0 0.75em">{html.escape(str(error))}</div>'
    rows = "".join(
        f"<tr><td>{html.escape(d.name)}</td><td style='text-align:right'>{d.largest:.3g}</td><td>{html.escape(d.unit)}</td>"
        f"<td style='text-align:right'>{d.time:.4g}</td></tr>"
        for d in found.differences
    )
    head = "<tr style='opacity:0.6'><td>channel</td><td style='text-align:right'>largest</td><td></td><td>at t (s)</td></tr>"
    return f'<table style="font-size:0.8em;width:100%;padding:0 0.75em">{head}{rows}</table>'
