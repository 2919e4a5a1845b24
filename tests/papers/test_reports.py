"""What the reports are made of: errata they name, equations they list, sources."""

import json

import numpy as np
import pytest

from gough_papers import NAMES, load_paper
from gough_papers.citations import EQUATIONS, PAPERS
from gough_papers.lopes.operations import PRINTED
from gough_papers.page import moving_figure
from gough_papers.reproduction import ARTEFACT_KINDS, Workshop, document
from gough_papers.section import ReportSection
from gough_papers.tables import equations_grid, sources_grid, tell_misprints


@pytest.fixture(params=NAMES)
def paper(request):
    return load_paper(request.param)


def test_cards(paper):
    """Names, robots and labels fit; what is computed live is an entry of the errata."""
    assert paper.name in PAPERS and paper.short == PAPERS[paper.name]
    labels = [a.label for a in paper.artefacts]
    assert len(set(labels)) == len(labels) and {a.kind for a in paper.artefacts} <= set(ARTEFACT_KINDS)
    live = [m.computed for m in paper.misprints if m.computed]
    section = ReportSection("misprints")
    tell_misprints(section, paper, dict.fromkeys(live, "now"))
    cells = [cell for grid in section.grids for row in grid.rows for cell in row]
    assert cells.count("now") == len(live) == len(set(live)) and all(m.right in cells for m in paper.misprints)
    assert ("“Computed now”" in section.said[0]) == bool(live)


def test_every_equation_is_listed_once(paper):
    found = []
    for row in equations_grid(paper.name).rows:
        first, _, last = row[0].partition("–")
        found += range(int(first), int(last or first) + 1)
        assert row[1] or row[2], f"{paper.short}, eq. {row[0]}: neither code nor a word why there is none"
    assert found == list(range(1, EQUATIONS[paper.name] + 1))


def test_an_equation_is_marked_for_its_own_slip():
    """Not for that of one it uses, nor for words near it; with a dagger where the text that was read may be wrong."""
    notes = {row[0]: row[2] for row in equations_grid("pedrammehr2012").rows}
    assert notes["31"] == "with eqs. 32–33 corrected" and notes["49"] == "with eq. 50 corrected" and notes["34"] == ""
    assert notes["50"] == "corrected" and notes["21"] == notes["46"] == "corrected †"


def test_sources_and_assumptions_are_shown(paper):
    for robot in paper.robots:
        shown = [row[2] for row in sources_grid(robot).rows]
        assert all(words in shown for words in document(robot)["source"]["assumed"])
        text = json.dumps(document(robot))
        assert len(shown) >= text.count('"source":')


def test_the_printed_counts_add_up():
    *bodies, total = PRINTED.values()
    assert np.array_equal(np.sum(bodies, axis=0), total)


def test_without_the_viewer_a_report_says_what_moves(monkeypatch, tmp_path):
    monkeypatch.setattr("gough_papers.reproduction.find_spec", lambda name: None)
    section = ReportSection("forces")
    Workshop(tmp_path, lambda text: None).move(section, None, "Path 1.")  # type: ignore[arg-type]
    assert section.moving is not None
    figure = moving_figure(*section.moving)
    assert "Path 1." in figure and "<code>pip install 'gough[view]'</code>" in figure and "iframe" not in figure
