"""`gough export`: source text of a robot's function, or an FMU; `gough convert`: a robot of one format as a file of another."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, Set, load_law, load_robot, open_model, open_robot, set_variables
from gough.cli.output import note, say, write_json
from gough.errors import UsageError

YAML = (".yaml", ".yml")


def export(
    robot: RobotName,
    function: Annotated[
        str | None,
        typer.Argument(
            metavar="[FUNCTION]",
            help="inverse_dynamics, forward_dynamics, mass_matrix, …, frame_pose:NAME; inverse_dynamics@pose takes the pose "
            "instead of q where all legs have closed forms; forward_geometry, configuration, time_step, linear_model. Left out "
            "with --controller, and for fmu.",
        ),
    ] = None,
    target: Annotated[str, typer.Option("--target", help="c (C99), cuda, or fmu: the whole robot.")] = "c",
    out: Annotated[Path, typer.Option("--out", help="Folder the files go to; of an FMU also its file.")] = Path("."),
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the C function, default ROBOT_FUNCTION; of an FMU's model.")
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
    controller: Annotated[
        str | None,
        typer.Option(
            "--controller",
            help="A law on a clock as one C file with a step from sensors to forces: a scenario's .yaml file, or "
            "'sampled: {law: …, period: 1 ms, sensors: [encoders]}'. Of an FMU: any law, the loop is closed inside.",
        ),
    ] = None,
    motion: Annotated[
        str | None, typer.Option("--motion", help="With --controller: name of a motion, or a .yaml file of one.")
    ] = None,
    reference: Annotated[
        str, typer.Option("--reference", help="With --controller: motion (compiled in), or input of every step.")
    ] = "motion",
    precision: Annotated[str, typer.Option("--precision", help="With --controller: double or single.")] = "double",
    fmi: Annotated[str | None, typer.Option("--fmi", help="Of an FMU: version, 3.0 (default) or 2.0.")] = None,
    inputs: Annotated[
        str | None,
        typer.Option("--inputs", help="Of an FMU: what drives are given, forces (default) or motions (accelerations)."),
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Of an FMU: step of Co-Simulation (s), default 0.001.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="given|static",
            help="Of an FMU: as home or the scenario says (given, the default), or in equilibrium, bent bodies too, with the "
            "drive forces that hold it.",
        ),
    ] = None,
    no_derivatives: Annotated[
        bool, typer.Option("--no-derivatives", help="Of an FMU: without directional derivatives.")
    ] = False,
    no_binary: Annotated[bool, typer.Option("--no-binary", help="Of an FMU: sources alone.")] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Write a function, or a controller, as self-contained source: header, source, and a test driver; or the robot as an FMU.

    C99 without allocation, re-entrant, libm only. Compile and run the driver: it returns 0 where the function gives the
    reference values. An FMU is for Model Exchange and Co-Simulation, with sources, and a binary where there is a C compiler.
    JSON keys: robot, function, target, files.
    """
    from gough.export import export as write

    own = {
        "--fmi": fmi,
        "--inputs": inputs,
        "--step": step,
        "--start": start,
        "--no-derivatives": no_derivatives,
        "--no-binary": no_binary,
    }
    others = {"--baked": baked, "--no-friction": no_friction, "--no-wrench": no_wrench, "--no-checks": no_checks}
    others |= {"--derivative": derivative, "--variables": by_variables, "--legs": legs != "auto", "FUNCTION": function}
    others |= {"--reference": reference != "motion", "--precision": precision != "double"}
    odd = [key for key, x in (others if target == "fmu" else own).items() if x]
    if odd and target == "fmu":
        raise UsageError(f"--target fmu writes the whole robot, with its own choices; leave {', '.join(odd)} out")
    if odd:
        raise UsageError(f"{', '.join(odd)}: for --target fmu alone")
    if target == "fmu":
        given = {"version": fmi, "drives": inputs, "step": step, "start": start, "name": name}
        how = {key: x for key, x in given.items() if x is not None}
        how |= {"derivatives": not no_derivatives, "binary": not no_binary}
        robot_name, files = _write_fmu(robot, controller, motion, out, variables, how)
        _tell(json, {"robot": robot_name, "function": None, "target": target}, files)
        return
    if controller is not None:
        asked = {"baked": baked, "no_friction": no_friction, "no_wrench": no_wrench, "no_checks": no_checks}
        asked |= {"derivative": derivative, "variables": by_variables, "legs": legs != "auto"}
        odd = [f"--{key.replace('_', '-')}" for key, x in asked.items() if x]
        if odd or function is not None or target != "c":
            what = odd[0] if odd else f"FUNCTION ({function})" if function else f"--target {target}"
            raise UsageError(f"{what} says nothing to --controller, which writes C with all it needs; leave it out")
        robot_name, files = _write_law(robot, controller, motion, out, variables, name, reference, precision)
        _tell(json, {"robot": robot_name, "function": "controller", "target": target}, files)
        return
    if function is None:
        raise UsageError(
            "give a FUNCTION (inverse_dynamics, forward_dynamics, …), or --controller with a law; the whole robot is --target fmu"
        )
    if motion is not None or reference != "motion" or precision != "double":
        raise UsageError(
            "--motion, --reference and --precision are for --controller; functions are in double precision"
        )
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
    _tell(json, {"robot": model.robot.name, "function": function, "target": target}, files)


