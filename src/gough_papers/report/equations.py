"""Equations of a paper and the code that computes them, from the citations in the package's own source."""

from collections.abc import Iterator

from gough_papers.citations.errata import misprints_of, unused_of
from gough_papers.citations.index import Mention, index
from gough_papers.citations.names import EQUATIONS
from gough_papers.citations.places import Place
from gough_papers.report.section import Grid

SKIPPED = "gough_papers/"
"""What compares with the papers does not compute their equations."""


def equations_grid(paper: str) -> Grid:
    """A row for every equation, or for neighbours that the same code computes: to tick off."""
    rows = tuple((_numbers(first, last), *cells) for first, last, cells in _runs(paper))
    title = "Every equation; “corrected” where the printed one is wrong. `gough where` finds them from the command line"
    return Grid(("equations", "file, line and function", "note"), rows, ("equations",), title)


def _runs(paper: str) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """Neighbours with equal cells, together."""
    first, before = 1, _cells(paper, 1)
    for number in range(2, EQUATIONS[paper] + 2):
        cells = _cells(paper, number) if number <= EQUATIONS[paper] else None
        if cells != before:
            yield first, number - 1, before
            first = number
        before = cells if cells is not None else before


def _cells(paper: str, number: int) -> tuple[str, str]:
    here = Place("eq", str(number), str(number))
    own = [m for m in index() if m.paper == paper and not m.file.startswith(SKIPPED) and _meets(m.places, here)]
    unused = [x.why for x in unused_of(paper) if _meets(x.places, here)]
    wrong = [x for x in misprints_of(paper) if x.kind == "misprint" and _meets(x.places, here)]
    notes = [*(["corrected"] if wrong else []), *unused]
    return "; ".join(dict.fromkeys(map(_where, own))), "; ".join(notes)


def _where(m: Mention) -> str:
    name = f" {m.function}" if m.function else ""
    return f"`{m.file.removeprefix('gough/')}:{m.line}`{name}"


def _meets(places: tuple[Place, ...], here: Place) -> bool:
    return any(place.meets(here) for place in places)


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
