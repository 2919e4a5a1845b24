"""The tab of modes: the closed robot's natural vibrations at the pose shown, one of them swinging at its shape."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from gough.errors import GoughError, UsageError
from gough.viewer._clock import Frames
from gough.viewer.panels._conditions import finite
from gough.viewer.panels._downloads import Downloads
from gough.viewer.panels._tables import line, note, number, table
from gough.viewer.posing.load import Hold, Load, frames_for_loads, stiffness_unit, usual_hold, usual_stiffness
from gough.viewer.posing.swing import FRAMES, PERIOD, ModeList, SwingingMode, modes_at, swing, swinging_mode
from gough.viewer.subject import ViewSubject
from gough.viewer.takeaway.export import SWINGS, swinging_subject

if TYPE_CHECKING:
    from gough.viewer._session import Session

MOST = 30
"""Modes listed."""
ASK = "Find modes"
BEAT = 1 / 30
HOLDS = {"Locked": "locked", "Servo": "servo", "Free": "free"}
HINT = "Modes are of the pose shown, about its static equilibrium under the load of the Pose tab."
RIGID = "With locked drives this rigid robot has nothing that swings: choose servo drives and give a stiffness."


class ModesPanel:
    """Lists modes and swings one; the pose comes back when it rests."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.model = session.subject.model
        self.modes: ModeList | None = None
        self._held = Hold()
        self._frames: np.ndarray | None = None
        self._base: np.ndarray | None = None
        self._ticker: Any = None
        self._begin = 0.0
        with session.tabs.add_tab("Modes", None):
            self._build()

    def _build(self) -> None:
        gui, model = self.session.gui, self.model
        self._hold = gui.add_dropdown("Drives", tuple(HOLDS), initial_value=usual_hold(model).kind.capitalize())
        unit = stiffness_unit(model)
        self._stiffness = gui.add_number(f"Stiffness ({unit})", usual_stiffness(model), min=0.0, visible=False)
        damping_unit = unit.replace("N/m", "N s/m").replace("N m/rad", "N m s/rad")
        self._damping = gui.add_number(f"Damping ({damping_unit})", 0.0, min=0.0, visible=False)
        self._find = gui.add_button(ASK, icon=Icon.SEARCH)
        self._find.on_click(lambda _: self.find())
        self._verdict = gui.add_html(note(HINT))
        self._pick: Any = gui.add_dropdown("Mode", ("–",), visible=False)
        self._play = gui.add_button("Swing", icon=Icon.PLAYER_PLAY, visible=False)
        self._amplitude = gui.add_slider(
            "Amplitude (% of size)", min=0.5, max=20.0, step=0.5, initial_value=5.0, visible=False,
            hint="Largest visible motion",
        )  # fmt: skip
        self._period = gui.add_slider("Period shown (s)", min=0.5, max=6.0, step=0.1, initial_value=2.0, visible=False)
        self.files = ModeDownloads(self.session, self._chosen, lambda: PERIOD / self._seconds(), self._calm)
        self.files.folder.visible = False
        self._table = gui.add_html(" ")
        self._hold.on_update(lambda event: self._asked(event))
        self._stiffness.on_update(lambda event: self._asked(event))
        self._damping.on_update(lambda event: self._asked(event))
        self._pick.on_update(lambda event: self._picked() if event.client is not None else None)
        self._amplitude.on_update(lambda event: self._picked() if event.client is not None else None)
        self._play.on_click(lambda _: self._toggle())
        self._servo_fields()

    def _servo_fields(self) -> None:
        servo = HOLDS.get(str(self._hold.value)) == "servo"
        self._stiffness.visible = self._damping.visible = servo

    @property
    def hold(self) -> Hold:
        """What the drives do."""
        kind = HOLDS.get(str(self._hold.value), "locked")
        return Hold(kind, max(0.0, finite(self._stiffness.value)), max(0.0, finite(self._damping.value)))

    @property
    def load(self) -> Load:
        """The load of the pose tab."""
        pose = self.session.panels.get("pose")
        frames = frames_for_loads(self.model)
        return pose.conditions.load if pose is not None else Load(frames[0] if frames else "")

    def _asked(self, event: Any) -> None:
        if event.client is not None:
            self._servo_fields()
            if self.modes is not None:
                self.find()

    def find(self) -> None:
        """Compute the modes at the pose shown."""
        self.session.act(self)
        self._stop(back=True)
        self._verdict.content = note("computing …")
        q, load, hold = np.array(self.session.q), self.load, self.hold
        self.session.worker.post("modes", lambda: self._compute(q, load, hold), slow=True)

    def _compute(self, q: np.ndarray, load: Load, hold: Hold) -> None:
        """In the slow lane."""
        try:
            found = modes_at(self.model, q, load, hold)
        except GoughError as error:
            reason = str(error)
            self.session.worker.post("modes found", lambda: self._found(None, hold, reason))
            return
        self.session.worker.post("modes found", lambda: self._found(found, hold, ""))

    def _found(self, found: ModeList | None, hold: Hold, why_not: str) -> None:
        self.modes, self._held = found, hold
        count = 0 if found is None else min(len(found), MOST)
        for handle in (self._pick, self._play, self._amplitude, self._period, self.files.folder):
            handle.visible = count > 0
        self._table.content = " "
        if found is None:
            self._verdict.content = line(f"No modes here: {why_not.splitlines()[-1].strip()}", bad=True)
            return
        if not count:
            self._verdict.content = line(RIGID)
            return
        self._base = found.q
        self._verdict.content = line(f"{verdict(found)}.", bad=found.grows)
        names = tuple(f"{k + 1}: {frequency(found.frequencies_hz[k])}" for k in range(count))
        self._pick.options = names
        self._pick.value = names[0]
        rows = [[str(k + 1), frequency(found.frequencies_hz[k]), damping_text(found.damping[k])] for k in range(count)]
        self._table.content = table(["Mode", "Frequency", "Damping ratio"], rows, [20, 40, 40])
        if len(found) > count:
            self._table.content += note(f"and {len(found) - count} faster ones")
        self._picked()

    def _picked(self) -> None:
        """Prepare the frames of the chosen mode and let it swing."""
        if self.modes is None or not len(self.modes):
            return
        self.session.act(self)
        modes, share, mode = self.modes, self._share(), self._number(self.modes) - 1

        def prepare() -> None:
            exaggeration = float(self.session.robot.exaggeration)
            frames, _ = swing(self.session.subject.figure, modes, mode, share, FRAMES, exaggeration)
            self.session.worker.post("modes swing", lambda: self._swing(frames))

        self.session.worker.post("modes frames", prepare, slow=True)

    def _share(self) -> float:
        return float(np.clip(finite(self._amplitude.value), 0.5, 20.0)) / 100

    def _seconds(self) -> float:
        """Of a swing as it is shown."""
        return float(np.clip(finite(self._period.value), 0.5, 6.0))

    def _number(self, modes: ModeList) -> int:
        """Of the mode picked, from 1."""
        text = str(self._pick.value).partition(":")[0]
        return int(text) if text.isdigit() and 1 <= int(text) <= len(modes) else 1

    def _chosen(self, swings: int) -> SwingingMode:
        """The mode picked, for a file."""
        modes, figure = self.modes, self.session.subject.figure
        if modes is None or not len(modes):
            raise UsageError("no modes yet: find them first")
        options = {"share": self._share(), "exaggeration": float(self.session.robot.exaggeration)}
        return swinging_mode(figure, modes, self._held, self._number(modes), swings=swings, **options)

    def _swing(self, frames: np.ndarray) -> None:
        self._frames = frames
        if self._ticker is None:
            self._begin = time.monotonic()
            self._ticker = self.session.worker.every(BEAT, self._beat)
            self._play.label, self._play.icon = "Stop", Icon.PLAYER_STOP

    def _beat(self) -> None:
        if self._frames is None or self._ticker is None:
            return
        phase = ((time.monotonic() - self._begin) / self._seconds()) % 1.0
        self.session.show(self._frames[int(phase * len(self._frames)) % len(self._frames)])

    def _toggle(self) -> None:
        if self._ticker is not None:
            self._stop(back=True)
        else:
            self._picked()

    def _calm(self) -> None:
        """A film needs the robot."""
        self.session.act(self)
        self._stop(back=True)

    def _stop(self, back: bool) -> None:
        """Stop swinging. back: show the pose that it swung about."""
        ticker, self._ticker = self._ticker, None
        self.session.worker.cancel("modes swing")
        if ticker is None:
            return
        ticker.stop()
        self._play.label, self._play.icon = "Swing", Icon.PLAYER_PLAY
        if back and self._base is not None:
            self.session.show(self._base)

    def rest(self) -> None:
        """Another tab takes the robot."""
        self._stop(back=True)

    def close(self) -> None:
        """The page is gone."""
        ticker, self._ticker = self._ticker, None
        if ticker is not None:
            ticker.stop()


