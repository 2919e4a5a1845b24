"""What was made of an object, kept beside it for as long as it lives: programs are compared by what they hold, which takes long,
and are called from several places, so that the work on them would be done again at each."""

from collections.abc import Callable, Hashable
from typing import Any
from weakref import ref


class Beside:
    """Things by the object they were made of, and by a key. Two threads may make the same thing, and get one of them."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[ref, dict[Hashable, Any]]] = {}

    def get(self, thing: object, key: Hashable, make: Callable[[], Any]) -> Any:
        """What `make` gives, or gave before for this thing and key."""
        number = id(thing)
        known = self._made.get(number)
        if known is None:
            gone = ref(thing, lambda _: self._made.pop(number, None))
            known = self._made.setdefault(number, (gone, {}))
        found = known[1]
        if key not in found:
            found.setdefault(key, make())
        return found[key]
