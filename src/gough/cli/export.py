"""`gough export`: source text of a robot's function; `gough convert`: a robot of one format as a file of another."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.opening import Json, RobotName, Set, open_model, open_robot
from gough.cli.output import note, say, write_json


def export(
    robot: RobotName,
    function: Annotated[
        str,
        typer.Argument(
            metavar="FUNCTION",
            help="inverse_dynamics, forward_dynamics, mass_matrix, …, frame_pose:NAME; inverse_dynamics@pose takes the pose "
            "instead of q where all legs have closed forms.",
        ),
    ],
    target: Annotated[str, typer.Option("--target", help="c (C99) or cuda.")] = "c",
    out: Annotated[Path, typer.Option("--out", help="Folder the files go to.")] = Path("."),
    name: Annotated[str | None, typer.Option("--name", help="Name of the C function. Default: ROBOT_FUNCTION.")] = None,
    baked: Annotated[bool, typer.Option("--baked", help="Parameters as numbers in the code, not as an input.")] = False,
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")] = False,
    no_wrench: Annotated[bool, typer.Option("--no-wrench", help="Leave wrench and force from outside out.")] = False,
    no_checks: Annotated[bool, typer.Option("--no-checks", help="Leave all checks but finite results out.")] = False,
    derivative: Annotated[
        str, typer.Option("--derivative", metavar="SLOT", help="Differentiate by an input: q, v, parameters, …")
    ] = "",
    mode: Annotated[str, typer.Option("--mode", help="With --derivative: jacobian, jvp or vjp.")] = "jacobian",
    legs: Annotated[
        str,
        typer.Option("--legs", help="loops over legs, flat statements, or auto: what is faster for a single state."),
    ] = "auto",
    by_variables: Annotated[
        bool, typer.Option("--variables", help="The description's variables as an input in the place of parameters.")
    ] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Write a function as self-contained source: header, source, and a test driver with reference values.

    C99 without allocation, re-entrant, libm only. Compile and run the driver: it returns 0 where the function gives the
    reference values. JSON keys: robot, function, target, files.
    """
    from gough.export import export as write

    model, _ = open_model(robot, quiet=True, variables=variables)
    files = write(
        model,
        function,
        out,
        target,
        name=name,
        baked=baked,
        friction=not no_friction,
        wrench=not no_wrench,
        checks=not no_checks,
        derivative=derivative,
        mode=mode,
        legs=legs,
        variables=by_variables,
    )
    if json:
        shown = [str(file) for file in files]
        write_json({"robot": model.robot.name, "function": function, "target": target, "files": shown})
        return
    for file in files:
        say(str(file))


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
