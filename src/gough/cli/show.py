"""`gough show`: the structure of a robot, for people or as JSON."""

import math
from typing import Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import console, plural, say, short, table, vector, write_json
from gough.cli.structure.loops import entries, show_blocks, show_couplings, show_loops, span, spell_shape

Data = dict[str, Any]


def show(
    robot: RobotName,
    parameters: Annotated[bool, typer.Option("--parameters", help="List every parameter with value and unit.")] = False,
    axes: Annotated[
        bool, typer.Option("--axes", help="List where every joint stands and how its axes point, in the world at home.")
    ] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Show the structure of a robot: freedoms, legs, joints, bodies, loops, drives, frames, home, structural zeros, sources.

    JSON keys: robot title source file gravity characteristic_length freedoms mobility (the same) velocities[] (name unit
    coordinate column acceleration) idle[] (name held) platform (null without) legs[] joints[] bodies[] flexible[] (body
    coordinates frequencies_hz mass center_of_mass central_inertia stiffening damped remarks) loops[] (name type leg first
    second kept redundant nut …) couplings[] (name type leg coefficients offset radius redundant) redundant_closures[]
    blocks[] (loops velocities) locked[] (velocity of factor) guide[] (stated freedoms of the platform) drives[] (name unit
    weight) drive_sharing springs[] frames[] home closure_tolerance layout variables[] (name value
    unit written follows moves[]) structural_zeros parameter_count warnings, and with --parameters parameters, with --axes
    axes[] (joint closes (type of a joint that closes a loop, else null) position axis, of the world at home). SI units, rad.
    """
    from gough.cli.structure.axes import axis_data, show_axes
    from gough.cli.structure.report import structure_report

    model, warnings = open_model(robot, quiet=True, variables=variables)
    report = structure_report(model, warnings, parameters)
    if axes:
        report["axes"] = axis_data(model)
    if json:
        write_json(report)
        return
    _head(report)
    show_legs(report["legs"])
    show_joints(report["joints"])
    if axes:
        show_axes(report["axes"])
    show_loops(report)
    show_couplings(report)
    show_bodies(report)
    show_flexible(report["flexible"])
    _springs(report["springs"])
    say(f"frames: {', '.join(report['frames'])}")
    show_blocks(report)
    _variables(report["variables"])
    _home(report)
    _zeros(report)
    if parameters:
        _parameters(report["parameters"])
    for text in warnings:
        say(f"warning: {text}")


def _head(r: Data) -> None:
    say(f"{r['robot']}: {r['title']}" if r["title"] else r["robot"])
    parts = [plural(len(r["legs"]), "leg")] if r["legs"] else []
    joints = sum(len(leg["joints"]) for leg in r["legs"]) + len(r["joints"])
    loops = sum(loop["described"] for loop in r["loops"])
    parts += [plural(joints, "joint"), plural(loops, "loop"), plural(r["freedoms"], "freedom")]
    if r["couplings"]:
        parts.insert(-1, plural(len(r["couplings"]), "coupling"))
    parts.append(plural(len(r["drives"]), "drive"))
    say(
        f"{', '.join(parts)}; characteristic length {short(r['characteristic_length'])} m; "
        f"gravity {vector(r['gravity'])} m/s²"
    )
    rigid = [v for v in r["velocities"] if v["acceleration"] is not None]
    elastic = len(r["velocities"]) - len(rigid) - len(r["idle"])
    bent = f"; {plural(elastic, 'elastic rate')}" if elastic else ""
    names = ", ".join(v["name"] for v in rigid) or "none, it only bends"
    say(f"independent velocities (mobility {r['mobility']}): {names}{bent}")
    if r["idle"]:
        told = ", ".join(x["name"] + (" (no inertia: held)" if x["held"] else "") for x in r["idle"])
        say(f"idle, moved by no drive: {told}")
    say(_drive_line(r))
    idle = [v for v in r["velocities"] if v["name"] in [x["name"] for x in r["idle"]]]
    kinds = {
        "position": ("coordinate", rigid),
        "velocity": ("column", [*rigid, *idle]),
        "acceleration": ("acceleration", rigid),
    }
    columns = [f"{kind} {' '.join(v[key] for v in those)}" for kind, (key, those) in kinds.items()]
    say(f"columns of `gough eval`: {'; '.join(columns)}")
    source = r["source"]
    for key, value in source.items() if isinstance(source, dict) else [("source", source)] if source else []:
        for text in value if isinstance(value, list) else [value]:
            say(f"  {key}: {text}")


def _drive_line(r: Data) -> str:
    drives, freedoms = r["drives"], r["freedoms"]
    if not drives:
        return "drives: none (no inverse dynamics)"
    names = ", ".join(d["name"] + ("" if d["weight"] is None else f" (weight {short(d['weight'])})") for d in drives)
    if len(drives) < freedoms:
        return f"drives: {names} (fewer than freedoms: no inverse dynamics)"
    return f"drives: {names}" + (f"; they share the load by the {r['drive_sharing']}" if r["drive_sharing"] else "")


def _springs(springs: list[Data]) -> None:
    if springs:
        heads = ["spring", "from", "to", "stiffness (N/m)", "damping (N s/m)", "rest length (m)", "preload (N)"]
        curves = [
            {k: s[k] for k in ("polynomial", "table", "tension_only", "rounding", "clearance") if s.get(k)}
            for s in springs
        ]
        shown = table(*heads, *(["characteristic"] if any(curves) else []))
        for s, curve in zip(springs, curves, strict=True):
            ends = [f"{s[end]['body']} {vector(s[end]['position'], 5)}" for end in ("from", "to")]
            numbers = [short(s[key]) for key in ("stiffness", "damping", "rest_length", "preload")]
            shown.add_row(s["name"], *ends, *numbers, *([entries(curve)] if any(curves) else []))
        console().print(shown)
        say()


def _variables(variables: list[Data]) -> None:
    """Each with its value and what it moves."""
    for x in variables:
        bodies = list(dict.fromkeys(name.rpartition(".")[0] for name in x["moves"]))
        some = ", ".join(bodies[:8]) + (" …" if len(bodies) > 8 else "")
        moved = f"moves {plural(len(x['moves']), 'parameter')} of {some}" if x["moves"] else "moves no parameter"
        unit = "" if x["unit"] == "1" else f" {x['unit']}"
        told = f"({x['written']}): {moved}" if x["follows"] is None else f"= {x['follows']}"
        say(f"variable {x['name']} = {short(x['value'])}{unit} {told}")


def _home(r: Data) -> None:
    q = r["home"]["q"]
    straight = {n for body in r["flexible"] for n in body["coordinates"] if q[n] == 0.0}
    left = [n for n in q if n not in straight]
    groups = [left[:7]] if r["platform"] is not None else []
    for leg in r["legs"]:
        groups.append([n for n in left if n.startswith(leg["name"] + ".")])
    taken = {n for group in groups for n in group}
    groups.append([n for n in left if n not in taken])
    values = {n: short(x if abs(x) > 1e-14 else 0.0, 5) for n, x in q.items()}
    lines = [", ".join(f"{n} {values[n]}" for n in group) for group in groups if group]
    lines += ["elastic coordinates 0"] if straight else []
    say(f"home: {lines[0]}")
    for line in lines[1:]:
        say(f"  {line}")
    if r["closure_tolerance"] is not None:
        left = "; ".join(r["home"]["left_open"]) or "nothing"
        say(f"  left open within the closure tolerance of {r['closure_tolerance'] * 1e3:.4g} mm: {left}")
    serial = dict(zip(r["home"]["serial_names"], r["home"]["serial"], strict=True))
    measures = [f"{r['home']['parallel']:.3g} (drives)"] if len(r["drives"]) >= r["freedoms"] else []
    if measures and r["home"]["inverse"] is not None:
        measures.append(f"{r['home']['inverse']:.3g} (inverse model)")
    if serial:
        worst = min(serial, key=lambda name: serial[name])
        kind = "leg" if worst in [leg["name"] for leg in r["legs"]] else "loop"
        measures.append(f"{serial[worst]:.3g} (worst {kind}, {worst})")
    if measures:
        say(f"  reciprocal condition at home: {', '.join(measures)}")


def _zeros(r: Data) -> None:
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


def _parameters(numbers: Data) -> None:
    shown = table("parameter", "value", "unit", "structural", numbers=("value",))
    for name, entry in numbers.items():
        shown.add_row(name, short(entry["value"], 9), entry["unit"], "yes" if entry["structural"] else "")
    console().print(shown)


# Flexible bodies as `gough show` prints them.

MOST = 12
"""Coordinates of a body that are listed one by one."""


def show_flexible(bodies: list[Data]) -> None:
    """One row a body: its coordinates and their frequencies; then what there is to know about how it was made."""
    if not bodies:
        return
    shown = table("flexible body", "coordinates", "frequencies (Hz)", "mass (kg)", "stiffening")
    for body in bodies:
        names = [name.removeprefix(f"{body['body']}.") for name in body["coordinates"]]
        frequencies = [short(f, 6) for f in body["frequencies_hz"]]
        shown.add_row(body["body"], _list_some(names), _list_some(frequencies), short(body["mass"]), body["stiffening"])
    console().print(shown)
    for body in bodies:
        remarks = [text for text in body["remarks"] if not text.startswith("stiffening:")]
        say(f"  {body['body']}: {'; '.join(remarks)}")
    say()


def _list_some(entries: list[str]) -> str:
    if len(entries) <= MOST:
        return " ".join(entries)
    return f"{' '.join(entries[: MOST - 2])} … {entries[-1]} ({len(entries)})"


# Legs, joints and bodies as `gough show` prints them.


def show_legs(legs: list[Data]) -> None:
    """Where the legs stand, and their joints; legs that look the same are shown once."""
    if not legs:
        return
    where = table("leg", "type", "geometry", "branch", "base point (m)", "platform point (m)")
    for leg in legs:
        branch = "" if leg["branch"] is None else ",".join(map(str, leg["branch"]))
        ends = [vector(leg[key]["position"], 5) for key in ("base", "on_platform")]
        where.add_row(leg["name"], leg["type"], leg["geometry"], branch, *ends)
    say()
    console().print(where)
    say()
    branched = any(joint["on"] is not None for leg in legs for joint in leg["joints"])
    joints = table(
        "joints of", "joint", *(["on"] if branched else []), "type", "axes", "drive", "friction, spring, limits"
    )
    for names, leg in alike(legs):
        before = "base"
        shown: list[Data] = [*leg["joints"], *([leg["cut"]] if leg["cut"] else [])]
        for i, joint in enumerate(shown):
            cut = joint is leg["cut"]
            on = [joint.get("on") or before] if branched else []
            kind = joint["type"] + (" (cut)" if cut else "")
            joints.add_row(names if i == 0 else "", joint["name"], *on, kind, *_effects(joint))
            before = joint["name"]
    console().print(joints)


def show_joints(joints: list[Data]) -> None:
    """Joints of the second form."""
    if not joints:
        return
    shown = table("joint", "type", "from", "to", "position (m)", "axes", "drive", "friction, spring, limits")
    for joint in joints:
        place = vector(joint["placement"]["position"], 5)
        shown.add_row(joint["name"], joint["type"], joint["parent"], joint["child"], place, *_effects(joint))
    say()
    console().print(shown)


def _effects(joint: Data) -> list[str]:
    axes = [joint["axis"]] if joint["axis"] else joint["axes"] or []
    drive = joint.get("drive")
    effects = "; ".join(entries(joint.get(key)) for key in ("friction", "spring", "limits") if joint.get(key))
    if joint.get("armature"):
        effects = "; ".join([*([effects] if effects else []), f"armature {joint['armature']}"])
    driven = "" if drive is None else entries(drive) or "ideal"
    return [spell_shape(axes, joint["dimensions"]), driven, effects]


def alike(legs: list[Data]) -> list[tuple[str, Data]]:
    """(names, first leg) of groups of legs whose joints, bodies and cuts look the same (placements aside)."""
    groups: dict[str, list[Data]] = {}
    for leg in legs:
        look = [{k: v for k, v in (j or {}).items() if k != "placement"} for j in [*leg["joints"], leg["cut"]]]
        groups.setdefault(repr(look), []).append(leg)
    return [(span([leg["name"] for leg in group]), group[0]) for group in groups.values()]


def show_bodies(r: Data) -> None:
    """Masses and inertias; bodies of legs that look the same are shown once."""
    columns = ("body", "mass (kg)", "mass centre (m)", "central inertia xx yy zz xy xz yz (kg m²)")
    shown = table("bodies of", *columns)
    own = [body["name"] for body in r["bodies"]]
    if r["platform"] is not None and r["platform"]["name"] not in own:
        shown.add_row("platform", *_body(r["platform"]))
    for names, leg in alike(r["legs"]):
        for i, joint in enumerate(leg["joints"]):
            shown.add_row(names if i == 0 else "", *_body(joint["body"]))
    for i, body in enumerate(r["bodies"]):
        label = "the robot" if i == 0 else ""
        platform = r["platform"] is not None and body["name"] == r["platform"]["name"]
        shown.add_row(label, *_body(body, " (platform)" * platform))
    console().print(shown)
    if r["platform"] is not None and r["platform"]["limits"]:
        stated = [_range(name, *bounds) for name, bounds in r["platform"]["limits"].items()]
        say(f"limits of {r['platform']['name']}: {', '.join(stated)}")
    say()


def _range(name: str, lower: float | None, upper: float | None) -> str:
    """A bounded coordinate of the platform in words."""
    ends = {"from": lower, "to": upper}
    turns = name in ("yaw", "pitch", "roll")
    told = [f"{word} {short(math.degrees(x) if turns else x)}" for word, x in ends.items() if x is not None]
    return f"{name} {' '.join(told)} {'deg' if turns else 'm'}"


def _body(body: Data, mark: str = "") -> list[str]:
    I = body["central_inertia"]
    numbers = vector([I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]], 5)
    kinds = {
        "(flexible)": body["flexible"],
        "+ payload": body["payload"],
        "+ telescopic": body["telescopic"] is not None,
        f"× {body['weight_share']:g} of its weight": body["weight_share"] != 1.0,
    }
    extra = "".join(f" {kind}" for kind, so in kinds.items() if so)
    return [body["name"] + mark, short(body["mass"]), vector(body["center_of_mass"], 5), numbers + extra]


# Loops and the order in which they are solved, as `gough show` prints them.
