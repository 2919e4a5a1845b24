"""Names of other programs' parts as names of a description, and the other way round: letters, digits and _, each once; what had
to change is known."""

import re
from collections.abc import Collection, Iterable
from itertools import chain, count

from gough.robot.coordinates import GROUND, coordinate_names, rate_names, reserved_words

MOST_LETTERS = 90


def plain_name(name: str, otherwise: str) -> str:
    """Letters, digits and _ alone, a letter or _ first."""
    found = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:MOST_LETTERS]
    if not found.strip("_"):
        return otherwise
    return found if not found[0].isdigit() else f"_{found}"


def robot_name(name: str) -> str:
    """A robot's: lower case, a letter first."""
    found = plain_name(name, "robot").lower().lstrip("_0123456789")
    return found or "robot"


class FreeNames:
    """Names that are given once. of: {name as it was: name that was given}, in the order they came to `add`."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.of: dict[str, str] = {}
        self._taken = set(taken)

    def take(self, *wanted: str) -> str:
        """The first of the wanted names that is free, or the last with a number."""
        numbered = (f"{wanted[-1]}_{number}" for number in count(2))
        found = next(name for name in chain(wanted, numbered) if name and name not in self._taken)
        self._taken.add(found)
        return found

    def add(self, name: str) -> str:
        """The name for a part in another program's file."""
        self.of[name] = self.take(re.sub(r"\W", "_", name, flags=re.ASCII))
        return self.of[name]


class PartNames:
    """{foreign name: name in the description} of one kind of parts, in the order they come."""

    def __init__(self, suffix: str, platform: bool = False, taken: Collection[str] = ()) -> None:
        self.of: dict[str, str] = {}
        self._suffix = suffix
        self._taken = set(taken)
        self._reserved = {*reserved_words(platform), *GROUND, "source"}

    def add(self, name: str, kind: str | None = None) -> str:
        """The name for a part; kind: a joint's type, whose coordinates must be free too."""
        wanted = plain_name(name, self._suffix)
        for tried in _candidates(wanted, self._suffix):
            own = {tried} if kind is None else {tried, *coordinate_names(tried, kind), *rate_names(tried, kind)}
            if not own & (self._taken | self._reserved):
                self._taken |= own
                self.of[name] = tried
                return tried
        raise AssertionError("there are always more names")

    def add_all(self, parts: Iterable[tuple[str, str | None]]) -> None:
        """Names for parts with their kinds; those that may stay as they are come first, so that no other takes them."""
        listed = list(parts)
        order = dict.fromkeys((*self.of, *(name for name, _ in listed)))

        def reluctance(part: tuple[str, str | None]) -> tuple[bool, int]:
            name, kind = part
            return plain_name(name, "") != name, 0 if kind is None else len(coordinate_names(name, kind))

        for name, kind in sorted(listed, key=reluctance):
            self.add(name, kind)
        self.of = {name: self.of[name] for name in order}

    @property
    def changed(self) -> dict[str, str]:
        """Those that are not as they were."""
        return {old: new for old, new in self.of.items() if old != new}


def _candidates(wanted: str, suffix: str) -> Iterable[str]:
    return chain((wanted, f"{wanted}_{suffix}"), (f"{wanted}_{number}" for number in count(2)))
