"""Controllers in files of scenarios: the name of a law of `gough.laws` in small letters, with its arguments.

controller: gravity_compensation
controller: {computed_torque: {stiffness: 400, damping: 40}}
controller: {computed_torque: {model: rigid_delta.yaml, nominal: {platform.M: 0.8}}}     a robot of its own: file or name, numbers
controller: {sampled: {law: {joint_pd: {stiffness: 2e4, damping: 300}}, period: 1 ms}}
controller: {sampled: {law: …, period: 1 ms, sensors: [{encoders: {noise: 1 um}}], actuators: {rate_limit: {rate: 1 kN/s}}}}
controller: {sampled: {law: …, period: 1 ms, sensors: [{encoders: {noise: 1 um}}], observer: {kalman: {passive: true}}}}
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from inspect import isabstract
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.errors import GoughError, UsageError
from gough.model import build
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.fields import number_fault
from gough.robot.item import nearest, unknown_key
from gough.robot.reader import Map, Mark, Seq
from gough.robot.units import convert, with_article
from gough.simulation.actuators import family as actuators
from gough.simulation.actuators.actuator import Actuator
from gough.simulation.control import laws
from gough.simulation.control.law import Law
from gough.simulation.control.observers import family as observers
from gough.simulation.control.sampled import Sampled
from gough.simulation.scenarios._items import parameter_fault
from gough.simulation.sensors import family as sensors

if TYPE_CHECKING:
    from gough.model import Model

FORCE = ("force", "torque")
FAMILIES = ("sensors", "actuators", "observer")
"""What stands around a law on a clock."""
GRIDS = ("ranges", "fixed")
"""Arguments that are numbers by names of coordinates."""
OWN_WORDS = ("flexible", "rigid")
"""Words of model= that are no robots."""
STARTS_AS_NUMBER = re.compile(r"\s*[-+]?\.?[0-9]")


def known_laws() -> dict[str, type[Law]]:
    """All laws of `gough.laws` that a file can name."""
    found = [getattr(laws, name) for name in laws.__all__]
    kinds = [x for x in found if isinstance(x, type) and issubclass(x, Law) and x is not Law and is_dataclass(x)]
    return {_small(kind.__name__): kind for kind in kinds if kind.in_files}


def _small(name: str) -> str:
    """JointPD → joint_pd, ComputedTorque → computed_torque."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def controller_in(data: Any, mark: Mark, file: str, model: "Model | None" = None) -> tuple[Law | None, list[Problem]]:
    """(the law written at a place of a document, everything that is wrong there). model: whose drives say which units it has."""
    law, problems = _member_in(data, mark, file, known_laws(), "controller", model)
    return (None if problems else law), problems


def known_parts(family: str) -> dict[str, type[Any]]:
    """All sensors, actuators or observers that a file can name."""
    module = {"sensors": sensors, "actuators": actuators, "observer": observers}[family]
    kinds = [getattr(module, name) for name in module.__all__]
    left_out = (Actuator, observers.ObserverDesign)
    return {_small(kind.__name__): kind for kind in kinds if not isabstract(kind) and kind not in left_out}


def _member_in(
    data: Any, mark: Mark, file: str, known: Mapping[str, type[Any]], what: str, model: "Model | None"
) -> tuple[Any, list[Problem]]:
    """(the member of a family that is written at a place, everything that is wrong there). what: "controller", for messages."""

    def problem(where: Mark, value: Any, message: str, expected: str = "") -> Problem:
        plain = value if isinstance(value, str | int | float) else ABSENT
        return Problem(file, where.line, where.path, plain, message, expected)

    if isinstance(data, str):
        data = _named(data, mark)
    if not isinstance(data, Map) or len(data) != 1:
        wanted = f"one of {', '.join(known)}, with its arguments as a mapping"
        return None, [problem(mark, data, f"not {with_article(what)}", wanted)]
    name, given = next(iter(data.items()))
    place = data.marks[name]
    if name not in known:
        return None, [problem(place, name, f"no {what} of this name", nearest(name, list(known)))]
    if given is not None and not isinstance(given, Map):
        return None, [problem(place, given, "not a mapping", f"the arguments of the {what} by their names")]
    kind, arguments, problems = known[name], {}, []
    allowed = [f.name for f in fields(kind) if f.init]
    for key, value in (given or {}).items():
        where = given.marks[key]  # type: ignore[union-attr]
        if key not in allowed:
            fault = unknown_key(key, value, allowed)
            problems.append(problem(where, value, fault.message, fault.expected))
            continue
        arguments[key], more = _argument(f"{name}.{key}", value, where, file, model, kind)
        problems += more
    needed = [f.name for f in fields(kind) if f.init and f.default is MISSING and f.default_factory is MISSING]
    missing = [key for key in needed if key not in (given or {})]
    problems += [problem(place, ABSENT, "a required key is missing", f"the key {key!r}") for key in missing]
    if problems:
        return None, problems
    try:
        law = kind(**arguments)
    except UsageError as error:
        return None, [problem(place, ABSENT, str(error))]
    if model is None or not isinstance(law, Law):
        return law, problems
    for key, k, said in law.unit_problems(model):
        several = isinstance(given[key], Seq) and k is not None  # type: ignore[index]
        value = given[key][k] if several else given[key]  # type: ignore[index]
        problems.append(problem(given[key].marks[k] if several else given.marks[key], value, said))  # type: ignore[union-attr, index]
    return law, problems


