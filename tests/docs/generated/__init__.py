"""Pages, and parts of pages, that are written from the code: `python tests/docs/refresh.py --generated` writes them.

A whole page belongs to one function here. A part stands between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from docs.blocks import ROOT
from docs.generated import api, equations, errata, field, keys, measured, others

Writer = Callable[[], str]

PAGES: dict[str, Writer] = {
    "equations.md": equations.page,
    "errata.md": errata.page,
    "keys.md": keys.page,
    "api.md": api.page,
    "measured.md": measured.page,
    "interchange/others.md": others.page,
    "../paper/paper.md": field.paper,
}
"""{page in docs/: what writes it}"""

PARTS: dict[str, Writer] = errata.parts() | {"beside-others": field.comparison_part}
"""{name between the marks: what writes the part}"""

MARK = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fresh_page(name: str) -> str:
    """What a generated page should say."""
    return PAGES[name]().rstrip("\n") + "\n"


def fresh_parts(text: str) -> str:
    """A page's text with its generated parts as they should be."""
    return MARK.sub(lambda m: f"{m[1]}{PARTS[m[2]]().rstrip()}\n{m[3]}", text)


def with_parts() -> list[Path]:
    """Pages that have generated parts."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if MARK.search(page.read_text(encoding="utf-8"))]


def write() -> list[str]:
    """Write all; the names of the pages that changed."""
    changed = []
    for path, text in [(ROOT / "docs" / name, fresh_page(name)) for name in PAGES]:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path.name)
    for path in with_parts():
        old = path.read_text(encoding="utf-8")
        if fresh_parts(old) != old:
            path.write_text(fresh_parts(old), encoding="utf-8")
            changed.append(path.name)
    return changed
