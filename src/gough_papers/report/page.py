"""The report of a paper: one HTML file with its pictures and its animation inside, for any browser, without a network."""

import platform
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from gough.files import write_file
from gough_papers.paper import KINDS, Artefact, Paper
from gough_papers.report.equations import equations_grid
from gough_papers.report.html import anchor, document, picture, table, text
from gough_papers.report.section import Grid, Section, comparison_grid
from gough_papers.report.sources import sources_grid

if TYPE_CHECKING:
    from gough_papers.reproduction import Reproduction


def write_page(made: "Reproduction", path: Path) -> Path:
    """Write the report; returns the path."""
    paper = made.paper
    sections = [(s.title, _section(s)) for s in made.sections]
    if not made.interrupted:
        sections += [(title, body) for title, body in _about(paper, made) if body]
    view = f"<code>gough view {escape(paper.view)}</code>"
    body = [
        f"<h1>{escape(paper.short)}, reproduced</h1>",
        f"<p class=head>{text(paper.reference)}</p>",
        f"<p>{text(paper.subject)}</p>",
        _verdict(made),
        f"<p class=head>{escape(circumstances())}; {made.seconds:.1f} s in all. In the browser: {view}</p>",
        "<nav><ol>" + "".join(f'<li><a href="#{anchor(t)}">{text(t)}</a></li>' for t, _ in sections) + "</ol></nav>",
    ]
    for title, lines in sections:
        body += [f'<h2 id="{anchor(title)}">{text(title)}</h2>', *lines]
    return write_file(path, document(f"gough reproduce {paper.name}", body))


def circumstances() -> str:
    """Versions and machine."""
    return f"gough {version('gough')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _verdict(made: "Reproduction") -> str:
    count = f"{made.agreeing} of {len(made.comparisons)} comparisons are inside their stated tolerance."
    line = f"<p class={'good' if made.within else 'bad'}>{escape(count)}</p>"
    return line + (
        "<p class=bad>Interrupted: what was done is here, the rest is missing.</p>" if made.interrupted else ""
    )


def _section(section: Section) -> list[str]:
    out = [f"<p>{text(line)}</p>" for line in section.said if line]
    out += [table(grid) for grid in section.grids if grid.only != "print"]
    if section.comparisons:
        out.append(table(comparison_grid(section.comparisons, whole=True)))
    out += [section.moving] if section.moving else []
    return out + [picture(p) for p in section.pictures]


def _about(paper: Paper, made: "Reproduction") -> list[tuple[str, list[str]]]:
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


def _artefacts(artefacts: tuple[Artefact, ...], made: "Reproduction") -> str:
    """Each with a link to where it stands here."""
    here = {p.label for p in made.pictures} | {g.label for s in made.sections for g in s.grids}
    rows = []
    for a in artefacts:
        name = f'<a href="#{anchor(a.label)}">{escape(a.label)}</a>' if a.label in here else escape(a.label)
        cells = (text(a.what), escape(KINDS[a.kind]), text(a.note))
        rows.append(f"<tr><td class=n>{name}</td>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    head = "<thead><tr><th></th><th>shows</th><th>here</th><th>note</th></tr></thead>"
    return f"<div class=wide><table>{head}<tbody>{''.join(rows)}</tbody></table></div>"
