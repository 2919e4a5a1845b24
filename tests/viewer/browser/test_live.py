"""A live page in a real browser: the robot runs, is pulled, gets other gains, ends and begins anew; its recording is taken."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws
from inner.viewer import Viewer
from simulation.sliders import slider
from viewer.browser.test_moving import pixel
from viewer.browser.viewing import session_of, settled, until

pytest.importorskip("viser")

STIFFNESS, DAMPING = 200.0, 40.0


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with gough.view(slider(), live=laws.JointPD(STIFFNESS, DAMPING), port=0, plain=True) as made:
        yield made


def opened(open_page: Any, viewer: Viewer) -> tuple[Any, Any]:
    """(page, its live panel), the robot running."""
    page = open_page(viewer.url, width=1200, height=700)
    page.set_default_timeout(120_000)
    panel = session_of(viewer).panels["live"]
    until(lambda: panel.loop.playing and panel.loop.t > 0.05, "time to go on")
    return page, panel


def box_of(page: Any, label: str) -> Any:
    """The number box beside a slider."""
    return (
        page.get_by_text(label, exact=True)
        .locator("xpath=ancestor::*[.//input[contains(@class,'NumberInput')]][1]")
        .locator("input[class*='NumberInput']")
    )


def test_it_is_pushed_and_gets_other_gains(viewer: Viewer, open_page, tmp_path: Path) -> None:
    """x = f/k on the page, too; a pause stands still, and a reset begins anew."""
    page, panel = opened(open_page, viewer)
    loop = panel.loop
    page.get_by_text("Running, t =").wait_for()
    until(lambda: page.locator(".u-over").count() == 3, "plots of forces, error and push")
    box = box_of(page, "fz (N)")
    box.fill("10")
    box.press("Enter")
    until(lambda: abs(loop.frame_position()[2] - 10.0 / STIFFNESS) < 1e-5, "the block at f/k")
    box = box_of(page, "Stiffness (N/m)")
    box.fill("1000")
    box.press("Enter")
    until(lambda: abs(loop.frame_position()[2] - 10.0 / 1000.0) < 1e-5, "the block at f/k of the other gain")
    assert any("stiffness 200 → 1000" in what for _, what in loop.recording().info.events)
    page.get_by_role("button", name="Pause").click()
    until(lambda: not loop.playing and panel._ticker is None, "a pause")
    page.get_by_text("Paused, t =").wait_for()
    page.get_by_role("button", name="Reset").click()
    until(lambda: loop.t == 0.0, "the start")
    with page.expect_download() as download:
        page.get_by_role("button", name="Play").click()
        until(lambda: loop.t > 0.3, "time to go on")
        page.get_by_role("button", name="Take away (.npz)").click()
    download.value.save_as(tmp_path / download.value.suggested_filename)
    run = gough.Run.load(tmp_path / "slider_live.npz")
    assert run.time[0] == 0.0 and run.time[-1] >= 0.3 and "tracking" in run and run.wrench["block.tool"][-1, 2] == 10.0
    page.get_by_role("button", name="No push").click()
    until(lambda: abs(loop.frame_position()[2]) < 1e-5, "the block back")


@pytest.mark.slow
def test_the_handle_pulls_it(open_page) -> None:
    with gough.view("five_bar", live=True, port=0, plain=True) as viewer:
        page, panel = opened(open_page, viewer)
        loop, session = panel.loop, panel.session
        settled(page)
        page.wait_for_timeout(2000)
        at = loop.frame_position()
        arm = panel.handle._gizmo.scale
        canvas = page.locator("canvas").first.bounding_box()  # panels at both sides leave it less than the page
        aside = canvas["x"] + canvas["width"] / 2 - page.viewport_size["width"] / 2
        start, end = (np.array(pixel(session, page, at + [share * arm, 0, 0])) + [aside, 0] for share in (0.8, 1.6))
        page.mouse.move(*start)
        page.wait_for_timeout(300)
        page.mouse.down()
        for share in np.linspace(0.1, 1, 10):
            page.mouse.move(*(start + share * (end - start)))
            page.wait_for_timeout(50)
        until(lambda: loop.dragged is not None and loop.frame_position()[0] > at[0] + 0.02 * arm, "a tool that follows")
        until(lambda: panel.handle._line.visible, "the spring")
        page.mouse.up()
        until(lambda: loop.dragged is None and abs(loop.frame_position()[0] - at[0]) < 1e-3 * arm, "it let go")
        until(lambda: not panel.handle._line.visible, "the spring gone")


@pytest.mark.slow
def test_another_law_and_another_body(viewer: Viewer, open_page) -> None:
    page, panel = opened(open_page, viewer)
    loop = panel.loop
    panel._law.value = "computed torque"
    panel._choose_law()
    until(lambda: loop.law is not None and loop.law.name == "computed torque", "the other law")
    page.get_by_text("Stiffness (1/s²)", exact=True).wait_for()
    t = loop.t
    assert t > 0.0
    panel._body.value = "block"
    panel._choose_body()
    until(lambda: loop.pushed is not None and loop.pushed.frame == "block", "the other body")
    assert loop.t >= t
    panel._law.value = "none"
    panel._choose_law()
    until(lambda: loop.law is None, "no law")
    page.get_by_text("The drives give no force.").wait_for()
    until(lambda: page.locator(".u-over").count() == 2, "no plot of errors")


@pytest.mark.slow
def test_a_run_that_ends_says_why_and_a_page_that_closes_ends_it(open_page) -> None:
    def failing(t, q, v, reference):
        if t > 0.2:
            raise ValueError("out of tricks")
        return [0.0]

    with gough.view(slider(), live=laws.Sampled(failing, 0.01), port=0, plain=True) as viewer:
        page = open_page(viewer.url, width=900, height=600)
        page.set_default_timeout(120_000)
        panel = session_of(viewer).panels["live"]
        page.get_by_text("out of tricks").wait_for()
        page.get_by_text("Press Reset").wait_for()
        assert panel._ticker is None  # nothing goes on meanwhile
        page.get_by_role("button", name="Reset").click()
        until(lambda: panel.loop.stopped and panel.loop.t > 0.1, "the same end again")
        page.close()
        until(lambda: not viewer.sessions and panel.session.closed, "the end of the page")
        assert not panel.loop.playing and panel._ticker is None
