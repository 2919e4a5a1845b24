"""What the browser tests share: waiting, reading the page, a picture of the robot alone."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from viewer.browser.structure import pixels

SECONDS = 60.0
"""A patient bound: the machines that test may be slow."""


def until(condition: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """The first true value of the condition; an assertion that names what was waited for."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.05)
    return value


def session_of(viewer: Any, count: int = 1) -> Any:
    """The session of the newest of `count` pages, built completely."""
    until(lambda: len(viewer.sessions) >= count, f"{count} pages")
    return viewer.sessions[max(viewer.sessions)]


def picture(page: Any) -> np.ndarray:
    """Pixels (rows, columns, 3) of the canvas, without panels and notifications."""
    page.add_style_tag(content=".mantine-Notifications-root { display: none !important; }")
    return pixels(page.screenshot())


def settled(page: Any, frames: int = 3) -> None:
    """Wait until the page has drawn what it was sent."""
    page.evaluate(
        "n => new Promise(done => { const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f(); })", frames
    )
    page.wait_for_timeout(300)
