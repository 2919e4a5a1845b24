"""`gough map --modes`: natural frequencies and stiffness over the workspace."""

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.map_arguments import fixed_values, range_values
from gough.cli.opening import open_model
from gough.cli.output import console, note, say, short, table, write_json
from gough.errors import Status, UsageError

if TYPE_CHECKING:
    from gough.analysis.vibration_map import VibrationMap


def vibration(
    robot: str,
    ranges: list[str] | None,
    fixed: list[str] | None,
    random: int | None,
    seed: int,
    modes: int,
    frame: str | None,
    out: Path | None,
    figure: Path | None,
    json: bool,
) -> None:
    """Map natural frequencies and stiffness; arguments as for `gough map`."""
    from gough.analysis.vibration_map import vibration_map

    if not ranges:
        raise UsageError("--modes needs at least one --range NAME=LOW:HIGH:POINTS")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, _ = open_model(robot, quiet=json)
        chosen = range_values(ranges, random is not None, model)
        held = fixed_values(fixed or [], "--fixed", model)
        made = vibration_map(model, chosen, fixed=held, random=random, seed=seed, count=modes, frame=frame)
    files = [str(made.save(out))] if out else []
    if figure:
        made.plot(figure)
        files.append(str(figure))
    found = report(made) | {"files": files}
    if json:
        write_json(found)
        return
    _show(found)
    for name in files:
        note(f"written: {name}")


def report(made: "VibrationMap") -> dict[str, Any]:
    """Everything but the samples, with the documented keys."""
    bad = Counter(Status(int(code)).name.lower() for code in made.status if code)
    return {
        "robot": made.robot,
        "coordinates": [
            {"name": a.name, "unit": a.unit, "low": a.low, "high": a.high, "points": a.points}
            for a in made.samples.axes
        ],
        "samples": made.samples.count,
        "statuses": dict(bad),
        "unstable": int(made.unstable.sum()),
        "frequencies_hz": [_range(x) for x in made.frequencies_hz.T],
        "stiffness": _range(made.stiffness),
        "frame": made.frame,
        "seconds": made.seconds,
    }


def _range(values: np.ndarray) -> dict[str, float | None]:
    seen = values[np.isfinite(values)]
    if not len(seen):
        return dict.fromkeys(("min", "median", "max"))
    return {"min": float(seen.min()), "median": float(np.median(seen)), "max": float(seen.max())}


def _show(found: dict[str, Any]) -> None:
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
    say(f"{found['samples']} samples in {short(found['seconds'], 3)} s")
