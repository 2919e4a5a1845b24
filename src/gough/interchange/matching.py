"""Which parts of a file a user's names mean.

A name is, in this order: that of the file (`left::shoulder`); a pattern of it with * and ?; the name that the description has
(`left_shoulder`); its last parts, where one part alone ends so (`shoulder`, of `right::arm::elbow` also `arm::elbow`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from gough.errors import UsageError
from gough.interchange.naming import plain_name
from gough.robot.checks.suggestions import choice_of, meant_word

APART = re.compile(r"::|[/.]")
"""Between the names of models, or of prims, and the part's own."""
MOST_NEAR, MOST_KNOWN = 3, 2000


def find_named(
    asked: Sequence[str], known: Sequence[str], what: str, kind: str, others: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The known names that are meant, in the file's order; UsageError with all that are not known.

    what: of what file's what they are; kind: what a known one is; others: {name: why it is none of them}.
    """
    chosen: set[str] = set()
    wrong, listed = [], False
    for name in dict.fromkeys(asked):
        found = meant_names(name, known)
        if len(found) > 1 and not _is_pattern(name):
            wrong.append(f"{name!r} may be {_listed(found)}; write one of them")
        elif found:
            chosen.update(found)
        else:
            wrong.append(f"{name!r} is not {kind}{_reason(name, known, others or {})}")
            listed = True
    if wrong:
        given = choice_of(known).removeprefix("one of ") if known else "none"
        raise UsageError(f"{what}: {'; '.join(wrong)}{f'. There are {given}' if listed else ''}")
    return tuple(name for name in known if name in chosen)


def meant_hint(word: str, known: Sequence[str], form: str = "{}") -> str:
    """ "; did you mean <inertial>?" of a word that is nearly a known one, else "". form: how it is written."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.75 if len(word) > 4 else 0.6)
    return f"; did you mean {form.format(near[0])}?" if near else ""


def meant_names(name: str, known: Sequence[str]) -> list[str]:
    """All that a name or a pattern may mean."""
    ways: list[Callable[[str], bool]] = [
        lambda own: own == name,
        lambda own: fnmatchcase(own, name),
        lambda own: plain_name(own, "") == name,
        lambda own: _ends_with(own, name),
    ]
    return next((found for way in ways if (found := [own for own in known if way(own)])), [])


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """Those that look most like a name that is not there, by all of it or by its last part."""
    looks: dict[str, list[str]] = {}
    for own in known[:MOST_KNOWN]:
        for form in {own.lower(), APART.split(own)[-1].lower()}:
            looks.setdefault(form, []).append(own)
    word = meant_word(name, list(looks))
    forms = [*([word] if word else []), *get_close_matches(name.lower()[:60], list(looks), n=MOST_NEAR)]
    found = [own for form in forms for own in looks[form]]
    return list(dict.fromkeys(found))[:MOST_NEAR]


def _reason(name: str, known: Sequence[str], others: Mapping[str, str]) -> str:
    """Why there is nothing of a name, and what may be meant."""
    told = {others[own] for own in meant_names(name, list(others))} if others else set()
    if len(told) == 1:
        return f": {told.pop()}"
    near = near_names(name, known)
    return f", but {_listed(near)} {'are' if len(near) > 1 else 'is'}" if near else ""


def _listed(names: Sequence[str]) -> str:
    *most, last = (repr(name) for name in names[:6])
    more = f" or {len(names) - 6} more" if len(names) > 6 else ""
    return f"{', '.join(most)}{',' if more else ' or'} {last}{more}" if most else last


def _ends_with(own: str, name: str) -> bool:
    """Whether the last parts of a name are these."""
    parts, wanted = APART.split(own), APART.split(name)
    return 0 < len(wanted) < len(parts) and parts[-len(wanted) :] == wanted


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")
