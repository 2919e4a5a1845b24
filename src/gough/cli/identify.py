"""`gough identify`: a robot's numbers from logs of its motion."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import note, say, write_json
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.identification.identification import Fit, Identification
    from gough.model import Model
    from gough.simulation.scenarios.scenario import Scenario


def identify(
    robot: RobotName,
    data: Annotated[
        list[Path], typer.Argument(metavar="DATA…", help="Logs: .csv, .parquet, .mat, ROS bags, or runs (.npz).")
    ],
    columns: Annotated[
        Path | None, typer.Option("--columns", help="YAML file: which column of the logs is what, with units.")
    ] = None,
    validate: Annotated[
        list[Path] | None,
        typer.Option("--validate", help="A log that is predicted, not learned from; several times."),
    ] = None,
    hold_out: Annotated[
        float | None, typer.Option("--hold-out", help="Share of the logs to validate with instead, 0 … 0.9.")
    ] = None,
    method: Annotated[
        str, typer.Option("--method", help="ls (least squares), iv (instrumental variables) or didim (output error).")
    ] = "ls",
    scenario: Annotated[
        Path | None, typer.Option("--scenario", help="For iv and didim: scenario with the controller and its motion.")
    ] = None,
    begin: Annotated[
        float, typer.Option("--begin", help="With --scenario: when the motion began, s by the logs' clock.")
    ] = 0.0,
    parameters: Annotated[
        str | None,
        typer.Option(
            "--parameters", help="What to identify, with commas: inertia rotors friction springs offsets gains, names."
        ),
    ] = None,
    tied: Annotated[str, typer.Option("--tied", help="apart, or legs: equal numbers of legs are one.")] = "apart",
    prior: Annotated[
        float | None,
        typer.Option("--prior", help="Relative spread of the description's numbers; default: they only fill gaps."),
    ] = None,
    consistent: Annotated[str, typer.Option("--consistent", help="log-cholesky, lmi or no.")] = "log-cholesky",
    band: Annotated[
        float | None, typer.Option("--band", help="Low-pass of the data, Hz; default: from the data.")
    ] = None,
    shift: Annotated[
        list[str] | None,
        typer.Option(
            "--shift", help="How late a channel comes, 'force=4 ms', 'force DRIVE=…'; several times; none: 0."
        ),
    ] = None,
    thin: Annotated[
        int | None, typer.Option("--thin", help="One equation of so many samples; default: as the band asks.")
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="Sampling rate (Hz) of logs without times.")] = None,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", help="A kind of problem of the data that is known; several times.")
    ] = None,
    idle: Annotated[
        str, typer.Option("--idle", help="still: idle and elastic freedoms are at rest; refuse.")
    ] = "refuse",
    out: Annotated[Path | None, typer.Option("--out", help="Write the report (.html) with figures.")] = None,
    robot_out: Annotated[
        Path | None, typer.Option("--robot-out", help="Write the robot with its new numbers (.yaml).")
    ] = None,
    estimate_out: Annotated[
        Path | None,
        typer.Option("--estimate-out", help="Write numbers and covariance (.npz), for tolerances of studies."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Work on a Dask cluster: tcp://HOST:PORT, or local:N processes.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="With --cluster: workers may be of several kinds.")] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Masses, inertias, friction and springs from measured motions and forces.

    JSON keys: robot, method, samples, runs[], condition, noise{}, base[] (name value deviation low high described unit),
    parameters[] (name value deviation described unit told), gains{}, undetermined[], inconsistent[], consistent, distance,
    fits[] (name count error rms[] share[]), notes[], warnings[], files[].
    """
    import gough
    from gough.arguments import demand_one_of
    from gough.identification.estimation.consistent import WAYS
    from gough.identification.identification import METHODS

    if hold_out is not None and validate:
        raise UsageError("--hold-out and --validate exclude each other")
    if hold_out is not None and not 0 < hold_out <= 0.9:
        raise UsageError(f"--hold-out {hold_out:g}: give a share above 0 and up to 0.9")
    demand_one_of("--method", method, tuple(METHODS))
    demand_one_of("--consistent", consistent, (*WAYS, "no"))
    if method == "ls" and scenario is not None:
        raise UsageError(f"--scenario {scenario}: least squares simulate nothing; give --method iv or didim with it")
    if method != "ls" and scenario is None:
        raise UsageError(
            f"--method {method}: it simulates the robot; name its controller and motion with --scenario FILE"
        )
    if out is not None and out.suffix.lower() not in (".html", ".htm"):  # before the work, not after it
        raise UsageError(f"--out {out}: the report is a page; give a name that ends with .html")
    if estimate_out is not None and estimate_out.suffix.lower() != ".npz":
        raise UsageError(f"--estimate-out {estimate_out}: give a name that ends with .npz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, _ = open_model(robot, quiet=json, variables=variables)
    late = shifts_of(shift or [])
    options: dict[str, Any] = {"shifts": late} if late else {}
    options |= {"band": "auto" if band is None else band, "idle": idle, "accept": tuple(accept or ())}

    def read(paths: list[Path]) -> Any:
        given = [gough.read_record(p, model, columns, rate_hz=rate, accept=options["accept"]) for p in paths]
        return gough.condition(model, given, **options)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", gough.DataWarning)
        samples = read(data)
        checked = read(validate) if validate else None
    doubts = list(dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, gough.DataWarning)))
    if hold_out is not None:
        samples, checked = samples.split(hold_out)
    more: dict[str, Any] = {}
    if scenario is not None:
        told = gough.load_scenario(scenario)
        demand_same_robot(model, told, scenario)
        more = {"controller": told.controller, "motion": told.motion, "begin": begin}
    if parameters is not None:
        more["parameters"] = tuple(p.strip() for p in parameters.split(",") if p.strip())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.IdentificationWarning)
        found = gough.identify(
            model,
            samples,
            method=method,
            tied=tied,
            validation=checked,
            prior=prior,
            consistent=False if consistent == "no" else consistent,
            thin=thin,
            cluster=cluster,
            mixed=mixed,
            **more,
        )
    files = []
    if out is not None:
        found.report(out)
        files.append(str(out))
    if robot_out is not None:
        gough.save(found.robot, robot_out)
        files.append(str(robot_out))
    if estimate_out is not None:
        files.append(str(found.save(estimate_out)))
    if json:
        told_of = told_result(found)
        write_json(told_of | {"warnings": doubts + told_of["warnings"], "files": files})
        return
    for text in doubts:
        note(f"warning: {text}")
    say(found.report())
    for line in samples.notes:
        note(line)
    for name in files:
        note(f"written: {name}")


