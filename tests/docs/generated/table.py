"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [cell.replace("\\|", "|").replace("|", "\\|").replace("\n", " ") for cell in row]
        cells += [""] * (len(head) - len(cells))
        lines.append(("| " + " | ".join(cells) + " |").replace("|  |", "| |").replace("|  |", "| |"))
    return "\n".join(lines)


def code_link(file: str, function: str = "", up: str = "..") -> str:
    """Link from a page in docs/ to a source file of the package, at a function: `gough/x.py` lies in src/."""
    shown = f"{file.removeprefix('gough/')}" + (f" `{function}`" if function else "")
    name = shown if function else f"`{shown}`"
    anchor = f"#{function}" if function else ""
    return f"[{name}]({up}/src/{file}{anchor})"
