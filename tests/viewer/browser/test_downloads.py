"""Buttons of the page that make files: each is clicked, and what the browser then saves is looked into."""

import importlib.util
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import gough
from inner.viewer import Viewer
from viewer.browser.structure import drawn
from viewer.browser.viewing import session_of, settled, until
from viewer.playback.runs import path1

pytest.importorskip("viser")
pytestmark = pytest.mark.slow

LONGEST = 300_000
"""Milliseconds for a file, where a browser draws in software."""
VIDEO = shutil.which("ffmpeg") is not None or importlib.util.find_spec("cv2") is not None


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with gough.view(path1().between(0.0, 0.4), port=0, plain=True) as made:
        yield made


def unfolded(page: Any, panel: Any) -> None:
    """Open the part of the page with a panel's buttons, for small pictures."""
    page.get_by_text("Take away", exact=True).locator("visible=true").click()
    page.get_by_role("button", name="HTML", exact=True).locator("visible=true").wait_for()
    panel.files._size.value = "640 × 640"
    settled(page)


def saved(page: Any, kind: str, folder: Path) -> Path:
    """The file that a button makes, as the browser saves it."""
    with page.expect_download(timeout=LONGEST) as waiting:
        page.get_by_role("button", name=kind, exact=True).locator("visible=true").click()
    download = waiting.value
    path = folder / download.suggested_filename
    download.save_as(path)
    assert path.suffix == f".{kind.lower()}"
    return path


def frames(path: Path) -> list[np.ndarray]:
    """Of an animation, RGB, one every 70 ms; those that are alike are stored once and stay longer."""
    out: list[np.ndarray] = []
    with Image.open(path) as file:
        assert getattr(file, "is_animated", False)
        for k in range(file.n_frames):  # pyright: ignore[reportAttributeAccessIssue]
            file.seek(k)
            out += [np.asarray(file.convert("RGB")).astype(int)] * round(file.info["duration"] / 70)
    return out


def told(path: Path) -> dict:
    """What a page that plays by itself knows of its run."""
    found = re.search(r'id="gough-about">([^<]*)<', path.read_text(encoding="utf-8"))
    assert found is not None
    return json.loads(found.group(1))


def test_a_run_as_picture_page_and_animation(viewer: Viewer, open_page, tmp_path: Path) -> None:
    page = open_page(viewer.url, width=1000, height=700, accept_downloads=True)
    session = session_of(viewer)
    panel = session.panels["motion"]
    unfolded(page, panel)
    handle = session.panels["pose"].handle
    # What a pose is dragged with: no part of a file, and there again afterwards.
    session.panels["pose"]._show_handle(True)

    still = np.asarray(Image.open(saved(page, "PNG", tmp_path)).convert("RGB"))
    assert still.shape == (640, 640, 3) and 0.01 < drawn(still).mean() < 0.9

    about = told(saved(page, "HTML", tmp_path))
    end = session.subject.runs[0].time[-1]
    assert about["end"] == pytest.approx(end) and len(about["times"]) == 13 and len(about["panels"]) >= 3

    panel.go_to(0.1)
    until(lambda: panel.stage.time == 0.1, "another time")
    film = frames(saved(page, "GIF", tmp_path))
    assert len(film) == 7 and film[0].shape == (640, 640, 3)  # 15 a second, both ends
    assert (np.abs(film[0] - film[-1]).max(axis=2) > 60).mean() > 1e-3
    until(lambda: panel.stage.time == 0.1, "the time that was shown before")
    until(lambda: handle.visible, "the handle")


@pytest.mark.skipif(not VIDEO, reason="no ffmpeg and no OpenCV on this machine: nothing writes an MP4")
def test_a_run_as_video(viewer: Viewer, open_page, tmp_path: Path) -> None:
    page = open_page(viewer.url, width=1000, height=700, accept_downloads=True)
    unfolded(page, session_of(viewer).panels["motion"])
    content = saved(page, "MP4", tmp_path).read_bytes()
    assert content[4:8] == b"ftyp" and b"moov" in content and len(content) > 2000


@pytest.mark.skipif(VIDEO, reason="this machine can write an MP4")
def test_a_video_that_cannot_be_written_says_what_is_missing(viewer: Viewer, open_page) -> None:
    page = open_page(viewer.url, width=1000, height=700)
    unfolded(page, session_of(viewer).panels["motion"])
    page.get_by_role("button", name="MP4", exact=True).locator("visible=true").click()
    page.get_by_text("a video needs ffmpeg").wait_for(timeout=60_000)


def test_a_mode_as_page_and_animation(open_page, tmp_path: Path) -> None:
    with gough.view("dualemps", port=0, plain=True) as viewer:
        page = open_page(viewer.url, width=1000, height=700, accept_downloads=True)
        session = session_of(viewer)
        page.get_by_role("tab", name="Modes").click()
        page.get_by_role("button", name="Find modes").click()
        panel = session.panels["modes"]
        until(lambda: panel._ticker is not None, "a mode that swings")
        panel._period.value = 0.6  # a short animation
        rest = panel.modes.q
        unfolded(page, panel)

        about = told(saved(page, "HTML", tmp_path))
        assert re.fullmatch(r"dualemps, mode 1: [\d.]+ Hz", about["title"]) and about["panels"] == []
        film = frames(saved(page, "GIF", tmp_path))
        assert len(film) == 9 and film[0].shape == (640, 640, 3)  # 0.6 s, 15 a second
        until(lambda: np.array_equal(session.q, rest) or np.allclose(session.q, rest, atol=1e-9), "rest")
