"""A robot, one of its modes, or runs into a file, by its suffix."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.arguments import callback, checked, flag, number, path, whole, words
from gough.errors import UsageError
from gough.files import whole_file, write_file
from gough.viewer.posing.swing import PERIOD, SwingingMode, home_modes, swinging_mode
from gough.viewer.subject import ViewSubject, subject_of
from gough.viewer.takeaway.encoders import Encoder, GifFile, PngFile, even_size, video_file
from gough.viewer.takeaway.page import frame_times, html_page
from gough.viewer.takeaway.pictures import check_size, photographer, shoot

SUFFIXES = (".html", ".png", ".mp4", ".gif")
MOST_FRAMES = 20_000
"""Of a video."""
Progress = Callable[[float], None]


def check_path(path: str | Path) -> str:
    """The kind of file that a path names (".html", …); UsageError for others and for folders."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: the name of the file ends in {', '.join(SUFFIXES)}")
    if target.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file")
    return suffix


@checked(
    path=path,
    seconds=number(above=0),
    fps=number(above=0, most=1000),
    width=whole(1, 16384),
    height=whole(1, 16384),
    speed=number(above=0),
    channels=words,
    dark=flag,
    exaggeration=number(),
    mode=whole(1),
    progress=callback,
)
def export(
    what: Any,
    path: str | Path,
    *,
    seconds: float | None = None,
    fps: float = 30.0,
    width: int = 1280,
    height: int = 720,
    speed: float = 1.0,
    channels: Sequence[str] = (),
    dark: bool | None = None,
    exaggeration: float = 1.0,
    mode: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write a robot or runs to .html (plays by itself), .png (at the start), .mp4 or .gif; returns the path.

    what: a model, a run, a subject, a name or path of them, or two runs. seconds: only so much of the run, from its start.
    fps: frames a second; speed: seconds of the run in a second. width, height: of pictures, pixels. channels: curves of an
    .html file, default the usual ones. dark: the ground; None: .html as the reader's computer is set, pictures light.
    exaggeration: deflections are drawn so many times as large. progress: told the part done, 0 to 1.
    mode: of a robot, instead of it alone: it swings in its mode of this number, from 1, the slowest, about its equilibrium at
    home; 2 s a swing, rigid robots on the servos that the page offers first.

    Files are written beside their place and renamed when complete; one that exists is replaced. Pictures and videos are drawn
    by a browser without a window.
    """
    target, suffix = Path(path), check_path(path)
    subject = _subject(what)
    if subject.study is not None and (suffix != ".png" or mode is not None):
        raise UsageError(
            f"{path}: of a study there is a picture (.png) of its best designs; its page in the browser has buttons for "
            "animations (Take away), `gough design … --out FOLDER` writes a report, and found.robot(k) or `gough design … "
            "--choose K --robot-out robot.yaml` give one design"
        )
    if mode is not None:
        subject = mode_subject(subject, mode, suffix, seconds=seconds, channels=channels, exaggeration=exaggeration)
        seconds = seamless_seconds(path, fps, speed) if suffix == ".gif" else None
    common = {"seconds": seconds, "fps": fps, "speed": speed, "exaggeration": exaggeration, "progress": progress}
    if suffix == ".html":
        text = html_page(subject, channels=tuple(channels), dark=dark, **common)
        return write_file(target, text)
    if channels:
        raise UsageError(f"{path}: channels are drawn in .html files only")
    _film(subject, target, suffix, width, height, bool(dark), **common)
    return target


def _subject(what: Any) -> ViewSubject:
    if isinstance(what, ViewSubject):
        return what
    return subject_of(*what) if isinstance(what, list | tuple) else subject_of(what)


def _film(
    subject: ViewSubject,
    path: Path,
    suffix: str,
    width: int,
    height: int,
    dark: bool,
    seconds: float | None,
    fps: float,
    speed: float,
    exaggeration: float,
    progress: Progress | None,
) -> None:
    check_size(width, height)
    if suffix != ".png" and not subject.runs:
        raise UsageError(f"{path}: a robot without a run does not move; give a run, or write a .png or .html file")
    if suffix == ".mp4":
        width, height = even_size(width), even_size(height)
    tell = progress or (lambda part: None)
    with whole_file(path) as aside:
        make: Callable[[int], Encoder]
        if suffix == ".png":
            make = lambda count: PngFile(aside)  # noqa: E731
        elif suffix == ".gif":
            make = lambda count: GifFile(aside, fps, count)  # noqa: E731
        else:
            video = video_file(aside, fps)  # said before anything is drawn
            make = lambda count: video  # noqa: E731
        with photographer(subject, width, height, dark, exaggeration) as man:
            stage = man.stage
            if suffix == ".png" or stage is None:
                times = [0.0 if stage is None else stage.start]
            else:
                times = frame_times(stage, seconds, fps, speed, MOST_FRAMES)
            with make(len(times)) as file:
                shoot(man.take, times, file.add, lambda k: tell(k / len(times)))
    tell(1.0)


# What is exported when a mode is asked for: the robot that swings in it.

SWINGS = {".mp4": 3}
"""In a file; those that play again and again have one."""
FEWEST = 4
"""Frames of a swing."""


def mode_subject(
    subject: ViewSubject,
    number: int,
    suffix: str,
    *,
    seconds: float | None,
    channels: Sequence[str],
    exaggeration: float,
) -> ViewSubject:
    """The subject of a file: mode `number` (from 1) of a robot about its equilibrium at home."""
    if subject.runs:
        raise UsageError(
            f"mode {number}: {subject.title} is a run; modes are of a robot at rest: give the robot instead"
        )
    if channels:
        raise UsageError(f"mode {number}: no channels; a mode has a shape and a frequency, but no size")
    if seconds is not None:
        raise UsageError(f"mode {number}: no seconds; whole swings are written, speed says how fast they go")
    modes, hold = home_modes(subject.model)
    found = swinging_mode(subject.figure, modes, hold, number, swings=SWINGS.get(suffix, 1), exaggeration=exaggeration)
    return swinging_subject(found, subject.dark)


def swinging_subject(found: SwingingMode, dark: bool) -> ViewSubject:
    """What draws a mode."""
    return ViewSubject(found.run.model, (found.run,), dark, heading=found.heading, remark=found.remark, plotted=False)


def seamless_seconds(path: str | Path, fps: float, speed: float) -> float | None:
    """How much (s) of one swing an animation that starts over shows: the frame after the last one is the first again."""
    if not all(np.isfinite(x) and x > 0 for x in (fps, speed)):
        return None  # said where they are used
    step = speed / fps
    if PERIOD / step < FEWEST:
        raise UsageError(f"{path}: fps={fps:g}, speed={speed:g}: a swing has fewer than {FEWEST} frames; a lower speed")
    return PERIOD - step
