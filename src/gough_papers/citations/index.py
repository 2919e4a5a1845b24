"""All citations in the source: paper, places, file, line, function and the sentence around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from gough_papers.citations.names import PAPERS
from gough_papers.citations.places import Place, read_places, spell
from gough_papers.citations.texts import Text, owner, owners, python_texts, sentence, yaml_texts

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
    places: tuple[Place, ...]
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


def _citations(text: Text) -> Iterator[tuple[tuple[int, int], tuple[int, int], re.Match[str]]]:
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
