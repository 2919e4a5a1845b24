"""Links of all pages lead somewhere: files, folders, headings, and paths in code spans."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.blocks import PAGES, ROOT

ALL_PAGES = [*PAGES, *sorted((ROOT / "docs" / "papers").glob("*.md")), ROOT / "CONTRIBUTING.md"]
FOLDERS = ("src/", "tests/", "docs/", "examples/", "benchmarks/")
# Named as examples of a house rule, not as files that exist.
EXAMPLES = {"tests/dynamics/test_parallel_inverse.py", "tests/laws/"}


def prose(path: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


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
def test_paths_in_code_spans_exist(path: Path) -> None:
    spans = [span for span in re.findall(r"`([^`\s]+)`", prose(path)) if span.startswith(FOLDERS)]
    assert not [span for span in spans if not (ROOT / span).exists() and span not in EXAMPLES]


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "papers").glob("*.md")]
    missing = [
        p.name for p in pages if p.name != "index.md" and f"{p.relative_to(ROOT / 'docs').as_posix()})" not in index
    ]
    assert not missing
