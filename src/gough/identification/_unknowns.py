"""What is to be identified: parameters of a design, some of them tied to be one, and constant forces of joints.

Words stand for groups: "inertia" (ten of every rigid body), "rotors", "friction" ("viscous", "coulomb"), "springs" and "offsets"
(of drives). Of all but inertia and offsets a group has what the description gives: a friction of 0 is meant. Names and patterns
with stars ("leg*.hip.friction.viscous", "*.offset") take anything.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.robot.item import nearest
from gough.structure import Mechanism

if TYPE_CHECKING:
    from gough.model import Model

DEFAULT = ("inertia", "rotors", "friction", "springs")
OFFSET = ".offset"
_SPRING = re.compile(r"(.*\.)(stiffness|damping|preload|polynomial\.c\d+)")
SAME = 1e-12
"""Relative difference of numbers that are equal in equal legs."""


@dataclass(frozen=True)
class Unknown:
    """A number to be identified: name, unit, its value in the description, the parameters that are it, and the entries of the
    tree velocities u on which it is a constant force, if it is an offset."""

    name: str
    unit: str
    value: float
    places: tuple[int, ...] = ()
    entries: tuple[int, ...] = ()

    @property
    def members(self) -> int:
        """How many numbers of the robot it stands for: more than one where they are tied."""
        return len(self.places) + len(self.entries)


def choose_unknowns(model: "Model", wanted: str | Sequence[str], tied: str | Sequence[Sequence[str]]) -> list[Unknown]:
    """The unknowns that words, names and patterns mean, in the order of the parameters, offsets last.

    tied: "apart", "legs" (what has the same name and number in several legs is one), or groups of patterns with one star each,
    [("left_*", "right_*")]: names that agree in what the star stands for are one.
    """
    everything = _all_unknowns(model)
    names = list(everything)
    chosen: dict[str, Unknown] = {}
    for word in (wanted,) if isinstance(wanted, str) else wanted:
        group = GROUPS.get(word)
        found = group(model) if group else [n for n in names if n == word or ("*" in word and fnmatchcase(n, word))]
        if not found and group is None:
            known = nearest(word, [*GROUPS, *names])
            raise UsageError(
                f"parameters={word!r} names nothing to identify: use {', '.join(GROUPS)}, gains, or names and patterns with * "
                f"of `gough show ROBOT --parameters` and JOINT.offset{f'; did you mean {known}?' if known else ''}"
            )
        chosen |= {n: everything[n] for n in found}
    if not chosen:
        raise UsageError(f"parameters={wanted!r}: {model.robot.name} has none of these")
    ordered = [everything[n] for n in names if n in chosen]
    legs = [leg.name for leg in model.robot.legs]
    if tied == "apart":
        return ordered
    if tied != "legs":
        return _tie(ordered, _keys_of_groups(ordered, tied))
    if not legs:
        raise UsageError(
            f"tied='legs': {model.robot.name} has no legs. Say which names are one: tied=[('left_*', 'right_*')]"
        )
    return tie_legs(ordered, legs)


def _all_unknowns(model: "Model") -> dict[str, Unknown]:
    """Every parameter, and an offset for every joint's coordinate."""
    table, layout = model.mechanism.table, model.layout
    rows = zip(table.names, table.units, table.values, strict=True)
    out = {name: Unknown(name, unit, value, (i,)) for i, (name, unit, value) in enumerate(rows)}
    for link in model.mechanism.links:
        if link.is_platform or link.tie is not None:
            continue
        for entry in range(link.u, link.u + link.nu):
            name = layout.u_names[entry] + OFFSET
            unit = "N" if layout.u_units[entry].startswith("m") else "N m"
            out[name] = Unknown(name, unit, 0.0, entries=(entry,))
    return out


def _inertia(model: "Model") -> list[str]:
    return [model.parameter_names[i] for i in inertial_places(model.mechanism)]


def inertial_places(mechanism: Mechanism) -> list[int]:
    """Positions of the ten parameters of all rigid bodies; a flexible one has its mass from its shape."""
    return [i for link in mechanism.links if link.ten is not None and link.elastic is None for i in link.ten]


def _given(model: "Model", places: Iterable[int]) -> list[str]:
    """Names of those that are not 0 by structure."""
    return [model.parameter_names[i] for i in places if i not in model.pattern]


def _springs(model: "Model") -> list[str]:
    """Of springs that pull only (they have a rounding) none: their stiffness and damping are not linear together. Forces of a
    table are not linear either: between its points it is bent so that it grows where they do."""
    names = model.parameter_names
    cables = {name.removesuffix("rounding") for name in names if name.endswith(".rounding")}
    found = ((i, _SPRING.fullmatch(name)) for i, name in enumerate(names))
    return _given(model, (i for i, match in found if match and match[1] not in cables))


