"""Many runs of `gough simulate`: numbers that differ from run to run, figures over all of them."""

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.output import console, note, say, short, table, write_json
from gough.errors import RunWarning, UsageError

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import Ensemble
    from gough.simulation.ensembles.vary import Varied
    from gough.simulation.scenarios.scenario import Scenario

SHOWN = 12
_DRAW = re.compile(r"(?P<kind>\w+)\((?P<numbers>[^()]*)\)")


def parse_vary(texts: list[str] | None, runs: int | None, seed: int) -> "Varied":
    """What --vary says: draws NAME=normal(0, 1), with --runs; or lists NAME=1,2,3, all of whose combinations are taken."""
    from gough import vary

    draws: dict[str, Any] = {}
    lists: dict[str, list[float]] = {}
    for text in texts or []:
        name, _, value = (part.strip() for part in text.partition("="))
        if name in draws or name in lists:
            raise UsageError(f"--vary {text!r}: {name} is given twice; leave one out")
        found = _DRAW.fullmatch(value)
        try:
            numbers = [float(x) for x in (found["numbers"] if found else value).split(",")]
            if found:
                kinds = {"normal": vary.normal, "uniform": vary.uniform, "spread": vary.spread, "within": vary.within}
                draws[name] = kinds[found["kind"]](*numbers)
            else:
                lists[name] = numbers
        except (KeyError, TypeError, ValueError):
            raise UsageError(
                f"--vary {text!r}; give NAME=normal(MEAN, DEVIATION), uniform(LOW, HIGH), spread(PART) or within(PART), or "
                "NAME=NUMBER,NUMBER,… (SI units)"
            ) from None
    if lists and (draws or runs is not None):
        raise UsageError("--vary: lists are all combined, so they go neither with draws nor with --runs")
    if lists:
        return vary.sweep(lists)
    if not draws or runs is None:
        raise UsageError("many runs need --runs N and --vary NAME=DRAW, or --vary NAME=NUMBER,NUMBER,…")
    return vary.monte_carlo(draws, runs, seed)


def simulate_varied(made: "Scenario", varied: "Varied", folder: Path | None, where: dict[str, Any], json: bool) -> bool:
    """Simulate and report; whether all runs finished. folder: where parts are kept; where: device, cluster and mixed."""
    settings = dict(made.settings)
    if settings.pop("method", "rk4") != "rk4":
        raise UsageError(f"many runs are integrated by rk4, not {made.method}: give --method rk4 and a --step for it")
    known = {key: settings.pop(key) for key in ("duration", "step", "smoothing") if key in settings}
    if settings or made.outputs.channels:
        names = [*settings, *(["channel"] if made.outputs.channels else [])]
        raise UsageError(f"many runs do not use {', '.join(names)}: leave it out")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RunWarning)
        try:
            found = _simulate(made, varied, folder, where | known)
        except KeyboardInterrupt:
            kept = 0 if folder is None else len(list(folder.glob("part*.npz")))
            nowhere = "nothing is kept: --out FOLDER keeps finished parts" if folder is None else ""
            note(
                f"interrupted; {nowhere or f'{kept} finished parts are in {folder}, the same command goes on from there'}"
            )
            raise
    for warning in caught:
        if issubclass(warning.category, RunWarning):
            note(f"warning: {warning.message}")
    if made.outputs.plot is not None:
        found.plot(*made.outputs.panels, path=made.outputs.plot)
    report = _report(made, found, folder, {name: varied.unit(made.model, name) for name in found.varied})
    if json:
        write_json(report)
    else:
        _show(report)
    return report["failed"] == 0


def _simulate(made: "Scenario", varied: "Varied", folder: Path | None, known: dict[str, Any]) -> "Ensemble":
    from gough.simulation.ensembles.ensemble import simulate_many

    return simulate_many(
        made.model,
        made.first_q(),
        made.first_v(),
        made.motion,
        made.controller,
        parameters=made.model.parameters_with(made.parameters) if made.parameters else None,
        wrench=dict(made.wrench) or None,
        vary=varied,
        start="static" if made.start.static else "given",
        folder=folder,
        progress=True,
        **known,
    )


def _report(made: "Scenario", found: "Ensemble", folder: Path | None, of: dict[str, str]) -> dict[str, Any]:
    """Figures over all runs that finished."""
    from gough.simulation.coordinates import units_of

    good = found.end_q[np.isnan(found.failed)]
    names, units = made.model.layout.q_names, units_of(made.model).q
    ends = [{"name": name, "unit": units[k], **_figures(good[:, k])} for k, name in enumerate(names) if len(good)]
    return {
        "robot": made.model.robot.name,
        "scenario": made.name or None,
        "runs": found.runs,
        "failed": int(np.isfinite(found.failed).sum()),
        "resumed": found.resumed,
        "computing_s": found.computing_s,
        "runs_per_s": (found.runs - found.resumed) / found.computing_s if found.computing_s else None,
        "varied": [{"name": name, "unit": of[name], **_figures(x)} for name, x in found.varied.items()],
        "tracking": _tracking(made, found),
        "ends": ends,
        "folder": None if folder is None else str(folder),
    }


def _tracking(made: "Scenario", found: "Ensemble") -> list[dict[str, Any]]:
    """Figures of the largest distances of runs from their motion."""
    if made.motion is None:
        return []
    known = {unit: x[np.isfinite(x)] for unit, x in found.tracking.items()}
    return [{"name": f"tracking.{unit}", "unit": unit, **_figures(x)} for unit, x in known.items() if len(x)]


def _figures(x: np.ndarray) -> dict[str, float]:
    return {"mean": float(x.mean()), "deviation": float(x.std()), "low": float(x.min()), "high": float(x.max())}


def _show(report: dict[str, Any]) -> None:
    say(f"{report['robot']}: {report['runs']} runs, {report['failed']} failed, {report['resumed']} were there already")
    say(f"computing {short(report['computing_s'], 3)} s, {short(report['runs_per_s'], 3)} runs/s")
    right = ("mean", "deviation", "low", "high")
    tables = {"varied": "varied", "largest error from the motion (stored states)": "tracking", "at the end": "ends"}
    for title, rows in ((title, report[key]) for title, key in tables.items()):
        if not rows:
            continue
        say()
        shown = table(title, *right, numbers=right)
        for row in rows[:SHOWN]:
            shown.add_row(row["name"], *(f"{short(row[key], 5)} {row.get('unit', '')}".strip() for key in right))
        console().print(shown)
        if len(rows) > SHOWN:
            say(f"and {len(rows) - SHOWN} more (--json)")
    if report["folder"]:
        note(f"kept in {report['folder']}: the same command again goes on where it was")
