"""The tab of a robot that runs while it is looked at: time, law and gains, the push of a hand, the recording to take away.

The loop goes on in the page's quick lane, a beat at a time; a loop with another law, which may have to be compiled, is made in
the slow lane while the one before goes on.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.errors import GoughError, UsageError
from gough.simulation.control.law import Law
from gough.viewer.live.gains import NONE, Gain, gains_of, offered_laws, with_gains
from gough.viewer.live.loop import BEAT, STEP, LiveLoop
from gough.viewer.live.push import PushedFrame, first_pushed
from gough.viewer.panels._downloads import file_stem
from gough.viewer.panels._live_plots import LivePlots
from gough.viewer.panels._live_words import law_text, verdict
from gough.viewer.panels._push_handle import PushHandle
from gough.viewer.panels._tables import line, note
from gough.viewer.posing.load import frames_for_loads

if TYPE_CHECKING:
    from gough.viewer._session import Session

SPEEDS = ("0.01×", "0.05×", "0.1×", "0.25×", "0.5×", "1×", "2×")
TOLD_EVERY, PLOTTED_EVERY = 0.25, 0.15
"""s between updates of the words, and of the plots."""
SHARES = 1000
"""Steps of a slider."""
LOADS = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "N m"), ("my", "N m"), ("mz", "N m"))
HINT = "Drag the handle on the robot: a spring pulls the body after it, until you let go. Or push by numbers:"


class LivePanel:
    """Runs the robot of the page."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        subject, live = session.subject, session.subject.live
        assert live is not None
        self.model = subject.model
        self.loop = LiveLoop(self.model, live.motion)
        self.laws = offered_laws(self.model, live.law, live.motion)
        self.name = next(iter(self.laws))
        pushed = first_pushed(self.model, frames_for_loads(self.model))
        self.frame = pushed.frame
        self._ticker: Any = None
        self._told = self._drawn = 0.0
        self._busy, self._ready = "", False
        self._gains: tuple[Gain, ...] = ()
        self._sliders: list[Any] = []
        self._loads: dict[int, Any] = {}
        self._limits: tuple[str, ...] = ()
        with session.tabs.add_tab("Live"):
            self._build(pushed)
        self.plots = LivePlots(session, self.loop)
        self.handle = PushHandle(session, self.loop)
        self._make(self.laws[self.name], self.frame, None, keep=False, then=self.play)

    def _build(self, pushed: PushedFrame) -> None:
        gui = self.session.gui
        self._verdict = gui.add_html(line("", lines=3))
        self._play = gui.add_button("Pause", icon=Icon.PLAYER_PAUSE)
        self._play.on_click(lambda _: self.toggle())
        reset = gui.add_button(
            "Reset", icon=Icon.PLAYER_SKIP_BACK, hint="From the start, with gains and pushes as they are"
        )
        reset.on_click(lambda _: self.session.worker.post("reset", self.reset))
        self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1×")
        self._speed.on_update(lambda _: self._set_speed())
        self._law_folder = gui.add_folder("Drives")
        with self._law_folder:
            self._law = gui.add_dropdown("Law", tuple(self.laws), initial_value=self.name)
            self._law.on_update(lambda event: self._choose_law() if event.client is not None else None)
            self._hold = gui.add_button("Hold here", hint="What the drives hold is where the robot is now")
            self._hold.on_click(lambda _: self._hold_here())
            self._told_law = gui.add_html(" ")
        self._push_folder = gui.add_folder("Push")
        with self._push_folder:
            gui.add_html(note(HINT))
            names = frames_for_loads(self.model)
            self._body = gui.add_dropdown("Body", names, initial_value=self.frame)
            self._body.on_update(lambda event: self._choose_body() if event.client is not None else None)
            self._spring = gui.add_slider("Spring (N/m)", min=0.0, max=1.0, step=1e-3, initial_value=0.0)
            self._most = gui.add_slider("At most (N)", min=0.0, max=1.0, step=1e-3, initial_value=1.0)
            for slider in (self._spring, self._most):
                slider.on_update(lambda event: self._set_spring() if event.client is not None else None)
            release = gui.add_button("No push", icon=Icon.HAND_OFF)
            release.on_click(lambda _: self._release())
        self._offer_pushes(pushed)
        with gui.add_folder("Recording"):
            self._recorded = gui.add_html(" ")
            take = gui.add_button("Take away (.npz)", icon=Icon.DOWNLOAD)
            take.on_click(lambda _: self.session.worker.post("take away", self._take_away, slow=True))

    # ---- time

    def toggle(self) -> None:
        """Go on or stand still."""
        if self.loop.stopped:
            self.session.say("The run has ended; Reset begins anew")
        elif self.loop.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Let time go on."""
        self.loop.play()
        self._follow()

    def pause(self) -> None:
        """Let time stand."""
        self.loop.pause()
        self._follow()

    def reset(self) -> None:
        """Begin anew; after a run that has ended, time goes on."""
        again = self.loop.playing or bool(self.loop.stopped)
        if self.loop.hold is not None:
            self._make(self.loop.law, self.frame, None, keep=False, then=self.play if again else self._show)
            return
        self.loop.reset()
        if again:
            self.play()
        self._show()

    def _follow(self) -> None:
        """Let beats come while time goes on."""
        if self.session.closed:
            return
        playing = self.loop.playing
        self._play.label = "Pause" if playing else "Play"
        self._play.icon = Icon.PLAYER_PAUSE if playing else Icon.PLAYER_PLAY
        if playing and self._ticker is None:
            self._ticker = self.session.worker.every(BEAT, self._beat)
        elif not playing and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        self._tell()

    def _beat(self) -> None:
        try:
            moved = self.loop.advance()
            now = monotonic()
            words, plots = now - self._told >= TOLD_EVERY, now - self._drawn >= PLOTTED_EVERY
            ended = bool(self.loop.stopped)
            if (moved or ended) and not self.session.closed:
                self._show(words or ended, plots or ended)
            if ended:
                self._follow()
        except Exception:
            self.loop.pause()  # told once, not thirty times a second
            self._follow()
            raise

    def _show(self, words: bool = True, plots: bool = True) -> None:
        """Draw what is now."""
        sim = self.loop.sim
        if sim is None or self.session.closed:
            return
        with self.session.client.atomic():
            with self.loop.lock:
                q = sim.q
            self.session.show(q)
            self.handle.show()
            if words:
                self._told = monotonic()
                self._tell()
            if plots and not self._busy:
                self._drawn = monotonic()
                self.plots.show()

    def _tell(self) -> None:
        if self.session.closed:
            return
        loop = self.loop
        self._verdict.content = verdict(loop, self._busy, self._beyond())
        size = 0 if loop.sim is None else loop.sim.recorded_bytes
        since = f"{loop.t - loop.recorded_from:.1f} s from t = {loop.recorded_from:.1f} s on"
        self._recorded.content = note(f"{since}, {size / 1e6:.1f} MB")

    def _beyond(self) -> tuple[str, ...]:
        """Limits of the description that the state is beyond."""
        loop = self.loop
        if loop.sim is None:
            return ()
        with loop.lock:
            q, v, tau = loop.sim.q, loop.sim.v, loop.sim.tau
        return tuple(self.model.limit_margins(q, v, tau).violated())

    def _set_speed(self) -> None:
        if self._speed.value in SPEEDS:
            self.loop.change_speed(float(str(self._speed.value).removesuffix("×")))

    # ---- law and gains

    def _make(
        self, law: Law | None, frame: str, hold: Any, keep: bool = True, then: Callable[[], None] | None = None
    ) -> None:
        """A loop of another kind, in the slow lane."""
        self._busy = f"making the loop: {NONE if law is None else law.name} …"
        self._tell()

        def make() -> None:
            try:
                self.loop.begin(law, frame, hold, keep)
            except GoughError as error:
                self.session.report_error(error)
            self.session.worker.post("made", made)

        def made() -> None:
            self._busy, loop = "", self.loop
            if self.session.closed:
                return
            if loop.pushed is None:  # the first one was refused: another law may do
                self._tell()
                return
            if loop.pushed.frame != self.frame:
                self._offer_pushes(loop.pushed)
            self.frame = self._body.value = loop.pushed.frame
            self._offer_gains()
            self.plots.begin()
            self.handle.begin()
            (then or self._show)()
            self._follow()

        self.session.worker.post("make", make, slow=True)

    def _choose_law(self) -> None:
        name = str(self._law.value)
        if name in self.laws:
            self._make(self.laws[name], self.frame, self.loop.hold)

    def _hold_here(self) -> None:
        loop = self.loop
        if loop.sim is None or loop.stopped:
            return
        if loop.motion is not None or loop.reference is None:
            self.session.say(
                "this law holds no place" if loop.reference is None else "the law follows the motion that was given"
            )
            return
        with loop.lock:
            q = loop.sim.q
        self._make(loop.law, self.frame, q)

    def _offer_gains(self) -> None:
        """Sliders for the gains of the law that acts."""
        law, gui = self.loop.law, self.session.gui
        for slider in self._sliders:
            slider.remove()
        self._sliders, self._gains = [], gains_of(self.model, law)
        name = next((key for key, own in self.laws.items() if own is law), self.name)
        self.name = self._law.value = name
        with self._law_folder:
            for gain in self._gains:
                slider = gui.add_slider(
                    gain.label, min=0.0, max=gain.top, step=gain.top / SHARES, initial_value=min(gain.value, gain.top)
                )
                slider.on_update(lambda event: self._gains_moved() if event.client is not None else None)
                self._sliders.append(slider)
        self._told_law.content = note(law_text(law, self._gains, bool(self.loop.motion)))
        self._hold.visible = self.loop.reference is not None and self.loop.motion is None

    def _gains_moved(self) -> None:
        self.session.worker.post("gains", self._change_gains)

    def _change_gains(self) -> None:
        law = self.loop.law
        values = [float(slider.value) for slider in self._sliders]
        if law is None or len(values) != len(self._gains) or not np.isfinite(values).all():
            return
        changed = with_gains(law, self._gains, [max(x, 0.0) for x in values])
        self.loop.change_law(changed)
        if self.name in self.laws:
            self.laws[self.name] = changed  # that it comes back with these

    # ---- push

    def _choose_body(self) -> None:
        name = str(self._body.value)
        if name in frames_for_loads(self.model) and name != self.frame:
            self._make(self.loop.law, name, self.loop.hold)

    def _offer_pushes(self, pushed: PushedFrame) -> None:
        """Sliders for what can push on a frame."""
        for slider in self._loads.values():
            slider.remove()
        self._loads = {}
        force, moment = pushed.usual_loads()
        held = (
            self.loop.wrench if self.loop.pushed is not None and self.loop.pushed.frame == pushed.frame else np.zeros(6)
        )
        with self._push_folder:
            for k, (name, unit) in enumerate(LOADS):
                if pushed.moves[k]:
                    top = force if k < 3 else moment
                    slider = self.session.gui.add_slider(
                        f"{name} ({unit})",
                        min=-top,
                        max=top,
                        step=top / SHARES,
                        initial_value=float(np.clip(held[k], -top, top)),
                    )
                    slider.on_update(lambda event: self._set_push() if event.client is not None else None)
                    self._loads[k] = slider
        for slider in (self._spring, self._most):
            slider.visible = pushed.can_be_dragged
        if pushed.can_be_dragged:
            largest = pushed.stiffest(STEP)
            self._spring.max, self._spring.step = largest, largest / SHARES
            self._spring.value = min(pushed.stiffness, largest)
            self._most.max, self._most.step, self._most.value = 10 * force, 10 * force / SHARES, 2 * force
            self._set_spring()

    def _set_spring(self) -> None:
        stiffness, most = float(self._spring.value), float(self._most.value)
        if np.isfinite(stiffness) and np.isfinite(most):
            with self.loop.lock:
                self.loop.stiffness, self.loop.most = max(stiffness, 0.0), max(most, 0.0)

    def _set_push(self) -> None:
        wrench = np.zeros(6)
        for k, slider in self._loads.items():
            wrench[k] = float(slider.value)
        if np.isfinite(wrench).all():
            self.loop.push(wrench)

    def _release(self) -> None:
        for slider in self._loads.values():
            slider.value = 0.0
        self.loop.push(np.zeros(6))
        self.loop.pull(None)

    # ---- files

    def _take_away(self) -> None:
        run = self.loop.recording()
        if len(run) < 2:
            raise UsageError("nothing was recorded yet: let the robot run first")
        with tempfile.TemporaryDirectory(prefix="gough-file-") as folder:
            path = Path(folder) / f"{file_stem(self.session.subject.title)}_live.npz"
            run.save(path)
            self.session.client.send_file_download(path.name, path.read_bytes(), save_immediately=True)

    def rest(self) -> None:
        """Nothing else moves the robot of a live page."""

    def close(self) -> None:
        """The page is gone: nothing goes on."""
        self.loop.pause()
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
