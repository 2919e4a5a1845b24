"""Playback in a real browser: buttons, keys, scrubber and plots move the robot and each other."""

from collections.abc import Iterator

import pytest

import gough
from inner.viewer import Viewer
from viewer.browser.viewing import session_of, settled, until
from viewer.playback.runs import path1

pytest.importorskip("viser")

CURSOR = "parseFloat(getComputedStyle(document.querySelector('.gough-now')).getPropertyValue('--gough-time'))"

NAMES = "Object.keys(window.__viserSceneTree.getState())"


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with gough.view(path1(), port=0, plain=True) as made:
        yield made


@pytest.mark.slow
def test_a_run_is_played_stepped_and_scrubbed(viewer: Viewer, open_page) -> None:
    page = open_page(viewer.url, width=1200, height=560)
    panel = session_of(viewer).panels["motion"]
    page.get_by_role("button", name="Play").wait_for(timeout=60_000)
    settled(page)

    page.get_by_role("button", name="Play").click()
    until(lambda: panel.player.time > 0.3, "time to go on")
    page.get_by_role("button", name="Pause").click()
    until(lambda: not panel.player.playing, "a pause")

    page.keyboard.press("Home")
    until(lambda: panel.player.time == 0.0 and page.evaluate(CURSOR) == 0.0, "the start, in the plots too")
    page.keyboard.press("l")
    until(lambda: panel.player.time == pytest.approx(path1().time[1]), "the next stored state")
    page.keyboard.press("j")
    until(lambda: panel.player.time == 0.0, "the state before")
    page.keyboard.press("End")
    until(lambda: panel.player.time == 6.0 and page.evaluate(CURSOR) == 1.0, "the end")
    page.keyboard.press("Space")
    until(lambda: panel.player.playing, "playing from the start again")
    page.keyboard.press("Space")
    until(lambda: not panel.player.playing, "a pause")

    track = page.locator(".mantine-Slider-track").first.bounding_box()
    page.mouse.click(track["x"] + 0.5 * track["width"], track["y"] + track["height"] / 2)
    until(lambda: 2.5 < panel.player.time < 3.5, "half of the run")
    until(lambda: abs(page.evaluate(CURSOR) - panel.player.time / 6) < 1e-3, "the cursor there")
    shown = session_of(viewer, 1)
    until(lambda: abs(shown.q[0] - panel.stage.frames[0].at(panel.player.time)[0]) < 1e-9, "the robot there")


@pytest.mark.slow
def test_the_cursor_is_where_the_plot_has_that_time(viewer: Viewer, open_page) -> None:
    """The line of our own stands at the pixel of the chart's own axis."""
    page = open_page(viewer.url, width=1200, height=560)
    panel = session_of(viewer, 1).panels["motion"]
    page.locator(".u-over").first.wait_for(timeout=60_000)
    panel.go_to(4.5)
    until(lambda: page.evaluate(CURSOR) == pytest.approx(0.75), "the cursor")
    settled(page)
    charts, lines = page.evaluate(
        """() => [[...document.querySelectorAll('.u-over')], [...document.querySelectorAll('[style*="--gough-time"]')]]
        .map(all => all.map(e => e.getBoundingClientRect().toJSON()))"""
    )
    assert len(charts) == len(lines) >= 3
    for chart, line in zip(charts, lines, strict=True):
        assert line["x"] == pytest.approx(chart["x"] + 0.75 * chart["width"], abs=2)
        assert line["top"] == pytest.approx(chart["top"], abs=4) and line["bottom"] == pytest.approx(
            chart["bottom"], abs=4
        )


@pytest.mark.slow
def test_arrows_and_traces_are_nodes_of_the_scene(viewer: Viewer, open_page) -> None:
    page = open_page(viewer.url, width=1200, height=560)
    panel = session_of(viewer, 1).panels["motion"]
    until(lambda: "/robot/trace/path" in page.evaluate(NAMES), "the trace")
    panel._boxes["force"].value = panel._boxes["reaction"].value = True
    wanted = {"/robot/forces/force", "/robot/forces/reaction", "/robot/scale/force"}
    until(lambda: wanted <= set(page.evaluate(NAMES)), "arrows")
    panel._boxes["reaction"].value = False
    until(lambda: "/robot/forces/reaction" not in page.evaluate(NAMES), "their end")


@pytest.mark.slow
def test_two_runs_stand_beside_each_other_on_one_clock(open_page) -> None:
    first = path1()
    second = first.between(0.0, 3.0).described(stopped="singular at t=3.0: made up")
    with gough.view(first, second, port=0, plain=True) as viewer:
        page = open_page(viewer.url, width=1200, height=560)
        panel = session_of(viewer).panels["motion"]
        page.get_by_text("Stopped early: singular").wait_for(timeout=60_000)
        until(
            lambda: any(
                n.startswith("/second") for n in page.evaluate("Object.keys(window.__viserSceneTree.getState())")
            ),
            "it",
        )
        panel.go_to(5.0)
        until(lambda: panel.stage.time == 5.0, "the time")
        assert (panel.stage.frames[1].at(5.0) == second.q[-1]).all()
        page.get_by_text("Largest differences").click()
        page.locator("td", has_text="drives.force").wait_for()


@pytest.mark.slow
def test_the_reference_stands_beside_the_robot(open_page) -> None:
    """A pale robot where the motion wants it, on at once where the error is seen; errors have a plot with the time's cursor."""
    delta = gough.build("delta")
    home = delta.home_pose
    motion = gough.motions.quintic(poses=[home, home + [0.2, 0.1, -0.1, 0, 0, 0, 0]], durations=0.4)
    run = gough.simulate(delta, motion, gough.laws.JointPD(60.0, 6.0), check="off")
    with run.view(port=0, plain=True) as viewer:
        page = open_page(viewer.url, width=1200, height=560)
        panel = session_of(viewer).panels["motion"]
        until(lambda: any(n.startswith("/reference1/") for n in page.evaluate(NAMES)), "the reference")
        page.get_by_text("tracking (m)").wait_for()
        page.get_by_text("reference", exact=False).first.wait_for()
        panel.go_to(0.2)
        until(lambda: page.evaluate(CURSOR) == pytest.approx(0.5), "the cursor in its plots")
        (_, ghost) = panel.stage._ghosts[0]
        until(lambda: abs(ghost._robot._q[0] - home[0] - 0.1) < 1e-6, "the reference half way")
        page.get_by_text("Reference", exact=True).locator("xpath=ancestor::*[.//input[@type='checkbox']][1]").locator(
            "input[type=checkbox]"
        ).click()
        until(lambda: not any(n.startswith("/reference") for n in page.evaluate(NAMES)), "the robot alone")
