"""The report of a paper: one HTML file with its pictures and the viewer's page inside, for any browser, without a network.

The page in front of several reports. How they look: light, one column, legible at the width of a laptop and of a phone. All text
is escaped here.
"""

import base64
import platform
import re
from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

from gough.files import write_file
from gough_papers.comparison import ORIGIN_KINDS, Tally, tally
from gough_papers.reproduction import ARTEFACT_KINDS, DPI, Artefact, Paper, Reproduction
from gough_papers.section import Grid, Picture, ReportSection, comparison_grid, demonstration_grid
from gough_papers.tables import equations_grid, sources_grid

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

GOOD = ("agrees", "holds")
READ = "Read was a text that a program took from the paper's pages, without its figures: curves and axes could not be compared."
CSS_PIXELS = 108
"""Of an inch of a picture, at most."""
BAD = ("DIFFERS", "FAILS")
OPEN = "not reproduced"


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
    if words in ORIGIN_KINDS:
        return f"<td><span class='kind {words}'>{words}</span></td>"
    kind = "n" if right else "good" if words in GOOD else "bad" if words in BAD else "open" if words == OPEN else ""
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


def moving_figure(page: str, caption: str) -> str:
    """The viewer's page of a run, whole, in a frame; "": a viewer was not there."""
    frame = f'<iframe loading="lazy" title="{escape(caption)}" srcdoc="{escape(page)}"></iframe>' if page else ""
    return f"<figure class=moving>{frame}<figcaption>{text(caption)}</figcaption></figure>"


def write_page(made: Reproduction, path: Path) -> Path:
    """Write the report; returns the path."""
    paper = made.paper
    sections = [(s.title, _section(s)) for s in made.sections]
    if not made.interrupted:
        sections += [(title, body) for title, body in _about(paper, made) if body]
    view = f"<code>gough view {escape(paper.view)}</code>"
    body = [
        f"<h1>{escape(paper.short)}, compared</h1>",
        f"<p class=head>{text(paper.reference)}</p>",
        f"<p>{text(paper.subject)}</p>",
        f"<p class=head>{escape(READ)}</p>",
        _verdict(made),
        f"<p class=head>{escape(circumstances())}; {made.seconds:.1f} s in all. In the browser: {view}</p>",
        "<nav><ol>" + "".join(f'<li><a href="#{anchor(t)}">{text(t)}</a></li>' for t, _ in sections) + "</ol></nav>",
    ]
    for title, lines in sections:
        body += [f'<h2 id="{anchor(title)}">{text(title)}</h2>', *lines]
    return write_file(path, whole_page(f"gough reproduce {paper.name}", body))


def circumstances() -> str:
    """Versions and machine."""
    return f"gough {version('gough')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _verdict(made: Reproduction) -> str:
    """What came of what the paper prints, then all comparisons by kind."""
    lines = [f"<p class=lead>{escape(made.headline)}</p>", kinds_table(made.tallies)]
    if made.missed:
        why = "".join(f"<li><b>{text(c.quantity)}</b>: {text(c.note)}</li>" for c in made.missed)
        lines.append(f"<p>Not reproduced, and what is known of why:</p><ul>{why}</ul>")
    if not made.within:
        lines.append("<p class=bad>Comparisons are outside their stated tolerance.</p>")
    if made.interrupted:
        lines.append("<p class=bad>Interrupted: what was done is here, the rest is missing.</p>")
    return "\n".join(lines)


def kinds_table(tallies: Sequence[Tally]) -> str:
    """A row a kind of origin: never added up, since they are worth different things."""
    rows = []
    for t in tallies:
        name = f"<span class='kind {t.kind}'>{escape(t.kind)}</span>"
        colour = "bad" if t.failed else "open" if t.open else "good"
        rows.append(
            f"<tr><td>{name}</td><td>{escape(ORIGIN_KINDS[t.kind])}</td><td class={colour}>{escape(t.words)}</td></tr>"
        )
    what = "comparisons inside their stated tolerance (one may hold several numbers, and fails if one does)"
    head = f"<tr><th>known from</th><th></th><th>{what}</th></tr>"
    return f"<div class=wide><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"


