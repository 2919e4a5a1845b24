"""Numbers of a description that follow variables: where they stand, and what keys demand of them, alone and of each other."""

from collections.abc import Iterator, Mapping
from typing import Any

from gough.robot.expressions._scope import Expression
from gough.robot.item import Demand, Item, Place
from gough.scalar import VariedNumber

IN_WORDS = {"positive": "positive", "not negative": "not negative", "not zero": "other than 0"}


def demands_in(data: Any, place: Place = ()) -> Iterator[Demand]:
    """All demands of a description's part on numbers that variables move, with their places in the description."""
    if isinstance(data, Expression):
        if data.bound != "any":
            yield Demand(place, data.written, data, data.bound, IN_WORDS[data.bound])
    elif isinstance(data, Item):
        for name, field in type(data).model_fields.items():
            yield from demands_in(getattr(data, name), (*place, field.alias or name))
        for own in data.demands():
            if isinstance(own.number, VariedNumber):
                yield Demand((*place, *own.place), own.written, own.number, own.bound, own.words)
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from demands_in(value, (*place, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from demands_in(value, (*place, index))


def expressions_in(data: Any, place: Place = ()) -> Iterator[tuple[Place, Expression]]:
    """All numbers of a description's part that are expressions, with their places."""
    if isinstance(data, Expression):
        yield place, data
    elif isinstance(data, Item):
        for name, field in type(data).model_fields.items():
            yield from expressions_in(getattr(data, name), (*place, field.alias or name))
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from expressions_in(value, (*place, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from expressions_in(value, (*place, index))
