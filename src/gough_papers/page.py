"""The report of a paper: one HTML file with its pictures and the viewer's page inside, for any browser, without a network.

The page in front of several reports.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from gough.files import write_file
from gough.page import Grid, anchor, circumstances, picture, table, text, whole_page
from gough_papers.comparison import ORIGIN_KINDS, Tally, tally
from gough_papers.reproduction import ARTEFACT_KINDS, DPI, Artefact, Paper, Reproduction
from gough_papers.section import Picture, ReportSection, comparison_grid, demonstration_grid
from gough_papers.tables import equations_grid, sources_grid

GOOD = ("agrees", "holds")
READ = "Read was a text that a program took from the paper's pages, without its figures: curves and axes could not be compared."
BAD = ("DIFFERS", "FAILS")
OPEN = "not reproduced"


def report_table(grid: Grid) -> str:
    """A grid in which verdicts and kinds of origin have their colours."""
    return table(grid, _cell)


def _cell(words: str, right: bool) -> str:
    if words in ORIGIN_KINDS:
        return f"<td><span class='kind {words}'>{words}</span></td>"
    kind = "n" if right else "good" if words in GOOD else "bad" if words in BAD else "open" if words == OPEN else ""
    return f"<td{f' class={kind}' if kind else ''}>{text(words)}</td>"


def _drawn(shown: Picture) -> str:
    return picture(Path(shown.path).read_bytes(), DPI, shown.caption, shown.label)


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
    out += [report_table(grid) for grid in section.grids if grid.only != "print"]
    if section.comparisons:
        out.append(report_table(comparison_grid(section.comparisons, whole=True)))
    if section.demonstrations:
        out.append(report_table(demonstration_grid(section.demonstrations)))
    out += [moving_figure(*section.moving)] if section.moving else []
    return out + [_drawn(p) for p in section.pictures]


def _about(paper: Paper, made: Reproduction) -> list[tuple[str, list[str]]]:
    """What goes with every paper: choices, figures and tables, sources, equations."""
    choices = Grid(("quantity", "our choice", "why, or what another one does"), _choices(paper))
    return [
        ("Not printed, chosen", [report_table(choices)] if paper.choices else []),
        ("Every figure and table of the paper", [_artefacts(paper.artefacts, made)]),
        ("Data and assumptions", [report_table(sources_grid(robot)) for robot in paper.robots]),
        ("Equations, and where they are computed", [report_table(equations_grid(paper.name))]),
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