def _tell(json: bool, about: dict[str, Any], files: list[Path]) -> None:
    if json:
        write_json({**about, "files": [str(file) for file in files]})
        return
    for file in files:
        say(str(file))


def _write_law(
    robot: str, controller: str, motion: str | None, out: Path, variables: list[str] | None, name: str | None, *how: str
) -> tuple[str, list[Path]]:
    """(name of the robot, files) of a law that is written as text, or in a scenario."""
    from gough.export import export_law

    reference, precision = how
    model, law, move, more = _law_asked(robot, controller, motion, variables)
    more |= {"name": name, "reference": reference, "precision": precision}
    return model.robot.name, export_law(model, law, out, motion=move, **more)


def _law_asked(
    robot: str, controller: str, motion: str | None, variables: list[str] | None
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """(model, law, motion, how a run of it begins) of a law that is written as text, or in a scenario."""
    from gough.simulation.motion.files import load_motion

    more: dict[str, Any] = {}
    if controller.endswith(YAML):
        from gough.simulation.scenarios.files import load_scenario

        made = load_scenario(controller, set_variables(load_robot(robot), variables))
        if made.controller is None:
            raise UsageError(
                f"{controller}: the scenario has no controller; give it one, with sampled: {{law: …, period: …}}"
            )
        model, law, move = made.model, made.controller, made.motion
        start = {"start": "static"} if made.start.static else {}
        more |= {
            "q": made.first_q(),
            "v": made.first_v(),
            "step": made.step,
            "parameters": made.parameters or None,
            **start,
        }
    else:
        model, _ = open_model(robot, quiet=True, variables=variables)
        law, move = load_law(controller, model), None
    return model, law, move if motion is None else load_motion(motion, model), more


def _write_fmu(
    robot: str, controller: str | None, motion: str | None, out: Path, variables: list[str] | None, how: dict[str, Any]
) -> tuple[str, list[Path]]:
    """(name of the robot, its file) of an FMU, of a law that closes its loop where there is one."""
    from gough.export import export_fmu

    if controller is None:
        if motion is not None:
            raise UsageError("--motion says nothing without --controller: drives are given from outside; leave it out")
        model, _ = open_model(robot, quiet=True, variables=variables)
        more: dict[str, Any] = {}
    else:
        model, law, move, begin = _law_asked(robot, controller, motion, variables)
        more = {"controller": law, "motion": move, **{key: x for key, x in begin.items() if x is not None}}
    path = out if out.suffix == ".fmu" else out / f"{how.get('name', model.robot.name)}.fmu"
    return model.robot.name, [export_fmu(model, path, **{**more, **how})]


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
