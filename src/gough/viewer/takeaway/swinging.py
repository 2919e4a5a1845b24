"""What is exported when a mode is asked for: the robot that swings in it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.viewer.posing.swing_run import PERIOD, SwingingMode, home_modes, swinging_mode
from gough.viewer.subject import Subject

SWINGS = {".mp4": 3}
"""In a file; those that play again and again have one."""
FEWEST = 4
"""Frames of a swing."""


def swinging(
    subject: Subject, number: int, suffix: str, *, seconds: float | None, channels: Sequence[str], exaggeration: float
) -> Subject:
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


def swinging_subject(found: SwingingMode, dark: bool) -> Subject:
    """What draws a mode."""
    return Subject(found.run.model, (found.run,), dark, heading=found.heading, remark=found.remark, plotted=False)


def seamless_seconds(path: str | Path, fps: float, speed: float) -> float | None:
    """How much (s) of one swing an animation that starts over shows: the frame after the last one is the first again."""
    if not all(np.isfinite(x) and x > 0 for x in (fps, speed)):
        return None  # said where they are used
    step = speed / fps
    if PERIOD / step < FEWEST:
        raise UsageError(f"{path}: fps={fps:g}, speed={speed:g}: a swing has fewer than {FEWEST} frames; a lower speed")
    return PERIOD - step