def _section(section: ReportSection) -> list[str]:
    out = [f"<p>{text(line)}</p>" for line in section.said if line]
    out += [table(grid) for grid in section.grids if grid.only != "print"]
    if section.comparisons:
        out.append(table(comparison_grid(section.comparisons, whole=True)))
    if section.demonstrations:
        out.append(table(demonstration_grid(section.demonstrations)))
    out += [moving_figure(*section.moving)] if section.moving else []
    return out + [picture(p) for p in section.pictures]


def _about(paper: Paper, made: Reproduction) -> list[tuple[str, list[str]]]:
    """What goes with every paper: choices, figures and tables, sources, equations."""
    choices = Grid(("quantity", "our choice", "why, or what another one does"), _choices(paper))
    return [
        ("Not printed, chosen", [table(choices)] if paper.choices else []),
        ("Every figure and table of the paper", [_artefacts(paper.artefacts, made)]),
        ("Data and assumptions", [table(sources_grid(robot)) for robot in paper.robots]),
        ("Equations, and where they are computed", [table(equations_grid(paper.name))]),
    ]


def _choices(paper: Paper) -> tuple[tuple[str, ...], ...]:
    return tuple((c.quantity, c.choice, c.effect) for c in paper.choices)


def _artefacts(artefacts: tuple[Artefact, ...], made: Reproduction) -> str:
    """Each with a link to where it stands here."""
    here = {p.label for p in made.pictures} | {g.label for s in made.sections for g in s.grids}
    rows = []
    for a in artefacts:
        name = f'<a href="#{anchor(a.label)}">{escape(a.label)}</a>' if a.label in here else escape(a.label)
        cells = (text(a.what), escape(ARTEFACT_KINDS[a.kind]), text(a.note))
        rows.append(f"<tr><td class=n>{name}</td>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    head = "<thead><tr><th></th><th>shows</th><th>here</th><th>note</th></tr></thead>"
    return f"<div class=wide><table>{head}<tbody>{''.join(rows)}</tbody></table></div>"


def write_index(made: Sequence[Reproduction], path: Path) -> Path:
    """Write it beside the reports; returns the path."""
    rows = []
    for r in made:
        name = f'<a href="{escape(r.paper.name)}.html">{escape(r.paper.short)}</a>'
        by_kind = {t.kind: t for t in r.tallies}
        cells = [_tally_cell(by_kind.get(kind)) for kind in ORIGIN_KINDS]
        note = "<p class=bad>interrupted</p>" if r.interrupted else ""
        more = (text(r.paper.subject) + note, str(len(r.pictures)), str(len(r.paper.misprints)), f"{r.seconds:.0f}")
        rows.append(f"<tr><td>{name}</td>" + "".join([*cells, *(f"<td>{c}</td>" for c in more)]) + "</tr>")
    kinds = "".join(f"<th><span class='kind {kind}'>{kind}</span></th>" for kind in ORIGIN_KINDS)
    head = f"<tr><th>paper</th>{kinds}<th>subject</th><th>figures</th><th>errata</th><th>s</th></tr>"
    body = [
        f"<h1>{len(made)} papers, reproduced</h1>",
        f"<p class=head>{escape(circumstances())}</p>",
        *(f"<p><b>{escape(r.paper.short)}.</b> {escape(r.headline)}</p>" for r in made),
        kinds_table(tally(c for r in made for c in r.comparisons)),
        f"<div class=wide><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>",
        "<p>All figures with origin and tolerance: <a href='reproduction.json'>reproduction.json</a></p>",
    ]
    return write_file(path, whole_page("gough reproduce", body))


def _tally_cell(found: Tally | None) -> str:
    if found is None:
        return "<td></td>"
    colour = "bad" if found.failed else "open" if found.open else "good"
    return f"<td class={colour}>{escape(found.words)}</td>"
