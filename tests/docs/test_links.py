"""Links of all pages lead somewhere: files, folders, headings, functions in sources, and paths in code spans."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from docs.blocks import PAGES, ROOT

OTHERS = ("CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "benchmarks/README.md")
ALL_PAGES = [*PAGES, *sorted((ROOT / "docs" / "papers").glob("*.md")), *[ROOT / name for name in OTHERS]]
FOLDERS = ("src/", "tests/", "docs/", "examples/", "benchmarks/")
# Named as examples of a house rule, not as files that exist.
EXAMPLES = {
    "tests/dynamics/test_parallel_inverse.py",
    "tests/laws/",
    "src/gough/joints/pin_in_slot.py",
    "src/gough/robot/flexible/tapered.py",
}
EXAMPLES |= {"src/gough/simulation/control/joint_pid.py", "src/gough/simulation/integration/methods/kutta38.py"}
PLACES = ("NAME", "PAPER", "ROBOT", "*")


def prose(path: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@cache
def anchors(path: Path) -> set[str]:
    """Where a link into a file may lead: headings of a page as GitHub names them, functions and classes of a source."""
    if path.suffix == ".py":
        return set(_names(ast.parse(path.read_text(encoding="utf-8")), ""))
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain}


def _names(node: ast.AST, prefix: str) -> list[str]:
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            found += [f"{prefix}{child.name}", *_names(child, f"{prefix}{child.name}.")]
        else:
            found += _names(child, prefix)
    return found


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_links_to_other_places_are_well_formed(path: Path) -> None:
    """They are not visited: pages are read offline too."""
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", prose(path)) if re.match(r"[a-z]+:", link)]
    assert not [link for link in links if not re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}(/[\w./%#?=&:+~-]*)?", link)]


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_paths_in_code_spans_exist(path: Path) -> None:
    spans = [span for span in re.findall(r"`([^`\s]+)`", prose(path)) if span.startswith(FOLDERS)]
    spans = [span for span in spans if not any(place in span for place in PLACES)]
    assert not [span for span in spans if not (ROOT / span).exists() and span not in EXAMPLES]


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [p for p in (ROOT / "docs").rglob("*.md") if p.name != "index.md"]
    assert not [p.name for p in pages if f"{p.relative_to(ROOT / 'docs').as_posix()})" not in index]


def test_functions_in_sources_are_found() -> None:
    assert "Loops.rates" in anchors(ROOT / "src/gough/dynamics/loops.py")
    assert "Loops.no_such" not in anchors(ROOT / "src/gough/dynamics/loops.py")
