"""Couplings with the full names of what they couple, and their checks: on raw data coordinates that exist, of the right kind and
unit; of a robot relations that do not contradict each other or hold a joint still."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.joints import ALL
from gough.joints.joint import Coordinate
from gough.robot._couplings import HOME, Coupling, CouplingTerm, coordinate_places, meant_name
from gough.robot._leg import entries, repetition_faults
from gough.robot.checks.joints import can_convert
from gough.robot.checks.references import items, joint_types, loop_types, platform_name, stated_joints
from gough.robot.checks.suggestions import meant_word
from gough.robot.coordinates import GROUND, POSE_NAMES, TWIST_NAMES
from gough.robot.item import Fault, Place, is_given, look, nearest
from gough.robot.units import si_unit, with_article
from gough.scalar import plain_number

ROUNDING = 1e-9
"""Part of a coupling, scaled to 1, that is rounding."""


@dataclass(frozen=True)
class PlacedCoupling:
    """A coupling by its full name, its terms with full names of the coordinates, its offset as a number (m, rad).

    leg: index in robot.legs, or -1. place: where it is described.
    """

    name: str
    terms: tuple[CouplingTerm, ...]
    offset: float
    leg: int
    described: Coupling
    place: Place


def placed_couplings(robot: Any) -> tuple[PlacedCoupling, ...]:
    """All couplings of a robot: those of the legs in order, then its own."""
    described: list[tuple[int, str, Place, Coupling]] = []
    for i, leg in enumerate(robot.legs):
        described += [(i, f"{leg.name}.", ("legs", i, "couplings", k), c) for k, c in enumerate(leg.couplings)]
    described += [(-1, "", ("couplings", k), c) for k, c in enumerate(robot.couplings)]
    types = joint_types(robot) if described else {}
    known, placed = coordinates_of(types), []
    for leg, prefix, place, coupling in described:
        terms = tuple(replace(t, coordinate=full_name(t.coordinate, prefix, known)) for t in coupling.terms)
        offset = _offset_at_home(robot, terms, types) if coupling.offset == HOME else plain_number(coupling.offset)
        placed.append(PlacedCoupling(prefix + coupling.name, terms, offset, leg, coupling, place))
    return tuple(placed)


def _offset_at_home(robot: Any, terms: tuple[CouplingTerm, ...], types: dict[str, Any]) -> float:
    total: Any = 0.0
    for term in terms:
        joint = joint_of(term.coordinate, types)
        names = [joint + c.suffix for c in ALL[types[joint]].coordinates]
        total += term.coefficient * plain_number(robot.home.joints[joint][names.index(term.coordinate)])
    return total


def coupling_faults(data: Any) -> Iterator[Fault]:
    """Couplings of the legs and of the robot between coordinates that exist, in their units; names of their own."""
    types = joint_types(data)
    taken = [*types, *(name for name, _ in loop_types(data))]
    for index, leg in enumerate(items(data, "legs")):
        name = str(look(leg, "name"))
        own = [x.removeprefix(f"{name}.") for x in taken if x.startswith(f"{name}.")]
        yield from _list_faults(data, leg, ("legs", index, "couplings"), types, own, f"{name}.")
    springs = [str(look(spring, "name")) for spring in items(data, "springs")]
    legs = [str(look(leg, "name")) for leg in items(data, "legs")]
    yield from _list_faults(data, data, ("couplings",), types, [*taken, *springs, *legs], "")


def _list_faults(
    data: Any, owner: Any, place: Place, types: dict[str, Any], taken: list[str], leg: str
) -> Iterator[Fault]:
    couplings = entries(look(owner, "couplings"))
    places: list[Place] = [(*place, k, "name") for k in range(len(couplings))]
    names = [meant_name(coupling) for coupling in couplings]
    yield from repetition_faults(names, places, "coupling", {"the name of something else": taken})
    for name, at in zip(names, places, strict=True):
        if name in (*GROUND, "drives"):
            yield Fault(at, name, f"a reserved name: {name!r}", f"another name, for instance {name}_1")
    for k, coupling in enumerate(couplings):
        yield from relation_faults(data, coupling, (*place, k), types, leg)


def relation_faults(data: Any, coupling: Any, place: Place, types: dict[str, Any], leg: str = "") -> Iterator[Fault]:
    """Of one raw coupling: coordinates that exist, of the right kind, an offset in their unit."""
    known = coordinates_of(types)
    found: list[Coordinate | None] = []
    full: list[str] = []
    for at, written in coordinate_places(coupling):
        name = full_name(written, leg, known)
        coordinate = known.get(name)
        if coordinate is None:
            yield _no_coordinate(data, (*place, *at), written, name, types, known, leg)
        elif name in full:
            yield Fault((*place, *at), written, f"{name!r} coupled to itself", "two different coordinates")
        found.append(coordinate)
        full.append(name)
    if None in found or len(found) < 2:
        return
    kind, whole = look(coupling, "type"), [c for c in found if c is not None]
    wanted = {"gear": ("rad", "rad"), "rack": ("rad", "m")}.get(str(kind), tuple(c.unit for c in whole))
    for (at, written), coordinate, unit in zip(coordinate_places(coupling), whole, wanted, strict=False):
        if coordinate.unit != unit:
            what = {"rad": "an angle", "m": "a length"}.get(coordinate.unit, "a number")
            expected = "a joint that turns, as revolute" if unit == "rad" else "a joint that slides, as prismatic"
            yield Fault((*place, *at), written, f"{written!r} of a {kind} is {what}", expected)
    offset = look(coupling, "offset")
    measured = {"mimic": whole[0], "gear": whole[1], "rack": whole[1]}.get(str(kind))
    if kind == "differential":
        same = {c.unit for c in whole}
        measured = whole[0] if len(same) == 1 else Coordinate("", "1")
    written = is_given(coupling, "offset") and offset != HOME
    if written and measured is not None and not can_convert(offset, measured.dimension):
        expected = f"{with_article(measured.dimension)} in {si_unit(measured.dimension) or '1'}, or home"
        meant = isinstance(offset, str) and meant_word(offset, [HOME])
        told = f"no number, did you mean {HOME!r}?" if meant else "a unit of another dimension"
        yield Fault((*place, "offset"), offset, told, expected)
    if offset == HOME:
        stated = stated_joints(data)
        missing = [x for x in full if joint_of(x, types) not in stated]
        if missing:
            message = f"offset: home, but home does not state {', '.join(missing)}"
            yield Fault((*place, "offset"), offset, message, "home: {joints: …} with all of them, or a number")


def coordinates_of(types: dict[str, Any]) -> dict[str, Coordinate]:
    """{full name: coordinate} of those that may be coupled, of joints {full name: type}."""
    out: dict[str, Coordinate] = {}
    for name, kind in types.items():
        joint = ALL.get(kind) if isinstance(kind, str) else None
        if joint is not None and joint.quaternion is None:
            out |= {name + c.suffix: c for c in joint.coordinates}
    return out


def joint_of(coordinate: str, types: dict[str, Any]) -> str:
    """The joint that a coordinate belongs to."""
    kinds = {name: ALL.get(kind) for name, kind in types.items() if isinstance(kind, str)}
    return next(n for n, kind in kinds.items() if kind and coordinate in [n + c.suffix for c in kind.coordinates])


def full_name(written: str, leg: str, known: Any) -> str:
    """A coordinate's full name; leg: "" or the leg's name with a dot, whose own coordinates go first."""
    return leg + written if leg + written in known else written


def _no_coordinate(
    data: Any, place: Place, written: str, name: str, types: dict[str, Any], known: dict[str, Coordinate], leg: str
) -> Fault:
    own = [x.removeprefix(leg) for x in known if leg and x.startswith(leg)]
    expected = nearest(written, [*own, *known])
    joint = next((n for n in (leg + written, name) if n in types), None)
    kind = ALL.get(types[joint]) if joint is not None and isinstance(types[joint], str) else None
    if kind is not None and kind.quaternion is not None:
        message = (
            f"{written!r} is a {kind.name} joint, whose orientation is no scalar coordinate that a wheel could count"
        )
        return Fault(
            place, written, message, "a joint of one coordinate; turns about three axes in three revolute joints"
        )
    if kind is not None and not kind.coordinates:
        return Fault(place, written, f"{written!r} is a {kind.name} joint, which does not move", expected)
    if kind is not None and joint is not None:
        own = [(joint + c.suffix).removeprefix(leg) for c in kind.coordinates]
        return Fault(
            place, written, f"{written!r} is a {kind.name} joint of several coordinates", f"one of {', '.join(own)}"
        )
    closing = dict(loop_types(data))
    if leg + written in closing or written in closing:
        message = f"{written!r} closes a loop and has no coordinate: the loop is cut there"
        return Fault(place, written, message, "this joint in the tree, and the loop cut at another joint")
    if platform_name(data) is not None and written in (*POSE_NAMES, *TWIST_NAMES, "yaw", "pitch", "roll", "platform"):
        message = f"{written!r} belongs to the platform's pose, which no joint turns or slides"
        return Fault(place, written, message, "coordinates of joints")
    return Fault(place, written, f"no joint coordinate {written!r}", expected)


def contradiction_faults(couplings: tuple[PlacedCoupling, ...]) -> Iterator[Fault]:
    """Couplings that cannot hold together, or let a joint stand in one place only: told at the first one that does it."""
    names = list(dict.fromkeys(term.coordinate for c in couplings for term in c.terms))
    rows = np.zeros((len(couplings), len(names) + 1))
    for row, coupling in zip(rows, couplings, strict=True):
        for term in coupling.terms:
            row[names.index(term.coordinate)] = term.coefficient
        row[-1] = coupling.offset
        row /= np.abs(row[:-1]).max()
    for k, coupling in enumerate(couplings):
        before, now = rows[:k], rows[: k + 1]
        others = [c.name for c in couplings[:k] if _touch(c, coupling, couplings[:k])]
        with_others = f"{coupling.name} and {', '.join(others)}"
        if _rank(now[:, :-1]) == _rank(before[:, :-1]):
            if _rank(now) > _rank(before):
                message = f"{with_others} contradict each other: the same relation with different offsets"
                yield Fault((*coupling.place, "offset"), coupling.offset, message, "one of them, or equal offsets")
                return
            continue
        still = [name for name, held in zip(names, _held(now[:, :-1]), strict=True) if held]
        if still and not others:
            message = f"{coupling.name} leaves {', '.join(still)} no motion: its numbers are too far apart"
            yield Fault(
                coupling.place, coupling.name, message, "coefficients and ratios within a billion of each other"
            )
            return
        if still:
            message = f"{with_others} leave {', '.join(still)} no motion: their ratios contradict each other"
            yield Fault(coupling.place, coupling.name, message, "one of them, or ratios that agree around the circle")
            return


def _touch(one: PlacedCoupling, other: PlacedCoupling, between: tuple[PlacedCoupling, ...]) -> bool:
    """Whether two couplings have a coordinate in common, by way of others too."""
    reached = {term.coordinate for term in other.terms}
    for _ in between:
        for c in between:
            own = {term.coordinate for term in c.terms}
            reached |= own if own & reached else set()
    return bool(reached & {term.coordinate for term in one.terms})


def _rank(rows: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(rows, tol=ROUNDING)) if rows.size else 0


def _held(rows: np.ndarray) -> np.ndarray:
    """Of each column whether every solution of rows x = 0 has 0 there."""
    _, s, vt = np.linalg.svd(rows)
    free = vt[int((s > ROUNDING).sum()) :]
    return np.abs(free).max(axis=0, initial=0.0) < ROUNDING
