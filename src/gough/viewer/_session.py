"""One page: its own robot, panels and threads, so that pages do not disturb each other."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gough.errors import GoughError
from gough.viewer.drawing.figure import Figure
from gough.viewer.panels.designs import DesignsPanel
from gough.viewer.panels.live import LivePanel
from gough.viewer.panels.look import GROUPS, LookPanel
from gough.viewer.panels.maps import MapsPanel
from gough.viewer.panels.modes import ModesPanel
from gough.viewer.panels.motion import MotionPanel, no_markdown
from gough.viewer.panels.pose import PosePanel
from gough.viewer.panels.variables import VariablesPanel
from gough.viewer.scene.robot import RobotScene
from gough.viewer.subject import ViewSubject

if TYPE_CHECKING:
    import viser

PANELS = {"pose": PosePanel, "modes": ModesPanel, "motion": MotionPanel, "maps": MapsPanel, "look": LookPanel}
"""Tabs in their order; with a run to play, motion comes first."""
OF_STUDIES = {"designs": DesignsPanel, "look": LookPanel}
"""Tabs of a study."""
OF_LIVE = {"live": LivePanel, "look": LookPanel}
"""Tabs of a robot that runs while it is looked at."""
CLOSE_WITHIN = 2.0
"""Seconds to wait for a page's computations when it closes."""
SECONDS_SAID = 8.0
BROAD = 1100
"""Pages from this width on, pixels, have room for a panel over the scene."""
SKY, GROUND = (255, 255, 255), (150, 150, 155)
"""Light from above and from below where nothing is reflected."""


class TabPanel(Protocol):
    """A tab of the page."""

    def rest(self) -> None:
        """Stop moving the robot: another panel takes over."""
        ...

    def close(self) -> None:
        """The page is gone."""
        ...


class Session:
    """A page's state. Callbacks of the page and the worker's lanes use it from several threads.

    scene, gui: the page's own. q: configuration shown (nq,). on_show: told of every configuration. panels: by name,
    after all of them are made. renew: makes the page anew for another subject.
    """

    def __init__(
        self,
        client: "viser.ClientHandle",
        subject: ViewSubject,
        renew: Callable[[ViewSubject], None] = lambda subject: None,
        width: int | None = None,
    ) -> None:
        self.width = int(client.camera.image_width) if width is None else width
        """Of the page when it was opened, pixels; panels at its sides leave the scene less."""
        self.client = client
        self.renew = renew
        self.subject = subject
        self.scene = client.scene
        self.gui = client.gui
        self.q = np.array(subject.start)
        self.on_show: list[Callable[[np.ndarray], None]] = []
        self.panels: dict[str, Any] = {}
        self.closed = False
        self.groups = dict(GROUPS)
        self.field_of_view = float(client.camera.fov)
        self._other = False
        self._acting: TabPanel | None = None
        self._sky: Any = None
        self._lock = threading.RLock()
        self.worker = Worker(self.report_error)
        with client.atomic():  # the page appears whole
            self.dress(subject.dark)
            self.light(subject.plain)
            self.robot = RobotScene(self.scene, subject.figure, carried=True, upright=True)
            self.robot.show(self.q)
            if self.width < BROAD:
                self.make_room()
            if subject.before is not None:
                back, study = self.gui.add_button("Back to the study"), subject.before
                self.gui.add_markdown(f"**{no_markdown(subject.heading)}**")
                back.on_click(lambda _: self.worker.post("back", lambda: renew(study), slow=True))
            if subject.model.variables.names and not subject.runs and subject.study is None and subject.live is None:
                self.panels["variables"] = VariablesPanel(self)
            self.tabs = self.gui.add_tab_group()
            panels = PANELS if subject.study is None else OF_STUDIES
            panels = panels if subject.live is None else OF_LIVE
            for name in sorted(panels, key=lambda name: not (name == "motion" and subject.runs)):
                self.panels[name] = panels[name](self)

    def make_room(self) -> None:
        """Put the panel beside the scene instead of over it: the robot stays in the middle of what is left."""
        self.gui.main_panel.dock_right()

    def dress(self, dark: bool) -> None:
        """Light or dark."""
        self.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, control_width="medium")

    @property
    def stage(self) -> Any:
        """Of runs or designs: all that stands in the scene; None of a robot alone."""
        owner = self.panels.get("motion") or self.panels.get("designs")
        return None if owner is None else owner.stage

    def show_group(self, group: str, visible: bool) -> None:
        """Show or hide "bodies", "joints", "frames" or "inertia" of all robots."""
        self.groups[group] = visible
        chosen = self.stage.chosen if "designs" in self.panels else ()
        for robot in (self.robot, *(design.scene for design in chosen)):
            robot.group_visible(group, visible)

    def dress_robots(self, robots: Iterable[RobotScene]) -> None:
        """New robots as the others are: what is shown of them."""
        for robot in robots:
            for group, visible in self.groups.items():
                if visible != GROUPS[group]:
                    robot.group_visible(group, visible)

    def look_again(self) -> None:
        """Move the camera so that all is seen that stands there now."""
        if "look" in self.panels:
            self.panels["look"].look_again()

    def light(self, plain: bool) -> None:
        """Plain, or with shadows and reflections."""
        self.scene.configure_default_lights(True, cast_shadow=not plain)
        if plain:
            self.scene.configure_environment_map(None)
            self._sky = self.scene.add_light_hemisphere("/sky", sky_color=SKY, ground_color=GROUND, intensity=2.2)
        elif self._sky is not None:  # a page begins with reflections: nothing to send
            self.scene.configure_environment_map()
            self._sky.remove()
            self._sky = None

    def show(self, q: np.ndarray) -> None:
        """Draw a configuration (nq,) and tell those who want to know."""
        with self._lock:
            if self.closed or self._other:
                return
            self.q = np.array(q, dtype=float)
            with self.client.atomic():
                self.robot.show(self.q)
                for told in self.on_show:
                    told(self.q)

    def draw_other(self, figure: Figure) -> None:
        """Draw another robot at its home in the place of this one, until the page is made anew for it."""
        with self._lock:
            if self.closed:
                return
            self._other = True
            with self.client.atomic():
                self.robot.remove()
                self.robot = RobotScene(self.scene, figure, carried=True, upright=True)

    def act(self, panel: TabPanel) -> None:
        """A panel takes the robot over; the one that had it rests."""
        with self._lock:
            before, self._acting = self._acting, panel
        if before is not None and before is not panel:
            before.rest()

    def say(self, text: str, kind: str = "info") -> None:
        """A notification on the page; kind "bad" in red."""
        if not self.closed:
            title = "This did not work" if kind == "bad" else "gough"
            color = "red" if kind == "bad" else "blue"
            self.client.add_notification(title, text, auto_close_seconds=SECONDS_SAID, color=color)

    def report_error(self, error: Exception) -> None:
        """Tell the page about an exception: errors of gough by their text, others by their kind too."""
        text = str(error) if isinstance(error, GoughError) else f"{type(error).__name__}: {error}"
        self.say(text, "bad")

    def close(self) -> None:
        """The page is gone or the server ends: end its threads."""
        self.closed = True
        for panel in self.panels.values():
            panel.close()
        self.worker.close(CLOSE_WITHIN)


