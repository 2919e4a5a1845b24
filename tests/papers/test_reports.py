"""What the reports are made of: errata they name, equations they list, sources, drawings that move."""

import base64
import json
import re

import numpy as np
import pytest

from gough_papers import catalogue
from gough_papers.citations.names import EQUATIONS, PAPERS
from gough_papers.lopes import table1
from gough_papers.paper import KINDS
from gough_papers.report.animation import MOST_FRAMES, Polyline, View, animation
from gough_papers.report.equations import equations_grid
from gough_papers.report.misprints import misprint_grids
from gough_papers.report.sources import document, sources_grid


@pytest.fixture(params=catalogue.NAMES)
def paper(request):
    return catalogue.paper(request.param)


def test_cards(paper):
    """Names, robots and labels fit; what is computed live is an entry of the errata."""
    assert paper.name in PAPERS and paper.short == PAPERS[paper.name]
    labels = [a.label for a in paper.artefacts]
    assert len(set(labels)) == len(labels) and {a.kind for a in paper.artefacts} <= set(KINDS)
    assert set(paper.live) <= {m.printed for m in paper.misprints}
    grids = misprint_grids(paper, dict.fromkeys(paper.live.values(), "now"))
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    assert cells.count("now") == len(paper.live) and all(m.right in cells for m in paper.misprints)


def test_every_equation_is_listed_once(paper):
    found = []
    for row in equations_grid(paper.name).rows:
        first, _, last = row[0].partition("–")
        found += range(int(first), int(last or first) + 1)
        assert row[1] or row[2], f"{paper.short}, eq. {row[0]}: neither code nor a word why there is none"
    assert found == list(range(1, EQUATIONS[paper.name] + 1))


def test_sources_and_assumptions_are_shown(paper):
    for robot in paper.robots:
        shown = [row[2] for row in sources_grid(robot).rows]
        assert all(words in shown for words in document(robot)["source"]["assumed"])
        text = json.dumps(document(robot))
        assert len(shown) >= text.count('"source":')


def test_the_printed_counts_add_up():
    *bodies, total = table1.PRINTED.values()
    assert np.array_equal(np.sum(bodies, axis=0), total)


def test_a_drawing_that_moves():
    """All frames are inside, as they were given but for the middle; long motions are thinned."""
    t = np.linspace(0.0, 2.0, 500)
    points = np.stack([np.outer(t, [1.0, 2.0, 3.0]), np.zeros((500, 3))], axis=1)
    page = animation(t, points, [Polyline((0, 1))], "a < b", View(up=0))
    [text] = re.findall(r'<script type="application/json">(.*?)</script>', page)
    data = json.loads(text)
    frames = np.frombuffer(base64.b64decode(data["points"]), "<f4").reshape(-1, 2, 3)
    assert len(frames) == len(data["t"]) == MOST_FRAMES and "a &lt; b" in page and "src=" not in page
    way = frames[-1, 0] - frames[0, 0]
    np.testing.assert_allclose(way, [4.0, 6.0, 2.0], rtol=1e-6)  # x, which is up, is drawn as the third
