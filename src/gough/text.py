"""Text from outside: files are read with care, and only characters that can be shown are let in.

Whatever a path leads to, the answer is the text or an UnreadableFileError: folders, pipes and devices are refused before
a byte is read, files beyond the limit before they fill the memory, other encodings with their line.
"""

import codecs
import csv
import errno
import io
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from gough.errors import MissingFileError, UnreadableFileError, UsageError

MOST_BYTES = 4_000_000
"""Of a description; the reader of YAML needs about a second for a megabyte of plain text."""
MOST_TABLE_BYTES = 256_000_000
"""Of a table of numbers."""
MOST_LINE = 20_000_000
"""Characters in a line of a table."""

MOST_ROWS = 2_000_000
"""Lines in a table."""

MOST_LABEL = 300
"""Characters in the name of a column."""

FEW, MOST_SHOWN = 6, 60
"""Entries and characters that a repr writes out."""

SPACES = "\t\n\r"
DIRECTIONS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\ufeff")
"""Marks that turn the order of what is shown, and the byte order mark."""
WRONG = {
    errno.ELOOP: "a link that leads to itself",
    errno.EACCES: "not readable by you",
    errno.EPERM: "not readable by you",
    errno.ENAMETOOLONG: "a name that is too long for a file",
    errno.ENOTDIR: "its folder is a file",
}
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
MARKS = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"))
MARKS += ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))


