"""Mappings and arrays inside things that do not change."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict that refuses changes; `|` and `copy` give plain dicts. Pickles, copies and goes into JSON."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping belongs to something that does not change; dict(…) of it is a copy of your own")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]

    def __ior__(self, other: Any) -> Any:  # so x |= y makes a new dict for x
        return NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def freeze_mappings(data: Any) -> Any:
    """Data whose dicts, also within dicts, refuse changes; anything else stays as it is."""
    if isinstance(data, Mapping):
        return FrozenDict({key: freeze_mappings(value) for key, value in data.items()})
    return data


def lock_arrays(values: Iterable[Any]) -> None:
    """Make those that are arrays read-only."""
    for x in values:
        if isinstance(x, np.ndarray):
            x.setflags(write=False)
