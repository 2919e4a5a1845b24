"""Names with `*`, which stand for all that are called so: "leg*.crank" for leg0.crank, leg1.crank, …

A star is any letters, digits and _, and no dot. What is stated by its own name is left out of what a star stands for.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from gough.robot.item import Fault, Place, nearest

MOST_STARS = 3
"""In one name."""
MOST_PATTERNS = 100
"""In one list: all names are compared with each."""


def is_pattern(name: Any) -> bool:
    """Whether a written name has a star."""
    return isinstance(name, str) and "*" in name


def names_like(pattern: str, known: Collection[str]) -> list[str]:
    """Those that a pattern stands for, in their order."""
    if pattern.count("*") > MOST_STARS:
        return []
    form = re.compile("[A-Za-z0-9_]*".join(map(re.escape, pattern.split("*"))))
    return [name for name in known if form.fullmatch(name)]


def expand_names(written: Collection[Any], known: Collection[str]) -> dict[Any, list[str]]:
    """{as it is written: the names it stands for}; of a name without a star itself, of one that two patterns have the first's."""
    taken = {name for name in written if not is_pattern(name)}
    out: dict[Any, list[str]] = {}
    patterns = 0
    for name in written:
        if not is_pattern(name):
            out[name] = [name]
            continue
        patterns += 1
        out[name] = [own for own in names_like(name, known) if own not in taken] if patterns <= MOST_PATTERNS else []
        taken |= set(out[name])
    return out


def wildcard_faults(
    written: Sequence[Any], places: Sequence[Place], known: Collection[str], what: str
) -> Iterator[Fault]:
    """Patterns that stand for nothing, or for what another one has; what: how messages call what is named."""
    owner: dict[str, str] = {}
    exact, told = {name for name in written if isinstance(name, str) and not is_pattern(name)}, 0
    for name, place in zip(written, places, strict=True):
        if not is_pattern(name):
            continue
        told += 1
        if name.count("*") > MOST_STARS or told > MOST_PATTERNS:
            expected = f"at most {MOST_STARS} stars in a name, and {MOST_PATTERNS} such names"
            yield Fault(place, name, "too many stars", expected)
            return
        own = names_like(name, known)
        if not own:
            near = nearest(name, list(dict.fromkeys([*(re.sub("[0-9]+", "*", x) for x in known), *known])))
            yield Fault(place, name, f"no {what} is called {name!r}", near)
        twice = next((x for x in own if x in owner and x not in exact), None)
        if twice is not None:
            message = f"{twice!r}, for which {owner[twice]!r} stands already"
            yield Fault(place, name, message, "patterns that have nothing in common, or the name itself")
        owner.update(dict.fromkeys(own, str(name)))