def read_text(path: str | Path, most: int = MOST_BYTES) -> str:
    """The text of a file, which is a regular one, of UTF-8 (with or without its mark), and not beyond `most` bytes."""
    data = read_file(path, most)
    _refuse_other_encodings(path, data[:4])
    if b"\0" in data:
        raise UnreadableFileError(
            path, "not a text file: it holds NUL bytes", data[: data.index(b"\0")].count(b"\n") + 1
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnreadableFileError(path, "not UTF-8 text; save it as UTF-8", line) from None


def read_lines(path: str | Path, most: int = MOST_TABLE_BYTES) -> Iterator[tuple[int, str]]:
    """(number from 1, text without its end) of each line of a file; as `read_text`, one line in memory at a time."""
    data = read_file(path, most)
    _refuse_other_encodings(path, data[:4])
    number = 0
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig")
    del data
    try:
        while line := lines.readline(MOST_LINE + 1):
            number += 1
            if number > MOST_ROWS:
                raise UnreadableFileError(path, f"more than {MOST_ROWS} lines; an .npz file may have them", number)
            if len(line) > MOST_LINE:
                raise UnreadableFileError(path, f"a line of more than {MOST_LINE} characters", number)
            if "\0" in line:
                raise UnreadableFileError(path, "not a text file: it holds NUL bytes", number)
            yield number, line.rstrip("\n")
    except UnicodeDecodeError:
        raise UnreadableFileError(path, "not UTF-8 text; save it as UTF-8", number + 1) from None


def cells(place: str, line: str) -> list[str]:
    """The cells of a line of a table; place: of the line, for messages."""
    try:
        return next(csv.reader([line]))
    except csv.Error as error:
        raise UsageError(f"{place}: {error}") from None


def number(place: str, cell: str) -> float:
    """A number of a table, also nan and inf; place: of the cell, for messages."""
    plain = cell.strip()
    try:
        if plain.isascii() and "_" not in plain:  # Python alone would read 1_0 and ١٠ as ten
            return float(plain)
    except ValueError:
        pass
    raise UsageError(f"{place}: {_cut(cell)!r} is not a number")


def check_columns(place: str, names: list[str]) -> None:
    """Refuse columns named twice, or by names that cannot be shown."""
    twice = sorted({name for name, count in Counter(names).items() if count > 1})
    if twice:
        raise UsageError(f"{place}: columns named twice: {', '.join(map(_cut, twice[:6]))}")
    for name in names:
        if (wrong := wrong_label(name)) is not None:
            raise UsageError(f"{place}: the column {_cut(name)!r}: {wrong}")


def wrong_count(place: str, found: int, names: list[str], line: str) -> UsageError:
    """The error of a line with too few or too many cells; commas that separate something else are told."""
    hint = "; cells are separated by commas, not by semicolons" if ";" in line else ""
    if not hint and found == 2 * len(names):
        hint = "; numbers have a decimal point, not a comma"
    return UsageError(f"{place}: {found} cells for {len(names)} columns{hint}")


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def read_file(path: str | Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most`; everything else is refused, unread."""
    with _name_path(path):
        # Without waiting: a pipe that nobody writes to would never open.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)
        raise _no_file(path, about.st_mode)
    with open(handle, "rb") as file, _name_path(path):
        if about.st_size > most:
            raise _too_large(path, about.st_size, most)
        data = file.read(most + 1)
    if len(data) > most:  # files of the kernel say that they are empty, and some grow while they are read
        raise _too_large(path, len(data), most)
    return data


def demand_file(path: str | Path) -> None:
    """Refuse a path that leads to no regular file, before a reader that waits for pipes opens it."""
    with _name_path(path):
        mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise _no_file(path, mode)


@contextmanager
def _name_path(path: str | Path) -> Iterator[None]:
    """What the system says of a path in the library's own error."""
    try:
        yield
    except UnreadableFileError:
        raise
    except FileNotFoundError:
        raise MissingFileError(path, "no such file") from None
    except ValueError:
        raise MissingFileError(path, "no such file: no name of a file holds NUL") from None
    except OSError as error:
        reason = "a folder, not a file" if os.path.isdir(path) else WRONG.get(error.errno or 0)
        raise UnreadableFileError(path, reason or (error.strerror or str(error)).lower()) from None


def _no_file(path: str | Path, mode: int) -> UnreadableFileError:
    return UnreadableFileError(path, f"{KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file")


def exists(path: str | Path) -> bool:
    """Whether something else than a folder stands at a path; a path that cannot be one leads to nothing."""
    try:
        return os.path.lexists(path) and not os.path.isdir(path)
    except (OSError, ValueError):
        return False


def unprintable(text: str) -> str | None:
    """The first character that no label, title or source may hold, as "U+001B"; None where all can be shown.

    Line ends and tabs are allowed here. What is refused drives terminals (escapes), turns the order of a line, is half a
    character, or ends lines of its own.
    """
    if text.isascii() and text.isprintable():
        return None
    for char in text:
        if char in DIRECTIONS or (char not in SPACES and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")):
            return f"U+{ord(char):04X}"
    return None


def wrong_label(name: Any) -> str | None:
    """Why a text cannot be the name of a column or channel, which stands in tables, figures and pages; None where it can."""
    if not isinstance(name, str) or not name.strip():
        return "a name is a text"
    bad = unprintable(name)
    if bad is not None or name != one_line(name):
        return (
            f"the character {bad}, which cannot be shown" if bad else "a name is one line, without blanks at its ends"
        )
    if name[0] in "=+-@":
        return f"a name that begins with {name[0]!r} is a formula to spreadsheets"
    return f"a name of {len(name)} characters; at most {MOST_LABEL}" if len(name) > MOST_LABEL else None


def unprintable_in(data: Any) -> str | None:
    """The first such character in any text or key of plain data."""
    waiting = [data]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str) and (bad := unprintable(entry)) is not None:
            return bad
        if isinstance(entry, dict):
            waiting += [*entry, *entry.values()]
        elif isinstance(entry, list | tuple):
            waiting += entry
    return None


def one_line(text: str) -> str:
    """A text as a label: runs of blanks and line ends are one space."""
    return " ".join(text.split())


def printable(text: str) -> str:
    """A text as it may be shown on a terminal: what cannot be shown is written as an escape, line ends stay."""
    if unprintable(text) is None:
        return text
    return "".join(c if unprintable(c) is None else c.encode("unicode_escape").decode() for c in text)


def short_repr(self: Any) -> str:
    """`__repr__` of a dataclass with arrays: a few lines at most, shapes in the place of many numbers."""
    shown = [f"{f.name}={show_entry(getattr(self, f.name))}" for f in fields(self) if f.repr]
    return f"{type(self).__name__}({', '.join(shown)})"


def show_entry(value: Any) -> str:
    """A value in a `__repr__`: short, of many numbers the shape."""
    shape = getattr(value, "shape", None)
    if shape == () and hasattr(value, "item"):
        return show_entry(value.item())
    if shape is not None:
        few = len(shape) == 1 and 0 < shape[0] <= FEW and hasattr(value, "tolist")
        return f"[{' '.join(show_entry(x) for x in value.tolist())}]" if few else f"array {shape}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple | set | frozenset | Mapping) and len(value) > 0:
        if (
            len(value) <= FEW
            and not isinstance(value, Mapping)
            and all(isinstance(x, str | int | float) for x in value)
        ):
            return f"({', '.join(map(show_entry, value))})"
        return f"{'dict' if isinstance(value, Mapping) else type(value).__name__} of {len(value)}"
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def _refuse_other_encodings(path: str | Path, start: bytes) -> None:
    for mark, name in MARKS:
        if start.startswith(mark):
            raise UnreadableFileError(path, f"{name} text; save it as UTF-8", 1)


def _too_large(path: str | Path, size: int, most: int) -> UnreadableFileError:
    return UnreadableFileError(path, f"{size / 1e6:.3g} MB; at most {most / 1e6:g} MB are read")
