"""Names that stand for several: patterns with stars ("leg*.rod.M"), and tied ones as an identification writes them
("{left_crank,right_crank}.M")."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

_BRACES = re.compile(r"\{([^{}]*)\}")


def expand_tied(name: str) -> list[str]:
    """Names that braces stand for: the first of all braces, the second of all, …; the name itself where it has none, or where
    they are not equally many."""
    groups = [inner.split(",") for inner in _BRACES.findall(name)]
    if len({len(group) for group in groups}) != 1:
        return [name]
    out = []
    for own in zip(*groups, strict=True):
        words = iter(own)
        out.append(_BRACES.sub(lambda _, words=words: next(words), name))
    return out


def names_meant(name: str, known: Sequence[str]) -> list[str]:
    """Those of the known names that a name, a tied name or a pattern stands for; none where one of them is not known."""
    if name in known:
        return [name]
    found = [[n for n in known if n == own or ("*" in own and fnmatchcase(n, own))] for own in expand_tied(name)]
    return list(dict.fromkeys(n for group in found for n in group)) if all(found) else []