# The threads of one page: computations of which only the latest of a kind counts, and things that happen at a beat.
#
# Two lanes: "quick" for what moves the robot, "slow" for what may take seconds (maps, equilibria), so that a slow computation
# never holds the picture up.

Task = Callable[[], None]
LONGEST_WAIT = 0.5
"""Seconds a lane sleeps at most: a bound, should a wake-up get lost."""


class Ticker:
    """A task at a steady beat of `period` seconds, until `stop`; beats that were missed are left out."""

    def __init__(self, period: float, task: Task, wake: Task) -> None:
        self.period = period
        self.task = task
        self.due = time.monotonic()
        self.stopped = False
        self._wake = wake

    def stop(self) -> None:
        """No further beat begins."""
        self.stopped = True
        self._wake()

    def advance(self, now: float) -> None:
        """The next beat after now."""
        self.due += self.period * max(1, int((now - self.due) / self.period) + 1)


class Lane:
    """A thread that runs the latest task of every key, oldest key first, and its tickers."""

    def __init__(self, name: str, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._condition = threading.Condition()
        self._tasks: dict[str, Task] = {}
        self._tickers: list[Ticker] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def post(self, key: str, task: Task) -> None:
        """Run the task soon; a waiting task of the same key is dropped. Nothing happens once the lane is closed."""
        with self._condition:
            if not self._closed:
                self._tasks.pop(key, None)
                self._tasks[key] = task
                self._condition.notify()

    def cancel(self, key: str) -> None:
        """Drop the waiting task of a key."""
        with self._condition:
            self._tasks.pop(key, None)

    def every(self, period: float, task: Task) -> Ticker:
        """Run the task at a beat."""
        with self._condition:
            ticker = Ticker(period, task, self._wake)
            if not self._closed:
                self._tickers.append(ticker)
                self._condition.notify()
            return ticker

    def close(self, timeout: float | None = None) -> None:
        """No further task begins; waits for the running one for `timeout` seconds unless called from it."""
        with self._condition:
            self._closed = True
            self._tasks.clear()
            self._tickers.clear()
            self._condition.notify_all()
        if timeout and threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify()

    def _next(self) -> Task | None:
        """The task to run now; None when the lane is closed."""
        with self._condition:
            while not self._closed:
                self._tickers = [t for t in self._tickers if not t.stopped]
                now = time.monotonic()
                due = [t for t in self._tickers if t.due <= now]
                if self._tasks:
                    return self._tasks.pop(next(iter(self._tasks)))
                if due:
                    ticker = min(due, key=lambda t: t.due)
                    ticker.advance(now)
                    return ticker.task
                wait = min((t.due - now for t in self._tickers), default=LONGEST_WAIT)
                self._condition.wait(min(wait, LONGEST_WAIT))
            return None

    def _run(self) -> None:
        while (task := self._next()) is not None:
            try:
                task()
            except Exception as error:
                if not self._closed:
                    self._failed(error)


class Worker:
    """The lanes of one page. failed: told of exceptions of tasks."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._quick = Lane("gough view, quick", failed)
        self._slow = Lane("gough view, slow", failed)

    def post(self, key: str, task: Task, slow: bool = False) -> None:
        """Run the task soon; the latest of a key counts."""
        (self._slow if slow else self._quick).post(key, task)

    def cancel(self, key: str) -> None:
        """Drop what waits under a key."""
        self._quick.cancel(key)
        self._slow.cancel(key)

    def every(self, period: float, task: Task) -> Ticker:
        """Run the task every `period` seconds in the quick lane."""
        return self._quick.every(period, task)

    def close(self, timeout: float | None = None) -> None:
        """End both lanes."""
        self._quick.close(timeout)
        self._slow.close(timeout)
