"""Tables that go with every paper: its equations and the code that computes them, its errata and what each costs, where the
numbers of its robots are from."""

from collections.abc import Iterator, Mapping
from typing import Any

from gough_papers.citations import EQUATIONS, Mention, PaperPlace, errata, index, misprints_of, spell, unused_equations
from gough_papers.citations.errata import ERRATUM_KINDS
from gough_papers.reproduction import Paper, document
from gough_papers.section import Grid, ReportSection

SKIPPED = "gough_papers/"
"""What compares with the papers does not compute their equations."""


def equations_grid(paper: str) -> Grid:
    """A row for every equation, or for neighbours that the same code computes: to tick off."""
    rows = tuple((_numbers(first, last), *cells) for first, last, cells in _runs(paper))
    title = (
        "Every equation; “corrected” where the printed one is wrong, † where it may be our text that is; “with” one that it uses "
        "and that is corrected. `gough where` finds them from the command line"
    )
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
    here = PaperPlace("eq", str(number), str(number))
    own = [m for m in index() if m.paper == paper and not m.file.startswith(SKIPPED) and _meets(m.places, here)]
    unused = [x.why for x in unused_equations(paper) if _meets(x.places, here)]
    slips = [x for x in misprints_of(paper) if x.kind == "misprint"]
    wrong = [x for x in slips if _meets(x.places, here)]
    mark = "corrected †" if all(x.doubtful for x in wrong) else "corrected"
    uses = [f"with {spell(x.places)} corrected" for x in slips if _meets(x.felt, here)]
    notes = [*([mark] if wrong else []), *uses, *unused]
    return "; ".join(dict.fromkeys(map(_where, own))), "; ".join(notes)


def _where(m: Mention) -> str:
    name = f" {m.function}" if m.function else ""
    return f"`{m.file.removeprefix('gough/')}:{m.line}`{name}"


def _meets(places: tuple[PaperPlace, ...], here: PaperPlace) -> bool:
    return any(place.meets(here) for place in places)


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def tell_misprints(section: ReportSection, paper: Paper, found: Mapping[str, str]) -> None:
    """The tables of a paper's errata, where their figures come from; found: {`computed` of an entry: what it costs now}."""
    tables = [table for table in errata() if table.paper == paper.name]
    for table in tables:
        now = ("computed now",) if any(row.computed for row in table.rows) else ()
        rows = []
        for row in table.rows:
            sizes = tuple(row.sizes.get(column, "") for column in table.columns)
            given = (row.marked_where, row.kind, row.printed, row.right)
            rows.append((*given, *sizes, *(found.get(row.computed, "") for _ in now)))
        head = ("where", "kind", table.printed, "right", *table.columns, *now)
        title = table.measure[:1].upper() + table.measure[1:]
        section.grids.append(Grid(head, tuple(rows), (*table.columns, *now), title))
    measured = (
        f"Kinds: {'; '.join(f'{kind}, {words}' for kind, words in ERRATUM_KINDS.items())}. "
        "Measured by switching one correction off (where it is right as printed, on) in a transcription of the printed equations "
        f"(`{paper.transcription}`), which with all corrections agrees with this library. "
    )
    live = (
        "“Computed now”: in this run with the library, the error given as data, as a load, as another motion or as a switch, or "
        "put into the paper's equation with the library's matrices."
    )
    inside = "None of these can be given to the library from outside: they are terms inside its recursion."
    section.said.append(measured + (live if found else inside))
    section.said += dict.fromkeys(table.remark for table in tables if table.remark)


def sources_grid(robot: str) -> Grid:
    """A row a statement."""
    head = ("what", "", "source")
    return Grid(head, tuple(_rows(document(robot), "robot")), (), f"`{robot}.yaml`: {document(robot)['title']}")


def _rows(data: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(data, dict):
        if "source" in data:
            yield from _statements(data["source"], place)
        for key, value in data.items():
            if key != "source":
                yield from _rows(value, _name(value, key, place))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from _rows(value, _name(value, str(k), place))


def _name(value: Any, key: str, place: str) -> str:
    own = value.get("name", key) if isinstance(value, dict) else key
    return str(own) if place == "robot" else f"{place}, {own}"


def _statements(source: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if not isinstance(source, dict):
        yield place, "", str(source)
        return
    for kind, value in source.items():
        for words in value if isinstance(value, list) else [value]:
            yield place, str(kind), str(words)
