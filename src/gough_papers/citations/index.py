"""All citations in the source: paper, places, file, line, function and the sentence around them; which of them answer "where is
[paper, equation]?" in the words of a reader, and what is nearest where nothing fits."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from gough import UsageError
from gough_papers.citations.errata import Misprint, Unused, misprints_of, unused_equations
from gough_papers.citations.places import PAPERS, PLACE_PATTERNS, PaperPlace, read_places, spell, split_name

# ---- texts of a source file, in which citations stand: docstrings, other strings, comments; lines of a gallery file

LONGEST = 260
"""Characters of a sentence; longer ones are derivations."""


@dataclass(frozen=True)
class SourceText:
    """A piece of text; `lines[k]` is what stands in line `first + k` of the file, without quotes and comment signs."""

    first: int
    lines: tuple[str, ...]


def python_texts(source: str) -> Iterator[SourceText]:
    """Strings and comments of a Python file; comments alone on consecutive lines are one text."""
    block: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            if block and (not alone or token.start[0] != block[-1][0] + 1):
                yield _block(block)
                block = []
            block.append((token.start[0], token.string.lstrip("#").strip()))
            if not alone:
                yield _block(block)
                block = []
    if block:
        yield _block(block)
    for first, string in _strings(source):
        inner = re.sub(r"^[A-Za-z]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", string)
        yield SourceText(first, tuple(inner.split("\n")))


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """(line, literal) of every string; f-strings whole, which Python tokenises in parts from 3.12 on."""
    begin, end = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
    lines = source.splitlines(keepends=True)
    depth, start = 0, (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == begin:
            start = token.start if depth == 0 else start
            depth += 1
        elif token.type == end:
            depth -= 1
            if depth == 0:
                yield start[0], _slice(lines, start, token.end)
        elif token.type == tokenize.STRING and depth == 0:
            yield token.start[0], token.string


def _slice(lines: list[str], start: tuple[int, int], stop: tuple[int, int]) -> str:
    if start[0] == stop[0]:
        return lines[start[0] - 1][start[1] : stop[1]]
    middle = lines[start[0] : stop[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[stop[0] - 1][: stop[1]]])


def _block(block: list[tuple[int, str]]) -> SourceText:
    return SourceText(block[0][0], tuple(line for _, line in block))


def yaml_texts(source: str) -> Iterator[SourceText]:
    """Lines of a gallery file, each by itself."""
    for number, line in enumerate(source.splitlines(), 1):
        bare = re.sub(r"^[-#\s]*(?:\w+:\s+)?[\"']?|[\"'}\s]*$", "", line)
        yield SourceText(number, (bare,))


def owners(source: str) -> list[tuple[int, int, str]]:
    """(first line, last line, name) of every function and class, outer ones first; names are dotted."""
    found: list[tuple[int, int, str]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                first = min([child.lineno, *[d.lineno for d in child.decorator_list]])
                found.append((first, child.end_lineno or child.lineno, name))
                visit(child, f"{name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(source), "")
    return found


def owner(line: int, found: list[tuple[int, int, str]]) -> str:
    """The innermost function or class around a line; empty at the head of a file."""
    around = [name for first, last, name in found if first <= line <= last]
    return around[-1] if around else ""


def sentence(text: SourceText, start: tuple[int, int], stop: tuple[int, int]) -> str:
    """The sentence of a text around a citation at (index of line, column) to the same of its end.

    A paragraph ends at an empty line; headings of a derivation ("Sources   …") count as the start of a sentence.
    """
    top, bottom = start[0], stop[0]
    while top > 0 and text.lines[top - 1].strip() and not _heading(text.lines[top]):
        top -= 1
    while bottom + 1 < len(text.lines) and text.lines[bottom + 1].strip() and not _heading(text.lines[bottom + 1]):
        bottom += 1
    before = _join_lines([*text.lines[top : start[0]], text.lines[start[0]][: start[1]]])
    after = _join_lines([text.lines[stop[0]][stop[1] :], *text.lines[stop[0] + 1 : bottom + 1]])
    middle = _cited_text(text, start, stop)
    ends = [m.end() for m in re.finditer(r"(?<=[^\s.][^\s.][.;:!?])\s+(?=[\[A-Z(\"'])", before)]
    head = before[ends[-1] :] if ends else before
    tail = re.match(r".*?[^\s.][^\s.][.;!?](?=\s+[A-Z\[]|\s*$)|.*", after)
    gap = "" if text.lines[start[0]][: start[1]].strip() else " "  # a citation at the start of a line
    whole = " ".join(f"{head}{gap}{middle}{tail[0] if tail else after}".split()).strip(" ;,")
    if len(whole) > LONGEST:  # a derivation: the line says enough
        whole = " ".join(" ".join(text.lines[start[0] : stop[0] + 1]).split())
    return whole


def _join_lines(lines: list[str]) -> str:
    return " ".join(
        line.strip() if k and k < len(lines) - 1 else line.lstrip() if k else line for k, line in enumerate(lines)
    ).replace("\\n", " ")


def _cited_text(text: SourceText, start: tuple[int, int], stop: tuple[int, int]) -> str:
    if start[0] == stop[0]:
        return text.lines[start[0]][start[1] : stop[1]]
    parts = [text.lines[start[0]][start[1] :], *text.lines[start[0] + 1 : stop[0]], text.lines[stop[0]][: stop[1]]]
    return " ".join(part.strip() for part in parts)


def _heading(line: str) -> bool:
    return re.match(r"[A-Z][a-z]+(?: [a-z]+)?\s{2,}\S", line) is not None


# ---- the index

_NAMES = "|".join(re.escape(name) for name in PAPERS.values())
CITATION = re.compile(rf"\[(?P<paper>{_NAMES})(?:,\s*(?P<places>[^][]*))?\]")
_LIKELY = re.compile(rf"\[(?:{_NAMES})\b")
_KEY = {name: key for key, name in PAPERS.items()}
PACKAGES = ("gough", "gough_papers")
SKIPPED = ("gough_papers/citations/",)
"""Folders whose texts explain citations and make none."""


@dataclass(frozen=True)
class Mention:
    """A citation in the source. `file` begins with the name of its package; `function` is empty at the head of a file."""

    paper: str
    places: tuple[PaperPlace, ...]
    corrected: bool
    file: str
    line: int
    function: str
    sentence: str

    def __str__(self) -> str:
        where = f", {spell(self.places)}" if self.places else ""
        return f"[{PAPERS[self.paper]}{where}{', corrected' if self.corrected else ''}]"


@cache
def index() -> tuple[Mention, ...]:
    """Every citation, by file and line."""
    found: list[Mention] = []
    for package in PACKAGES:
        for name, text in _files(resources.files(package), package):
            if _LIKELY.search(text):
                found += mentions(name, text)
    return tuple(sorted(found, key=lambda m: (m.file, m.line)))


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__" and not f"{path}/".startswith(SKIPPED):
                yield from _files(entry, path)
        elif path.endswith(".py") or (path.endswith(".yaml") and "/gallery/" in path):
            yield path, entry.read_text(encoding="utf-8")


def mentions(file: str, source: str) -> list[Mention]:
    """The citations of one file."""
    python = file.endswith(".py")
    places_of = owners(source) if python else []
    found = []
    for text in python_texts(source) if python else yaml_texts(source):
        for start, stop, match in _citations(text):
            line = text.first + start[0]
            remark = match["places"] or ""
            function = owner(line, places_of) if python else _robot(file)
            found.append(
                Mention(
                    paper=_KEY[match["paper"]],
                    places=read_places(remark),
                    corrected="corrected" in remark,
                    file=file,
                    line=line,
                    function=function,
                    sentence=sentence(text, start, stop),
                )
            )
    return sorted(found, key=lambda m: m.line)


def _robot(file: str) -> str:
    return file.rsplit("/", 1)[1].removesuffix(".yaml")


def _citations(text: SourceText) -> Iterator[tuple[tuple[int, int], tuple[int, int], re.Match[str]]]:
    """(start, stop, match) of the citations of a text, those that go over the end of a line too."""
    flat = "\n".join(text.lines)
    joined = re.sub(r"\s", " ", flat)
    for match in CITATION.finditer(joined):
        if "``" in joined[max(0, match.start() - 40) : match.start()]:
            continue  # the text shows how to cite
        yield _at(flat, match.start()), _at(flat, match.end()), match


def _at(flat: str, offset: int) -> tuple[int, int]:
    before = flat[:offset]
    return before.count("\n"), offset - (before.rfind("\n") + 1)


# ---- questions of a reader

NEAREST = 6
_PLACE_WORDS = re.compile(rf"\b(?:{'|'.join(PLACE_PATTERNS.values())}|to|and)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Query:
    """What is looked for: a paper (None: any) and places (none: the whole paper)."""

    paper: str | None
    places: tuple[PaperPlace, ...]

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
    unused = tuple(x for p in papers for x in unused_equations(p) if _meets(query.places, x.places))
    return Found(query, tuple(sorted(fitting, key=lambda m: _rank(query, m))), misprints, unused, nearest)


def _meets(wanted: tuple[PaperPlace, ...], given: tuple[PaperPlace, ...]) -> bool:
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
