"""Citations are read from the source as people write them, and found as people ask for them."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gough
from gough.errors import UsageError
from gough_papers.citations import (
    EQUATIONS,
    PAPERS,
    PaperPlace,
    errata,
    find,
    index,
    misprints_of,
    read_places,
    read_query,
    unused_equations,
)
from gough_papers.citations.errata import ERRATUM_KINDS
from gough_papers.citations.index import mentions
from gough_papers.citations.places import split_name

ROOT = Path(__file__).resolve().parents[2]


def eqs(*ranges: tuple[int, int]) -> tuple[PaperPlace, ...]:
    return tuple(PaperPlace("eq", str(a), str(b)) for a, b in ranges)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("eq. 44", eqs((44, 44))),
        ("eqs. 8–9, 25–29, 76–78 corrected: ∂/∂x in 4 places", eqs((8, 9), (25, 29), (76, 78))),
        ("eqs. 46–49 in the rigid case", eqs((46, 49))),
        ("eqs. 21 and 73", eqs((21, 21), (73, 73))),
        ("section 6.1 and Table 2", (PaperPlace("section", "6.1", "6.1"), PaperPlace("table", "2", "2"))),
        ("Tables 1 to 4", (PaperPlace("table", "1", "4"),)),
        ("§3.2–3.3", (PaperPlace("section", "3.2", "3.3"),)),
        ("Appendix 2", (PaperPlace("appendix", "2", "2"),)),
        ("Figs. 4-7", (PaperPlace("figure", "4", "7"),)),
        ("eq. 12a", (PaperPlace("eq", "12a", "12a"),)),
        ("a paper of 2014 about robots", ()),
    ],
)
def test_places(text: str, places: tuple[PaperPlace, ...]) -> None:
    assert read_places(text) == places


@pytest.mark.parametrize(
    ("text", "paper", "places"),
    [
        ("Briot 2014, eq. 44", "briot2014", "eq. 44"),
        ("[Briot 2014, eq. 44]", "briot2014", "eq. 44"),
        ("briot & khalil (2014) equation (44)", "briot2014", "eq. 44"),
        ("Long, Khalil and Martinet 2014 Eq. 37", "long2014", "eq. 37"),
        ("long2014 eqs 57–59", "long2014", "eqs. 57–59"),
        ("LONG 2014 Table 2", "long2014", "Table 2"),
        ("Pedrammehr et al. 2012 eq 31", "pedrammehr2012", "eq. 31"),
        ("table 1 of Lopes", "lopes", "Table 1"),
        ("fried (97)", "fried", "eq. 97"),
        ("Fried 97", "fried", "eq. 97"),
        ("Lopes", "lopes", ""),
        ("eq. 44", None, "eq. 44"),
    ],
)
def test_queries(text: str, paper: str | None, places: str) -> None:
    query = read_query(text)
    assert query.paper == paper
    assert str(query).endswith(places) and (places or not query.places)


def test_a_question_about_nothing_is_refused() -> None:
    for text in ("what is this", "nobody 1999", "Smith 1999, eq. 4"):
        with pytest.raises(UsageError, match="names no paper"):
            read_query(text)


def test_names_do_not_swallow_the_rest() -> None:
    assert split_name("Long 2014, Table 2") == ("long2014", "Table 2")
    assert split_name("a long way") == ("long2014", "a   way")  # a word is a word; the places then decide
    assert split_name("nobody 2014, eq. 1") == (None, "nobody 2014, eq. 1")


SOURCE = '''"""Does things [Long 2014,
eqs. 1–2]; and more. Not this. See [Fried, eq. 9, corrected] too."""

def f():
    # First line,
    # then [Lopes, Table 1] here.
    with note(f"{x}: rates [Long 2014, eq. 3]"):
        return data["Long 2014, eq. 4"]

class A:
    def g(self):
        """How to cite: ``[Long 2014, eq. 5]``."""
'''


def test_citations_of_a_file() -> None:
    found = mentions("gough/x.py", SOURCE)
    assert [str(m) for m in found] == [
        "[Long 2014, eqs. 1–2]",
        "[Fried, eq. 9, corrected]",
        "[Lopes, Table 1]",
        "[Long 2014, eq. 3]",
    ]
    assert [m.line for m in found] == [1, 2, 6, 7]
    assert [m.function for m in found] == ["", "", "f", "f"]
    assert found[0].sentence == "Does things [Long 2014, eqs. 1–2]; and more."
    assert found[1].sentence == "See [Fried, eq. 9, corrected] too."
    assert found[2].sentence == "First line, then [Lopes, Table 1] here."


def test_the_index_agrees_with_a_plain_search() -> None:
    """Every `[Paper, …]` on one line of a dynamics file is in the index, at its line."""
    known = {(m.file, m.line) for m in index()}
    names = "|".join(re.escape(name) for name in PAPERS.values())
    count = 0
    for path in sorted((ROOT / "src/gough/dynamics").glob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for _ in re.finditer(rf"\[(?:{names}), [^\]]*\d[^\]]*\]", line):
                assert (f"gough/dynamics/{path.name}", number) in known
                count += 1
    assert count > 60


def test_lines_and_functions_are_those_of_the_file() -> None:
    root = Path(gough.__file__).parents[1]
    for m in index():
        lines = (root / m.file).read_text(encoding="utf-8").splitlines()
        near = " ".join(lines[m.line - 1 : m.line + 1])
        assert PAPERS[m.paper] in near, m
        if m.function and m.file.endswith(".py"):
            name = m.function.rsplit(".", 1)[-1]
            assert any(re.match(rf"\s*(def|class|async def) {name}\b", line) for line in lines[: m.line]), m


def test_what_is_asked_for_is_found() -> None:
    found = find("Briot 2014, eq. 44")
    assert ("gough/dynamics/inverse.py", "_flexible") in {(m.file, m.function) for m in found.mentions}
    assert not found.nearest
    table = find("Long 2014 Table 2")
    assert any(m.file.endswith("gallery/long2014.yaml") for m in table.mentions)


def test_narrow_citations_of_code_come_first() -> None:
    found = find("Long 2014, eq. 35").mentions
    assert found[0].function == "by_rigid_legs" and not found[-1].file.endswith("inverse.py")


def test_nothing_found_gives_the_nearest() -> None:
    found = find("Long 2014, eq. 77")
    assert not found.mentions
    assert found.nearest and all(m.paper == "long2014" for m in found.nearest)
    assert found.nearest[0].places[-1].stop[0] >= 46


def test_misprints_are_told() -> None:
    assert any(m.where == "57" for m in find("Briot 2014, eq. 57").misprints)
    assert not find("Briot 2014, eq. 60").misprints
    assert find("Pedrammehr 2012, eqs. 41–42").unused[0].why


READ = ("long2014", "briot2014")
"""Papers whose citations were read one by one, beside the code they stand at."""


def equations_of(places: tuple[PaperPlace, ...]) -> set[int]:
    return {n for p in places if p.kind == "eq" for n in range(p.start[0], p.stop[0] + 1)}


@pytest.mark.parametrize("paper", READ)
def test_an_equation_is_cited_where_it_is_computed_or_has_a_reason(paper: str) -> None:
    """At a function, not only at the head of a file; never both cited and said not to be in the code."""
    own = [m for m in index() if m.paper == paper and m.file.startswith("gough/") and m.file.endswith(".py")]
    cited = set[int]().union(*(equations_of(m.places) for m in own))
    at_functions = set[int]().union(*(equations_of(m.places) for m in own if m.function))
    without = set[int]().union(*(equations_of(x.places) for x in unused_equations(paper)))
    assert cited == at_functions and not cited & without
    assert cited | without == set(range(1, EQUATIONS[paper] + 1))


@pytest.mark.parametrize("paper", READ)
def test_what_is_printed_wrong_is_cited_as_corrected(paper: str) -> None:
    wrong = set[int]().union(*(equations_of(m.places) for m in misprints_of(paper) if m.kind == "misprint"))
    for m in index():
        if m.paper == paper and equations_of(m.places) & wrong:
            assert m.corrected, m


def test_errata_are_whole() -> None:
    for table in errata():
        for row in table.rows:
            assert row.places and row.printed and row.right and row.sizes and row.kind, row
    assert any(row.doubtful and row.marked_where == f"{row.where} †" for table in errata() for row in table.rows)
    kinds = {m.kind for key in PAPERS for m in misprints_of(key)}
    assert {"misprint", "unsaid", "simplified", "right", "overlooked"} <= kinds <= set(ERRATUM_KINDS)


def test_it_works_from_a_wheel(tmp_path: Path) -> None:
    """The package's own files are enough: index and errata read through importlib.resources, from an archive."""
    archive = tmp_path / "gough.zip"
    source = Path(gough.__file__).parents[1]
    with zipfile.ZipFile(archive, "w") as made:
        for path in [*source.glob("gough*/**/*.py"), *source.glob("gough*/**/*.yaml")]:
            if "viewer" not in path.parts:
                made.write(path, path.relative_to(source).as_posix())
    code = "from gough_papers.citations import find; import gough; "
    code += "print(gough.__file__, len(find('Briot 2014, eq. 44').mentions))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(archive)}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "gough.zip" in done.stdout and int(done.stdout.split()[-1]) >= 3
