"""`gough view`: the robot in the browser, or in a file to take away."""

import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.opening import Set, is_scenario, kind_of_file, load_robot, refuse_foreign_options, set_variables
from gough.cli.output import note, progress_bar, say
from gough.errors import UsageError

WHAT = (
    "A gallery robot, a .yaml file, a file of another program (.urdf, .sdf, .xml of MuJoCo, .usd; see --loops), a result file "
    "(.npz, .parquet, .csv; two to compare), the name of a scenario, or the folder of a study (`gough design … --out FOLDER`)."
)


def view(
    what: Annotated[list[str], typer.Argument(metavar="ROBOT|RESULT [RESULT]|FOLDER", help=WHAT)],
    export: Annotated[
        list[Path] | None,
        typer.Option("--export", help="Write this file instead (.html, .png, .mp4, .gif); may be given several times."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; default: this computer only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port; if it is taken, the next free one.")] = 8080,
    dark: Annotated[bool, typer.Option("--dark", help="Begin dark.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="No shadows and reflections: faster without a graphics card.")
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    fps: Annotated[float, typer.Option("--fps", min=1.0, max=120.0, help="With --export: frames a second.")] = 30.0,
    speed: Annotated[float, typer.Option("--speed", help="With --export: played so many times as fast.")] = 1.0,
    size: Annotated[
        str, typer.Option("--size", help="With --export of pictures: WIDTHxHEIGHT in pixels.")
    ] = "1280x720",
    seconds: Annotated[float | None, typer.Option("--seconds", help="With --export: only so much of the run.")] = None,
    exaggeration: Annotated[
        float, typer.Option("--exaggeration", help="With --export: deflections drawn so many times as large.")
    ] = 1.0,
    mode: Annotated[
        int | None,
        typer.Option("--mode", help="With --export of a robot: it swings in this mode, 1 the slowest (`gough modes`)."),
    ] = None,
    channel: Annotated[
        list[str] | None, typer.Option("--channel", help="With --export to .html: plot this channel; several times.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="The robot runs: push it by hand, move the gains of its controller.")
    ] = False,
    controller: Annotated[
        str | None,
        typer.Option("--controller", help="With --live: the law it begins with, NAME or 'NAME: {ARGUMENT: VALUE, …}'."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option(
            "--motion",
            help="What the robot does, a name or a .yaml file: shown as it is, without a simulation. With --live: what the law "
            "follows.",
        ),
    ] = None,
    variables: Set = None,
) -> None:
    """Show a robot, a run or the designs of a study in the browser: move it, see it swing, play it, map it, go along the front.

    The server listens at this computer only unless --host says otherwise, and ends with Ctrl-C.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if export:
            if live:
                raise UsageError("--live and --export: a live page has a button that takes its recording away")
            width, height = _pixels(size)
            options = {"fps": fps, "speed": speed, "width": width, "height": height, "dark": dark or None}
            options["mode"] = mode
            options |= {"seconds": seconds, "exaggeration": exaggeration, "channels": tuple(channel or ())}
            _export(what, export, options, variables, motion)
            return
        from gough.viewer import view as start

        looks: dict[str, Any] = {"dark": dark, "plain": plain}
        subjects = [open_scenario_or_name(x, variables) for x in what] if motion is None or live else []
        if live:
            subjects, runs = _live_robot(subjects, controller, motion)
            looks |= runs
        elif motion is not None:
            model, looks["motion"] = _moved_robot(what, motion, variables)
            subjects = [model]
        viewer = start(*subjects, host=host, port=port, **looks, open_page=not no_open and _has_screen(), told=note)
    if host not in ("127.0.0.1", "localhost", "::1"):
        note(f"listening at {host}: everybody who can reach this computer there can look and move this robot")
    say(f"{viewer.subject.title} is at {viewer.url} (Ctrl-C ends it)")
    sys.stdout.flush()
    viewer.wait()
    note("viewer closed")


def _live_robot(subjects: list[Any], controller: str | None, motion: str | None) -> tuple[list[Any], dict[str, Any]]:
    """(the model of what runs live, its law and motion as `gough.view` takes them)."""
    from gough.cli.opening import load_law
    from gough.simulation.motion.files import load_motion
    from gough.viewer.subject import live_subject

    model = live_subject(*subjects).model
    law = True if controller is None else load_law(controller, model)
    return [model], {"live": law, "motion": None if motion is None else load_motion(motion, model)}


def _moved_robot(what: list[str], motion: str, variables: list[str] | None) -> tuple[Any, Any]:
    """(model of the one robot that is to move, its motion)."""
    from gough.model import Model, build
    from gough.simulation.motion.files import load_motion
    from gough.simulation.results.formats import SUFFIXES

    one = what[0]
    if len(what) > 1 or is_scenario(one) or Path(one).is_dir() or Path(one).suffix.lower() in SUFFIXES:
        kind = f"{len(what)} things are given" if len(what) > 1 else f"{one} is a run, a scenario or a study"
        raise UsageError(f"--motion is what one robot does, and {kind}: gough view ROBOT --motion {motion}")
    opened = open_scenario_or_name(one, variables)
    model = opened if isinstance(opened, Model) else build(opened)
    return model, load_motion(motion, model)


def _export(
    what: list[str],
    paths: list[Path],
    options: dict[str, Any],
    variables: list[str] | None,
    motion: str | None = None,
) -> None:
    from gough.viewer.private_server import import_viser
    from gough.viewer.subject import motion_subject, subject_of
    from gough.viewer.takeaway.export import check_path, export

    for name in ("speed", "exaggeration", "seconds"):
        if options[name] is not None and not options[name] > 0:
            raise UsageError(f"--{name} {options[name]}: give a positive number")
    for path in paths:
        check_path(path)
    import_viser()
    dark = bool(options["dark"])
    if motion is None:
        subject = subject_of(*[open_scenario_or_name(x, variables) for x in what], dark=dark)
    else:
        if options["mode"] is not None:
            raise UsageError("--motion and --mode: a robot follows the motion or swings in a mode; leave one out")
        model, moved = _moved_robot(what, motion, variables)
        subject = motion_subject(model, motion=moved, dark=dark, told=note)
    for path in paths:
        plotted: dict[str, Any] = options if path.suffix.lower() == ".html" else options | {"channels": ()}
        with progress_bar(str(path), 1.0) as update:
            export(subject, path, **plotted, progress=lambda share, update=update: update(completed=share))
        say(f"written: {path}")


def _pixels(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isdigit() and 16 <= int(p) <= 8192 for p in parts):
        raise UsageError(f"--size {text}: give WIDTHxHEIGHT in pixels, 16 to 8192 each, for instance 1280x720")
    return int(parts[0]), int(parts[1])


def _has_screen() -> bool:
    """Whether a browser window can open; without one `webbrowser` would start a text browser in this terminal."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


# What `gough view` is given: robots and results as they are, scenarios become runs, and what is neither is told apart.


def open_scenario_or_name(what: str, variables: list[str] | None = None) -> Any:
    """A path or name as it is; a scenario, by name or file, becomes its run. variables: what --set says, of a robot."""
    from gough.interchange.loading import format_of
    from gough.robot import gallery
    from gough.simulation.motion.files import motion_names
    from gough.simulation.results.formats import SUFFIXES
    from gough.simulation.scenarios.files import YAML, load_scenario, scenario_names

    path = Path(what)
    if path.is_dir():
        return _open_study(path, variables)
    ran = is_scenario(what)
    if variables and (ran or path.suffix.lower() in SUFFIXES):
        raise UsageError(
            f"--set is for robots, and {what} is a run, which has its values; make another: gough simulate "
            f"{'--scenario ' + what if ran else 'ROBOT'} --set {variables[0]} --out run.npz"
        )
    if ran:
        note(f"simulating scenario {what}")
        return load_scenario(what).run()
    if kind_of_file(path) == "motion" or (what in motion_names() and not path.exists()):
        raise UsageError(
            f"{what} is a motion, not a robot; say which robot does it: gough view {_robot_of(what)} --motion {what} shows it as "
            f"it is, gough simulate {_robot_of(what)} --motion {what} --controller computed_torque --out run.npz and then "
            "gough view run.npz how a controller follows it"
        )
    if not path.exists() and path.suffix.lower() not in (*YAML, *SUFFIXES) and what not in gallery():
        raise UsageError(
            f"no file {what!r}, and no robot or scenario of that name. Robots: {', '.join(gallery())}. "
            f"Scenarios: {', '.join(scenario_names())}"
        )
    refuse_foreign_options(what)
    return what if format_of(path) is None and not variables else set_variables(load_robot(what), variables)


def _robot_of(motion: str) -> str:
    """The robot that a motion is made for, where it says so."""
    from gough.errors import GoughError
    from gough.robot.reader import read_document
    from gough.simulation.motion.files import motion_names, read_motion, read_named_motion

    try:
        own = motion in motion_names() and not Path(motion).exists()
        made = read_named_motion(motion) if own else read_motion(read_document(Path(motion)), motion)
    except GoughError:  # what is wrong in it is told where it is used
        return "ROBOT"
    return made.robot or "ROBOT"


def _open_study(folder: Path, variables: list[str] | None) -> Any:
    from gough.studies.result import StudyResult

    if variables:
        raise UsageError(
            f"--set is for robots, and {folder} is a study, whose designs have their values; show one of them: "
            f"gough design STUDY --out {folder} --choose K --robot-out robot.yaml, then gough view robot.yaml "
            f"--set {variables[0]}"
        )
    found = StudyResult.load(folder)
    for remark in found.remarks:
        note(remark)
    return found
