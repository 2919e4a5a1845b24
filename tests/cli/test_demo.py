"""`gough demo` on parts of the tour; the whole tour is a slow test."""

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from cli.command import gough, gough_json
from gough.cli import demo_rigid
from gough.cli.demo import PARTS
from gough.cli.demo_report import write_report
from gough.cli.demo_section import Section
from gough.papers import SCENARIOS, scenarios
from gough.papers.comparison import apart, equals

prepare_once = cache(demo_rigid.prepare)
KEEP = ("pedrammehr2012_path3", "lopes_p1p2p1", "lopes_simplified_p1p2p1")
RIGID = ("demo", "--only", "rigid")


@pytest.fixture
def short_tour(monkeypatch):
    monkeypatch.setattr(demo_rigid, "prepare", prepare_once)
    for name in set(SCENARIOS) - set(KEEP):
        monkeypatch.delitem(scenarios.SCENARIOS, name)


class Page(HTMLParser):
    """Texts of cells, headings and pictures; complains of tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.pictures = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])
        elif tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def test_numbers_and_report(short_tour, tmp_path):
    folder = tmp_path / "made" / "here"
    report = gough_json(*RIGID, "--out", folder)
    [picture] = report["figures"]
    assert (folder / "rigid_forces.png").read_bytes().startswith(b"\x89PNG") and picture.endswith("rigid_forces.png")
    assert {row["scenario"] for row in report["rows"]} == set(KEEP) and report["comparisons"] == []
    assert not report["interrupted"] and report["parts"] == {"rigid": {}}
    for row in report["rows"]:
        assert row["within"] and row["operations"] > 100 and row["microseconds"] > 0
    [largest] = [r for r in report["rows"] if r["robot"] == "pedrammehr2012" and r["quantity"] == "max |f|"]
    assert largest["known"] == [2377.4] and abs(largest["largest"] - 2377.4) <= 0.05
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    assert report["report"] == str(folder / "report.html") and "7 of 7 comparisons agree." in page.texts
    assert len(page.pictures) == 1 and page.pictures[0].startswith("data:image/png;base64,iVBOR")


def test_a_different_force_is_exit_code_1(short_tour, tmp_path, monkeypatch):
    scenario = SCENARIOS["pedrammehr2012_path3"]
    wrong = replace(scenario.known[0], value=(2400.0,))
    monkeypatch.setitem(scenarios.SCENARIOS, "pedrammehr2012_path3", replace(scenario, known=(wrong,)))
    out, err = gough(*RIGID, "--out", tmp_path, code=1)
    assert "DIFFERS" in out and "agrees" in out and "4 of 5 comparisons agree" in out
    assert str(tmp_path / "report.html") in out and "path 3" in err
    assert "DIFFERS" in Page((tmp_path / "report.html").read_text(encoding="utf-8")).texts


def test_interrupt_shows_what_is_done(short_tour, tmp_path, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    later = replace(SCENARIOS["lopes_p1p2p1"], motion=stop)
    monkeypatch.setitem(scenarios.SCENARIOS, "lopes_p1p2p1", later)
    out, _ = gough(*RIGID, "--out", tmp_path, code=130)
    assert "path 3" in out and "(interrupted)" in out and not (tmp_path / "rigid_forces.png").exists()
    texts = Page((tmp_path / "report.html").read_text(encoding="utf-8")).texts
    assert "path 3, 0.8 m/s" in texts and any("interrupted" in t for t in texts)


def test_an_unknown_part_is_refused(tmp_path):
    _, err = gough("demo", "--only", "legs", "--out", tmp_path, code=2)
    assert "legs" in err and ", ".join(PARTS) in err


def test_report_of_comparisons(tmp_path):
    """Numbers stand as computed and as known; what is text stays text."""
    section = Section("x", "Plates <b> & beams")
    section.comparisons = [
        equals("mass", 73.07089, 73.0709, "kg", 5e-5, "a & b", form=".4f"),
        equals("error", 3e-9, 0.0, "m", 1e-10, "exact", form=".1e"),
        apart("modes", [753.4, 1181.9], [828.3, 1310.6], "rad/s", (0.08, 0.10), "[Long 2014, Table 2]", form=".1f"),
    ]
    path = write_report([section], tmp_path / "report.html", 1.0, False)
    texts = Page(path.read_text(encoding="utf-8")).texts
    assert {"Plates <b> & beams", "73.0709", "3.0e-09", "DIFFERS", "-9.8 %", "8 … 10 %", "differs as known"} <= set(
        texts
    )
    assert "2 of 3 comparisons agree." in texts


@pytest.mark.slow
def test_whole_tour(tmp_path):
    """Everything agrees; the flexible robot's runs follow and depart as they must."""
    report = gough_json("demo", "--out", tmp_path)
    assert {row["scenario"] for row in report["rows"]} == set(SCENARIOS)
    assert {c["part"] for c in report["comparisons"]} == {"long2014", "dualemps"}
    assert all(c["within"] for c in report["comparisons"]) and all(row["within"] for row in report["rows"])
    assert len(report["figures"]) == 6 == len(Page((tmp_path / "report.html").read_text("utf-8")).pictures)
    long = report["parts"]["long2014"]
    assert set(long["functions"]) == {"inverse_dynamics", "forward_dynamics"}
    follows, rigid, replay = long["runs"]
    assert follows["stopped"] == "finished" and follows["leaves_s"] is None and follows["simulated_s"] == 4.2
    assert rigid["stopped"] != "finished" and 0 < rigid["leaves_s"] < replay["leaves_s"] < 4.2
    np.testing.assert_allclose(report["parts"]["dualemps"]["residual_hz"], 14.2, atol=0.05)
