"""What can be wrong with a description: problems, the error that carries them, warnings."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gough.errors import GoughError
from gough.text import printable

MOST_TEXT = 600
"""Characters of a problem's path and of its message that are shown."""
MOST_SHOWN = 100
"""Problems that the text of an error has; `problems` holds all."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a description.

    file and line say where it is written (line counts from 1, None when unknown), path is the place inside the
    document (`templates.ups.chain[1].drive.viscous`), value is what was found and expected what should be there; example is how
    the like of it is written.
    """

    file: str
    line: int | None
    path: str
    value: Any
    message: str
    expected: str = ""
    example: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        known = (
            _got(self.value),
            self.expected and f"expected {self.expected}",
            self.example and f"for instance {self.example}",
        )
        parts = [part for part in known if part]
        detail = f" ({'; '.join(parts)})" if parts else ""
        path, message = (cut_middle(text, MOST_TEXT) for text in (self.path or "document", self.message))
        return printable(f"{place}: {path}: {message}{detail}")


class DescriptionError(GoughError, ValueError):
    """A description that cannot be used; `problems` holds everything that is wrong with it, not only the first."""

    def __init__(self, problems: list[Problem]):
        self.problems = list(problems)
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        more = len(self.problems) - len(lines)
        super().__init__("\n".join([*lines, *([f"… and {more} more problems"] if more else [])]))

    def __reduce__(self):
        return (type(self), (self.problems,))


class UnphysicalInertiaWarning(UserWarning):
    """A body whose inertia no distribution of mass can have; the models are computed with it all the same."""


class _Absent:
    """The value of a key that is not there."""

    def __repr__(self) -> str:
        return "absent"

    def __reduce__(self):
        return "ABSENT"


ABSENT = _Absent()


def _got(value: Any) -> str:
    if value is ABSENT:
        return ""
    return f"got {short(value)}"


def cut_middle(text: str, most: int) -> str:
    """A text without its middle where it is longer than `most`."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def short(value: Any, most: int = 80) -> str:
    """The repr of plain data, cut to a length; a long value is never written out whole."""
    text = "".join(islice(_pieces(value), most + 1))
    return text if len(text) <= most else text[: most - 3] + "..."


def _pieces(value: Any) -> Iterator[str]:
    """The repr of plain data in small pieces, made as they are asked for."""
    if isinstance(value, dict):
        for index, (key, entry) in enumerate(value.items()):
            yield ", " if index else "{"
            yield from _pieces(key)
            yield ": "
            yield from _pieces(entry)
        yield "}" if value else "{}"
    elif isinstance(value, list | tuple):
        yield "[" if isinstance(value, list) else "("
        for index, entry in enumerate(value):
            yield from ([", "] if index else [])
            yield from _pieces(entry)
        yield "]" if isinstance(value, list) else ",)" if len(value) == 1 else ")"
    elif isinstance(value, str | bytes):
        yield repr(value[:200])
    elif isinstance(value, int) and abs(value) > 10**300:
        yield f"an integer of {value.bit_length() * 0.30103:.0f} digits"
    else:
        yield repr(value)
