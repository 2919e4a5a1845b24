"""What vibrations are asked for, and how a design follows it.

An unknown is one number that one or several things of the robot have: a parameter of the design, a variable of the description,
the modulus E, density or damping of a flexible body ("rod.E", "rod.damping.ratio"), a mass added at a frame of a rigid body
("tool.added_mass"), the stiffness or damping of a drive's servo ("lift.servo.stiffness").
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.robot.item import nearest
from gough.structure.elastic.bending_body import UNITS, BendingBody, bending_bodies

if TYPE_CHECKING:
    from gough.model import Model

ADDED = ".added_mass"
SERVO = {".servo.stiffness": "stiffness", ".servo.damping": "damping"}
LEAST_SHARE = 0.9
"""Of a body's mass that an added one may take away."""
SAME = 1e-9
"""Relative difference of numbers that are tied to be one."""


@dataclass(frozen=True)
class Thing:
    """One number of the robot that may be found: name, unit, its value in the description, bounds, a typical size (0: unknown).

    kind: "parameter" (target: its place), "variable" (its name), "body" (flexible body and key), "added mass" (places and what a
    kilogram changes there), "servo" (the drive's number, "stiffness" or "damping").
    """

    name: str
    kind: str
    target: Any
    unit: str
    value: float
    low: float = -np.inf
    high: float = np.inf
    size: float = 0.0


@dataclass(frozen=True)
class ElasticUnknown:
    """A number to be found: name, unit, start, bounds, typical size, and the things that have it."""

    name: str
    unit: str
    value: float
    start: float
    low: float
    high: float
    size: float
    things: tuple[Thing, ...]


def things_of(model: "Model", servos: Mapping[str, np.ndarray]) -> dict[str, Thing]:
    """Everything that may be found, by name. servos: stiffness and damping (drives,) of servos, where there are some."""
    out: dict[str, Thing] = {}
    for i, (name, unit, value) in enumerate(
        zip(model.parameter_names, model.mechanism.table.units, model.parameters.tolist(), strict=True)
    ):
        at_least = model.mechanism.table.kinds[i] in ("mass", "viscous", "coulomb") or name.endswith(
            (".stiffness", ".damping")
        )
        out[name] = Thing(name, "parameter", i, unit, value, 0.0 if at_least else -np.inf, size=abs(value))
    known = model.variables
    for name, unit, value in zip(known.names, known.units, known.values.tolist(), strict=True):
        out[name] = Thing(name, "variable", name, unit, value, size=abs(value))
    for name, body in _bending(model).items():
        for key, value in body.values.items():
            unit = UNITS[key.partition("[")[0]]
            low = 0.0 if key.startswith("damping.") else 1e-6 * value
            out[f"{name}.{key}"] = Thing(f"{name}.{key}", "body", (name, key), unit, value, low, size=abs(value))
    out |= _added_masses(model)
    for last, what in SERVO.items():
        for k, value in enumerate(servos.get(what, ())):
            name = model.layout.drive_names[k] + last
            unit = ("N/m", "N m/rad") if what == "stiffness" else ("N s/m", "N m s/rad")
            own = unit[model.layout.drive_units[k] != "N"]
            out[name] = Thing(name, "servo", (k, what), own, float(value), 0.0, size=abs(float(value)))
    return out


def _bending(model: "Model") -> dict[str, BendingBody]:
    """Its flexible bodies by name."""
    return bending_bodies(model.robot, model.mechanism.links, model.parameters)


