"""Files made of a run: the page that plays from a file without a network, and a picture drawn without a window."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import gough as library
from gough.viewer import export
from gough.viewer.takeaway.pictures import hidden_server
from inner.viewer import BANDS, Banded, Figure, RobotScene, nice_above
from studies.study.robots import EXAMPLES
from viewer.browser.structure import drawn
from viewer.browser.viewing import until
from viewer.playback.runs import path1, square

pytest.importorskip("viser")

READY = "window.gough && window.gough.ready"
SCRUB = "t => { const s = document.getElementById('gough-slider'); s.value = t; s.dispatchEvent(new Event('input')); }"
POSE = "window.__viserMutable.nodePoseData['/robot/link0'].position"


@pytest.mark.slow
def test_the_page_plays_from_a_file_without_a_network(open_page, tmp_path: Path) -> None:
    path = export(path1(), tmp_path / "run.html", fps=10)
    page = open_page(path.as_uri(), width=700, height=480, offline=True)
    page.wait_for_function(READY, timeout=60_000)
    until(lambda: page.evaluate("gough.time") > 0.2, "time to go on")
    page.keyboard.press("Space")
    until(lambda: not page.evaluate("gough.playing"), "a pause")

    for time in (4.0, 1.0):  # forwards and back
        page.evaluate(SCRUB, time)
        assert page.evaluate("gough.time") == time
        assert page.inner_text("#gough-time") == f"{time:.3f} s"
        x = 0.1 + 0.5 * time / 6  # the robot's path is a line at constant speed
        until(lambda x=x: abs(page.evaluate(POSE)[0] - x) < 2e-3, "the platform there")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("gough.time") == pytest.approx(1.1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("gough.time") == pytest.approx(0.9)
    page.keyboard.press("End")
    assert page.evaluate("gough.time") == 6.0
    cursor = page.evaluate("+document.querySelector('#gough-plots .cursor').getAttribute('x1')")
    page.keyboard.press("Home")
    assert page.evaluate("+document.querySelector('#gough-plots .cursor').getAttribute('x1')") < cursor
    assert page.locator("#gough-plots section").count() >= 3


def areas(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.slow
def test_flexible_bodies_bend_and_have_the_colours_of_their_deflection(open_page, tmp_path: Path) -> None:
    """Bands cut by the page have the areas of those cut here."""
    run = square()
    path = export(run, tmp_path / "run.html", fps=30)
    page = open_page(path.as_uri(), width=700, height=480, offline=True)
    page.wait_for_function(READY, timeout=60_000)
    time = page.evaluate("t => { gough.seek(t); return gough.time; }", float(run.time[-1]))
    assert time == run.time[-1]
    page.wait_for_function("window.__viserMutable.messageQueue.length === 0")
    found = page.evaluate(
        """bands => [...Array(bands).keys()].map(k => window.__viserSceneTree.getState()[`/robot/skin${k}`])
        .map(n => n.effectiveVisibility === false || n.visibility === false ? null
                  : [[...n.message.props.vertices], [...n.message.props.faces]])""",
        BANDS,
    )
    with hidden_server("test") as server:
        robot = RobotScene(server.scene, Figure(run.model))
        skins, largest = robot.skins, 0.0
        assert skins is not None
        for q in run.q[np.linspace(0, len(run) - 1, 10).astype(int)]:
            robot.show(q)
            largest = max(largest, skins.surface[1].max())
        robot.show(run.q[-1])
        vertices, values = skins.surface
        wanted = Banded(skins.faces, BANDS).cut(vertices, values / nice_above(largest, 0.0))
    whole = areas(vertices, skins.faces)
    assert sum(len(m.faces) > 0 for m in wanted) > 3
    for mesh, got in zip(wanted, found, strict=True):
        area = 0.0 if got is None else areas(np.reshape(got[0], (-1, 3)), np.reshape(got[1], (-1, 3)))
        assert area == pytest.approx(areas(mesh.vertices, mesh.faces) if len(mesh.faces) else 0.0, abs=2e-3 * whole)
    drawn_areas = [areas(np.reshape(g[0], (-1, 3)), np.reshape(g[1], (-1, 3))) for g in found if g is not None]
    assert sum(drawn_areas) == pytest.approx(whole, rel=1e-3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.slow
def test_a_robot_alone_is_a_still_page_in_the_readers_colours(scheme: str, open_page, tmp_path: Path) -> None:
    path = export("five_bar", tmp_path / "robot.html")
    page = open_page(path.as_uri(), width=700, height=480, offline=True, color_scheme=scheme)
    page.wait_for_function(READY, timeout=60_000)
    assert page.locator("#gough-bar").is_hidden()
    assert page.evaluate("document.documentElement.classList.contains('gough-dark')") == (scheme == "dark")


@pytest.mark.slow
def test_a_picture_is_drawn_without_a_page(chromium, tmp_path: Path) -> None:
    path = export("five_bar", tmp_path / "robot.png", width=320, height=200)
    found = np.asarray(Image.open(path))
    assert found.shape == (200, 320, 3)
    assert 0.01 < drawn(found).mean() < 0.9
    assert [p.name for p in tmp_path.iterdir()] == ["robot.png"]


@pytest.mark.slow
def test_a_picture_of_the_best_designs_of_a_study(chromium, tmp_path: Path) -> None:
    study = library.load_study(EXAMPLES / "two_slides_study.yaml")
    path = export(study.run(), tmp_path / "front.png", width=320, height=200)
    found = np.asarray(Image.open(path))
    assert found.shape == (200, 320, 3)
    assert 0.005 < drawn(found).mean() < 0.9


@pytest.mark.slow
def test_an_animation_moves(chromium, tmp_path: Path) -> None:
    path = export(path1(), tmp_path / "run.gif", seconds=6.0, speed=6.0, fps=6, width=200, height=120)
    with Image.open(path) as found:
        assert found.n_frames == 7
        found.seek(0)
        first = np.asarray(found.convert("RGB")).astype(int)
        found.seek(6)
        last = np.asarray(found.convert("RGB")).astype(int)
    assert (np.abs(first - last).max(axis=2) > 60).mean() > 0.01


@pytest.mark.slow
def test_a_mode_starts_over_without_a_jump(chromium, tmp_path: Path) -> None:
    path = export("five_bar", tmp_path / "mode.gif", mode=1, fps=8, width=240, height=160)
    with Image.open(path) as found:
        assert found.n_frames == 16
        frames = []
        for k in range(found.n_frames):
            found.seek(k)
            frames.append(np.asarray(found.convert("RGB")).astype(int))
    steps = np.array([np.abs(a - b).mean() for a, b in zip(frames, [*frames[1:], frames[0]], strict=True)])
    # It goes and comes back the same way: the last step is the first one backwards, the fastest are in the middle.
    np.testing.assert_allclose(steps, steps[::-1], rtol=0.05, atol=0.02)
    assert steps[-1] < 0.6 * steps.max() and steps.max() > 0.1
