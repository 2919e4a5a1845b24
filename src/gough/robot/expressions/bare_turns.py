"""Sines and cosines of numbers without a unit that are more than a turn: cos(30) is that of 30 rad, and 30 deg were meant."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gough.robot.expressions._grammar import FormulaTree, parse_expression
from gough.robot.expressions._scope import NUMBER, Scope
from gough.robot.item import Place
from gough.robot.units import UnitError

TAKE_ANGLES = ("sin", "cos", "tan")
_CALL = re.compile(rf"\b({'|'.join(TAKE_ANGLES)})\s*\(")


def bare_turns(data: Any, scope: Scope, most: float, place: Place = ()) -> Iterator[tuple[Place, str, str, float]]:
    """(place, text, function, its argument in rad) in raw data; most (rad): what may be without a unit. Arguments with pi in them
    are in radians, and meant so."""
    if isinstance(data, Mapping):
        for key, entry in data.items():
            if key != "source":
                yield from bare_turns(entry, scope, most, (*place, key))
    elif isinstance(data, list | tuple):
        for index, entry in enumerate(data):
            yield from bare_turns(entry, scope, most, (*place, index))
    elif isinstance(data, str) and _CALL.search(data):
        try:
            for function, argument in _arguments(parse_expression(data)):
                value, dimension = scope.value(argument)
                if dimension == NUMBER and abs(value) > most and not _has_pi(argument):
                    yield place, data, function, float(value)
        except UnitError:  # no expression, a title say
            return


def _arguments(tree: FormulaTree) -> Iterator[tuple[str, FormulaTree]]:
    """(function, argument) of all that take angles in an expression."""
    for arg in tree.args:
        if isinstance(arg, FormulaTree):
            if tree.op in TAKE_ANGLES:
                yield tree.op, arg
            yield from _arguments(arg)


def _has_pi(tree: FormulaTree) -> bool:
    if tree.op == "name":
        return tree.args[0] == "pi"
    return any(_has_pi(arg) for arg in tree.args if isinstance(arg, FormulaTree))
