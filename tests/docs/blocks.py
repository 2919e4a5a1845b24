"""Code blocks of a page: language, text, line, and the comment above (`<!-- file: hexapod.yaml -->`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (".", "robot", "tutorials", "extending", "interchange", "coming_from")
"""Folders of docs/ whose blocks are run."""
PAGES = [ROOT / "README.md", *[page for room in ROOMS for page in sorted((ROOT / "docs" / room).glob("*.md"))]]
WILDCARD = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` counts from 1 (the fence); `note` is the comment above; `output` follows directly."""

    line: int
    language: str
    text: str
    note: str = ""
    output: Block | None = None


def blocks(path: Path) -> list[Block]:
    """The blocks of a page in order; a `text` block that follows a block directly is its output."""
    found = _fenced(path.read_text(encoding="utf-8").splitlines())
    result: list[Block] = []
    for block in found:
        before = result[-1] if result else None
        if block.language == "text" and before and before.output is None and _adjacent(path, before, block):
            result[-1] = Block(before.line, before.language, before.text, before.note, block)
        else:
            result.append(block)
    return result


def _fenced(lines: list[str]) -> list[Block]:
    found, start = [], None
    for number, line in enumerate(lines):
        if start is None and (match := re.fullmatch(r"```(\w*)", line)):
            start, language = number, match[1]
        elif start is not None and line == "```":
            note = re.fullmatch(r"<!-- (.*) -->", lines[start - 1]) if start else None
            text = "".join(f"{line}\n" for line in lines[start + 1 : number])
            found.append(Block(start + 1, language, text, note[1] if note else ""))
            start = None
    assert start is None, f"block of line {start} is not closed"
    return found


def _adjacent(path: Path, first: Block, second: Block) -> bool:
    """Only blank lines between two blocks."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = first.line + first.text.count("\n") + 1
    return not "".join(lines[end : second.line - 1]).strip()


def same(shown: str, printed: str) -> bool:
    """Whether printed text is what a page shows; `…` stands for anything; the width of spaces and rules does not count."""

    def tidy(text: str) -> str:
        return "\n".join(" ".join(re.sub("─+", "─", line).split()) for line in text.strip("\n").splitlines())

    pattern = ".*?".join(re.escape(part) for part in tidy(shown).split(WILDCARD))
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None
