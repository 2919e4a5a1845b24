"""Writes what the blocks print into the pages: `python tests/docs/refresh.py [PAGE …]`. Read the change before keeping it.

`python tests/docs/refresh.py --generated` writes the pages that are made from the code (tests/docs/generated), and runs no block.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.blocks import PAGES, same
from docs.page import Page


def refresh(path: Path) -> int:
    """Number of outputs of a page that had to change."""
    with tempfile.TemporaryDirectory() as folder:
        shown = list(Page(path, Path(folder)).run())
    lines = path.read_text(encoding="utf-8").splitlines()
    stale = [s for s in shown if not same(s.expected, s.printed)]
    for s in reversed(stale):
        lines[s.line - 1 : s.line - 1 + s.expected.count("\n")] = s.printed.strip("\n").splitlines()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(stale)


if __name__ == "__main__":
    if sys.argv[1:] == ["--generated"]:
        from docs.generated import write

        print("changed:", *write() or ["nothing"])
        sys.exit()
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        print(page.name, refresh(page))