def _robot(name: str, mark: Mark, file: str) -> tuple[Any, list[Problem]]:
    """The model of a robot beside the file, or of a gallery's."""
    try:
        return build(Path(file).parent / name if name.endswith((".yaml", ".yml")) else name), []
    except DescriptionError as error:
        return None, list(error.problems)
    except (GoughError, OSError) as error:
        return None, [Problem(file, mark.line, mark.path, name, str(error), "flexible, rigid, a robot's name or file")]


def _named(name: str, mark: Mark) -> Map:
    alone = Map({name: None})
    alone.mark, alone.marks = mark, {name: mark}
    return alone


def _argument(
    key: str, value: Any, mark: Mark, file: str, model: "Model | None", kind: type[Any]
) -> tuple[Any, list[Problem]]:
    """Numbers in SI units, lists of them as tuples, laws inside laws; words are left to the law. key: law.argument of a kind."""
    argument = key.partition(".")[2]
    dimensions = {"limit": FORCE, **kind.dimensions}.get(argument, ("number",))
    if argument == "observer" and issubclass(kind, Sampled):
        return _member_in(value, mark, file, known_parts(argument), argument, model)
    if argument in FAMILIES and issubclass(kind, Sampled):
        several = isinstance(value, Seq)
        listed = zip(value, value.marks, strict=True) if several else [(value, mark)]
        family, what = known_parts(argument), argument.removesuffix("s")
        parts = [_member_in(x, where, file, family, what, model) for x, where in listed]
        return tuple(x for x, _ in parts), [p for _, more in parts for p in more]
    if argument in ("seed", "knots") and isinstance(value, int):
        return value, []
    if argument in ("nominal", "adapt") and isinstance(value, Map):
        faults = {name: fault for name, x in value.items() if (fault := parameter_fault(x)) is not None}
        told = [
            Problem(file, value.marks[name].line, value.marks[name].path, fault.value, fault.message, fault.expected)
            for name, fault in faults.items()
        ]
        return {name: float(x) for name, x in value.items() if name not in faults}, told
    if argument in GRIDS and isinstance(value, Map):
        parts = {x: _argument(key, y, value.marks[x], file, model, kind) for x, y in value.items()}
        return {x: found for x, (found, _) in parts.items()}, [p for _, more in parts.values() for p in more]
    if key.endswith(".model") and isinstance(value, str) and value not in OWN_WORDS:
        return _robot(value, mark, file)
    if isinstance(value, Map) or (isinstance(value, str) and key.endswith(".law")):
        return controller_in(value, mark, file, model)
    if isinstance(value, Seq):
        parts = [_argument(key, x, where, file, model, kind) for x, where in zip(value, value.marks, strict=True)]
        return tuple(x for x, _ in parts), [p for _, more in parts for p in more]
    if value is None or isinstance(value, bool) or (isinstance(value, str) and not STARTS_AS_NUMBER.match(value)):
        return value, []
    fault = number_fault(value, dimensions)
    if fault is not None:
        return None, [Problem(file, mark.line, mark.path, fault.value, fault.message, fault.expected)]
    return convert(value, dimensions) if isinstance(value, str) else float(value), []
