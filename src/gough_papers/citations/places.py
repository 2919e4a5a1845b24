"""The five papers by name, and places in them: equations, tables, figures, sections and appendices, one or a range.

Read from what stands behind the short name in a citation, "eqs. 8–9, 25–29, 76–78 corrected: ∂/∂x", and from what people
type, "equation (44)", "Table 2", "figs 4 to 7", "sec. 6.1", "Briot & Khalil (2014)".
"""

import re
from dataclasses import dataclass

PAPERS = {
    "long2014": "Long 2014",
    "lopes": "Lopes",
    "briot2014": "Briot 2014",
    "fried": "Fried",
    "pedrammehr2012": "Pedrammehr 2012",
}
"""{key on the command line: short name in citations}"""

EQUATIONS = {"long2014": 49, "lopes": 91, "briot2014": 68, "fried": 97, "pedrammehr2012": 51}
"""{key: number of the paper's last equation}"""

_AUTHOR = {key: name.split()[0].lower() for key, name in PAPERS.items()}


def split_name(text: str) -> tuple[str | None, str]:
    """(key of the paper a text begins with or speaks of, the rest); None where no paper is named.

    Any case, with or without year, initials, "et al." or further authors: "Briot & Khalil (2014)", "long2014".
    """
    for key, author in _AUTHOR.items():
        year = re.escape(PAPERS[key].partition(" ")[2])
        others = r"(?:\s*(?:,|and|&|et)\s*(?!eq|tab|fig|sec|app|§)(?:al\b\.?|[A-Za-zÀ-ÿ]+))*?"
        dated = rf"\s*,?\s*\(?{year}\)?" if year else ""
        match = re.search(rf"\b{author}\b{others}(?:{dated})(?=\W|$)", text, re.IGNORECASE) or re.search(
            rf"\b{author}(?:{year}|\b)", text, re.IGNORECASE
        )
        if match:
            return key, (text[: match.start()] + " " + text[match.end() :]).strip(" ,:;[]")
    return None, text.strip(" ,:;[]")


PLACE_PATTERNS = {
    "eq": r"equations?|eqns?|eqs?|formulae?|formulas",
    "table": r"tables?|tabs?",
    "figure": r"figures?|figs?",
    "section": r"sections?|secs?|chapters?|§§?",
    "appendix": r"appendix|appendices|apps?",
}
WORDS = {"eq": ("eq.", "eqs."), "table": ("Table", "Tables"), "figure": ("Fig.", "Figs.")}
WORDS |= {"section": ("section", "sections"), "appendix": ("Appendix", "Appendices")}

_KIND = "|".join(f"(?P<{name}>{pattern})" for name, pattern in PLACE_PATTERNS.items())
_NUMBER = r"\(?(?P<number>\d+(?:\.\d+)*[a-z]?)\)?(?![\w.]*\w)"
_TOKEN = re.compile(
    rf"(?<!\w)(?:{_KIND})(?:(?<=§)|(?!\w))\.?|(?P<joint>[–—-]|\bto\b|\.\.\.?|…)|{_NUMBER}", re.IGNORECASE
)
_END = re.compile(r"\bcorrected\b|:|\bin the\b|\bwith(?:out)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class PaperPlace:
    """A place or a range of them; `first` and `last` are numbers as written, "44" or "6.1"."""

    kind: str
    first: str
    last: str

    def __str__(self) -> str:
        one, many = WORDS[self.kind]
        return f"{one} {self.first}" if self.first == self.last else f"{many} {self.first}–{self.last}"

    @property
    def start(self) -> tuple[int, ...]:
        """`first` as numbers that sort."""
        return _order(self.first)

    @property
    def stop(self) -> tuple[int, ...]:
        """`last` as numbers that sort."""
        return _order(self.last)

    def meets(self, other: "PaperPlace") -> bool:
        """Whether two places share something; a section contains its subsections, an equation its parts (a), (b)."""
        if self.kind != other.kind:
            return False
        return _before(self.start, other.stop) and _before(other.start, self.stop)

    def distance(self, other: "PaperPlace") -> float:
        """Numbers between two places of one kind; infinite between kinds."""
        if self.kind != other.kind:
            return float("inf")
        gap = max(self.start[0] - other.stop[0], other.start[0] - self.stop[0], 0)
        return float(gap)


def _order(number: str) -> tuple[int, ...]:
    digits, letter = re.fullmatch(r"([\d.]+)([a-z]?)", number.lower()).groups()  # type: ignore[union-attr]
    return tuple(int(part) for part in digits.split(".")) + ((ord(letter) - 96,) if letter else ())


def _before(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether a is at or before b, or inside it."""
    shared = min(len(a), len(b))
    return a[:shared] <= b[:shared]


def read_places(text: str, bare: str | None = None, cut: bool = True) -> tuple[PaperPlace, ...]:
    """The places a text names. `bare`: the kind of numbers without a word before them (None: they are no places).

    With `cut` a citation's remark ("corrected", "in the rigid case") ends the reading.
    """
    if cut and (end := _END.search(text)):
        text = text[: end.start()]
    found: list[PaperPlace] = []
    kind, joined = bare, False
    for token in _TOKEN.finditer(text):
        if token["joint"]:
            joined = bool(found)
        elif token["number"]:
            number = token["number"].lower()
            if kind is None:
                continue
            if joined and found and found[-1].kind == kind:
                first = found.pop().first
                found.append(
                    PaperPlace(kind, first, number)
                    if _order(number) >= _order(first)
                    else PaperPlace(kind, number, first)
                )
            else:
                found.append(PaperPlace(kind, number, number))
            joined = False
        else:
            kind, joined = next(name for name in PLACE_PATTERNS if token[name]), False
    return tuple(found)


def spell(places: tuple[PaperPlace, ...]) -> str:
    """Places in words: "eqs. 8–9, 25", "Table 2 and section 6.1"."""
    parts = []
    for kind, (one, many) in WORDS.items():
        own = [place for place in places if place.kind == kind]
        numbers = [p.first if p.first == p.last else f"{p.first}–{p.last}" for p in own]
        if own:
            word = one if len(own) == 1 and own[0].first == own[0].last else many
            parts.append(f"{word} {', '.join(numbers)}")
    return " and ".join(parts)
