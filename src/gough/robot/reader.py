"""YAML 1.2 text to plain data that remembers where each entry was written.

Only scalars, lists and mappings are built, nothing else can be: `1e-3` is a number, `on` is a text, a date is a text,
tags other than YAML's own for these are refused. Size and depth are counted while the text is read, so that no text can
fill the memory. ruamel.yaml is imported on first use.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gough.errors import MissingFileError, UnreadableFileError, UsageError
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.text import MOST_BYTES, read_text, unprintable

MOST_NODES = 80_000
MOST_DEPTH = 60
MOST_DIGITS = 300
MISSED = re.compile(r"[-+]?\.[0-9]+[eE][0-9]+")
"""Numbers of YAML 1.2's core schema that ruamel takes for texts."""
MOST_QUOTED = 60
SHORT = 10_000
"""Characters of a text whose nodes are kept; robots of the gallery have up to 5000."""
INDENTATION = "check the indentation"
REMEDIES = {
    "mapping values are not allowed": "keys of a mapping in one column, a space after each colon, quotes around a text with ': '",
    "did not find expected": "keys of one mapping in one column, dashes of one list in one column",
    "document start": "the first key in the same column as the others",
    "block end": "keys of one mapping in one column, dashes of one list in one column",
    "sequence entries are not allowed": "dashes of a list on lines of their own, in one column",
    "simple key": "a colon and a space after each key",
}
BASES = {"0x": 16, "0o": 8, "0b": 2}


@dataclass(frozen=True)
class Mark:
    """Where something is written: line from 1, path inside the document."""

    line: int
    path: str


class Map(dict[str, Any]):
    """A mapping with the mark of itself and of each of its keys."""

    mark: Mark
    marks: dict[str, Mark]


class Seq(list[Any]):
    """A list with the mark of itself and of each of its entries."""

    mark: Mark
    marks: list[Mark]


def read_document(path: str | Path) -> str:
    """The text of a file of YAML; what is no such file is a DescriptionError, one that is not there a MissingFileError."""
    try:
        return read_text(path)
    except MissingFileError:
        raise
    except UnreadableFileError as error:
        problem = Problem(str(path), error.line, "", ABSENT, error.reason, "a text file saved as UTF-8")
        raise DescriptionError([problem]) from None


