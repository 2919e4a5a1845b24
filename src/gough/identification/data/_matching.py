"""Columns matched to a robot by their names, where nothing else can be meant; what was taken for what is said.

A name is taken apart into words: those of a drive, and one of a list for what is measured ("leg0.slide.force", "tau.leg0.slide",
"vel leg0 slide"). Numbered columns (q1 … q6) are drives in the order of the robot, if there are exactly as many, and all
coordinates of the robot that could be meant are drives.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gough.identification.data._columns import WRENCH, ColumnUse, meanings, use_of
from gough.identification.data.formats.table import LogTable, split_suffix
from gough.structure.layout import POSE_NAMES

if TYPE_CHECKING:
    from gough.model import Model

WORDS = {
    "time": "t time timestamp stamp seconds secs",
    "position": "q pos position angle length enc encoder coordinate actual measured act meas",
    "rate": "v vel velocity rate speed qd dq qdot",
    "force": "f force tau torque effort",
    "reference": "ref reference des desired setpoint target qref",
    "current": "current i iq amps motor",
    "voltage": "voltage u volts vir",
}
ROLE_OF = {word: role for role, words in WORDS.items() for word in words.split()}
_NUMBERED = re.compile(r"([a-z]+?)[_. ]?\[?([0-9]+)\]?")
_PIECES = re.compile(r"[^a-z0-9]+")
IGNORED = {"joint", "joints", "state", "states", "drive", "drives", "platform"}


def match_columns(model: "Model", table: LogTable, unused: Iterable[str]) -> tuple[dict[str, ColumnUse], list[str]]:
    """({column: use}, what to tell) of columns that mean one thing alone."""
    known = meanings(model)
    found: dict[str, str] = {}
    suffixes: dict[str, str] = {}
    raw: dict[str, str] = {}
    for column in unused:
        stem, unit = split_suffix(column)
        name, suffixes[column] = (column, "") if table.units.get(column) or not unit else (stem, unit)
        meaning = _meaning(model, name, known)
        if meaning in known:
            found[column] = meaning
        elif meaning:
            raw[column] = meaning
    found |= _numbered(model, [c for c in unused if c not in found])
    claims: dict[str, list[str]] = {}
    for column, meaning in found.items():
        claims.setdefault(meaning, []).append(column)
    clear = {columns[0]: meaning for meaning, columns in claims.items() if len(columns) == 1}
    told = [f"column {c} taken as {m}" for c, m in clear.items() if c != m]
    told += [
        f"{m}: several columns could be it ({', '.join(cs)}); none is taken" for m, cs in claims.items() if len(cs) > 1
    ]
    told += [
        f"column {c} may be the {m}: say its gain (N or N m of the drive per unit of it) in columns="
        for c, m in raw.items()
    ]
    return {c: use_of(m, known[m], suffixes.get(c, "")) for c, m in clear.items()}, told


def _meaning(model: "Model", column: str, known: dict[str, str]) -> str:
    """The meaning of a name; "motor current of …" where it is one that needs a gain; "" where there is none."""
    if column in known:
        return column
    plain = column.lower()
    if plain in WORDS["time"].split():
        return "time"
    pieces = [p for p in _PIECES.split(plain) if p]
    last = pieces[-1] if pieces else ""
    others = set(pieces[:-1]) - IGNORED
    if model.layout.n_pose and last in POSE_NAMES and others <= {"pose", "position", "orientation"}:
        return f"pose.{last}"
    if {"orientation"} <= others and last in ("w", "x", "y", "z") and model.layout.n_pose:
        return f"pose.q{last}"
    if last in WRENCH and others <= {"wrench", "force", "torque"} and model.layout.n_pose:
        return f"wrench.{last}"
    places = [m.removeprefix("position ") for m in known if m.startswith("position ")]
    owners = [(name, left) for name in places if (left := _without(pieces, name)) is not None]
    longest = max((len(name) for name, _ in owners), default=0)
    owners = [(name, left) for name, left in owners if len(name) == longest]
    if len(owners) != 1:
        return ""
    name, left = owners[0][0], [p for p in owners[0][1] if p not in IGNORED]
    roles = {ROLE_OF.get(p, "?") for p in left} or {"position"}
    if roles == {"reference", "position"}:
        roles = {"reference"}
    if len(roles) > 1 or "?" in roles or "time" in roles:
        return ""
    role = roles.pop()
    return f"motor {role} of {name}" if role in ("current", "voltage") else f"{role} {name}"


def _without(pieces: list[str], name: str) -> list[str] | None:
    """The pieces without those of a coordinate's name, which stand together; None where they do not."""
    own = [p for p in _PIECES.split(name.lower()) if p]
    for i in range(len(pieces) - len(own) + 1):
        if pieces[i : i + len(own)] == own:
            return pieces[:i] + pieces[i + len(own) :]
    return None


def _numbered(model: "Model", columns: list[str]) -> dict[str, str]:
    """q0 q1 … or q1 q2 …, exactly one for every drive."""
    groups: dict[str, dict[int, str]] = {}
    for column in columns:
        match = _NUMBERED.fullmatch(split_suffix(column)[0].lower())
        role = ROLE_OF.get(match[1]) if match else None
        if match and role in ("position", "rate", "force", "reference"):
            groups.setdefault(match[1], {})[int(match[2])] = column
    drives, out = model.layout.drive_names, {}
    for word, numbered in groups.items():
        first = min(numbered)
        if first in (0, 1) and sorted(numbered) == list(range(first, first + len(drives))):
            out |= {numbered[first + k]: f"{ROLE_OF[word]} {drive}" for k, drive in enumerate(drives)}
    return out
