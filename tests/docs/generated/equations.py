"""docs/equations.md: equation by equation, the code that computes it."""

from __future__ import annotations

import ast
import re
from importlib import resources

from docs.generated.table import code_link, table
from gough_papers.citations import EQUATIONS, PAPERS, Mention, PaperPlace, index, misprints_of, spell, unused_equations

HEAD = """# Equations of the papers, and the code

Where each equation of the five papers lives. Written from the citations in the source by
`python tests/docs/refresh.py --generated`; a test keeps it fresh. `gough where "Briot 2014, eq. 44"` answers the same question
with line numbers and the sentence around each citation. Where the paper has a misprint, the code has the equation as it should
be and [errata](errata.md) says what is printed. The narrowest citations are named; the head of each file says more.
"""


EQUATION_LAYERS = tuple(
    f"gough/{name}/" for name in ("dynamics", "spatial", "joints", "fem", "structure", "friction", "program")
)
"""Where equations are written; other packages use them."""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for key, name in PAPERS.items():
        parts += [f"## {name}\n", _equations(key), "", _rest(key), ""]
    return "\n".join(parts)


def _equations(paper: str) -> str:
    """Rows of consecutive equations with the same code."""
    rows: list[tuple[int, int, tuple[str, ...]]] = []
    for number in range(1, EQUATIONS[paper] + 1):
        cells = _row(paper, number)
        if rows and rows[-1][2] == cells:
            rows[-1] = (rows[-1][0], number, cells)
        else:
            rows.append((number, number, cells))
    shown = [[f"{a}" if a == b else f"{a}–{b}", *cells] for a, b, cells in rows]
    return table(["equation", "code", "what it says there", "in the paper"], shown)


def _row(paper: str, number: int) -> tuple[str, ...]:
    place = PaperPlace("eq", str(number), str(number))
    mentions = _best([m for m in index() if m.paper == paper and m.file.endswith(".py") and _meets(m, place)], place)
    wrong = [m for m in misprints_of(paper) if m.kind == "misprint" and any(place.meets(p) for p in m.places)]
    note = f"[misprint](errata.md#{PAPERS[paper].lower().replace(' ', '-')})" if wrong else ""
    if mentions:
        links = "<br>".join(code_link(m.file, m.function) for m in mentions)
        return links, _short(mentions[0]), note
    why = [u.why for u in unused_equations(paper) if any(place.meets(p) for p in u.places)]
    return "–", f"not in the code: {why[0]}" if why else "not cited", note


def _meets(mention: Mention, place: PaperPlace) -> bool:
    return any(place.meets(p) for p in mention.places)


def _best(mentions: list[Mention], place: PaperPlace) -> list[Mention]:
    """The narrowest citations, functions before heads of files, at most three and one for each function."""

    def width(m: Mention) -> tuple:
        return (
            not m.file.startswith(EQUATION_LAYERS),
            not m.function,
            min(p.stop[0] - p.start[0] for p in m.places if place.meets(p)),
            m.file,
            m.line,
        )

    seen: dict[tuple[str, str], Mention] = {}
    for m in sorted(mentions, key=width):
        seen.setdefault((m.file, m.function), m)
    return list(seen.values())[:3]


def _short(mention: Mention) -> str:
    """What the source says, without the citations; of a list of sources, what the file is about."""
    text = re.sub(r"\{[^}]*\}:?|\[[^\]]*\d[^\]]*\]|^(Sources|Computes)\b", "", mention.sentence)
    text = " ".join(re.sub(r"\s+([,;.:)])", r"\1", text).split())
    text = re.sub(r"[,;:]+(?=[,;:.])|^[,;:.\s]+|[,;:\s]+$", "", re.sub(r"(, )+(?=[,.;]|$)", "", text)).strip(" ,;:")
    if len(re.findall(r"\w{3,}", text)) < 3:
        text = _subject(mention)
    text = text if len(text) <= 150 else f"{text[:150].rsplit(' ', 1)[0]} …"
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("[", "\\[")


def _subject(mention: Mention) -> str:
    """First line of the docstring of a function, or of its file."""
    package, *path = mention.file.split("/")
    source = resources.files(package).joinpath(*path).read_text(encoding="utf-8")
    tree = ast.parse(source)
    node: ast.AST = tree
    for name in mention.function.split(".") if mention.function else []:
        node = next(n for n in ast.walk(node) if getattr(n, "name", None) == name)
    own = ast.get_docstring(node) if node is not tree else None  # type: ignore[arg-type]
    text = (own or ast.get_docstring(tree) or "").splitlines()[0]
    return re.sub(r"\s*:?\s*\[[^\]]*\d[^\]]*\],?", "", text)


def _rest(paper: str) -> str:
    """Tables, figures, sections and appendices: where code or data cite them."""
    found: dict[str, dict[str, None]] = {}
    for m in index():
        if m.paper == paper:
            for place in m.places:
                if place.kind != "eq":
                    found.setdefault(spell((place,)), {})[
                        code_link(m.file, m.function if m.file.endswith(".py") else "")
                    ] = None
    order = sorted(
        found, key=lambda s: (s.split()[0].rstrip("s."), [int(x) for x in s.split()[1].split("–")[0].split(".")])
    )
    return table(["elsewhere in the paper", "cited in"], [[place, "<br>".join(found[place])] for place in order])