GROUPS: dict[str, Callable[["Model"], list[str]]] = {
    "inertia": _inertia,
    "rotors": lambda model: _given(model, (i for link in model.mechanism.links for i in link.rotors)),
    "friction": lambda model: [*GROUPS["viscous"](model), *GROUPS["coulomb"](model)],
    "viscous": lambda model: _given(model, model.mechanism.table.of_kind("viscous")),
    "coulomb": lambda model: _given(model, model.mechanism.table.of_kind("coulomb")),
    "springs": _springs,
    "offsets": lambda model: [
        model.layout.u_names[model.mechanism.links[d.link].u] + OFFSET for d in model.mechanism.drives
    ],
}


def _keys_of_groups(unknowns: Sequence[Unknown], tied: str | Sequence[Sequence[str]]) -> list[tuple[str, float]]:
    """Of every unknown a key; those with the same key are one."""
    if isinstance(tied, str):
        raise UsageError(f"tied={tied!r}; use 'apart', 'legs' or groups of patterns, [('left_*', 'right_*')]")
    alone = [tuple(group) for group in tied if len(group) < 2]
    if alone:
        raise UsageError(f"tied: the group {alone[0]!r} ties nothing; it takes two patterns, [('left_*', 'right_*')]")
    return [_without_group(u, [tuple(group) for group in tied], unknowns) for u in unknowns]


def tie_legs(unknowns: Sequence[Unknown], legs: Sequence[str]) -> list[Unknown]:
    """What has the same name and number in several legs is one."""
    out = _tie(unknowns, [_without_leg(u, [f"{leg}." for leg in legs]) for u in unknowns])
    return [replace(u, name=name) for u, name in zip(out, shorten([u.name for u in out], legs), strict=True)]


def _without_leg(unknown: Unknown, legs: Sequence[str]) -> tuple[str, float]:
    own = next((leg for leg in legs if unknown.name.startswith(leg)), None)
    return (unknown.name, 0.0) if own is None else ("*" + unknown.name.removeprefix(own), _rounded(unknown.value))


def _rounded(value: float) -> float:
    """Equal for numbers that are equal to SAME."""
    return 0.0 if value == 0.0 else float(np.format_float_scientific(value, precision=round(-np.log10(SAME)) - 1))


def _without_group(
    unknown: Unknown, groups: Sequence[tuple[str, ...]], unknowns: Sequence[Unknown]
) -> tuple[str, float]:
    for number, group in enumerate(groups):
        for pattern in group:
            if pattern.count("*") != 1:
                raise UsageError(
                    f"tied: pattern {pattern!r} needs one star, which stands for what the names have in common"
                )
            before, after = pattern.split("*")
            if not any(u.name.startswith(before) and u.name.endswith(after) for u in unknowns):
                raise UsageError(f"tied: pattern {pattern!r} fits none of the chosen parameters")
            if unknown.name.startswith(before) and unknown.name.endswith(after):
                return f"{number}:{unknown.name[len(before) : len(unknown.name) - len(after)]}", 0.0
    return unknown.name, 0.0


def _tie(unknowns: Sequence[Unknown], keys: Sequence[tuple[str, float]]) -> list[Unknown]:
    groups: dict[tuple[str, float], list[Unknown]] = defaultdict(list)
    for unknown, key in zip(unknowns, keys, strict=True):
        groups[key].append(unknown)
    out = []
    for members in groups.values():
        first = members[0]
        value = float(np.mean([m.value for m in members]))
        places = tuple(i for m in members for i in m.places)
        entries = tuple(i for m in members for i in m.entries)
        out.append(first if len(members) == 1 else Unknown(_common_name(members), first.unit, value, places, entries))
    return out


def _common_name(members: Sequence[Unknown]) -> str:
    """leg0.rod.M, leg1.rod.M: {leg0,leg1}.rod.M."""
    names = [m.name.split(".") for m in members]
    if len({len(n) for n in names}) > 1:
        return "{" + ",".join(m.name for m in members) + "}"
    return ".".join(w[0] if len(set(w)) == 1 else "{" + ",".join(w) + "}" for w in zip(*names, strict=True))


def shorten(names: Sequence[str], legs: Sequence[str]) -> list[str]:
    """{leg0,leg1,leg2}.rod.M as leg*.rod.M, where all legs are meant and their names allow it."""
    stem = legs[0].rstrip("0123456789") if legs else ""
    if not stem or any(leg.rstrip("0123456789") != stem for leg in legs) or len(legs) < 2:
        return list(names)
    everyone = "{" + ",".join(legs) + "}."
    return [f"{stem}*.{name.removeprefix(everyone)}" if name.startswith(everyone) else name for name in names]