def read(text: str, file: str) -> tuple[Any, list[Problem]]:
    """The document in a text and what is wrong with it as YAML."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    if not isinstance(text, str):
        raise UsageError(f"{file}: a {type(text).__name__} in the place of YAML text")
    if len(text) > MOST_BYTES:
        return None, [_alone(file, None, f"{len(text)} characters", f"at most {MOST_BYTES}")]
    try:
        node = _compose(text)
    except _TooMuchYamlError as error:
        return None, [_alone(file, error.line, error.message, error.expected)]
    except MarkedYAMLError as error:
        return None, [_explain_mistake(error, text, file)]
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        code = ord(error.character) if isinstance(error.character, str) else int(error.character)
        message = f"the character U+{code:04X}, which cannot be shown"
        return None, [_alone(file, line, message, "printable text")]
    except YAMLError as error:
        message = " ".join(str(error).split())
        return None, [_alone(file, None, f"not YAML: {message}", "YAML 1.2, one document")]
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        # ruamel's own slips on texts that are no YAML (a directive "%YAML 1.", say)
        return None, [_alone(file, None, f"not YAML ({type(error).__name__} while it was read)", "YAML 1.2")]
    if node is None:
        return None, [_alone(file, 1, "an empty document", "a robot with format, name, and legs or joints")]
    reading = _PlainData(file)
    return reading.data(node, ""), reading.problems


def _alone(file: str, line: int | None, message: str, expected: str) -> Problem:
    return Problem(file, line, "", ABSENT, message, expected)


class _TooMuchYamlError(Exception):
    def __init__(self, line: int, message: str, expected: str) -> None:
        super().__init__(message)
        self.line, self.message, self.expected = line, message, expected


def _compose(text: str) -> Any:
    """The tree of nodes, which nobody changes; those of the last short texts are kept, since robots are read again and again."""
    return _compose_once(text) if len(text) <= SHORT else _compose_anew(text)


@lru_cache(maxsize=32)
def _compose_once(text: str) -> Any:
    return _compose_anew(text)


def _compose_anew(text: str) -> Any:
    """Refused as soon as it is too large or too deep, before the rest is read."""
    from ruamel.yaml import YAML
    from ruamel.yaml.composer import Composer

    class Counting(Composer):
        count = inside = 0

        def __init__(self, loader: Any = None) -> None:
            super().__init__(loader)
            self.warn_double_anchors = False  # an anchor that is used again is no fault

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.count += 1
            if self.count > MOST_NODES or self.inside >= MOST_DEPTH:
                line = self.parser.peek_event().start_mark.line + 1
                if self.inside >= MOST_DEPTH:
                    raise _TooMuchYamlError(
                        line, f"nested more than {MOST_DEPTH} deep", "lists and mappings of a robot"
                    )
                raise _TooMuchYamlError(line, f"more than {MOST_NODES} entries", "a smaller document")
            self.inside += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.inside -= 1

    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)  # type: ignore[assignment]
    yaml.Composer = Counting
    return yaml.compose(text)


def scalar_place(text: str, key: str) -> tuple[int, int]:
    """Where the value of a key of the outermost mapping, a plain scalar, begins and ends in a text that is good YAML; its tag and
    its anchor are part of it."""
    node = next(value for name, value in _compose(text).value if name.value == key)
    return node.start_mark.index, node.end_mark.index


class _PlainData:
    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []
        self.open: set[int] = set()
        self.count = 0

    def complain(self, node: Any, path: str, value: Any, message: str, expected: str) -> None:
        self.problems.append(Problem(self.file, node.start_mark.line + 1, path, value, message, expected))

    def data(self, node: Any, path: str) -> Any:
        self.count += 1
        if id(node) in self.open or self.count > MOST_NODES:
            if self.count <= MOST_NODES + 1:
                self.complain(
                    node, path, ABSENT, "an alias that contains itself or grows without end", "a finite document"
                )
            return None
        self.open.add(id(node))
        try:
            if node.id == "mapping":
                return self.mapping(node, path)
            if node.id == "sequence":
                return self.sequence(node, path)
            return self.scalar(node, path)
        finally:
            self.open.discard(id(node))

    def mapping(self, node: Any, path: str) -> Map:
        self.check_tag(node, path, "map")
        result = Map()
        result.mark, result.marks = Mark(node.start_mark.line + 1, path), {}
        for key_node, value_node in node.value:
            if self.count > MOST_NODES:
                break
            key = key_node.value if key_node.id == "scalar" else None
            if key is None:
                self.complain(key_node, path, ABSENT, "a key that is not a text", "a text")
                continue
            inside = f"{path}.{key}" if path else key
            if not self.check_characters(key_node, path):
                continue
            if key == "<<" and key_node.style is None:
                self.complain(key_node, path, ABSENT, "a merge key <<, which YAML 1.2 has not", "the keys themselves")
                continue
            if key in result:
                first = result.marks[key].line
                self.complain(
                    key_node, inside, ABSENT, f"key {key!r} is written twice (first on line {first})", "one of them"
                )
                continue
            result[key] = self.data(value_node, inside)
            result.marks[key] = Mark(key_node.start_mark.line + 1, inside)
        return result

    def sequence(self, node: Any, path: str) -> Seq:
        self.check_tag(node, path, "seq")
        result = Seq()
        result.mark, result.marks = Mark(node.start_mark.line + 1, path), []
        for index, entry in enumerate(node.value):
            if self.count > MOST_NODES:
                break
            inside = f"{path}[{index}]"
            result.append(self.data(entry, inside))
            result.marks.append(Mark(entry.start_mark.line + 1, inside))
        return result

    def check_tag(self, node: Any, path: str, own: str) -> None:
        if str(node.tag) != f"tag:yaml.org,2002:{own}":
            self.complain(node, path, ABSENT, f"the tag {node.tag} is not allowed", "plain data")

    def check_characters(self, node: Any, path: str) -> bool:
        """Texts reach terminals, tables, figures and pages: what cannot be shown is refused here, for all of them."""
        bad = unprintable(node.value)
        if bad is not None:
            self.complain(node, path, node.value, f"the character {bad}, which cannot be shown", "printable text")
        return bad is None

    def scalar(self, node: Any, path: str) -> Any:
        text = node.value
        if not self.check_characters(node, path):
            return None
        kind = str(node.tag).removeprefix("tag:yaml.org,2002:")
        match kind:
            case "null" if text.lower() in ("", "~", "null"):
                return None
            case "bool" if text.lower() in ("true", "false"):
                return text.lower() == "true"
            case "int" | "float" if (value := _number(text, kind)) is not None:
                return value
            case "int" | "float" if len(text) > MOST_DIGITS:
                self.complain(node, path, text, f"a number of {len(text)} characters", "a number that is used")
                return None
            case "null" | "bool" | "int" | "float":
                self.complain(node, path, text, f"not what its tag !!{kind} says", f"a value of !!{kind}, or no tag")
                return None
            case "str" if node.style is None and MISSED.fullmatch(text):
                return float(text)
            case "str" | "timestamp" | "value" | "merge":
                return text
        self.complain(node, path, text, f"the tag {node.tag} is not allowed", "plain data")
        return None


def _number(text: str, kind: str) -> int | float | None:
    """A number from what was resolved or tagged as one; None where it is none, or longer than any that is used."""
    if len(text) > MOST_DIGITS:
        return None
    plain = text.replace("_", "").lower()
    sign = -1 if plain.startswith("-") else 1
    base = BASES.get(plain.lstrip("+-")[:2], 10)
    try:
        if kind == "int":
            return sign * int(plain.lstrip("+-")[2:], base) if base != 10 else int(plain)
        return float(plain.replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return None


def _explain_mistake(error: Any, text: str, file: str) -> Problem:
    """A MarkedYAMLError of ruamel as a problem: tabs, indentation and open brackets by their names."""
    at = error.problem_mark or error.context_mark
    said = " ".join(str(error.problem or error.context or "").split())
    lines = text.splitlines()
    number = None if at is None else min(at.line + 1, max(len(lines), 1))
    if number is None:
        return Problem(file, None, "", ABSENT, f"not YAML: {said}", "YAML 1.2")
    line = lines[number - 1] if lines else ""
    tab = _tab(lines, number)
    if tab is not None:
        return Problem(file, tab, "", ABSENT, "a tab in the indentation, where YAML has spaces", "spaces")
    started = error.context_mark
    if started is not None and "flow" in str(error.context) and started.line < len(lines):
        bracket = lines[started.line][started.column : started.column + 1]
        message = f"not YAML: {bracket!r} of line {started.line + 1} is not closed here, or a comma is missing: {said}"
        return Problem(file, number, "", ABSENT, message, "brackets in pairs, commas between entries")
    if started is not None and "quoted" in str(error.context):
        message = f"not YAML: a quote of line {started.line + 1} is not closed: {said}"
        return Problem(file, started.line + 1, "", ABSENT, message, "quotes in pairs")
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in said), None)
    if remedy is None:
        return Problem(file, number, "", ABSENT, f"not YAML: {said}", "YAML 1.2")
    before = _before(lines, number)
    beside = f" and of the line before, {before[0]}: {before[1]!r}" if before else ""
    message = f"not YAML: {said}; {INDENTATION} of this line, {_quote(line)!r},{beside}"
    return Problem(file, number, "", ABSENT, message.rstrip(","), remedy)


def _tab(lines: list[str], number: int) -> int | None:
    """The line with a tab in its indentation, this one or the one before it."""
    for k in (number, number - 1):
        if 1 <= k <= len(lines) and re.match(r" *\t", lines[k - 1]):
            return k
    return None


def _before(lines: list[str], number: int) -> tuple[int, str] | None:
    """The last line above that says something."""
    for k in range(number - 1, max(number - 1000, 0), -1):
        if lines[k - 1].strip() and not lines[k - 1].lstrip().startswith("#"):
            return k, _quote(lines[k - 1])
    return None


def _quote(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= MOST_QUOTED else line[: MOST_QUOTED - 3] + "..."
