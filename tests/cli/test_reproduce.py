"""`gough reproduce` on made-up papers and on the quickest real one; all five are a slow test."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

import gough_papers
from cli.command import gough, gough_json
from gough_papers.comparison import Demonstration, Origin, Tolerance, equals, half_digit, not_reproduced, paper_origin
from gough_papers.reproduction import Artefact, Paper, Tour
from gough_papers.section import Grid
from papers.html_page import HtmlPage

KEYS = {
    "quantity",
    "paper",
    "ours",
    "tolerance",
    "reason",
    "within",
    "note",
    "unit",
    "kind",
    "origin",
    "rule",
    "section",
}


WEIGHED = Origin("independent", "a & b")


@dataclass
class MadeUp(Tour):
    """A tour of two parts; the second one may fail or be broken off."""

    shop: object
    computed: float = 73.0709
    breaks: bool = False

    def parts(self):
        return [("Weighing <b> & counting", self.first), ("Modes", self.second)]

    def first(self, section):
        self.shop.tell("weighing …")
        section.comparisons.append(
            equals("mass", self.computed, 73.0709, "kg", half_digit(5e-5), WEIGHED, form=".4f", note="a scale")
        )
        section.grids.append(Grid(("n", "x"), (("1", "2 < 3"),), ("n",), "numbers", label="Table 1"))
        self.shop.draw_figure(section, 1, "A line.", self.line, 1.0)

    def second(self, section):
        section.said.append("begun")
        if self.breaks:
            raise KeyboardInterrupt
        mesh, ours, known = Tolerance(0.02, "a mesh", relative=True), [401.0, 753.4, 1181.9], [401.1, 828.3, 1310.6]
        section.comparisons.append(
            not_reproduced("modes", ours, known, "rad/s", mesh, paper_origin("a table"), form=".1f", note="coarse")
        )
        section.demonstrations.append(Demonstration("one is one", "1", "it is"))

    def line(self, end):
        from gough_papers.canvas import canvas, label_axes

        figure = canvas(3, 2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, end])
        label_axes(axes, "line", "y (m)")
        return figure


def made_up(name, **how):
    return Paper(
        name=name,
        short="Fried",
        reference="Nobody, “Nothing”.",
        subject="A `robot`.",
        robots=("fried",),
        view="fried",
        tour=lambda shop: MadeUp(shop, **how),
        artefacts=(Artefact("Fig. 1", "a line", "redrawn"), Artefact("Fig. 2", "a photograph", "lost", "no camera")),
        transcription="tests",
    )


@pytest.fixture
def shelf(monkeypatch):
    """Puts made-up papers in the place of the real ones."""

    def put(**papers):
        monkeypatch.setattr(gough_papers, "NAMES", tuple(papers))
        monkeypatch.setattr(gough_papers, "load_paper", lambda name: papers[name])
        monkeypatch.setattr("gough_papers.page.equations_grid", lambda name: Grid(("equations",), ()))

    return put


def test_report_json_and_figures(shelf, tmp_path):
    shelf(one=made_up("one"))
    folder = tmp_path / "made" / "here"
    report = gough_json("reproduce", "one", "--out", folder)
    [paper] = report["papers"]
    assert report == json.loads((folder / "reproduction.json").read_text("utf-8"))
    assert all(c.keys() >= KEYS and c["within"] for c in paper["comparisons"]) and report["within"] == 2
    assert paper["comparisons"][0]["paper"] == [73.0709] and paper["comparisons"][0]["tolerance"] == 5e-5
    assert paper["comparisons"][1]["tolerance"] == 0.02 and report["index"] is None
    assert [(t["kind"], t["agreeing"], t["open"]) for t in paper["kinds"]] == [("printed", 0, 1), ("independent", 1, 0)]
    assert paper["demonstrations"] == [{"quantity": "one is one", "value": "1", "why": "it is", "section": "Modes"}]
    [figure] = paper["figures"]
    assert figure["label"] == "Fig. 1" and (folder / "one" / "fig1.png").read_bytes().startswith(b"\x89PNG")
    page = HtmlPage((folder / "one.html").read_text("utf-8"))
    headline = "1 of 3 numbers of the paper that were compared are reproduced, 2 are not. Its 2 figures and 0 tables: "
    assert (
        f"{headline}1 redrawn from our model; 1 cannot be reproduced." in page.texts
        and page.texts.count("printed") == 2
    )
    assert "0 of 1 (1 not reproduced)" in page.texts and "1 of 1" in page.texts and "one is one" in page.texts
    assert {
        "Weighing <b> & counting",
        "73.0709",
        "-9.8 %",
        "2 %",
        "a mesh",
        "not reproduced",
        "2 < 3",
        "no camera",
    } <= set(page.texts)
    assert page.pictures[0].startswith("data:image/png;base64,iVBOR") and not page.loaded
    assert {"fig-1", "table-1"} <= page.places and {link[1:] for link in page.links if link[0] == "#"} <= page.places


def test_no_figures(shelf, tmp_path):
    shelf(one=made_up("one"))
    out, _ = gough("reproduce", "one", "--no-figures", "--out", tmp_path)
    assert not (tmp_path / "one").exists() and "Table 1: numbers" in out and "mass: a scale." in out
    assert (
        "printed in the paper                     0 of 1 (1 not reproduced)" in out
        and str(tmp_path / "one.html") in out
        and "gough view fried" in out
    )


def test_outside_the_tolerance_is_exit_code_1(shelf, tmp_path):
    shelf(good=made_up("good"), bad=made_up("bad", computed=73.1))
    out, err = gough("reproduce", "all", "--out", tmp_path, code=1)
    assert "DIFFERS" in out and "1 of 2 (1 FAILED)" in out and "weighing" in err
    index = HtmlPage((tmp_path / "index.html").read_text("utf-8"))
    assert {"good.html", "bad.html"} <= set(index.links) and "0 of 1 (1 FAILED)" in index.texts
    assert "DIFFERS" in HtmlPage((tmp_path / "bad.html").read_text("utf-8")).texts


def test_an_interrupt_keeps_what_is_done(shelf, tmp_path):
    shelf(one=made_up("one", breaks=True), two=made_up("two"))
    out, err = gough("reproduce", "one", "two", "--out", tmp_path, code=130)
    assert (
        "== Modes ==" in out
        and "The text we work from has no number that can be compared" in out
        and "interrupted" in err
    )
    page = HtmlPage((tmp_path / "one.html").read_text("utf-8"))
    assert "begun" in page.texts and any(t.startswith("Interrupted") for t in page.texts)
    assert not (tmp_path / "two.html").exists()
    assert json.loads((tmp_path / "reproduction.json").read_text("utf-8"))["interrupted"]


def test_an_unknown_paper_is_refused(tmp_path):
    _, err = gough("reproduce", "euler1776", "--out", tmp_path, code=2)
    assert "euler1776" in err and ", ".join(gough_papers.NAMES) in err and not list(tmp_path.iterdir())


def complete(paper, folder):
    """Every figure and table that the paper's card promises is there, all inside one file; every number agrees."""
    card = gough_papers.load_paper(paper["name"])
    page = HtmlPage((folder / f"{paper['name']}.html").read_text("utf-8"))
    assert paper["comparisons"] and all(c["within"] for c in paper["comparisons"])
    promised = {a.label for a in card.artefacts if a.kind == "redrawn"}
    assert promised == {f["label"] for f in paper["figures"]} - {""}
    labels = {
        a.label.lower().replace(". ", "-").replace(" ", "-")
        for a in card.artefacts
        if a.kind in ("redrawn", "compared", "part")
    }
    assert labels <= page.places and {link[1:] for link in page.links if link[0] == "#"} <= page.places
    assert len(page.pictures) == len(paper["figures"]) and not page.loaded
    [moving] = page.frames  # the viewer's page, whole
    assert moving == (folder / paper["name"] / "moving.html").read_text("utf-8") and len(moving) > 500_000
    assert all(m["printed"] in page.texts for m in paper["misprints"])


