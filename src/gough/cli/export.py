"""`gough export`: source text of a robot's function, or an FMU; `gough convert`: a robot of one format as a file of another."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, Set, open_model, open_robot
from gough.cli.output import note, say, write_json


def export(
    robot: RobotName,
    function: Annotated[
        str | None,
        typer.Argument(
            metavar="FUNCTION",
            help="For c and cuda: inverse_dynamics, forward_dynamics, mass_matrix, …, frame_pose:NAME; inverse_dynamics@pose "
            "takes the pose instead of q where all legs have closed forms.",
        ),
    ] = None,
    target: Annotated[
        str, typer.Option("--target", help="c (C99), cuda, or fmu: the whole robot for other simulators.")
    ] = "c",
    out: Annotated[Path, typer.Option("--out", help="Folder the files go to; of an FMU also its file, ….fmu.")] = Path(
        "."
    ),
    name: Annotated[
        str | None,
        typer.Option("--name", help="Name of the C function, default ROBOT_FUNCTION, or of the FMU's model."),
    ] = None,
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
    fmi: Annotated[
        str | None, typer.Option("--fmi", help="Of an FMU: version of the standard, 3.0 (default) or 2.0.")
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(
            "--drives",
            help="Of an FMU: what is given from outside, forces (default) or motions (accelerations).",
        ),
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Of an FMU: step of Co-Simulation (s), default 0.001.")
    ] = None,
    no_derivatives: Annotated[
        bool, typer.Option("--no-derivatives", help="Of an FMU: without directional derivatives.")
    ] = False,
    no_binary: Annotated[bool, typer.Option("--no-binary", help="Of an FMU: sources alone.")] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Write a function as self-contained source, or the whole robot as an FMU.

    c, cuda: header, source, and a test driver with reference values; no allocation, re-entrant. Compile and run the driver: it
    returns 0 where the function gives the reference values. fmu: Model Exchange and Co-Simulation of FMI 3.0 or 2.0, C99 sources
    inside, and a binary where there is a C compiler. JSON keys: robot, function, target, files.
    """
    from gough.errors import UsageError
    from gough.export import export as write

    own = {
        "--fmi": fmi,
        "--inputs": inputs,
        "--step": step,
        "--no-derivatives": no_derivatives,
        "--no-binary": no_binary,
    }
    others = {"--baked": baked, "--no-friction": no_friction, "--no-wrench": no_wrench, "--no-checks": no_checks}
    others |= {"--derivative": derivative, "--variables": by_variables, "FUNCTION": function}
    _demand_fitting(target, own if target != "fmu" else others)
    model, _ = open_model(robot, quiet=True, variables=variables)
    if target == "fmu":
        from gough.export.fmu.archive import export_fmu

        path = out if out.suffix == ".fmu" else out / f"{name or model.robot.name}.fmu"
        given = {"version": fmi, "drives": inputs, "step": step, "name": name}
        given = {key: x for key, x in given.items() if x is not None}
        files = [export_fmu(model, path, derivatives=not no_derivatives, binary=not no_binary, **given)]
        _tell_files(model.robot.name, None, target, files, json)
        return
    if function is None:
        raise UsageError(
            f"--target {target} writes one function: gough export ROBOT FUNCTION; the whole robot is --target fmu"
        )
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
    _tell_files(model.robot.name, function, target, files, json)


def _demand_fitting(target: str, options: dict[str, Any]) -> None:
    """UsageError for what is given of options that this target has not."""
    from gough.errors import UsageError

    given = [name for name, x in options.items() if x]
    if given and target == "fmu":
        raise UsageError(f"--target fmu is the whole robot, not one function: leave {', '.join(given)} out")
    if given:
        raise UsageError(f"{', '.join(given)}: for --target fmu alone")


def _tell_files(robot: str, function: str | None, target: str, files: list[Path], json: bool) -> None:
    """The files that were written."""
    if json:
        write_json({"robot": robot, "function": function, "target": target, "files": [str(file) for file in files]})
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
