"""Parameters that follow variables: that their formulas say the same as a description that is read again."""

import math
from collections.abc import Mapping

import numpy as np

from gough.errors import StructureError
from gough.robot import DescriptionError, Robot
from gough.robot.expressions.varying import change_variables, free_variables
from gough.scalar import replay
from gough.structure.build import build_structure
from gough.structure.mechanism import Structure
from gough.structure.parameters import TURN, ParameterTable
from gough.structure.reductions import align_reduced, reduced_places

STEP = 1e-3
"""Of each variable, relative to it, or by this where it is 0."""
OF_CHANGE, OF_VALUE, ROUNDING = 1e-7, 1e-12, 1e-15
"""By how much both may differ, of a parameter's change and of itself."""


def follow_variables(table: ParameterTable, values: Mapping[str, float]) -> np.ndarray:
    """Parameters (n,) for values of all free variables, by their formulas."""
    out = np.array(table.values, dtype=float)
    places = list(table.formulas)
    out[places] = replay([table.formulas[i] for i in places], values)
    return out


def demand_following(robot: Robot, structure: Structure) -> Structure:
    """The structure; StructureError where a parameter follows a variable otherwise than its formula says."""
    if not robot.variables:
        return structure
    values = _moved_values(robot)
    table, again = structure.table, build_structure(change_variables(robot, values, quiet=True)).table
    shown = ", ".join(f"{name} = {x:.9g}" for name, x in values.items())
    found = align_reduced(robot, table, again)
    if found is None:
        raise StructureError(
            f"{robot.name}: with {shown} it is built otherwise: variables may move numbers, but not what there is and how it is "
            "joined. Write two descriptions, or keep the variable away from that value"
        )
    said = follow_variables(table, values)
    change = np.abs(found - np.array(table.values))
    off = np.abs(said - found)
    angles = np.array([unit == "rad" for unit in table.units])
    off[angles] = np.abs(np.remainder(off[angles] + math.pi, 2 * math.pi) - math.pi)
    size = np.maximum(np.abs(found), np.abs(table.values))
    size[[kind.startswith(TURN) for kind in table.kinds]] = 1.0
    off[reduced_places(robot, table)] = 0.0  # they have no formulas and are reduced again
    wrong = np.flatnonzero(~(off <= OF_CHANGE * change + OF_VALUE * size + ROUNDING))
    if len(wrong):
        names, are, by_formula = (
            ", ".join(told) for told in ([table.names[i] for i in wrong[:6]], _told(found, wrong), _told(said, wrong))
        )
        raise StructureError(
            f"{robot.name}: these parameters follow the variables otherwise than their formulas: {names}. With {shown} they are "
            f"{are}, by formula {by_formula}. What is written there cannot follow variables: give it numbers"
        )
    return structure


def _told(values: np.ndarray, places: np.ndarray) -> list[str]:
    return [f"{values[i]:.9g}" for i in places[:6]]


def _moved_values(robot: Robot) -> dict[str, float]:
    """Values of all free variables near their own with which the robot can be described."""
    own = free_variables(robot)
    steps = {
        name: STEP * (1 + 0.37 * math.sin(7.0 * k + 1)) * (abs(x) or 1.0) for k, (name, x) in enumerate(own.items())
    }
    for sign in (1, -1):
        moved = {name: x + sign * steps[name] for name, x in own.items()}
        if _fits(robot, moved):
            return moved
    moved = dict(own)
    for name, x in own.items():
        for value in (x + steps[name], x - steps[name], x + 1e-3 * steps[name], x - 1e-3 * steps[name]):
            if _fits(robot, {**moved, name: value}):
                moved[name] = value
                break
    return moved


def _fits(robot: Robot, values: Mapping[str, float]) -> bool:
    try:
        change_variables(robot, values, quiet=True)
    except DescriptionError:
        return False
    return True
