"""XML of strangers: elements with their lines, and nothing else.

No document type, so no entities of a file's own and nothing fetched from anywhere; size, depth and number of elements are
bounded while the text is read. As the programs that these files are written for, it lets `--` stand in comments and blanks before
the declaration.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from gough.errors import UnreadableFileError
from gough.interchange.foreign import Written
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.text import read_file

MOST_BYTES = 32_000_000
MOST_ELEMENTS = 400_000
MOST_DEPTH = 200
LARGEST = 1e30
"""Beyond it a number is a mistake, and products of it no numbers."""


@dataclass
class Element:
    """A tag with its attributes, children, text and line (from 1)."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def get(self, name: str, otherwise: str | None = None) -> str | None:
        """An attribute."""
        return self.attributes.get(name, otherwise)

    def child(self, tag: str) -> "Element | None":
        """The first child of a tag."""
        return next((c for c in self.children if c.tag == tag), None)

    def all(self, tag: str) -> list["Element"]:
        """Children of a tag."""
        return [c for c in self.children if c.tag == tag]

    def walk(self) -> Iterator["Element"]:
        """The element and all below it, in the file's order."""
        stack: list[Element] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def at(self, file: str, path: str = "") -> Written:
        """Where it stands; path: what it is called, by default its tag and name."""
        name = self.get("name")
        return Written(file, self.line, path or (self.tag if name is None else f"{self.tag} {name!r}"))


class _TooMuchError(Exception):
    def __init__(self, message: str, expected: str, line: int) -> None:
        super().__init__(message)
        self.message, self.expected, self.line = message, expected, line


def read_xml(path: str | Path) -> Element:
    """The root element of a file."""
    try:
        data = read_file(path, MOST_BYTES)
    except UnreadableFileError as error:
        raise DescriptionError([Problem(str(path), error.line, "", ABSENT, error.reason, "an XML file")]) from None
    return parse_xml(data, str(path))


def parse_xml(data: bytes | str, file: str = "<text>") -> Element:
    """The root element of a text; file: the name that messages use."""
    reading = _Reading()
    try:
        reading.parser.Parse(_forgiven(data), True)
    except expat.ExpatError as error:
        message, expected = _explain(data, error)
        raise DescriptionError([Problem(file, error.lineno, "", ABSENT, message, expected)]) from None
    except _TooMuchError as error:
        raise DescriptionError([Problem(file, error.line, "", ABSENT, error.message, error.expected)]) from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise DescriptionError([Problem(file, 1, "", ABSENT, f"not XML: {error}", "an XML file in UTF-8")]) from None
    assert reading.root is not None
    return reading.root


def _explain(data: bytes | str, error: expat.ExpatError) -> tuple[str, str]:
    """(why a text is no XML, what would mend it)."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if not raw.strip():
        return "the file is empty", "an XML file"
    if raw.startswith(b"version https://git-lfs"):
        return "a pointer of Git LFS in the place of the file", "the file itself: `git lfs pull`"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as wrong:
        if b"encoding" not in raw[:100] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            said = f"not XML in UTF-8: the byte 0x{raw[wrong.start]:02x} in column {error.offset + 1}"
            return said, 'a file saved as UTF-8, or its encoding in the first line: <?xml version="1.0" encoding="…"?>'
    return f"not XML: {expat.ErrorString(error.code)} in column {error.offset + 1}", "an XML file"


def _forgiven(data: bytes | str) -> bytes:
    """The text in which comments are blank and the declaration stands first; lines stay where they are."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    raw = re.sub(rb"\A(\s+)(<\?xml.*?\?>)", rb"\2\1", raw, flags=re.DOTALL)
    return re.sub(rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->", _blank_comment, raw, flags=re.DOTALL)


def _blank_comment(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return text if text.startswith(b"<![") else b"<!--" + b"\n" * text.count(b"\n") + b"-->"


class _Reading:
    def __init__(self) -> None:
        self.root: Element | None = None
        self.count = 0
        self._open: list[Element] = []
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        line = self.parser.CurrentLineNumber
        if self.count > MOST_ELEMENTS:
            raise _TooMuchError(f"more than {MOST_ELEMENTS} elements", "a smaller file", line)
        if len(self._open) >= MOST_DEPTH:
            raise _TooMuchError(f"elements nested more than {MOST_DEPTH} deep", "a flatter file", line)
        made = Element(tag, attributes, line)
        if self._open:
            self._open[-1].children.append(made)
        elif self.root is None:
            self.root = made
        self._open.append(made)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def _doctype(self, *_: object) -> None:
        message = "a document type declaration: entities of a file's own are not read"
        raise _TooMuchError(message, "the file without <!DOCTYPE …>", self.parser.CurrentLineNumber)


def number_fault(text: str) -> tuple[str, str]:
    """(why a text is no number that can be taken, what would be one)."""
    if number_in(text, math.inf) is not None and any(sign.isdigit() for sign in text):
        return "too large", f"a number of at most {LARGEST:g}"
    return "no number", "a finite number"


def number_in(text: str, largest: float = LARGEST) -> float | None:
    """A number in a text, as files write it; None where it is none, or beyond the largest."""
    plain = text.strip()
    try:
        if plain.isascii() and "_" not in plain:
            found = float(plain)
            return found if abs(found) <= largest else None
    except ValueError:
        pass
    return None
