"""A robot with other values of its variables: its description is read again, with all checks."""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gough.arguments import show_value
from gough.errors import UsageError, warn
from gough.robot.checks.physical import unphysical_bodies
from gough.robot.errors import DescriptionError, Problem, UnphysicalInertiaWarning
from gough.robot.expressions import Expression
from gough.robot.expressions._scope import spell_number
from gough.robot.item import FORMAT, Item, Place, faults_of, nearest, spell_place
from gough.robot.robot import DOCUMENT_KEYS, Robot
from gough.robot.units import UnitError, dimension_in_words, parse, unit_of
from gough.robot.writer import robot_data
from gough.scalar import VariedNumber, variables_of
from gough.scalar.slopes import STEP, as_number, formula_slopes

SHOWN = 3
"""Places that a message names."""


def free_variables(robot: Robot) -> dict[str, float]:
    """{name: value in SI units} of the variables that may be changed; the others follow from them."""
    return {name: float(x) for name, x in robot.variables.items() if not isinstance(x, Expression)}


def variable_unit(robot: Robot, name: str) -> str:
    """The SI unit of a variable, "1" of a number."""
    return unit_of(robot.variables[name].dimension) or "1"


def change_variables(robot: Robot, values: Mapping[str, float | str], quiet: bool = False) -> Robot:
    """The robot with other values of some variables, numbers in SI units or texts with a unit. quiet: without warnings."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise UsageError(
            f"with_variables: {show_value(values)}; give {{name: number in SI units, or text with a unit}}"
        )
    data = {key: x for key, x in robot_data(robot).items() if key in DOCUMENT_KEYS}
    if robot.variables:
        data["variables"] = {**data["variables"], **_new_values(robot, values)}
    elif values:
        raise UsageError(f"{robot.name} has no variables; write them under `variables` of its description")
    changed = ", ".join(f"{name} = {x}" for name, x in values.items())
    return read_again(robot, data, changed, quiet)


def read_again(robot: Robot, data: Mapping[str, Any], changed: str, quiet: bool = False) -> Robot:
    """The robot that changed data of it describe, with all checks. changed: in words, for messages. quiet: without warnings."""
    folder = Path() if robot.origin is None else Path(robot.origin).parent
    try:
        made = Robot.model_validate(data, context={"reading": True, "folder": folder, "format": FORMAT})
    except ValidationError as error:
        told = f"{robot.file or robot.name} with {changed}"
        faults = faults_of(error)
        raise DescriptionError(
            [Problem(told, None, spell_place(f.place), f.value, f.message, f.expected) for f in faults]
        ) from None
    made = made.model_copy(update={"file": robot.file})
    made._lines.update(robot._lines)
    made._folder = robot._folder
    for finding in () if quiet else unphysical_bodies(made):
        warn(str(finding), UnphysicalInertiaWarning)
    return made


def places_following(data: Any, variable: str, place: Place = ()) -> Iterator[Place]:
    """Places in a description's part whose numbers follow a variable, `variables` themselves left out."""
    if isinstance(data, VariedNumber):
        if variable in variables_of([data.node]):
            yield place
    elif isinstance(data, Item):
        for name, field in type(data).model_fields.items():
            if place or name != "variables":
                yield from places_following(getattr(data, name), variable, (*place, field.alias or name))
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from places_following(value, variable, (*place, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from places_following(value, variable, (*place, index))


def put_slopes(data: Any, values: Mapping[str, float], variable: str) -> Any:
    """A description's part whose numbers that follow variables are plain ones with their slopes by one of them
    (`gough.scalar.slopes`), at values of all."""
    if isinstance(data, VariedNumber):
        slope = formula_slopes([data.node], values, variable)[0]
        return as_number(complex(float(data), STEP * slope))
    if isinstance(data, Item):
        own = {name: getattr(data, name) for name in type(data).model_fields}
        new = {name: put_slopes(x, values, variable) for name, x in own.items()}
        changed = {name: x for name, x in new.items() if x is not own[name]}
        return data.model_copy(update=changed) if changed else data
    if isinstance(data, tuple):
        new = tuple(put_slopes(x, values, variable) for x in data)
        return new if any(a is not b for a, b in zip(new, data, strict=True)) else data
    return data


def name_followers(robot: Robot, variables: Iterable[str], key: str = "") -> str:
    """Variables with the places that follow each, in words: of those under a key of the description where one is given."""
    parts = []
    for name in variables:
        places = [spell_place(x) for x in places_following(robot, name) if not key or x[0] == key]
        more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
        does = " do" if len(places) > 1 else " does"
        parts.append(f"{name} ({(', '.join(places[:SHOWN]) or 'nothing') + more + does})")
    return ", ".join(parts)


def parse_value(robot: Robot, name: str, text: str) -> float:
    """The value in SI units of a text with a unit, for a variable; UsageError where it is none, or of another unit."""
    try:
        number, dimension = parse(text)
    except UnitError as error:
        raise UsageError(f"variable {name}: {text!r}: {error}") from None
    known = robot.variables[name].dimension
    if dimension != known:
        own, given = dimension_in_words(known), dimension_in_words(dimension)
        raise UsageError(f"variable {name}: {text!r} is {given}, and {name} is {own}")
    return number


def _new_values(robot: Robot, values: Mapping[str, float | str]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name, value in values.items():
        known = robot.variables.get(name)
        if known is None:
            raise UsageError(f"no variable {name!r}; use {nearest(name, list(robot.variables))}")
        if isinstance(known, Expression):
            raise UsageError(f"the variable {name!r} follows from others, {known.written!r}; change those")
        if isinstance(value, str):
            parse_value(robot, name, value)
            written[name] = value
        elif not _is_finite(value):
            raise UsageError(f"variable {name}: {show_value(value)} is not a finite number")
        else:
            number = float(value)
            written[name] = spell_number(number, known.dimension) if any(known.dimension) else number
    return written


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not hasattr(value, "__float__") or getattr(value, "ndim", 0):
        return False
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
