"""`gough where`: which code computes an equation of a paper? `gough cite`: what does a result rest on?"""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.failure import CHECK_FAILED
from gough.cli.opening import Json, RobotName, open_robot
from gough.cli.output import note, say, write_json

if TYPE_CHECKING:
    from gough_papers.citations import Found, Mention, Misprint

MISPRINT_KEYS = ("paper", "where", "kind", "printed", "right", "sizes", "measure", "doubtful")
SHOWN = 230
"""Characters of a sentence that are printed."""


def find_code(
    citation: Annotated[
        list[str],
        typer.Argument(
            metavar="CITATION", help='For example "Briot 2014, eq. 44", "Long 2014 Table 2", "lopes eqs 76-78".'
        ),
    ],
    json: Json = False,
) -> None:
    """Find code by the equation, table, figure or section of a paper that it comes from.

    Every place of the installed source that cites it, with file, line, function and sentence; what the paper prints wrong
    there. Nothing found: the nearest citations, and exit code 1.
    JSON keys: query, paper, places[], found[] (citation paper places[] corrected file line function sentence),
    misprints[] (paper where kind printed right sizes measure doubtful), unused[] (paper places why), nearest[] (as found).
    """
    from gough_papers.citations import find

    found = find(" ".join(citation))
    if json:
        write_json(report(found))
    else:
        _show(found)
    if not found.mentions:
        raise typer.Exit(CHECK_FAILED)


def report(found: "Found") -> dict[str, Any]:
    """The documented keys."""
    return {
        "query": str(found.query),
        "paper": found.query.paper,
        "places": [str(place) for place in found.query.places],
        "found": [_mention(m) for m in found.mentions],
        "misprints": [{name: getattr(m, name) for name in MISPRINT_KEYS} for m in found.misprints],
        "unused": [{"paper": u.paper, "places": [str(p) for p in u.places], "why": u.why} for u in found.unused],
        "nearest": [_mention(m) for m in found.nearest],
    }


def _mention(m: "Mention") -> dict[str, Any]:
    return {"citation": str(m), "places": [str(p) for p in m.places]} | {
        name: getattr(m, name) for name in ("paper", "corrected", "file", "line", "function", "sentence")
    }


def _show(found: "Found") -> None:
    for m in found.mentions:
        _show_mention(m)
    if not found.mentions:
        say(f"the source does not cite [{found.query}]")
    for u in found.unused:
        say(f"not in the code: {', '.join(map(str, u.places))}: {u.why}")
    measure = ""
    for m in found.misprints:
        _show_misprint(m)
        if m.measure != measure and any(size[0].isdigit() for size in m.sizes.values()):
            measure = m.measure
            say(f"    (cost: {measure})")
    if found.nearest:
        say("nearest:")
        for m in found.nearest:
            _show_mention(m)
    elif not found.mentions:
        note("`gough where Long` lists all citations of a paper")


def _show_mention(m: "Mention") -> None:
    say(f"{m.file}:{m.line}  {m.function or 'head of the file'}  {m}")
    text = m.sentence if len(m.sentence) <= SHOWN else f"{m.sentence[:SHOWN].rsplit(' ', 1)[0]} …"
    say(f"    {text}")


def _show_misprint(m: "Misprint") -> None:
    from gough_papers.citations import PAPERS
    from gough_papers.citations.errata import ERRATUM_KINDS

    say(f"{PAPERS[m.paper]}, {m.where}: {ERRATUM_KINDS[m.kind]}")
    say(f"    printed: {m.printed}; right: {m.right}")
    if m.doubtful:
        say("    it may be the text we read that is wrong here, and not the paper")
    sizes = [size if name == "cost" else f"{name}: {size}" for name, size in m.sizes.items()]
    if sizes:
        say(f"    cost: {'; '.join(sizes)}")


def cite(
    robot: RobotName,
    method: Annotated[
        str | None,
        typer.Option("--method", help="Also what a method of `gough simulate` is from, e.g. generalised_alpha."),
    ] = None,
    json: Json = False,
) -> None:
    """Print BibTeX of what results of a robot rest on: gough, the source of its data, the methods used.

    Comments say why each entry is there, and what is not known. A robot of one's own: what its `source:` names.
    JSON keys: robot, entries[] (key type why fields bibtex), unknown[].
    """
    from gough_papers.bibliography import basis

    description, _ = open_robot(robot)
    found = basis(description, method)
    if json:
        entries = [
            {"key": r.reference.key, "type": r.reference.type, "why": r.why}
            | {"fields": r.reference.fields, "bibtex": r.reference.bibtex()}
            for r in found.reasons
        ]
        write_json({"robot": found.robot, "entries": entries, "unknown": found.unknown})
        return
    say(f"% What results of the robot {found.robot!r} rest on.")
    for r in found.reasons:
        say()
        _comment(r.why)
        say(r.reference.bibtex())
    if found.unknown:
        say()
        say("% Not known to gough:")
        for text in found.unknown:
            _comment(text, "- ")


def _comment(text: str, lead: str = "") -> None:
    for k, line in enumerate(textwrap.wrap(text, 110)):
        say(f"% {lead if not k else ' ' * len(lead)}{line}")