def _added_masses(model: "Model") -> dict[str, Thing]:
    """A point mass at every frame of a rigid body."""
    out = {}
    for name, frame in model.mechanism.frames.items():
        link = model.mechanism.links[frame.link]
        if link.ten is None or link.elastic is not None:
            continue
        x, y, z = model.parameters[list(frame.placement[:3])] if frame.placement else np.zeros(3)
        per = np.array([1.0, x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
        mass = float(model.parameters[link.ten[0]])
        moved = np.flatnonzero(per)
        target = tuple(link.ten[i] for i in moved), per[moved]
        out[name + ADDED] = Thing(name + ADDED, "added mass", target, "kg", 0.0, -LEAST_SHARE * mass, size=mass or 1.0)
    return out


def choose_elastic(
    model: "Model",
    wanted: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    servos: Mapping[str, np.ndarray],
    start: Mapping[str, float],
    bounds: Mapping[str, Sequence[float]],
) -> tuple[ElasticUnknown, ...]:
    """The unknowns that names, patterns with stars and groups {name: names or patterns that are one number} mean."""
    known = things_of(model, servos)
    groups: dict[str, list[Thing]] = {}
    if isinstance(wanted, Mapping):
        for name, patterns in wanted.items():
            groups[name] = [
                t for p in ((patterns,) if isinstance(patterns, str) else patterns) for t in _matching(model, known, p)
            ]
    else:
        for pattern in (wanted,) if isinstance(wanted, str) else wanted:
            groups |= {thing.name: [thing] for thing in _matching(model, known, pattern)}
    if not groups:
        raise UsageError("unknowns=[]: name what is to be found, for instance 'rod.E' or 'tool.added_mass'")
    taken: dict[str, str] = {}
    for name, things in groups.items():
        for thing in things:
            if taken.setdefault(thing.name, name) != name:
                raise UsageError(f"unknowns: {thing.name} is in {taken[thing.name]!r} and in {name!r}")
    for what, given in (("start", start), ("bounds", bounds)):
        for name in given:
            if name not in groups:
                raise UsageError(f"{what}: no unknown {name!r}; they are {', '.join(groups)}")
    return tuple(_unknown(name, things, start, bounds) for name, things in groups.items())


def _matching(model: "Model", known: Mapping[str, Thing], pattern: str) -> list[Thing]:
    if pattern in known:
        return [known[pattern]]
    plain = pattern.replace("[", "[[]")
    found = [known[name] for name in known if "*" in pattern and fnmatchcase(name, plain)]
    if found:
        return found
    body = pattern.removesuffix(ADDED)
    if body != pattern and body in model.mechanism.frames:
        raise UsageError(
            f"unknowns: {pattern!r}: the frame {body!r} is on a flexible body, whose mass is spread over its shapes; describe a "
            "rigid body that is fixed there, and find its mass"
        )
    raise UsageError(
        f"unknowns: {pattern!r} names nothing to find; use {nearest(pattern, list(known))}: parameters, variables, BODY.E, "
        "BODY.density, BODY.stiffness_factor and BODY.damping.… of flexible bodies, FRAME.added_mass, and with servos "
        "DRIVE.servo.stiffness"
    )


def _unknown(name: str, things: list[Thing], start: Mapping[str, float], bounds: Mapping[str, Any]) -> ElasticUnknown:
    first = things[0]
    for other in things[1:]:
        if other.unit != first.unit or abs(other.value - first.value) > SAME * max(abs(first.value), abs(other.value)):
            raise UsageError(
                f"unknowns: {name!r} ties {first.name} = {first.value:g} {first.unit} and {other.name} = {other.value:g} "
                f"{other.unit}: what is one number has one value in the description"
            )
    low, high = max(t.low for t in things), min(t.high for t in things)
    if name in bounds:
        given = np.asarray(bounds[name], dtype=float)
        if given.shape != (2,) or not given[0] < given[1]:
            raise UsageError(f"bounds[{name!r}]={bounds[name]!r}; give (lowest, highest)")
        low, high = float(given[0]), float(given[1])
    begin = float(start.get(name, first.value))
    if not low <= begin <= high:
        raise UsageError(f"unknowns: {name} starts at {begin:g} {first.unit}, outside its bounds {low:g} … {high:g}")
    size = max((t.size for t in things), default=0.0) or abs(begin) or (high - low if np.isfinite(high - low) else 0.0)
    if not size:
        raise UsageError(
            f"unknowns: {name} is 0 in the description, so that nobody knows how large it may be; give start={{{name!r}: …}} or "
            f"bounds={{{name!r}: (0, …)}}"
        )
    return ElasticUnknown(name, first.unit, first.value, begin, low, high, size, tuple(things))


@dataclass(frozen=True)
class DesignMap:
    """How the design follows the unknowns: parameters (n,), and servos of drives, stiffness and damping (drives,) each."""

    model: "Model"
    unknowns: tuple[ElasticUnknown, ...]
    servos: Mapping[str, np.ndarray]
    bodies: Mapping[str, BendingBody]

    def design(self, x: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(parameters, servos) at unknowns x (k,)."""
        variables = {t.target: float(v) for v, t in self._of_kind("variable", x)}
        out = self.model.parameters_with(variables=variables) if variables else self.model.parameters.copy()
        for value, thing in self._of_kind("parameter", x):
            out[thing.target] = value
        for name, given in self._given(x).items():
            self.bodies[name].put(out, given)
        for value, thing in self._of_kind("added mass", x):
            places, per = thing.target
            out[list(places)] += value * per
        servos = {what: own.copy() for what, own in self.servos.items()}
        for value, thing in self._of_kind("servo", x):
            servos[thing.target[1]][thing.target[0]] = value
        return out, servos

    def slopes(self, x: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Derivatives of the same by each unknown: (k, n), and of servos (k, drives)."""
        count = len(self.unknowns)
        out = np.zeros((count, len(self.model.parameters)))
        servos = {what: np.zeros((count, len(own))) for what, own in self.servos.items()}
        given = self._given(x)
        for k, unknown in enumerate(self.unknowns):
            for thing in unknown.things:
                if thing.kind == "parameter":
                    out[k, thing.target] = 1.0
                elif thing.kind == "body":
                    name, key = thing.target
                    out[k] += self.bodies[name].slope(key, given[name])
                elif thing.kind == "added mass":
                    out[k, list(thing.target[0])] += thing.target[1]
                elif thing.kind == "servo":
                    servos[thing.target[1]][k, thing.target[0]] = 1.0
                else:
                    out[k] += self._by_variable(x, thing.target)
        return out, servos

    def places(self) -> list[int]:
        """Places of the parameters that unknowns move."""
        moved = [i for _, t in self._of_kind("parameter", None) for i in (t.target,)]
        moved += [i for _, t in self._of_kind("added mass", None) for i in t.target[0]]
        for _, t in self._of_kind("body", None):
            moved += self.bodies[t.target[0]].places_of(t.target[1]).tolist()
        return sorted(set(moved))

    def _by_variable(self, x: np.ndarray, name: str) -> np.ndarray:
        """Change (n,) of parameters per unit of a variable."""
        known = self.model.variables
        values = known.values.copy()
        for value, thing in self._of_kind("variable", x):
            values[known.names.index(thing.target)] = value
        return self.model.variable_slopes(name, values)

    def _given(self, x: np.ndarray) -> dict[str, dict[str, float]]:
        """{flexible body: {key: number}} of the unknowns."""
        out: dict[str, dict[str, float]] = {}
        for value, thing in self._of_kind("body", x):
            name, key = thing.target
            out.setdefault(name, {})[key] = float(value)
        return out

    def _of_kind(self, kind: str, x: np.ndarray | None) -> list[tuple[float, Thing]]:
        values = np.zeros(len(self.unknowns)) if x is None else x
        return [
            (v, t) for v, unknown in zip(values, self.unknowns, strict=True) for t in unknown.things if t.kind == kind
        ]


def map_design(
    model: "Model",
    wanted: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    servos: Mapping[str, np.ndarray],
    start: Mapping[str, float],
    bounds: Mapping[str, Sequence[float]],
) -> DesignMap:
    """The map of unknowns of a model; of one in which structural zeros that they move are free, where they move some."""
    unknowns = choose_elastic(model, wanted, servos, start, bounds)
    own = DesignMap(model, unknowns, servos, _bending(model))
    for unknown in unknowns:
        for thing in unknown.things:
            if thing.kind == "body":
                own.bodies[thing.target[0]].demand_places(thing.target[1])
    held = [model.parameter_names[i] for i in own.places() if i in model.pattern]
    if not held:
        return own
    free = model.with_(free=(*model.free, *held))
    return DesignMap(free, choose_elastic(free, wanted, servos, start, bounds), servos, _bending(free))
