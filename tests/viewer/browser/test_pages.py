"""Pages in a real browser: they load, show the robot, do not disturb each other, and leave nothing behind."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import gough
from inner.viewer import Viewer
from viewer.browser.structure import drawn, likeness, load_reference, save_reference
from viewer.browser.viewing import picture, session_of, settled, until

pytest.importorskip("viser")

REFERENCES = Path(__file__).parent / "reference"
ROBOTS = (
    "delta",
    pytest.param("pedrammehr2012", marks=pytest.mark.slow),
    pytest.param("long2014", marks=pytest.mark.slow),
)


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with gough.view("delta", port=0, plain=True) as made:
        yield made


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_is_drawn_as_it_was(name: str, open_page, request: pytest.FixtureRequest) -> None:
    """The picture has the structure of the reference; `REWRITE_REFERENCES=1` writes new ones, which want to be looked at."""
    import os

    with gough.view(name, port=0, plain=True) as viewer:
        page = open_page(viewer.url)
        session_of(viewer)
        settled(page, 10)
        page.wait_for_timeout(1500)
        found = drawn(picture(page)[:, :900])
    assert found.mean() > 0.01, "blank"
    path = REFERENCES / f"{name}.png"
    if os.environ.get("REWRITE_REFERENCES"):
        save_reference(found, path)
    assert likeness(found, load_reference(path)) > 0.75


@pytest.mark.slow
def test_two_pages_do_not_disturb_each_other(viewer: Viewer, open_page) -> None:
    first_page = open_page(viewer.url, width=760, height=400)
    first = session_of(viewer)
    second_page = open_page(viewer.url, width=760, height=400)
    second = session_of(viewer, 2)
    assert first is not second
    settled(first_page, 10)
    first_page.wait_for_timeout(1000)
    before = picture(first_page)
    moved = viewer.subject.model.configuration(coordinates={"x": 0.15, "y": -0.1})
    second.show(moved)
    settled(second_page)
    settled(first_page)
    after, other = picture(first_page), picture(second_page)
    assert np.array_equal(first.q, viewer.subject.start)
    assert likeness(drawn(before), drawn(after)) > 0.99
    assert likeness(drawn(before), drawn(other)) < 0.97


def test_closing_a_page_ends_its_session(viewer: Viewer, chromium) -> None:
    before = set(viewer.sessions)
    page = chromium.new_page()
    page.goto(viewer.url)
    until(lambda: set(viewer.sessions) - before, "a new page")
    session = viewer.sessions[max(viewer.sessions)]
    names = {t.name for t in threading.enumerate()}
    assert any("gough view" in n for n in names)
    page.close()
    until(lambda: session.closed, "its end")
    until(lambda: session.worker._quick._thread.is_alive() is False, "its thread's end")
