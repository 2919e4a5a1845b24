"""The report of a paper: the viewer's page inside it plays, from a file, without a network."""

from pathlib import Path

import pytest

from gough.page import whole_page
from gough_papers.page import moving_figure
from gough_papers.reproduction import Workshop
from gough_papers.section import ReportSection
from viewer.browser.viewing import until
from viewer.playback.runs import path1

pytest.importorskip("viser")


@pytest.mark.slow
def test_a_report_plays_its_robot(open_page, tmp_path: Path) -> None:
    section = ReportSection("forces")
    Workshop(tmp_path, lambda text: None).move(section, path1(), "Path 1 & back.", fps=10)
    assert section.moving is not None
    report = tmp_path / "report.html"
    report.write_text(whole_page("a report", ["<h1>A report</h1>", moving_figure(*section.moving)]), encoding="utf-8")
    page = open_page(report.as_uri(), width=900, height=700, offline=True, wait="iframe")
    assert page.inner_text("figcaption") == "Path 1 & back."
    [frame] = page.frames[1:]
    frame.wait_for_function("window.gough && window.gough.ready", timeout=60_000)
    until(lambda: frame.evaluate("gough.time") > 0.2, "time to go on")
    assert frame.locator("#gough-plots section").count() >= 3
