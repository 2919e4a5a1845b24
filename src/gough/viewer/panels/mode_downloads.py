"""Files of the mode that the page swings."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gough.viewer.panels.downloads import Downloads
from gough.viewer.playback.frames import Frames
from gough.viewer.posing.swing_run import PERIOD, SwingingMode
from gough.viewer.subject import Subject
from gough.viewer.takeaway.swinging import SWINGS, swinging_subject

if TYPE_CHECKING:
    from gough.viewer.session import Session


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

    def subject(self) -> Subject:
        """The robot in its mode."""
        return swinging_subject(self._chosen(1), self.session.subject.dark)

    def film(self, fps: float, seamless: bool) -> SwingFilm:
        """Whole swings; one that starts over leaves out its last frame, which is the first again."""
        swings = 1 if seamless else SWINGS[".mp4"]
        end = swings * PERIOD - (self._speed() / fps if seamless else 0.0)
        return SwingFilm(self.session, self._chosen(swings), end)
