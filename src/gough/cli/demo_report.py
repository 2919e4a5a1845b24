"""The report of `gough demo`: one HTML file with its pictures inside, for any browser."""

import base64
import platform
from html import escape
from importlib.metadata import version
from pathlib import Path

from gough.cli.demo_section import Figure, Grid, Section, comparison_grid

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 76rem; margin: 2rem auto; padding: 0 1.2rem }
h1 { font-size: 1.7rem; margin-bottom: .3rem } h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; border-bottom: 1px solid #ccc }
table { border-collapse: collapse; margin: .9rem 0; font-size: .88rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem }
th { text-align: left; border-bottom: 2px solid #888 } th, td { padding: .22rem .7rem .22rem 0; vertical-align: top }
td { border-bottom: 1px solid #e4e4e4 } .n { text-align: right; white-space: nowrap }
.good { color: #1b7837; white-space: nowrap } .bad { color: #b2182b; font-weight: 700; white-space: nowrap }
figure { margin: 1.2rem 0 } figure img { max-width: 100% } figcaption, .head { color: #555; font-size: .88rem }
"""
GOOD = ("agrees", "holds", "differs as known")
BAD = ("DIFFERS", "FAILS", "DIFFERS OTHERWISE")


def write_report(sections: list[Section], path: Path, seconds: float, interrupted: bool) -> Path:
    """Write what the parts tell; returns the path."""
    verdicts = [v for s in sections for v in s.verdicts]
    count = f"{sum(verdicts)} of {len(verdicts)} comparisons agree"
    body = [
        "<h1>gough: robots of the papers, computed and compared</h1>",
        f"<p class=head>{escape(_circumstances())}; {seconds:.1f} s in all{', interrupted' if interrupted else ''}.</p>",
        f"<p class={'good' if all(verdicts) else 'bad'}>{escape(count)}.</p>",
    ]
    for section in sections:
        body += _section(section)
    page = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>gough demo</title><style>{STYLE}</style></head>\n'
        f"<body>\n{chr(10).join(body)}\n</body></html>\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def _circumstances() -> str:
    return f"gough {version('gough')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _section(section: Section) -> list[str]:
    out = [f"<h2>{escape(section.title)}</h2>"]
    out += [f"<p>{escape(line)}</p>" for line in section.said if line]
    out += [_table(grid) for grid in section.grids if grid.only != "print"]
    if section.comparisons:
        out.append(_table(comparison_grid(section.comparisons, whole=True)))
    return out + [_picture(figure) for figure in section.figures]


def _table(grid: Grid) -> str:
    right = [name in grid.numbers for name in grid.head]
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    head = "".join(
        f"<th{' class=n' if r else ''}>{escape(name)}</th>" for name, r in zip(grid.head, right, strict=True)
    )
    rows = "\n".join(
        "<tr>" + "".join(_cell(text, r) for text, r in zip(row, right, strict=True)) + "</tr>" for row in grid.rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"


def _cell(text: str, right: bool) -> str:
    kind = "n" if right else "good" if text in GOOD else "bad" if text in BAD else ""
    return f"<td{f' class={kind}' if kind else ''}>{escape(text)}</td>"


def _picture(figure: Figure) -> str:
    inside = base64.b64encode(figure.path.read_bytes()).decode("ascii")
    caption = escape(figure.caption)
    return (
        f'<figure><img alt="{caption}" src="data:image/png;base64,{inside}"><figcaption>{caption}</figcaption></figure>'
    )
