"""`gough simulate`: how does a robot move?"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gough.cli.failure import BAD_STATES, INTERRUPTED
from gough.cli.many_runs import parse_vary, simulate_varied
from gough.cli.opening import Cluster, Json, Mixed, Set, is_scenario, load_law, load_robot, set_variables
from gough.cli.output import console, note, progress_bar, say, short, table, write_json
from gough.cli.values import coordinate_values, positive, rate_values, seconds
from gough.errors import GoughError, UsageError
from gough.progress import doing
from gough.simulation.events import End, Happening
from gough.simulation.integration.methods import METHODS

if TYPE_CHECKING:
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario

ROBOT = (
    "A gallery robot, a .yaml file, a file of another program (.urdf, .sdf, .xml of MuJoCo, .usd), or a scenario by name or "
    "file; with --scenario: instead of the robot it names."
)

SHOWN_EVENTS = 8


def simulate(
    robot: Annotated[str | None, typer.Argument(metavar="[ROBOT]", help=ROBOT)] = None,
    motion: Annotated[str | None, typer.Option("--motion", help="Name of a motion, or a .yaml file of one.")] = None,
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", help="Name of a scenario, or a .yaml file; other options replace its own."),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option("--controller", help="A law as in a scenario: NAME or 'NAME: {ARGUMENT: VALUE, …}'."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", help="Time to simulate (s, or with its unit); else the motion's.")
    ] = None,
    method: Annotated[str | None, typer.Option("--method", help=f"One of {', '.join(METHODS)}.")] = None,
    step: Annotated[str | None, typer.Option("--step", help="Equal steps, or the longest (s, or 100us).")] = None,
    tolerance: Annotated[
        float | None, typer.Option("--tolerance", help="Error of a step, of the robot's size.")
    ] = None,
    rho_infinity: Annotated[
        float | None, typer.Option("--rho-infinity", help="What generalised_alpha leaves of fast vibrations, 0 to 1.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", help="static: elastic coordinates begin in equilibrium.")
    ] = None,
    at: Annotated[list[str] | None, typer.Option("--at", help="NAME=VALUE of a coordinate at the start.")] = None,
    rate: Annotated[list[str] | None, typer.Option("--rate", help="NAME=VALUE of a velocity at the start.")] = None,
    smoothing: Annotated[
        str | None,
        typer.Option(
            "--smoothing",
            help="Smooth all Coulomb friction below this speed (m/s and rad/s; two of joints that slide and that turn: "
            "1 mm/s,2 mrad/s), or 'described': only what the description does.",
        ),
    ] = None,
    every: Annotated[int | None, typer.Option("--every", min=1, help="Keep one state of so many.")] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check", help="What is wrong before the run: warn (default), raise (refuse it) or off (do not look)."
        ),
    ] = None,
    estimate: Annotated[
        bool | None,
        typer.Option("--estimate", help="Run twice, the second time finer, to estimate the error.", show_default=False),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", help="Many runs: NAME=normal(MEAN, DEVIATION), uniform, spread, within, or NAME=1,2,3."),
    ] = None,
    runs: Annotated[int | None, typer.Option("--runs", min=1, help="With --vary: how many are drawn.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="With --runs: of the draws.")] = 0,
    device: Annotated[str, typer.Option("--device", help="With --vary: cpu, or cuda for an NVIDIA GPU.")] = "cpu",
    cluster: Cluster = None,
    mixed: Mixed = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the run here (.npz, .parquet, .csv); many runs: a folder.")
    ] = None,
    channel: Annotated[
        list[str] | None, typer.Option("--channel", help="With --out or --scenario: also this computed channel.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the run to this file (png, pdf, svg).")] = None,
    panel: Annotated[
        list[str] | None, typer.Option("--panel", help="With --plot or --scenario: this channel instead.")
    ] = None,
    allow_outside: Annotated[
        bool,
        typer.Option("--allow-outside", help="With --scenario: outputs that it names may lie outside of this folder."),
    ] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Simulate a robot along a motion, under a controller, or left to itself.

    Without a motion the drives give no force. A motion of drives is followed exactly and the forces are results; other
    motions need a controller.

    With --vary many runs are done at once, by rk4: names are parameters or variables of the robot, at.NAME and rate.NAME of the
    first state, wrench.fx … wrench.mz or wrench.FRAME.fx of a constant load. --out is then a folder; the same command again goes
    on where it was, on a cluster too. JSON keys of many runs: robot, scenario, runs, failed, resumed, computing_s, runs_per_s,
    varied[], tracking[] (largest errors of runs from the motion) and ends[] (name unit mean deviation low high), folder.

    JSON keys: robot, scenario, stopped, remedy, states, simulated_s, computing_s, compile_s, error_estimate, energy_error,
    energy_exchanged_J, closure_error, closure_tolerance (null without), bad_states, crossed (times of singularities),
    settings (method step tolerance every steps
    rejected careful smoothing), motion, controller, events[] (time and what: motion, start, step, saturated, limit, …), tracking
    (largest errors from the motion, by unit), drives[] (name unit low high speed force force_unit), elastic[] (name unit low
    high), files[]. Exit code 3 if the run stopped early, 130 if it was interrupted; what is done is still reported and written.
    """
    given = {name: value for name, value in locals().items() if name not in ("robot", "json")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if vary or runs is not None:
            varied = parse_vary(vary, runs, seed)
            with doing(f"loading {robot or scenario or ''}"):
                made = scenario_of(robot, given | {"out": None})
            if not simulate_varied(made, varied, out, {"device": device, "cluster": cluster, "mixed": mixed}, json):
                raise typer.Exit(BAD_STATES)
            return
        if cluster is not None:
            raise UsageError("--cluster is for many runs: give --vary too")
        with doing(f"loading {robot or scenario or ''}"):
            made = scenario_of(robot, given)
        with _bar() as progress:
            run = made.run(progress)
        files, problem = [], None
        try:
            files = [str(path) for path in made.write(run)]
        except (GoughError, OSError) as error:
            problem = error  # what was computed is told all the same
        found = report(made, run) | {"files": files}
    if json:
        write_json(found)
    else:
        _show(found)
        about = run.info.motion
        for text in about.get("shaped", ()) if isinstance(about, Mapping) else ():
            note(f"motion: {text}")
        for time, text in found["events"][:SHOWN_EVENTS]:
            note(f"at {time:.6g} s: {text}")
        if len(found["events"]) > SHOWN_EVENTS:
            note(f"and {len(found['events']) - SHOWN_EVENTS} more events (--json)")
        if run.info.settings.get("every", 1) > 1:
            note(f"figures are of the stored states, one of {run.info.settings['every']}")
        for name in files:
            note(f"written: {name}")
    if problem is not None:
        raise problem
    if not run.info.finished:
        note(f"stopped early: {run.stopped}; {found['remedy']}")
        raise typer.Exit(INTERRUPTED if run.info.ending.end == End.INTERRUPTED else BAD_STATES)


def report(made: "Scenario", run: "Run") -> dict[str, Any]:
    """Everything but the states, with the documented keys."""
    from gough.simulation.results.remedy import remedy

    units, places = run.channel("drives.position").units if len(run.tau.T) else (), run.layout.drive_names
    moved = run["drives.position"] if len(places) else np.zeros((len(run), 0))
    fast = run["drives.rate"] if len(places) else moved
    kinds = run.channel("drives.force").units if len(places) else ()
    drives = [
        {
            "name": name,
            "unit": units[k],
            **_range(moved[:, k]),
            "speed": _largest(fast[:, k]),
            "force": _largest(run.tau[:, k]),
            "force_unit": kinds[k],
        }
        for k, name in enumerate(places)
    ]
    bent = run.channel("elastic") if "elastic" in run else None
    elastic = (
        []
        if bent is None
        else [
            {"name": name, "unit": bent.units[k], **_range(run["elastic"][:, k])} for k, name in enumerate(bent.entries)
        ]
    )
    info = run.info
    return run.summary() | {
        "scenario": made.name or None,
        "remedy": remedy(run) or None,
        "settings": dict(info.settings),
        "motion": info.motion,
        "controller": info.controller,
        "events": [event for event in info.events if event.kind != Happening.CROSSED],
        "drives": drives,
        "elastic": elastic,
    }


def _range(values: np.ndarray) -> dict[str, float]:
    return {"low": float(np.nanmin(values)), "high": float(np.nanmax(values))}


def _largest(values: np.ndarray) -> float:
    return float(np.nanmax(np.abs(values)))


def _show(found: dict[str, Any]) -> None:
    settings, law = found["settings"], found["controller"]
    how = ", ".join(f"{k} {short(v)}" for k in ("step", "tolerance") if (v := settings.get(k)) is not None)
    name = f", scenario {found['scenario']}" if found["scenario"] else ""
    say(
        f"{found['robot']}{name}: {law['law'] if law else 'no controller'}, {settings['method']}{', ' + how if how else ''}"
    )
    shown = table("", "figure", numbers=("figure",))
    spent, simulated = found["computing_s"], found["simulated_s"]
    shown.add_row("simulated (s)", short(simulated))
    shown.add_row("computing (s)", short(spent, 3))
    shown.add_row("times real time", short(simulated / spent, 3) if spent else "")
    shown.add_row("compiling (s)", short(found["compile_s"], 3))
    shown.add_row("steps, of them rejected", f"{settings['steps']}, {settings['rejected']}")
    widths = settings.get("smoothing")
    if widths:
        shown.add_row("friction smoothed below (m/s, rad/s)", f"{short(widths['m/s'], 3)}, {short(widths['rad/s'], 3)}")
    shown.add_row("states kept, of them bad", f"{found['states']}, {found['bad_states']}")
    shown.add_row("energy error, of the energy at play", short(found["energy_error"], 2))
    allowed = found["closure_tolerance"]
    beyond = "" if allowed is None else f" beyond the tolerance of {allowed * 1e3:.4g} mm"
    shown.add_row(f"closure error{beyond}, of the robot's size", short(found["closure_error"], 2))
    if found["crossed"]:
        times = ", ".join(short(t, 4) for t in found["crossed"][:4]) + (" …" if len(found["crossed"]) > 4 else "")
        shown.add_row("singularities crossed, at (s)", f"{len(found['crossed'])}: {times}")
    for unit, error in (found["tracking"] or {}).items():
        shown.add_row(f"largest error from the motion ({unit})", short(error, 2))
    if found["error_estimate"] is not None:
        shown.add_row("estimated error, of the robot's size", short(found["error_estimate"], 2))
    console().print(shown)
    _show_drives(found)
    say(f"\nstopped: {found['stopped']}")


def _show_drives(found: dict[str, Any]) -> None:
    right = ("from", "to", "speed", "force")
    if found["drives"]:
        say()
        shown = table("drive", *right, numbers=right)
        for d in found["drives"]:
            u = d["unit"]
            cells = (f"{short(d['low'], 5)} {u}", f"{short(d['high'], 5)} {u}", f"{short(d['speed'], 5)} {u}/s")
            shown.add_row(d["name"], *cells, f"{short(d['force'], 5)} {d['force_unit']}")
        console().print(shown)
    if found["elastic"]:
        say()
        shown = table("elastic coordinate", "from", "to", numbers=right)
        for e in found["elastic"][:12]:
            shown.add_row(e["name"], *(f"{short(e[k], 4)} {e['unit']}" for k in ("low", "high")))
        console().print(shown)
        if len(found["elastic"]) > 12:
            say(f"and {len(found['elastic']) - 12} more elastic coordinates (--json)")


@contextmanager
def _bar() -> Iterator[Callable[[float, float], None] | None]:
    """Gives what `simulate` tells its progress to; a bar on terminals."""
    if not sys.stderr.isatty():
        yield None
        return
    with progress_bar("simulated") as update:
        yield lambda t, end: update(completed=t, total=end)


# A scenario from the options of `gough simulate`.


def scenario_of(robot: str | None, given: dict[str, Any]) -> "Scenario":
    """The scenario that the options say: that of --scenario, or an empty one, with the other options in place."""
    from gough.model import build
    from gough.robot.friction import change_friction
    from gough.simulation.motion.files import load_motion
    from gough.simulation.scenarios.files import load_scenario, scenario_names
    from gough.simulation.scenarios.scenario import Scenario

    as_described = given["smoothing"] == "described"
    smoothing = None if as_described else _widths(given["smoothing"])
    if given["scenario"] is None and robot is not None and is_scenario(robot):
        robot, given = None, given | {"scenario": robot}
    if given["scenario"] is not None:
        made = load_scenario(
            given["scenario"],
            None if robot is None else load_robot(robot),
            allow_outside=bool(given.get("allow_outside")),
        )
        if smoothing is not None or given.get("variables"):
            changed = set_variables(made.model.robot, given.get("variables"))
            made = made.with_(model=build(change_friction(changed, smoothing=smoothing)))
    elif robot is None:
        raise UsageError(f"give a ROBOT, or --scenario with a file or one of {', '.join(scenario_names())}")
    else:
        described = set_variables(load_robot(robot), given.get("variables"))
        made = Scenario(build(change_friction(described, smoothing=smoothing)))
    changes: dict[str, Any] = {
        "motion": None if given["motion"] is None else load_motion(given["motion"], made.model),
        "controller": None if given["controller"] is None else load_law(given["controller"], made.model),
        "duration": seconds(given["duration"], "--duration"),
        "step": seconds(given["step"], "--step"),
        "smoothing": "described" if as_described else None,
        **{name: given[name] for name in ("method", "tolerance", "rho_infinity", "every", "check", "estimate")},
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    return made.with_(**changes, start=_start(made, given), outputs=_outputs(made, given))


def _widths(text: str | None) -> float | tuple[float, float] | None:
    """Smoothing of Coulomb friction from "1e-3", "1 mm/s", or "1 mm/s, 2 mrad/s" of joints that slide and that turn."""
    wanted = "m/s and rad/s, or two (1 mm/s, 2 mrad/s) of joints that slide and that turn, or 'described'"
    parts = [] if text is None else text.split(",")
    kinds: list[tuple[str, ...]] = [("speed", "angular speed")] if len(parts) == 1 else [("speed",), ("angular speed",)]
    if len(parts) > 2:
        raise UsageError(f"--smoothing {text!r}: give {wanted}")
    found = [positive(part.strip(), "--smoothing", kind, wanted) for part, kind in zip(parts, kinds, strict=False)]
    widths = tuple(width for width in found if width is not None)
    return (widths[0], widths[1]) if len(widths) == 2 else widths[0] if widths else None


def _start(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.simulation.scenarios.scenario import Start

    if given["start"] not in (None, "static", "given"):
        raise UsageError(f"--start {given['start']!r}; use static or given")
    static = made.start.static if given["start"] is None else given["start"] == "static"
    at = coordinate_values(given["at"], "--at", made.model)
    rates = rate_values(given["rate"], "--rate", made.model)
    return Start(static, {**made.start.coordinates, **at}, {**made.start.rates, **rates})


def _outputs(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.simulation.scenarios.scenario import Outputs

    old = made.outputs
    file, channels = given["out"] or old.file, tuple(given["channel"] or old.channels)
    if given["channel"] and file is None:
        raise UsageError("--channel goes with --out: the scenario writes no file")
    if given["panel"] and given["plot"] is None and old.plot is None:
        raise UsageError("--panel goes with --plot: the scenario draws nothing")
    said = ((old.file, given["out"]), (old.plot, given["plot"]))  # a place on the command line is the user's own word
    confined = tuple(path for path, own in said if own is None and path in old.confined and path is not None)
    return Outputs(file, channels, given["plot"] or old.plot, tuple(given["panel"] or old.panels), confined)
