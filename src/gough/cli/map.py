"""`gough map`: what can a robot reach, within its limits and away from singularities?"""

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gough.cli.failure import INTERRUPTED
from gough.cli.opening import Cluster, Json, Mixed, RobotName, Set, open_model
from gough.cli.output import console, note, say, short, table, write_json
from gough.cli.values import coordinate_values, orientation_rows, range_values
from gough.errors import Status, UsageError

if TYPE_CHECKING:
    from gough.analysis.vibration_map import VibrationMap
    from gough.analysis.workspace.result import Workspace

RANGE = "NAME=LOW:HIGH:POINTS, again for each coordinate; with --random NAME=LOW:HIGH. Units may follow: yaw=-20deg:20deg:41."


def survey(
    robot: RobotName,
    ranges: Annotated[list[str] | None, typer.Option("--range", help=RANGE)] = None,
    fixed: Annotated[list[str] | None, typer.Option("--fixed", help="NAME=VALUE of another coordinate.")] = None,
    random: Annotated[int | None, typer.Option("--random", min=1, help="Random samples instead of a grid.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="With --random: chooses the samples.")] = 0,
    orientation: Annotated[
        list[str] | None,
        typer.Option("--orientation", help="YAW,PITCH,ROLL (rad or deg), all to be reached at each point."),
    ] = None,
    any_orientation: Annotated[bool, typer.Option("--any", help="With --orientation: one of them is enough.")] = False,
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Ignore the description's limits.")] = False,
    condition: Annotated[
        float, typer.Option("--condition", help="Smallest reciprocal condition of the singularity-free part.")
    ] = 0.01,
    modes: Annotated[
        int | None,
        typer.Option(
            "--modes", min=1, help="Map so many natural frequencies and the stiffness instead, at equilibrium."
        ),
    ] = None,
    frame: Annotated[str | None, typer.Option("--frame", help="With --modes: where stiffness is asked for.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write all samples to this NPZ file.")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="Draw the map to this file (png, pdf, svg).")] = None,
    cluster: Cluster = None,
    mixed: Mixed = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Map the workspace: reachable and singularity-free volume, condition numbers, the limits that bound it.

    Coordinates are x y z yaw pitch roll of the platform (m, rad), joints or drives; those not named stay as at home.
    Without --range: positions (or the independent joints) around home as far as the robot reaches.

    JSON keys: robot, kind, coordinates[] (name unit low high points), fixed, orientations, limits, condition, samples, done,
    partial, seed, counts (free singular limit unreached not_done), statuses, violations, volume (unit box reachable
    singularity_free reachable_error singularity_free_error cell home_region), aspects (home other mixed), regions[]
    (aspect points volume contains_home), parallel and serial (min median max), seconds, files[]. With --modes: robot,
    coordinates[], samples, done, partial, statuses, unstable, frequencies_hz[] and stiffness (min median max), frame,
    seconds, files[]. Exit code 130 if interrupted; what is done is still reported and written.
    """
    from gough.analysis.vibration_map import vibration_map
    from gough.analysis.workspace.result import Workspace
    from gough.analysis.workspace.survey import workspace

    if modes is not None and (orientation or any_orientation or no_limits or condition != 0.01):
        raise UsageError("--orientation, --any, --no-limits and --condition do not go with --modes")
    if modes is not None and not ranges:
        raise UsageError("--modes needs at least one --range NAME=LOW:HIGH:POINTS")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, _ = open_model(robot, quiet=json, variables=variables)
        chosen = range_values(ranges, random is not None, model) if ranges else None
        samples: dict[str, Any] = {"fixed": coordinate_values(fixed, "--fixed", model), "random": random, "seed": seed}
        samples |= {"cluster": cluster, "mixed": mixed}
        if modes is not None:
            made = vibration_map(model, chosen or {}, count=modes, frame=frame, **samples)
        else:
            made = workspace(
                model,
                chosen,
                orientations=orientation_rows(orientation) if orientation else None,
                every=not any_orientation,
                limits=not no_limits,
                condition=condition,
                **samples,
            )
    files = [str(made.save(out))] if out else []
    if figure:
        made.plot(figure)
        files.append(str(figure))
    found = workspace_report(made) if isinstance(made, Workspace) else vibration_report(made)
    if json:
        write_json(found | {"files": files})
    else:
        if isinstance(made, Workspace):
            _show_workspace(made, found)
        else:
            _show_vibration(found)
        for name in files:
            note(f"written: {name}")
    if made.partial:
        raise typer.Exit(INTERRUPTED)


def workspace_report(made: "Workspace") -> dict[str, Any]:
    """Everything but the samples, with the documented keys."""
    v, home = made.volume, made.home_region
    aspects = {{1: "home", -1: "other", 0: "mixed"}[side]: x for side, x in made.aspect_volumes().items()}
    return {
        "robot": made.robot,
        "kind": "grid" if made.samples.is_grid else "random",
        "coordinates": _coordinates(made),
        "fixed": made.samples.fixed,
        "orientations": made.orientations,
        "limits": made.limits,
        "condition": made.condition,
        "samples": made.samples.count,
        "done": made.done,
        "partial": made.partial,
        "seed": made.samples.seed,
        "counts": {name.lower(): count for name, count in made.counts().items()},
        "statuses": made.statuses(),
        "violations": made.violations(),
        "volume": vars(v) | {"home_region": home.volume if home else None},
        "aspects": aspects,
        "regions": [
            {k: getattr(r, k) for k in ("aspect", "points", "volume", "contains_home")} for r in made.regions[:20]
        ],
        "parallel": _range(made.parallel),
        "serial": _range(made.serial),
        "seconds": made.seconds,
    }


def _coordinates(made: "Workspace | VibrationMap") -> list[dict[str, Any]]:
    return [
        {key: getattr(axis, key) for key in ("name", "unit", "low", "high", "points")} for axis in made.samples.axes
    ]


def _range(values: np.ndarray) -> dict[str, float | None]:
    seen = values[np.isfinite(values)]
    if not len(seen):
        return dict.fromkeys(("min", "median", "max"))
    return {"min": float(seen.min()), "median": float(np.median(seen)), "max": float(seen.max())}


def _show_workspace(made: "Workspace", found: dict[str, Any]) -> None:
    v = made.volume
    for a in made.samples.axes:
        say(f"{a.name}: {short(a.low)} to {short(a.high)} {a.unit}" + (f", {a.points} points" if a.points else ""))
    held = ", ".join(f"{name} = {short(x)}" for name, x in made.samples.fixed.items())
    say(f"held: {held + ', ' if held else ''}others as at home; limits {'on' if made.limits else 'off'}")
    shown = table("part", "samples", f"volume ({v.unit})", "±", numbers=("samples", f"volume ({v.unit})", "±"))
    error = "" if made.samples.is_grid else short(v.reachable_error, 2)
    shown.add_row("sampled", str(made.done), short(v.box, 5), "")
    shown.add_row("reachable", str(int(made.reachable.sum())), short(v.reachable, 5), error)
    error = "" if made.samples.is_grid else short(v.singularity_free_error, 2)
    shown.add_row("singularity-free", str(int(made.singularity_free.sum())), short(v.singularity_free, 5), error)
    if made.samples.is_grid:
        home = made.home_region
        shown.add_row(
            "connected with home", str(home.points if home else 0), short(home.volume if home else 0.0, 5), ""
        )
    console().print(shown)
    for name in ("parallel", "serial"):
        if (r := found[name])["min"] is not None:
            say(
                f"{name} reciprocal condition: {short(r['min'], 3)} to {short(r['max'], 3)}, median {short(r['median'], 3)}"
            )
    worst = list(found["violations"].items())[:5]
    if worst and made.limits:
        say("limits violated most: " + ", ".join(f"{name} ({count})" for name, count in worst))
    if found["statuses"]:
        say("not assembled: " + ", ".join(f"{name} ({count})" for name, count in found["statuses"].items()))
    if made.partial:
        say(f"INTERRUPTED after {made.done} of {made.samples.count} samples")


def vibration_report(made: "VibrationMap") -> dict[str, Any]:
    """Everything but the samples, with the documented keys."""
    bad = Counter(Status(int(code)).name.lower() for code in made.status if code)
    return {
        "robot": made.robot,
        "coordinates": _coordinates(made),
        "samples": made.samples.count,
        "done": int(made.done.sum()),
        "partial": made.partial,
        "statuses": dict(bad),
        "unstable": int(made.unstable.sum()),
        "frequencies_hz": [_range(x) for x in made.frequencies_hz.T],
        "stiffness": _range(made.stiffness),
        "frame": made.frame,
        "seconds": made.seconds,
    }


def _show_vibration(found: dict[str, Any]) -> None:
    for a in found["coordinates"]:
        say(f"{a['name']}: {short(a['low'])} to {short(a['high'])} {a['unit']}")
    rows = [(f"frequency {k + 1} (Hz)", x) for k, x in enumerate(found["frequencies_hz"])]
    rows.append((f"least stiffness of {found['frame']} (N/m)", found["stiffness"]))
    shown = table("", "min", "median", "max", numbers=("min", "median", "max"))
    for name, x in rows:
        if x["min"] is not None:
            shown.add_row(name, *(short(x[k], 5) for k in ("min", "median", "max")))
    console().print(shown)
    if found["unstable"]:
        say(
            f"{found['unstable']} of {found['samples']} equilibria are unstable (their first frequency is counted below 0)"
        )
    for name, count in found["statuses"].items():
        say(f"{count} of {found['samples']} have none: {name}")
    if found["partial"]:
        say(f"INTERRUPTED after {found['done']} of {found['samples']} samples")
    say(f"{found['samples']} samples in {short(found['seconds'], 3)} s")
