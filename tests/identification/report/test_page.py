"""The page of an identification: whole, readable by a parser, with all names, figures and warnings, and nothing unescaped."""

from __future__ import annotations

import base64
import re
import warnings
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

import gough
from identification.estimation.motions import five_bar, samples
from inner.identification import draw_forces, draw_parameters, report_page, residuals_of

NASTY = 'mind "<b>this</b>" & <script>alert(1)</script>'


class Reader(HTMLParser):
    """Text and pictures of a page; its tags must close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.texts: list[str] = []
        self.pictures: list[dict[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))
        elif tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def parse(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


@cache
def identified(validated: bool = True) -> gough.Identification:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.identify(five_bar(), samples(0.01), validation=samples(0.01, 1, 2) if validated else None)


@cache
def page(validated: bool = True) -> str:
    return report_page(identified(validated))


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    assert page().startswith("<!doctype html>") and page().rstrip().endswith("</html>")
    reader = parse(page())
    assert "script" not in reader.seen and "link" not in reader.seen
    assert not re.search(r'(src|href)="?https?:', page())


def test_it_names_what_was_found() -> None:
    text, found = "\n".join(parse(page()).texts), identified()
    for name in (*found.base.names, *found.base.regressor.names, *found.rows.names):
        assert name in text
    for x in found.base_values:
        assert f"{x:.6g}" in text
    assert "7 base parameters by least squares" in text and "of 1 run;" in text
    assert f"{found.fits[0].error:.3%}" in text and f"{found.fits[1].error:.3%}" in text
    assert "-0.0<" not in page()


def test_it_has_its_figures() -> None:
    for validated, count in ((True, 6), (False, 4)):  # forces and residuals of each run, parameters, correlation
        pictures = parse(page(validated)).pictures
        assert len(pictures) == count
        for picture in pictures:
            kind, _, data = (picture["src"] or "").partition(",")
            assert kind == "data:image/png;base64" and base64.b64decode(data).startswith(b"\x89PNG")
            assert picture["alt"] and int(picture["width"] or 0) > 200


def test_text_is_escaped() -> None:
    found = identified(False)
    samples_ = replace(found.samples, runs=(NASTY,), notes=(NASTY,))
    made = report_page(replace(found, samples=samples_, warnings=(NASTY,)), NASTY)
    reader = parse(made)
    assert "script" not in reader.seen and "b" not in reader.seen
    assert sum(NASTY in text for text in reader.texts) >= 3
    assert any(NASTY in (p["alt"] or "") for p in reader.pictures)


def test_it_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    found = identified(False)
    text = found.report(tmp_path / "new" / "report.html")
    assert text == found.report() == str(found)
    parse((tmp_path / "new" / "report.html").read_text(encoding="utf-8"))


def test_numbers_beyond_the_figure_are_arrows() -> None:
    found = identified(False)
    phi = found.estimate.phi.copy()
    told = int(np.flatnonzero((found.base.values != 0) & (found.estimate.half_width() < np.abs(found.base.values)))[0])
    phi[told] = 50 * found.base.values[told]
    axes = draw_parameters(replace(found, estimate=replace(found.estimate, phi=phi))).axes[0]
    assert any(text.get_text() == "50" for text in axes.texts)
    assert axes.get_xlim()[1] < 4


def test_forces_have_units_and_differences_a_scale_of_their_own() -> None:
    found = identified(False)
    cells = [text.strip() for text in parse(page(False)).texts]
    place = cells.index("left_motor")
    assert "N m" in cells[place : place + 3]
    figure = draw_forces(residuals_of(found, found.samples)[0], found.rows.names, ("N m", "N m"))
    force, apart = figure.axes[:2]
    assert np.ptp(apart.get_ylim()) < 0.3 * np.ptp(force.get_ylim())


def test_intervals_of_numbers_that_are_shown_are_whole() -> None:
    found = identified(False)
    wide = replace(found.estimate, covariance=found.estimate.covariance * 400)
    for estimate in (found.estimate, wide):
        axes = draw_parameters(replace(found, estimate=estimate)).axes[0]
        low, high = axes.get_xlim()
        ends = np.array([s for bar in axes.collections for s in bar.get_segments()]).reshape(-1, 2)
        assert len(ends) >= 2 and (ends[:, 0] > low).all() and (ends[:, 0] < high).all()
        bottom, top = axes.get_ylim()
        assert (ends[:, 1] > bottom + 0.3).all() and (ends[:, 1] < top - 0.3).all()
