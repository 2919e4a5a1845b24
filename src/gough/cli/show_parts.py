"""Legs, joints and bodies as `gough show` prints them."""

from typing import Any

from gough.cli.output import console, say, short, table, vector

Data = dict[str, Any]


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
    driven = "" if drive is None else entries(drive) or "ideal"
    return [" ".join(map(vector, axes)), driven, effects]


def entries(numbers: Data | None) -> str:
    """Names and numbers of a friction, spring, drive or limits."""
    return ", ".join(f"{k} {short(v) if isinstance(v, float) else v}" for k, v in (numbers or {}).items())


def alike(legs: list[Data]) -> list[tuple[str, Data]]:
    """(names, first leg) of groups of legs whose joints, bodies and cuts look the same (placements aside)."""
    groups: dict[str, list[Data]] = {}
    for leg in legs:
        look = [{k: v for k, v in (j or {}).items() if k != "placement"} for j in [*leg["joints"], leg["cut"]]]
        groups.setdefault(repr(look), []).append(leg)
    return [(span([leg["name"] for leg in group]), group[0]) for group in groups.values()]


def span(names: list[str]) -> str:
    """ "leg0 … leg5 (6)" """
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"


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
    say()


def _body(body: Data, mark: str = "") -> list[str]:
    I = body["central_inertia"]
    numbers = vector([I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]], 5)
    kinds = {
        "(flexible)": body["flexible"],
        "+ payload": body["payload"],
        "+ telescopic": body["telescopic"] is not None,
    }
    extra = "".join(f" {kind}" for kind, so in kinds.items() if so)
    return [body["name"] + mark, short(body["mass"]), vector(body["center_of_mass"], 5), numbers + extra]
