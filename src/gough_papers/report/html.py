"""Pieces of a page: tables, pictures, a whole document. All text is escaped here."""

import base64
import re
from html import escape
from pathlib import Path

from gough_papers.report.canvas import DPI
from gough_papers.report.section import Grid, Picture
from gough_papers.report.style import STYLE

GOOD = ("agrees", "holds", "differs as known")
CSS_PIXELS = 108
"""Of an inch of a picture, at most."""
BAD = ("DIFFERS", "FAILS", "DIFFERS OTHERWISE")


def document(title: str, body: list[str]) -> str:
    """A page that needs nothing else."""
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{chr(10).join(body)}\n</body></html>\n'


def anchor(text: str) -> str:
    """A name for a place of the page."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def text(words: str) -> str:
    """Escaped, with `code` set as such."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words, quote=False))


def table(grid: Grid) -> str:
    """A grid with its caption; wide ones scroll."""
    right = [name in grid.numbers for name in grid.head]
    place = f' id="{anchor(grid.label)}"' if grid.label else ""
    label = f"<span class=label>{escape(grid.label)}</span>" if grid.label else ""
    caption = f"<caption>{label}{text(grid.title)}</caption>" if grid.title or label else ""
    head = "".join(f"<th{' class=n' if r else ''}>{text(name)}</th>" for name, r in zip(grid.head, right, strict=True))
    rows = "\n".join("<tr>" + "".join(map(_cell, row, right)) + "</tr>" for row in grid.rows)
    return (
        f"<div class=wide{place}><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _cell(words: str, right: bool) -> str:
    kind = "n" if right else "good" if words in GOOD else "bad" if words in BAD else ""
    return f"<td{f' class={kind}' if kind else ''}>{text(words)}</td>"


def picture(shown: Picture) -> str:
    """The picture itself is inside the page."""
    data = Path(shown.path).read_bytes()
    inside, width = base64.b64encode(data).decode("ascii"), int.from_bytes(data[16:20], "big") * CSS_PIXELS // DPI
    place = f' id="{anchor(shown.label)}"' if shown.label else ""
    label = f"<span class=label>{escape(shown.label)}</span>" if shown.label else ""
    return (
        f'<figure{place}><img width="{width}" alt="{escape(shown.caption)}" src="data:image/png;base64,{inside}">'
        f"<figcaption>{label}{text(shown.caption)}</figcaption></figure>"
    )
