"""Answers "where is [paper, equation]?" in the words of a reader; what is nearest where nothing fits."""

import re
from dataclasses import dataclass, field

from gough.errors import UsageError
from gough_papers.citations.errata import Misprint, Unused, misprints_of, unused_of
from gough_papers.citations.index import Mention, index
from gough_papers.citations.names import PAPERS, split_name
from gough_papers.citations.places import KINDS, Place, read_places, spell

NEAREST = 6
_PLACE_WORDS = re.compile(rf"\b(?:{'|'.join(KINDS.values())}|to|and)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Query:
    """What is looked for: a paper (None: any) and places (none: the whole paper)."""

    paper: str | None
    places: tuple[Place, ...]

    def __str__(self) -> str:
        parts = [PAPERS[self.paper] if self.paper else "", spell(self.places)]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Found:
    """Mentions that fit, what the papers print wrong there, what the library does without, and the nearest mentions."""

    query: Query
    mentions: tuple[Mention, ...]
    misprints: tuple[Misprint, ...] = ()
    unused: tuple[Unused, ...] = ()
    nearest: tuple[Mention, ...] = field(default=())


def read_query(text: str) -> Query:
    """A query from words: "Briot 2014, eq. 44", "long table 2", "Lopes eqs. 76–78", "fried (97)"."""
    paper, rest = split_name(text)
    places = read_places(rest, bare="eq" if paper else None, cut=False)
    if paper is None and (not places or _WORDS.search(_PLACE_WORDS.sub(" ", rest))):
        papers = ", ".join(PAPERS.values())
        raise UsageError(
            f'{text!r} names no paper and no place in one; write for example "Briot 2014, eq. 44" ({papers})'
        )
    return Query(paper, places)


def find(text: str) -> Found:
    """Where the source cites what a text names."""
    query = read_query(text)
    own = [m for m in index() if query.paper in (None, m.paper)]
    fitting = [m for m in own if not query.places or _meets(query.places, m.places)]
    nearest = () if fitting else _nearest(query, own)
    papers = [query.paper] if query.paper else list(PAPERS)
    misprints = tuple(x for p in papers for x in misprints_of(p) if _meets(query.places, x.places))
    unused = tuple(x for p in papers for x in unused_of(p) if _meets(query.places, x.places))
    return Found(query, tuple(sorted(fitting, key=lambda m: _rank(query, m))), misprints, unused, nearest)


def _meets(wanted: tuple[Place, ...], given: tuple[Place, ...]) -> bool:
    return any(a.meets(b) for a in wanted for b in given)


def _rank(query: Query, mention: Mention) -> tuple:
    """Narrow citations before wide ranges, lines of code before heads of files, code before data."""
    widths = [p.stop[0] - p.start[0] for p in mention.places if any(p.meets(w) for w in query.places)]
    data = not mention.file.endswith(".py")
    return (data, min(widths, default=0), not mention.function, mention.file, mention.line)


def _nearest(query: Query, own: list[Mention]) -> tuple[Mention, ...]:
    def distance(mention: Mention) -> float:
        return min((w.distance(p) for w in query.places for p in mention.places), default=float("inf"))

    close = sorted(own, key=lambda m: (distance(m), m.file, m.line))
    return tuple([m for m in close if distance(m) < float("inf")][:NEAREST] or close[:NEAREST])
