"""That a description has the parameters that were wanted, and what became of its formulas."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.errors import StructureError, VariableWarning, warn
from gough.robot import Robot
from gough.robot.expressions import Expression
from gough.robot.item import Item, Place, spell_place
from gough.spatial import rotation_from_quaternion_wxyz, rpy_zyx
from gough.structure._axes import ANGLES, QUATERNION
from gough.structure.changing._refusing import TIED
from gough.structure.parameters import ParameterTable

ALLOWED = 1e-12
"""By how much a parameter may miss what is wanted, of the largest of its group."""
SHOWN = 4
"""Names in a message."""


def name_some(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def turn_places(name: str, places: Mapping[str, int]) -> list[int]:
    """Positions of the parameters of a turn, {parameter: position} given: angles, or a quaternion; none where there is none."""
    for words in (ANGLES, QUATERNION):
        if f"{name}.{words[0]}" in places:
            return [places[f"{name}.{word}"] for word in words]
    return []


def rotation_of_turn(values: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of angles (3,) or a quaternion (4,)."""
    if len(values) == len(ANGLES):
        return rpy_zyx(values.tolist()).astype(float)
    return rotation_from_quaternion_wxyz(values / np.linalg.norm(values)).astype(float)


def demand_wanted(robot: Robot, table: ParameterTable, goal: np.ndarray, made: ParameterTable) -> None:
    """StructureError where a parameter of a new description is not what it should be. table: of the old one; goal (n,)."""
    old, new = ({name: i for i, name in enumerate(t.names)} for t in (table, made))
    values, size = np.array(made.values), _sizes(table, goal)
    wrong: dict[str, None] = {}
    for name, i in old.items():
        head, _, last = name.rpartition(".")
        if name not in new and TIED.fullmatch(
            name
        ):  # friction turns with a flexible body: there are others in their place
            continue
        turn = turn_places(head, old) if last in (*ANGLES, *QUATERNION) else []
        if turn:
            there = turn_places(head, new)
            off = np.inf if not there else rotation_of_turn(goal[turn]) - rotation_of_turn(values[there])
            if not np.abs(off).max() <= ALLOWED:
                wrong[f"{head} is turned otherwise"] = None
        elif name not in new:
            wrong[f"{name} is gone"] = None
        elif not abs(values[new[name]] - goal[i]) <= ALLOWED * size[i]:
            wrong[f"{name} is {values[new[name]]:.9g} instead of {goal[i]:.9g}"] = None
    for name in new:
        if name not in old and not TIED.fullmatch(name) and not turn_places(name.rpartition(".")[0], old):
            wrong[f"{name} is new"] = None
    if wrong:
        raise StructureError(
            f"{robot.name}: the description cannot have these parameters, what would be written moves others: "
            f"{name_some(list(wrong))}. Change the description itself"
        )


def _sizes(table: ParameterTable, goal: np.ndarray) -> list[float]:
    """The largest number of each parameter's group: of one thing, in one unit."""
    keys = [(name.rpartition(".")[0], unit) for name, unit in zip(table.names, table.units, strict=True)]
    largest: dict[tuple[str, str], float] = {}
    for key, x, before in zip(keys, goal, table.values, strict=True):
        largest[key] = max(largest.get(key, 0.0), abs(x), abs(before))
    return [largest[key] for key in keys]


def tell_formulas(robot: Robot, made: Robot) -> None:
    """Warn of numbers that no longer follow variables."""
    kept = _expressions(made)
    lost = [f"{spell_place(at)} (was {text})" for at, text in _expressions(robot).items() if at not in kept]
    if lost:
        warn(
            f"{robot.name}: these numbers no longer follow variables, they are what was given: {name_some(lost)}. To keep "
            "formulas change variables: robot.with_variables({…})",
            VariableWarning,
        )


def _expressions(data: Any, place: Place = ()) -> dict[Place, str]:
    """{place: as it is written} of the numbers that follow variables."""
    if isinstance(data, Expression):
        return {place: data.written}
    parts: Any = ()
    if isinstance(data, Item):
        parts = [(name, getattr(data, name)) for name in type(data).model_fields if place or name != "variables"]
    elif isinstance(data, Mapping):
        parts = data.items()
    elif isinstance(data, list | tuple):
        parts = enumerate(data)
    return {at: text for key, x in parts for at, text in _expressions(x, (*place, key)).items()}
