"""The page in front of several reports."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gough.files import write_file
from gough_papers.report.html import document, text
from gough_papers.report.page import circumstances

if TYPE_CHECKING:
    from gough_papers.reproduction import Reproduction


def write_index(made: "Sequence[Reproduction]", path: Path) -> Path:
    """Write it beside the reports; returns the path."""
    rows = []
    for r in made:
        kind, missing = ("good" if r.within and not r.interrupted else "bad"), ", interrupted" if r.interrupted else ""
        verdict = f"{r.agreeing} of {len(r.comparisons)} within{missing}"
        name = f'<a href="{escape(r.paper.name)}.html">{escape(r.paper.short)}</a>'
        cells = (text(r.paper.subject), str(len(r.pictures)), str(len(r.paper.misprints)), f"{r.seconds:.0f}")
        rows.append(
            f"<tr><td>{name}</td><td class={kind}>{escape(verdict)}</td>"
            + "".join(f"<td>{c}</td>" for c in cells)
            + "</tr>"
        )
    head = "<tr><th>paper</th><th>comparisons</th><th>subject</th><th>figures</th><th>errata</th><th>s</th></tr>"
    agreeing, all_of = sum(r.agreeing for r in made), sum(len(r.comparisons) for r in made)
    verdict = f"{agreeing} of {all_of} comparisons are inside their stated tolerance."
    body = [
        f"<h1>{len(made)} papers, reproduced</h1>",
        f"<p class=head>{escape(circumstances())}</p>",
        f"<p class={'good' if agreeing == all_of else 'bad'}>{verdict}</p>",
        f"<div class=wide><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>",
        "<p>All figures with origin and tolerance: <a href='reproduction.json'>reproduction.json</a></p>",
    ]
    return write_file(path, document("gough reproduce", body))
