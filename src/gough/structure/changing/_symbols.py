"""What each parameter is of the numbers of a description: the structure is built from symbols in their places."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.robot import Body, Robot
from gough.robot.item import Item, Place
from gough.scalar import FormulaNode, VariedNumber, array_of
from gough.structure.build import StructureBuilder
from gough.structure.changing._spelling import copy_item, rubs, still_parts
from gough.structure.mechanism import WORLD

PARTS = ("gravity", "platform", "legs", "bodies", "joints", "loops", "couplings", "springs")
"""Of a robot: what parameters follow from."""
LEFT = frozenset(
    "axis axes limits mdh gear force_limit speed_limit stroke mass center_of_mass inertia shape payload flexible mesh".split()
)
"""Fields that are no numbers of their own: structure, bounds, looks, and what others say too."""


@dataclass(frozen=True)
class Formulas:
    """places: {symbol: place in the spelled description}; numbers: {symbol: its value}. single: {parameter: formula}; turns:
    {place that is turned: rotation (3, 3) of formulas and numbers}."""

    places: Mapping[str, Place]
    numbers: Mapping[str, float]
    single: Mapping[str, FormulaNode]
    turns: Mapping[str, np.ndarray]


def derive_formulas(spelled: Robot) -> Formulas:
    """Of the parameters of a robot whose numbers are all stated (`spell_out`)."""
    symbols = _Symbols(spelled)
    builder = _SymbolicBuilder(symbols.robot)
    table = builder.build().table
    single = {table.names[i]: node for i, node in table.formulas.items()}
    turns = {name: turn for name, turn in builder.turns.items() if turn.dtype == object}
    return Formulas(symbols.places, symbols.numbers, single, turns)


class _Symbols:
    """A symbol for each number, named by its place."""

    def __init__(self, robot: Robot) -> None:
        self.places: dict[str, Place] = {}
        self.numbers: dict[str, float] = {}
        self.still = {place for k, leg in enumerate(robot.legs) for place in still_parts(k, leg)}
        self.robot: Robot = copy_item(
            robot,
            home=_plain(robot.home),
            **{part: self.read(getattr(robot, part), (part,)) for part in PARTS},
        )

    def read(self, data: Any, place: Place) -> Any:
        """A part with symbols."""
        if place in self.still:
            return _plain(data)
        if isinstance(data, Item):
            return copy_item(data, **{name: self.field(data, name, place) for name in type(data).model_fields})
        if isinstance(data, Mapping):
            return {key: self.read(x, (*place, key)) for key, x in data.items()}
        if isinstance(data, list | tuple):
            return tuple(self.read(x, (*place, k)) for k, x in enumerate(data))
        return self.symbol(float(data), place) if _is_number(data) else data

    def field(self, item: Item, name: str, place: Place) -> Any:
        value = getattr(item, name)
        telescopic = name == "inertia" and not isinstance(item, Body)
        rigid = not (isinstance(item, Body) and item.flexible is not None and name == "parameters")
        moves = name in LEFT and not telescopic
        if moves or not rigid or (name == "friction" and not rubs(item)):
            return _plain(value)
        return self.read(value, (*place, name))

    def symbol(self, value: float, place: Place) -> VariedNumber:
        name = "/".join(map(str, place))
        self.places[name], self.numbers[name] = place, value
        return VariedNumber(value, FormulaNode("variable", (name,)))


class _SymbolicBuilder(StructureBuilder):
    """Keeps turns as matrices, and what is attached to flexible bodies as numbers: how they bend there is no formula."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.turns: dict[str, np.ndarray] = {}

    def _placement(self, name: str, rotation: np.ndarray, position: np.ndarray, factors: Any = ()) -> tuple[int, ...]:
        self.turns[name] = array_of(rotation)
        return super()._placement(name, rotation.astype(float), position)

    def _tie_point(
        self, index: int, position: np.ndarray, user: np.ndarray, turns: bool = True
    ) -> tuple[int, np.ndarray]:
        if index != WORLD and self.links[index].elastic is not None:
            position, user = position.astype(float), user.astype(float)
        return super()._tie_point(index, position, user, turns)


def _is_number(data: Any) -> bool:
    return isinstance(data, float | int) and not isinstance(data, bool)


def _plain(data: Any) -> Any:
    """A part whose numbers follow nothing."""
    if isinstance(data, VariedNumber):
        return float(data)
    if isinstance(data, Item):
        return copy_item(data, **{name: _plain(getattr(data, name)) for name in type(data).model_fields})
    if isinstance(data, Mapping):
        return {key: _plain(x) for key, x in data.items()}
    return type(data)(map(_plain, data)) if isinstance(data, list | tuple) else data
