"""`gough show`: the structure of a robot, for people or as JSON."""

from typing import Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, open_model
from gough.cli.output import console, say, short, table, vector, write_json


def show(
    robot: RobotName,
    parameters: Annotated[bool, typer.Option("--parameters", help="List every parameter with value and unit.")] = False,
    json: Json = False,
) -> None:
    """Show the structure of a robot: legs, joints, bodies, drives, friction, frames, home, structural zeros, sources.

    JSON keys: robot title source file gravity characteristic_length freedoms platform legs drives springs frames home
    layout structural_zeros parameter_count warnings, and parameters with --parameters. SI units, rad.
    """
    from gough.cli.structure_report import structure_report

    model, warnings = open_model(robot, quiet=True)
    report = structure_report(model, warnings, parameters)
    if json:
        write_json(report)
        return
    _head(report)
    _legs(report["legs"])
    _bodies(report)
    _home(report)
    _zeros(report)
    if parameters:
        _parameters(report["parameters"])
    for text in warnings:
        say(f"warning: {text}")


def _head(r: dict[str, Any]) -> None:
    say(f"{r['robot']}: {r['title']}")
    say(
        f"{len(r['legs'])} legs, {r['freedoms']} freedoms, {len(r['drives'])} drives; "
        f"characteristic length {short(r['characteristic_length'])} m; gravity {vector(r['gravity'])} m/s²"
    )
    source = r["source"]
    for key, value in source.items() if isinstance(source, dict) else [("source", source)]:
        for text in value if isinstance(value, list) else [value]:
            say(f"  {key}: {text}")


def _legs(legs: list[dict[str, Any]]) -> None:
    where = table("leg", "type", "geometry", "branch", "base point (m)", "platform point (m)")
    for leg in legs:
        branch = "" if leg["branch"] is None else ",".join(map(str, leg["branch"]))
        ends = [vector(leg[key]["position"], 5) for key in ("base", "on_platform")]
        where.add_row(leg["name"], leg["type"], leg["geometry"], branch, *ends)
    say()
    console().print(where)
    say()
    joints = table("joints of", "joint", "type", "axes", "drive", "friction, spring, limits")
    for names, leg in _alike(legs):
        for i, joint in enumerate([*leg["joints"], leg["cut"]]):
            kind = joint["type"] + (" (cut)" if joint is leg["cut"] else "")
            axes = [joint["axis"]] if joint["axis"] else joint["axes"] or []
            drive = joint.get("drive")
            effects = "; ".join(_entries(joint.get(key)) for key in ("friction", "spring", "limits") if joint.get(key))
            driven = "" if drive is None else _entries(drive) or "ideal"
            joints.add_row(names if i == 0 else "", joint["name"], kind, " ".join(map(vector, axes)), driven, effects)
    console().print(joints)
    say()


def _entries(numbers: dict[str, Any] | None) -> str:
    return ", ".join(f"{k} {short(v) if isinstance(v, float) else v}" for k, v in (numbers or {}).items())


def _alike(legs: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """(names, first leg) of groups of legs whose joints, bodies and cuts look the same (placements aside)."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for leg in legs:
        look = [[{k: v for k, v in j.items() if k != "placement"} for j in [*leg["joints"], leg["cut"]]]]
        groups.setdefault(repr(look), []).append(leg)
    return [
        (group[0]["name"] if len(group) == 1 else f"{group[0]['name']} … {group[-1]['name']} ({len(group)})", group[0])
        for group in groups.values()
    ]


def _bodies(r: dict[str, Any]) -> None:
    shown = table("bodies of", "body", "mass (kg)", "mass centre (m)", "central inertia xx yy zz xy xz yz (kg m²)")
    shown.add_row("platform", *_body(r["platform"]))
    for names, leg in _alike(r["legs"]):
        for i, joint in enumerate(leg["joints"]):
            shown.add_row(names if i == 0 else "", *_body(joint["body"]))
    console().print(shown)
    say(f"\nframes: {', '.join(r['frames'])}")


def _body(body: dict[str, Any]) -> list[str]:
    I = body["central_inertia"]
    entries = vector([I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]], 5)
    extra = " + payload" * body["payload"] + " + telescopic" * (body["telescopic"] is not None)
    return [body["name"], short(body["mass"]), vector(body["center_of_mass"], 5), entries + extra]


def _home(r: dict[str, Any]) -> None:
    q = r["home"]["q"]
    names = list(q)
    say(f"home: {', '.join(f'{n} {short(q[n], 5)}' for n in names[:7])}")
    for leg in r["legs"]:
        own = [n for n in names[7:] if n.startswith(leg["name"] + ".")]
        say(f"  {', '.join(f'{n} {short(q[n], 5)}' for n in own)}")
    worst = min(r["home"]["serial"])
    say(f"  reciprocal condition at home: {r['home']['parallel']:.3g} (drives), {worst:.3g} (worst leg)")


def _zeros(r: dict[str, Any]) -> None:
    zeros = r["structural_zeros"]
    say(f"structural zeros and right angles: {zeros['count']} of {r['parameter_count']} parameters")
    legs = {leg["name"] for leg in r["legs"]}
    where: dict[str, list[str]] = {}
    for name in zeros["parameters"]:
        first, _, rest = name.partition(".")
        where.setdefault(f"*.{rest}" if first in legs else name, []).append(first)
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, owners in where.items():
        stem, _, last = name.rpartition(".")
        groups.setdefault((stem, tuple(owners)), []).append(last)
    for (stem, owners), lasts in groups.items():
        shown = stem.replace("*", "every leg" if len(owners) == len(legs) else " ".join(owners), 1)
        say(f"  {shown}: {' '.join(lasts)}")


def _parameters(numbers: dict[str, Any]) -> None:
    shown = table("parameter", "value", "unit", "structural", numbers=("value",))
    for name, entry in numbers.items():
        shown.add_row(name, short(entry["value"], 9), entry["unit"], "yes" if entry["structural"] else "")
    console().print(shown)
