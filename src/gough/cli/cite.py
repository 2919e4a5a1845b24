"""`gough cite`: what does a result rest on?"""

import textwrap
from typing import Annotated

import typer

from gough.cli.opening import Json, RobotName, open_robot
from gough.cli.output import say, write_json


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