def frequency(hertz: float) -> str:
    """With its unit; a motion that does not swing has none."""
    return f"{number(hertz)} Hz" if hertz > 0 else "does not swing"


def damping_text(ratio: float) -> str:
    """A ratio as a percentage."""
    return "–" if np.isnan(ratio) else f"{number(100 * (round(ratio, 12) + 0.0))} %"


def verdict(found: ModeList) -> str:
    """About the whole, in words."""
    text = found.verdict[0].upper() + found.verdict[1:]
    return f"{text}; {len(found)} mode{'s' * (len(found) > 1)}"


# Files of the mode that the page swings.


class SwingFilm:
    """A mode's swings on the page; it begins and ends at rest."""

    def __init__(self, session: "Session", mode: SwingingMode, end: float) -> None:
        self._session, self._frames = session, Frames(mode.run)
        self.start, self.end, self.time = 0.0, end, PERIOD / 4

    def show(self, time: float) -> None:
        """The robot at a time (s) of its slow motion."""
        self._session.show(self._frames.at(time))


class ModeDownloads(Downloads):
    """Buttons for files of a mode. chosen(swings): the mode picked on the page. began: the page's robot is needed."""

    def __init__(
        self,
        session: "Session",
        chosen: Callable[[int], SwingingMode],
        speed: Callable[[], float],
        began: Callable[[], None],
    ) -> None:
        self._chosen = chosen
        super().__init__(session, None, speed, began)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A picture of the page as it is comes from the other tab."""
        return ("HTML", "GIF", "MP4")

    def subject(self) -> ViewSubject:
        """The robot in its mode."""
        return swinging_subject(self._chosen(1), self.session.subject.dark)

    def film(self, fps: float, seamless: bool) -> SwingFilm:
        """Whole swings; one that starts over leaves out its last frame, which is the first again."""
        swings = 1 if seamless else SWINGS[".mp4"]
        end = swings * PERIOD - (self._speed() / fps if seamless else 0.0)
        return SwingFilm(self.session, self._chosen(swings), end)
