"""The part of the page that makes files of what it shows: a picture, an animation, a page that plays by itself."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gough.errors import UsageError
from gough.files import write_file
from gough.viewer.scene.stage import RunStage
from gough.viewer.subject import ViewSubject
from gough.viewer.takeaway.encoders import Encoder, GifFile, PngFile, even_size, video_file
from gough.viewer.takeaway.page import frame_times, html_page
from gough.viewer.takeaway.pictures import picture, shoot

if TYPE_CHECKING:
    from gough.viewer._session import Session

SIZES = {"1280 × 720": (1280, 720), "1920 × 1080": (1920, 1080), "960 × 540": (960, 540), "640 × 640": (640, 640)}
RATES = {".gif": 15.0, ".mp4": 30.0}
"""Frames a second."""
MOST_FRAMES = 3000


class DownloadStopped(Exception):
    """The user does not want the file any more."""


class Film(Protocol):
    """What is filmed: moves the page's robot. time: the one shown (s)."""

    start: float
    end: float
    time: float

    def show(self, time: float) -> None:
        """Everything at a time (s)."""
        ...


class Downloads:
    """Buttons for files. stage: of the runs, None without. speed: of the animation. began: the page's robot is needed."""

    def __init__(
        self, session: "Session", stage: RunStage | None, speed: Callable[[], float], began: Callable[[], None]
    ) -> None:
        self.session, self.stage, self._speed, self._began = session, stage, speed, began
        self._stop = False
        gui = session.gui
        self.folder = gui.add_folder("Take away", expand_by_default=False)
        with self.folder:
            self._size = gui.add_dropdown("Size (pixels)", tuple(SIZES), initial_value="1280 × 720")
            buttons = gui.add_button_group("Make", self.kinds)
            buttons.on_click(lambda _: self.make(str(buttons.value)))
            self._bar = gui.add_progress_bar(0.0, visible=False)
            self._cancel = gui.add_button("Stop", visible=False)
            self._cancel.on_click(lambda _: self.stop())

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of files that can be made."""
        return ("PNG", "HTML", "GIF", "MP4") if self.stage is not None else ("PNG", "HTML")

    def subject(self) -> ViewSubject:
        """What files are of."""
        return self.session.subject

    def film(self, fps: float, seamless: bool) -> Film:
        """What is filmed at so many frames a second. seamless: the animation starts over when it has ended."""
        if self.stage is None:
            raise UsageError("nothing moves: open a run")
        return self.stage

    def stop(self) -> None:
        """Leave the file that is being made."""
        self._stop = True

    def make(self, kind: str) -> None:
        """Make a file and hand it to the page."""
        makers = {"PNG": self._png, "HTML": self._html, "GIF": self._film, "MP4": self._film}
        if kind in makers:
            suffix = f".{kind.lower()}"
            self.session.worker.post("take away", lambda: self._run(makers[kind], suffix), slow=True)

    def _run(self, maker: Callable[[Path, str], None], suffix: str) -> None:
        self._stop = False
        self._bar.value = 0.0
        self._bar.visible = self._cancel.visible = True
        handle = self._handle()
        shown = handle is not None and handle.visible
        try:
            with tempfile.TemporaryDirectory(prefix="gough-file-") as folder:
                path = Path(folder) / f"{file_stem(self.subject().title)}{suffix}"
                maker(path, suffix)
                self.session.client.send_file_download(path.name, path.read_bytes(), save_immediately=True)
        except DownloadStopped:
            self.session.say("stopped; no file was made")
        finally:
            self._bar.visible = self._cancel.visible = False
            if handle is not None and shown:
                handle.visible = True

    def _tell(self, part: float) -> None:
        if self._stop or self.session.closed:
            raise DownloadStopped
        percent = float(np.floor(100 * part))
        if percent != self._bar.value:
            self._bar.value = percent

    def _handle(self) -> Any:
        """What the pose is dragged with: a tool, and no part of a picture."""
        return getattr(self.session.panels.get("pose"), "handle", None)

    def _picture(self) -> Any:
        handle = self._handle()
        if handle is not None and handle.visible:
            handle.visible = False
        width, height = SIZES.get(str(self._size.value), (1280, 720))
        return picture(self.session.client, even_size(width), even_size(height), self.session.subject.dark)

    def _frame(self) -> Any:
        """A picture of an animation."""
        return self._picture()

    def _png(self, path: Path, suffix: str) -> None:
        with PngFile(path) as file:
            file.add(self._picture())

    def _html(self, path: Path, suffix: str) -> None:
        robot = self.session.robot
        options = {"exaggeration": robot.exaggeration, "speed": self._speed(), "progress": self._tell}
        text = html_page(self.subject(), **options)
        write_file(path, text)

    def _film(self, path: Path, suffix: str) -> None:
        fps = RATES[suffix]
        film = self.film(fps, suffix == ".gif")
        self._began()
        shown = film.time
        times = frame_times(film, None, fps, self._speed(), MOST_FRAMES)
        file: Encoder = GifFile(path, fps, len(times)) if suffix == ".gif" else video_file(path, fps)

        def take(time: float) -> Any:
            with self.session.client.atomic():
                film.show(time)
            return self._frame()

        try:
            with file:
                shoot(take, times, file.add, lambda k: self._tell(k / len(times)))
        finally:
            film.show(shown)


def file_stem(title: str) -> str:
    """A title as the name of a file."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", title).strip("_")[:60] or "gough"
