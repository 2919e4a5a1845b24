"""`gough convert`: a robot of one format as a file of another."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.opening import open_robot
from gough.cli.output import note, say


def convert(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="A robot: its file (.yaml, .urdf, .xml of MuJoCo, .sdf, .usd), or a gallery name."
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="The file to write; its suffix says the format: .yaml .urdf .xml .sdf .usda."
        ),
    ],
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="KIND",
            help="Write without what the format cannot say: flexible, telescopic, massless, inertia, weight, armature, "
            "friction, smoothing, springs, couplings, loops, or all. May be given several times.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Write a robot in another program's format: URDF (with a file of its loops), MJCF, SDF, USD, or as a description.

    What the format cannot say is named, all at once; nothing is written then, unless it is left out with --leave-out. Files
    that are written are named on stdout, what was left out without changing the dynamics on stderr.
    """
    from gough.errors import UsageError
    from gough.export.robots import files_of, save

    there = [file for file in files_of(out) if file.exists()]
    if there and not force:
        raise UsageError(f"{', '.join(map(str, there))}: there already; --force replaces it")
    loaded, texts = open_robot(robot)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        files = save(loaded, out, leave_out=leave_out or ())
    for text in (*texts, *(str(w.message) for w in caught)):
        note(f"note: {text}")
    for file in files:
        say(str(file))
