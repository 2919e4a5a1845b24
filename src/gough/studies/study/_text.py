"""What reading a study's file takes: complaints with file, line and place, and numbers with units."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, UnitWarning, warn
from gough.robot.checks.bare_angles import FULL_TURN
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.expressions.varying import parse_value
from gough.robot.loader import locate
from gough.robot.reader import Map
from gough.robot.units import UnitError, parse

if TYPE_CHECKING:
    from gough.model import Model

Place = tuple[Any, ...]


class StudyText:
    """A study's document while it is read: problems are gathered, and told all at once."""

    def __init__(self, document: Map, file: str) -> None:
        self.document, self.file = document, file
        self.folder = Path(file).parent
        self.problems: list[Problem] = []

    def complain(self, place: Place, message: str, expected: str = "", value: Any = ABSENT) -> None:
        mark, found = locate(self.document, place)
        plain = found if isinstance(found, str | int | float) else value
        path = mark.path if mark.line and mark.path else _spell(place)
        self.problems.append(Problem(self.file, mark.line or None, path, plain, message, expected))

    def attempt(self, place: Place, make: Callable[[], Any]) -> Any:
        """What is made, or None with a complaint."""
        try:
            return make()
        except DescriptionError as error:
            self.problems += error.problems
        except (GoughError, OSError) as error:
            self.complain(place, str(error))
        return None

    def unit(self, name: str, model: "Model") -> str:
        known, table = model.variables, model.mechanism.table
        if name in known.names:
            return known.units[known.names.index(name)]
        return table.units[table.names.index(name)] if name in table.names else ""

    def value(self, place: Place, name: str, value: Any, model: "Model") -> float | None:
        """A number of a variable in SI units; None with a complaint, or where nothing is written."""
        if value is None:
            return None
        if isinstance(value, str):
            if name in model.variables.names:
                return self.attempt(place, lambda: parse_value(model.robot, name, value))
            return self.in_unit(place, value, self.unit(name, model))
        known, table = model.variables, model.mechanism.table
        if name in known.names:
            described = known.values[known.names.index(name)]
        else:
            described = model.parameters[table.names.index(name)] if name in table.names else 0.0
        return self.in_unit(place, value, self.unit(name, model), float(described))

    def plain(self, place: Place, value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            self.complain(place, "not a number", "a number in SI units, or a text with a unit")
            return None
        return float(value)

    def in_unit(self, place: Place, value: Any, unit: str, described: float = 0.0) -> float | None:
        """A number, or a text with a unit of the same dimension, in SI units. described: what the robot has there: where that
        is an angle of less than a turn, one of more without a unit is doubted, as in descriptions."""
        if not isinstance(value, str):
            found = self.plain(place, value)
            if found is not None and unit == "rad" and abs(found) > FULL_TURN >= abs(described):
                self._doubt_angle(place, found)
            return found
        try:
            number, dimension = parse(value)
        except UnitError as error:
            self.complain(place, str(error), f"a number in {unit or 'SI units'}")
            return None
        try:
            wanted = parse(f"1 {unit.replace(' ', '.')}")[1] if unit not in ("", "1") else (0, 0, 0, 0)
        except UnitError:
            wanted = dimension
        if dimension != wanted:
            self.complain(place, "a unit of another dimension", f"a number in {unit}")
            return None
        return number

    def _doubt_angle(self, place: Place, x: float) -> None:
        mark, _ = locate(self.document, place)
        where = f"{self.file}:{mark.line}: {mark.path}" if mark.line and mark.path else f"{self.file}: {_spell(place)}"
        said = f"{x:g} without a unit is {x:g} rad, {abs(x) / FULL_TURN:.3g} turns; write '{x:g} deg' or '{x:g} rad'"
        warn(f"{where}: {said}", UnitWarning)


def _spell(place: Place) -> str:
    return "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in place).lstrip(".")
