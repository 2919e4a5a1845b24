"""Sliders of variables in a real browser: the robot changes its shape, what cannot be assembled is told, the page follows."""

from typing import Any

import pytest

import gough
from gough.robot import loads
from viewer.browser.viewing import session_of, until

pytest.importorskip("viser")

FIVE_BAR = """
format: 2
name: varied_five_bar
variables: {reach: 250 mm, half: 80 mm}
gravity: [0, -9.81, 0]
bodies:
  - {name: l1, shape: {rod: {mass: 0.3, length: reach, axis: x}, at: {position: [reach/2, 0, 0]}}}
  - {name: l2, shape: {rod: {mass: 0.3, length: reach, axis: x}, at: {position: [reach/2, 0, 0]}}}
  - {name: r1, shape: {rod: {mass: 0.3, length: reach, axis: x}, at: {position: [reach/2, 0, 0]}}}
  - {name: r2, shape: {rod: {mass: 0.3, length: reach, axis: x}, at: {position: [reach/2, 0, 0]}}}
joints:
  - {name: j1, type: revolute, parent: world, child: l1, pose: {position: [-half, 0, 0]}, drive: {}}
  - {name: j2, type: revolute, parent: l1, child: l2, pose: {position: [reach, 0, 0]}}
  - {name: j3, type: revolute, parent: world, child: r1, pose: {position: [half, 0, 0]}, drive: {}}
  - {name: j4, type: revolute, parent: r1, child: r2, pose: {position: [reach, 0, 0]}}
loops:
  - name: tip
    type: revolute
    first: {body: l2, pose: {position: [reach, 0, 0]}}
    second: {body: r2, pose: {position: [reach, 0, 0]}}
home: {joints: {j1: 120 deg, j2: -70 deg, j3: 60 deg, j4: 70 deg}}
"""


def type_in(page: Any, k: int, value: float) -> None:
    box = page.locator(".mantine-NumberInput-input").nth(k)
    box.fill(str(value))
    box.press("Enter")


@pytest.mark.filterwarnings("ignore")
def test_a_slider_moves_the_shape_and_the_page_follows(open_page) -> None:
    with gough.view(gough.build(loads(FIVE_BAR)), port=0, plain=True) as viewer:
        page = open_page(viewer.url)
        page.set_default_timeout(120_000)
        session = session_of(viewer)
        page.get_by_text("Variables").first.wait_for()
        first = session.robot
        type_in(page, 0, 300)
        until(lambda: session.robot is not first, "another robot drawn")
        after = until(lambda: (x := session_of(viewer)) is not session and x, "a page of the new robot")
        found = after.subject.model
        assert dict(zip(found.variables.names, found.variables.values, strict=True)) == pytest.approx(
            {"reach": 0.3, "half": 0.08}
        )
        assert after.subject.described is not None
        assert float(after.subject.described.variables["reach"]) == 0.25
        page.get_by_text("Variables").first.wait_for()
        assert session.closed
        panel, drawn = after.panels["variables"], after.robot
        panel._sliders["reach"][0].value = 20.0  # shorter than the base is wide
        panel.remake()
        page.get_by_text("This robot cannot be assembled").first.wait_for()
        assert after.robot is drawn
