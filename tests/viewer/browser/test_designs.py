"""A study in a real browser: along its front, through its case, what stands beside, what is taken away."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import StudyResult
from inner.viewer import Viewer
from studies.study.robots import EXAMPLES
from viewer.browser.viewing import session_of, until

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def found() -> StudyResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.load_study(EXAMPLES / "motion_platform_study.yaml")
        return replace(study, search=replace(study.search, count=128)).run()


@pytest.fixture(scope="module")
def viewer(found: StudyResult) -> Iterator[Viewer]:
    with found.view(port=0, plain=True) as viewer:
        yield viewer


def opened(open_page: Any, viewer: Viewer) -> tuple[Any, Any, Any]:
    page = open_page(viewer.url)
    page.set_default_timeout(120_000)
    session = session_of(viewer)
    panel = session.panels["designs"]
    until(lambda: len(panel.stage.chosen) == len(panel.beside.usual), "chosen designs in the row")
    page.get_by_text("Along the front").first.wait_for()
    return page, session, panel


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_robot_changes_along_the_front(found: StudyResult, viewer: Viewer, open_page: Any) -> None:
    page, session, panel = opened(open_page, viewer)
    assert {c.key for c in panel.stage.chosen} >= {int(found.front.designs.values[:, 0].argmin())}
    assert any("best force" in c.label.text for c in panel.stage.chosen)
    first, rows = session.robot, panel.stage.way.rows
    page.get_by_text("Next").first.click()
    until(lambda: panel.stage.place == 1.0, "the second stop")
    page.get_by_text(f"Design {rows[1]} of the front").wait_for()
    model = panel.states.space.model
    P = panel.states.space.designs(found.front.designs.x[rows[1]][None])[0][0]
    assert np.array_equal(session.robot.figure.parameters, P) and session.robot is first  # its nodes took another shape
    panel.go_to(1.5)
    page.get_by_text(f"Between designs {rows[1]} and {rows[2]}, 50 %").wait_for()
    x = (found.front.designs.x[rows[1]] + found.front.designs.x[rows[2]]) / 2
    wanted = found.study.evaluate(dict(zip(found.study.variables, x.tolist(), strict=True)))
    until(lambda: panel._evaluated is not None and panel._evaluated[0] == 1.5, "its measures")
    assert panel.columns(1.5)[0].values == pytest.approx(list(wanted.values()))
    open_by = model.function("closure_residual")(q=session.robot._q, parameters=session.robot.figure.parameters)
    assert np.abs(open_by.outputs["residual"]).max() < 1e-9
    panel.toggle()
    until(lambda: panel.player.time > 1.8, "it moves")
    panel.toggle()
    assert panel._ticker is None


@pytest.mark.filterwarnings("ignore")
def test_the_case_is_played_by_all_that_stand_there(viewer: Viewer, open_page: Any) -> None:
    page, _, panel = opened(open_page, viewer)
    before = [c.scene._q.copy() for c in panel.stage.chosen]
    page.get_by_text("Play the case").click()
    until(lambda: panel.clock.time > 0.2, "the ride")
    panel.hold()
    assert panel.states.state_at("ride", panel.clock.time) > 5

    def shown() -> bool:
        """All where the clock stands, which the slider may round."""
        state = panel.states.state_at("ride", panel.clock.time)
        return all(np.array_equal(d.scene._q, panel.states.of_row("ride", d.key)[state]) for d in panel.stage.chosen)

    until(shown, "all where the clock stopped")
    for design, q in zip(panel.stage.chosen, before, strict=True):
        assert np.abs(design.scene._q - q).max() > 1e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_designs_are_added_removed_and_taken_away(
    found: StudyResult, viewer: Viewer, open_page: Any, tmp_path: Path
) -> None:
    page, session, panel = opened(open_page, viewer)
    usual = {c.key for c in panel.stage.chosen}
    row = next(k for k in range(len(found)) if k not in usual)
    panel._number.value = row
    panel._numbered()
    until(lambda: panel.stops()[0] == row and panel.stage.place == panel.player.time, "the design that was named")
    page.get_by_text("Add the present design").click()
    until(lambda: row in {c.key for c in panel.stage.chosen}, "it in the row")
    panel.beside._drop.value = f"design {row}"
    panel.beside._dropped()
    until(lambda: {c.key for c in panel.stage.chosen} == usual, "it gone")
    page.get_by_text("Take away").first.click()
    with page.expect_download() as download:
        page.get_by_text("Robot as YAML").click()
    path = tmp_path / "taken.yaml"
    download.value.save_as(path)
    robot = gough.load(path)
    assert {n: float(robot.variables[n]) for n in found.study.variables} == pytest.approx(found.variables(row))
    assert f"design {row} of the study" in str(robot.source)
    page.get_by_text("Look at it alone").click()
    alone = until(lambda: (s := session_of(viewer)) is not session and s, "a page of that robot")
    assert {"pose", "modes", "maps"} <= set(alone.panels) and alone.subject.before is session.subject
    page.get_by_text("Back to the study").click()
    until(lambda: "designs" in session_of(viewer).panels, "the study again")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_narrow_page_has_the_front_in_a_tab(viewer: Viewer, open_page: Any) -> None:
    page = open_page(viewer.url, width=800, height=700)
    page.set_default_timeout(120_000)
    session_of(viewer)
    page.get_by_role("tab", name="Front").click()
    page.locator("svg .gough-here").wait_for(state="attached")
