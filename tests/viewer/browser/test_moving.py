"""Pose, modes and maps in a real browser: sliders and the handle move the robot, bad poses turn legs red, a click goes there."""

from typing import Any

import numpy as np
import pytest

import gough
from viewer.browser.viewing import session_of, until

pytest.importorskip("viser")


PATIENCE = 120_000
"""ms, for pages in software WebGL on machines with other things to do."""


def opened(open_page: Any, viewer: Any) -> tuple[Any, Any]:
    """(page, session), the page complete."""
    page = open_page(viewer.url)
    page.set_default_timeout(PATIENCE)
    session = session_of(viewer)
    page.get_by_text("Within reach and limits.").first.wait_for()
    return page, session


def type_in(page: Any, k: int, value: float) -> None:
    box = page.locator(".mantine-NumberInput-input").nth(k)
    box.fill(str(value))
    box.press("Enter")


def pixel(session: Any, page: Any, point: np.ndarray) -> tuple[float, float]:
    """Where a point of the world is on the page."""
    from viser import transforms

    camera = session.client.camera
    seen = transforms.SO3(np.array(camera.wxyz)).as_matrix().T @ (np.asarray(point) - np.array(camera.position))
    size = page.viewport_size
    scale = size["height"] / 2 / np.tan(camera.fov / 2)
    return size["width"] / 2 + scale * seen[0] / seen[2], size["height"] / 2 + scale * seen[1] / seen[2]


@pytest.mark.slow
def test_sliders_move_the_robot_and_bad_poses_are_refused(open_page) -> None:
    with gough.view("delta", port=0, plain=True) as viewer:
        page, session = opened(open_page, viewer)
        type_in(page, 0, 0.2)
        until(lambda: abs(session.q[0] - 0.2) < 1e-6, "the robot at x = 0.2 m")
        type_in(page, 0, 1.2)
        page.get_by_text("cannot reach").first.wait_for()
        assert session.q[0] == pytest.approx(0.2, abs=1e-6)
        assert session.panels["pose"].shown.values[0] == pytest.approx(1.2)
        page.get_by_role("button", name="Home").click()
        until(lambda: np.allclose(session.q, viewer.subject.model.home, atol=1e-8), "home")
        page.get_by_text("Within reach and limits.").first.wait_for()


@pytest.mark.slow
def test_the_handle_pulls_the_platform(open_page) -> None:
    with gough.view("pedrammehr2012", port=0, plain=True) as viewer:
        page, session = opened(open_page, viewer)
        page.wait_for_timeout(2000)
        arm = 0.3 * viewer.subject.figure.size
        start = pixel(session, page, session.q[:3] + [0, 0, 0.8 * arm])
        end = pixel(session, page, session.q[:3] + [0, 0, 0.6 * arm])
        page.mouse.move(*start)
        page.wait_for_timeout(300)
        page.mouse.down()
        for share in np.linspace(0.1, 1, 10):
            page.mouse.move(*(np.array(start) + share * (np.array(end) - start)))
            page.wait_for_timeout(50)
        page.mouse.up()
        until(lambda: session.q[2] < viewer.subject.model.home[2] - 0.1 * arm, "a lower platform")
        asked = session.panels["pose"].shown.values[2]
        until(lambda: abs(session.q[2] - asked) < 1e-6, "the robot where the sliders are")


def test_a_mode_swings_and_rests(open_page) -> None:
    with gough.view("five_bar", port=0, plain=True) as viewer:
        page, session = opened(open_page, viewer)
        home = viewer.subject.model.home
        page.get_by_role("tab", name="Modes").click()
        page.get_by_role("button", name="Find modes").click()
        page.get_by_text("Stable; 2 modes").first.wait_for()
        until(lambda: np.abs(session.q - home).max() > 1e-3, "a swing")
        page.get_by_role("button", name="Stop").click()
        until(lambda: np.allclose(session.q, home, atol=1e-9), "rest")


@pytest.mark.slow
def test_a_click_on_a_map_goes_there(open_page) -> None:
    with gough.view("delta", port=0, plain=True) as viewer:
        page, session = opened(open_page, viewer)
        page.get_by_role("tab", name="Maps").click()
        page.get_by_role("button", name="Compute").click()
        maps = session.panels["maps"]
        until(lambda: maps.surface is not None, "a map")
        place = np.array([-0.3, 0.5, viewer.subject.model.home[2]])

        def there() -> bool:
            page.mouse.click(*pixel(session, page, place))  # again, until the page knows that it can be clicked
            page.wait_for_timeout(1500)
            return bool(np.linalg.norm(session.q[:3] - place) < 0.03)

        until(there, "the robot at the point clicked")