def shifts_of(texts: list[str]) -> dict[str, float]:
    """{channel: s} of what --shift says."""
    from gough.robot.units import UnitError, parse

    out: dict[str, float] = {}
    for text in texts:
        channel, equals, value = (part.strip() for part in text.rpartition("="))
        try:
            number, dimension = (
                parse(value) if not value.replace(".", "").lstrip("-").isdecimal() else (float(value), None)
            )
        except UnitError as problem:
            raise UsageError(f"--shift {text!r}: {problem}; write 'force=4 ms'") from None
        if not (channel and equals) or dimension not in (None, parse("1 s")[1]):
            raise UsageError(f"--shift {text!r}; give CHANNEL=TIME, as in 'force=4 ms' or 'force DRIVE=0.004 s'")
        out[channel] = number
    return out


def demand_same_robot(model: "Model", told: "Scenario", path: Path) -> None:
    """UsageError for a scenario of another robot."""
    if told.model.layout.drive_names != model.layout.drive_names or told.model.robot.name != model.robot.name:
        raise UsageError(
            f"--scenario {path}: it is about {told.model.robot.name}, and this is {model.robot.name}; its controller and motion "
            "would be another robot's"
        )


def told_result(found: "Identification") -> dict[str, Any]:
    """The documented keys."""
    e, base = found.estimate, found.base
    spans = found.intervals()
    rows = zip(base.names, found.base_values, found.base_deviations, spans, base.values, base.units, strict=True)
    own = zip(
        base.regressor.unknowns, found.standard.values, found.standard.deviations, found.standard.told, strict=True
    )
    return {
        "robot": found.model.robot.name,
        "method": found.method,
        "samples": e.residuals.count,
        "runs": list(found.samples.runs),
        "condition": e.condition,
        "noise": dict(zip(found.noise_names, map(float, e.sigma), strict=True)),
        "base": [
            {"name": n, "value": x, "deviation": s, "low": a, "high": b, "described": was, "unit": unit}
            for n, x, s, (a, b), was, unit in rows
        ],
        "parameters": [
            {"name": u.name, "value": x, "deviation": s, "described": u.value, "unit": u.unit, "told": bool(t)}
            for u, x, s, t in own
        ],
        "gains": dict(zip(found.rows.names, found.gains.tolist(), strict=False)),
        "undetermined": list(found.undetermined),
        "inconsistent": list(found.inconsistent),
        "consistent": found.consistent,
        "distance": found.distance,
        "fits": [_fit(f) for f in found.fits],
        "notes": list(found.samples.notes),
        "warnings": list(found.warnings),
    }


def _fit(fit: "Fit") -> dict[str, Any]:
    return {"name": fit.name, "count": fit.count, "error": fit.error, "rms": fit.rms, "share": fit.share}
