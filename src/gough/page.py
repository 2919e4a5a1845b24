"""A page for any browser, whole in one file, without a network: tables and pictures inside, all text escaped here.

How pages look: light, one column, legible at the width of a laptop and of a phone.
"""

import base64
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.metadata import version

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 72rem; margin: 2rem auto;
  padding: 0 1.2rem }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; line-height: 1.25 }
h2 { font-size: 1.22rem; margin: 2.8rem 0 .6rem; border-bottom: 1px solid #ccc; padding-bottom: .2rem }
a { color: #2b5d8c }
nav { font-size: .9rem; margin: 1rem 0; padding: .6rem .9rem; background: #f5f6f8; border-radius: 6px }
nav ol { margin: 0; padding-left: 1.3rem; columns: 26rem 2 }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: .9rem 0; font-size: .86rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem }
th { text-align: left; border-bottom: 2px solid #888 } th, td { padding: .22rem .8rem .22rem 0; vertical-align: top }
td { border-bottom: 1px solid #e4e4e4; max-width: 34rem } .n { text-align: right; white-space: nowrap }
.good { color: #1b7837 } .bad { color: #b2182b; font-weight: 700 } td.good, td.bad { white-space: nowrap }
.open { color: #a65e00; font-weight: 600; white-space: nowrap } .lead { font-size: 1.08rem; font-weight: 600 }
.kind { display: inline-block; font-size: .78rem; border-radius: 3px; padding: 0 .4rem; white-space: nowrap; color: #222 }
.printed { background: #bfe3c6; font-weight: 600 } .independent { background: #cfe0f3 } .transcription { background: #e3d8f0 }
.identity { background: #ececec } .bound { background: #f6e8c3 }
.label { display: inline-block; font-size: .78rem; font-weight: 600; color: #2b5d8c; background: #e8eff6; border-radius: 3px;
  padding: 0 .4rem; margin-right: .4rem }
figure { margin: 1.4rem 0 } figure img { max-width: 100%; height: auto }
figcaption, .head { color: #555; font-size: .88rem }
code { font: .86em ui-monospace, monospace; background: #f2f2f4; padding: .05rem .25rem; border-radius: 3px;
  overflow-wrap: anywhere }
.moving iframe { width: 100%; height: 36rem; border: 1px solid #ddd; border-radius: 6px }
@media print { nav, .moving { display: none } }
"""

CSS_PIXELS = 108
"""Of an inch of a picture, at most."""


@dataclass(frozen=True)
class Grid:
    """A table of texts. numbers: columns set to the right. only: "" everywhere, "print" or "report".

    label: the paper's table that stands here too, "" for one of ours.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...] = ()
    title: str = ""
    only: str = ""
    label: str = ""


def whole_page(title: str, body: list[str]) -> str:
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


def plain_cell(words: str, right: bool) -> str:
    """A cell of a table; right: of a column of numbers."""
    return f"<td{' class=n' if right else ''}>{text(words)}</td>"


def table(grid: Grid, cell: Callable[[str, bool], str] = plain_cell) -> str:
    """A grid with its caption; wide ones scroll."""
    right = [name in grid.numbers for name in grid.head]
    place = f' id="{anchor(grid.label)}"' if grid.label else ""
    label = f"<span class=label>{escape(grid.label)}</span>" if grid.label else ""
    caption = f"<caption>{label}{text(grid.title)}</caption>" if grid.title or label else ""
    head = "".join(f"<th{' class=n' if r else ''}>{text(name)}</th>" for name, r in zip(grid.head, right, strict=True))
    rows = "\n".join("<tr>" + "".join(map(cell, row, right)) + "</tr>" for row in grid.rows)
    return (
        f"<div class=wide{place}><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def picture(png: bytes, dpi: int, caption: str, label: str = "") -> str:
    """A picture, itself inside the page, with what it shows."""
    inside, width = base64.b64encode(png).decode("ascii"), int.from_bytes(png[16:20], "big") * CSS_PIXELS // dpi
    place = f' id="{anchor(label)}"' if label else ""
    mark = f"<span class=label>{escape(label)}</span>" if label else ""
    return (
        f'<figure{place}><img width="{width}" alt="{escape(caption)}" src="data:image/png;base64,{inside}">'
        f"<figcaption>{mark}{text(caption)}</figcaption></figure>"
    )


def circumstances() -> str:
    """Versions and machine."""
    return f"gough {version('gough')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