@pytest.mark.slow
def test_the_quickest_paper(tmp_path):
    report = gough_json("reproduce", "fried", "--out", tmp_path)
    complete(report["papers"][0], tmp_path)
    lanes = report["papers"][0]["data"]["lanes"]
    assert lanes["lanes"] == 6 and lanes["by_count"] > 2


@pytest.mark.slow
def test_all_papers(tmp_path):
    report = gough_json("reproduce", "all", "--out", tmp_path)
    assert [p["name"] for p in report["papers"]] == list(gough_papers.NAMES) and report["comparisons"] >= 65
    for paper in report["papers"]:
        complete(paper, tmp_path)
    long, _, briot, _, pedrammehr = (p["data"] for p in report["papers"])
    follows, rigid, replay, _, unfed = long["runs"]
    assert follows["stopped"] == "finished" and follows["leaves_s"] is None and follows["simulated_s"] == 4.2
    assert unfed["stopped"] == "finished" and unfed["leaves_s"] is None
    assert rigid["stopped"] != "finished" and 0 < rigid["leaves_s"] < replay["leaves_s"] < 4.2
    np.testing.assert_allclose(briot["residual_hz"], 14.2, atol=0.05)
    assert max(map(max, pedrammehr["axes_N"].values())) > max(pedrammehr["misprints_N"].values())
    assert HtmlPage((tmp_path / "index.html").read_text("utf-8")).links[0] == "long2014.html"
