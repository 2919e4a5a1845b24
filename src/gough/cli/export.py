"""`gough export`: source text of a robot's function."""

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import say, write_json


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
