"""One page: its own robot, panels and threads, so that pages do not disturb each other."""

import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gough.errors import GoughError
from gough.viewer.scene.robot import RobotScene
from gough.viewer.subject import Subject
from gough.viewer.worker import Worker

if TYPE_CHECKING:
    import viser

PANELS = ("pose.PosePanel", "modes.ModesPanel", "motion.MotionPanel", "maps.MapsPanel", "look.LookPanel")
"""Tabs in their order; with a run to play, motion comes first."""
CLOSE_WITHIN = 2.0
"""Seconds to wait for a page's computations when it closes."""
SECONDS_SAID = 8.0
BROAD = 1100
"""Pages from this width on, pixels, have room for a panel over the scene."""
SKY, GROUND = (255, 255, 255), (150, 150, 155)
"""Light from above and from below where nothing is reflected."""


class Panel(Protocol):
    """A tab of the page."""

    def rest(self) -> None:
        """Stop moving the robot: another panel takes over."""
        ...

    def close(self) -> None:
        """The page is gone."""
        ...


class Session:
    """A page's state. Callbacks of the page and the worker's lanes use it from several threads.

    scene, gui: the page's own. q: configuration shown (nq,). on_show: told of every configuration. panels: by name of their
    module, after all of them are made.
    """

    def __init__(self, client: "viser.ClientHandle", subject: Subject) -> None:
        self.client = client
        self.subject = subject
        self.scene = client.scene
        self.gui = client.gui
        self.q = np.array(subject.start)
        self.on_show: list[Callable[[np.ndarray], None]] = []
        self.panels: dict[str, Any] = {}
        self.closed = False
        self._acting: Panel | None = None
        self._sky: Any = None
        self._lock = threading.RLock()
        self.worker = Worker(self.failed)
        with client.atomic():  # the page appears whole
            self.dress(subject.dark)
            self.light(subject.plain)
            self.robot = RobotScene(self.scene, subject.figure, carried=True, upright=True)
            self.robot.show(self.q)
            if self.width < BROAD:
                self.make_room()
            self.tabs = self.gui.add_tab_group()
            for place in self._order():
                module, name = place.split(".")
                self.panels[module] = getattr(import_module(f"gough.viewer.panels.{module}"), name)(self)

    def _order(self) -> list[str]:
        first = ["motion.MotionPanel"] if self.subject.runs else []
        return first + [p for p in PANELS if p not in first]

    @property
    def width(self) -> int:
        """Of the page when it was opened, pixels."""
        return int(self.client.camera.image_width)

    def make_room(self) -> None:
        """Put the panel beside the scene instead of over it: the robot stays in the middle of what is left."""
        self.gui.main_panel.dock_right()

    def dress(self, dark: bool) -> None:
        """Light or dark."""
        self.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, control_width="medium")

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
            if self.closed:
                return
            self.q = np.array(q, dtype=float)
            with self.client.atomic():
                self.robot.show(self.q)
                for told in self.on_show:
                    told(self.q)

    def act(self, panel: Panel) -> None:
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

    def failed(self, error: Exception) -> None:
        """Tell the page about an exception: errors of gough by their text, others by their kind too."""
        text = str(error) if isinstance(error, GoughError) else f"{type(error).__name__}: {error}"
        self.say(text, "bad")

    def close(self) -> None:
        """The page is gone or the server ends: end its threads."""
        self.closed = True
        for panel in self.panels.values():
            panel.close()
        self.worker.close(CLOSE_WITHIN)
