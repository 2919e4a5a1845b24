"""Numbers that a design may vary in, and how its parameters follow them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.robot.item import nearest

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True)
class DesignDirections:
    """names, units, values (k) of variables and parameters; slopes (k, parameters): the whole design by each of them;
    turns (k, variables): which variable each of them is, if any."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    slopes: np.ndarray
    turns: np.ndarray


def choose_directions(
    model: "Model", wanted: str | Sequence[str], values: Mapping[str, float] | None = None
) -> DesignDirections:
    """Variables of the description and parameters by name or pattern with stars; "variables" is all of the former. values: other
    ones of variables."""
    table, known = model.mechanism.table, model.variables
    numbers = known.values.copy()
    for name, x in (values or {}).items():
        numbers[known.names.index(name)] = x
    everything = (*known.names, *table.names)
    chosen: dict[str, None] = {}
    for pattern in (wanted,) if isinstance(wanted, str) else wanted:
        found = list(known.names) if pattern == "variables" else [pattern] if pattern in everything else []
        if not found and "*" in pattern:
            plain = pattern.replace("[", "[[]")
            found = [name for name in everything if fnmatchcase(name, plain)]
        if not found:
            what = f"{model.robot.name} has no variables" if pattern == "variables" else f"{pattern!r} names nothing"
            raise UsageError(f"by: {what}; use {nearest(pattern, list(everything))}: variables, or parameters by name")
        chosen.update(dict.fromkeys(found))
    names = tuple(chosen)
    slopes, units, at = np.zeros((len(names), len(table.names))), [], []
    turns = np.zeros((len(names), len(known.names)))
    for k, name in enumerate(names):
        if name in known.names:
            i = known.names.index(name)
            slopes[k], turns[k, i] = model.variable_slopes(name, numbers), 1.0
            units.append(known.units[i])
            at.append(float(numbers[i]))
        else:
            i = table.names.index(name)
            slopes[k, i] = 1.0
            units.append(table.units[i])
            at.append(float(model.parameters[i]))
    return DesignDirections(names, tuple(units), np.array(at), slopes, turns)
