"""Tables of text: any separator, comments, a header with or without units, decimal commas."""

import csv
import io
import re
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.identification.data.formats.table import LogTable, headed_table, is_unit, split_header
from gough.text import MOST_TABLE_BYTES, check_columns, number, read_text

SEPARATORS = (",", ";", "\t", "|")
COMMENTS = ("#", "%", "//")
UNITS = "units:"
DECIMAL_COMMAS = "; decimal commas? Then separate cells by semicolons, or write points"
MISSING = ("na", "n/a", "#n/a", "null", "none", "--")
"""Cells that say that there is no number: NaN, as empty ones."""
_STAMP = re.compile(
    r"\d{4}-\d\d?-\d\d?([T ]+\d\d?:\d\d(:\d\d([.,]\d+)?)?Z?)?|\d\d?[./]\d\d?[./]\d{4}|\d\d?:\d\d:\d\d([.,]\d+)?"
)


def read_csv_log(path: Path) -> LogTable:
    """The table of a text file; cells that are no numbers are named with their line."""
    text = read_text(path, MOST_TABLE_BYTES)
    head = list(_first_lines(text))
    if not head:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    data = next((i for i, (_, line) in enumerate(head) if not _comment(line) and _numeric(line)), None)
    if data is None:
        _refuse_stamps(path, head)
        raise UsageError(f"{path}: no line of numbers among its first {len(head)} lines")
    line = head[data][1]
    separator = _separator(line, [h for _, h in head[:data]])
    notes = []
    skipped = head[data][0] - 1
    comma = separator != "," and _has_commas(text, skipped)
    if comma:
        notes.append("numbers were written with decimal commas")
    width = len(_cells(line, separator))
    before = [(k, _cells(_bare(h), separator), _comment(h)) for k, h in head[:data]]
    names, units = _header(path, before, width, notes)
    values = _fast(text, skipped, separator, comma, width)
    if values is None:
        values = _slow(path, text, skipped, separator, comma, names)
    columns = dict(zip(names, values.T, strict=True))
    table = headed_table(str(path), columns, tuple(notes))
    if units is None:
        return table
    own = dict(zip((split_header(n)[0] for n in names), units, strict=True))
    return LogTable(
        table.file, table.columns, {n: u or own.get(n, "") for n, u in table.units.items()}, table.notes, table.also
    )


def _has_commas(text: str, skipped: int) -> bool:
    """Whether there is a comma in any line of numbers: the first may have whole ones alone."""
    lines = (line for k, line in enumerate(io.StringIO(text)) if k >= skipped and "," in line)
    return any(not _comment(line) for line in lines)


def _refuse_stamps(path: Path, head: list[tuple[int, str]]) -> None:
    """Name a date or a time of day, which is why there is no line of numbers."""
    for k, line in head:
        found = None if _comment(line) else _STAMP.search(line)
        if found:
            raise UsageError(
                f"{path}:{k}: {found[0]!r} is a date or a time of day; write times as seconds (or [ms], [us], [ns]) in a column "
                "of numbers, or leave that column out and give rate_hz="
            )


def _first_lines(text: str, most: int = 200) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of the first lines that are not empty."""
    for k, line in zip(range(1, most + 1), io.StringIO(text), strict=False):
        if line.strip():
            yield k, line.rstrip("\n")


def _comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENTS)


def _bare(line: str) -> str:
    return line.strip().lstrip("#%/").strip()


def _numeric(line: str) -> bool:
    """Whether a line is one of numbers: every cell one, or without one (NA), whatever separates them."""
    words = [w for w in line.replace(";", " ").replace("|", " ").replace("\t", " ").replace(",", " ").split() if w]
    known = [w for w in words if w.lower() not in MISSING]
    return bool(known) and all(_is_number(w) for w in known)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _separator(line: str, above: list[str]) -> str:
    """What separates the cells of a line of numbers; " " for blanks. A comma beside semicolons is a decimal one."""
    for mark in (";", "\t", "|"):
        if mark in line:
            return mark
    if "," in line:
        header = next((h for h in reversed(above) if not _comment(h)), "")
        blanks = (
            len(line.split()) > 1
            and "," not in header
            and all("," not in w.rstrip(",") or w[-1] != "," for w in line.split())
        )
        return " " if blanks and not any(w.endswith(",") for w in line.split()) else ","
    return " "


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


def _header(path: Path, before: list[tuple[int, list[str], bool]], width: int, notes: list[str]):
    """(names, units or None) from the lines above the numbers."""
    units = None
    candidates = [(k, cells, remark) for k, cells, remark in before if len(cells) == width]
    for _, cells, remark in before:
        if remark and cells and cells[0].lower().startswith(UNITS):
            told = [cells[0][len(UNITS) :].strip(), *cells[1:]]
            units = told if len(told) == width else None
    candidates = [c for c in candidates if not c[1][0].lower().startswith((UNITS, "about:"))]
    if candidates and len(candidates) > 1 and all(is_unit(cell) for cell in candidates[-1][1]):
        units = [cell.strip("[]()") for cell in candidates.pop()[1]]
    plain = [c for c in candidates if not c[2]] or candidates
    if len(plain) > 1:
        _refuse_no_header(path, plain[-1][0], plain[-1][1], plain[-2][1])
    if not plain:
        wrong = [f"line {k} has {len(cells)} cells" for k, cells, remark in before if not remark]
        if wrong:
            hint = DECIMAL_COMMAS if width in {2 * len(c) - k for _, c, _ in before for k in (0, 1)} else ""
            raise UsageError(f"{path}: {wrong[-1]} and the numbers below it {width}; a header names every column{hint}")
        notes.append(f"no header: columns are called 0 … {width - 1}")
        return [str(i) for i in range(width)], units
    k, names, _ = plain[-1]
    names = [name.strip('"') or f"column {i}" for i, name in enumerate(names)]
    check_columns(f"{path}:{k}", names)
    return names, units


def _refuse_no_header(path: Path, k: int, cells: list[str], above: list[str]) -> None:
    """Name what is wrong in line k, which stands below a header and is a line of units or numbers but for some cells."""
    pairs = list(zip(above, cells, strict=True))
    if any(_is_number(cell) for cell in cells) and not any(_is_number(cell) for cell in above):
        for name, cell in pairs:
            if not _is_number(cell) and cell.lower() not in MISSING:
                raise UsageError(f"{path}:{k}: {name}: {cell!r} is not a number; correct or remove this line")
    if 2 * sum(bool(cell) and is_unit(cell) for cell in cells) > len(cells):
        for name, cell in pairs:
            if not is_unit(cell):
                raise UsageError(
                    f"{path}:{k}: {name}: {cell!r} is no unit, in a line of units; leave that cell empty, and say its unit or "
                    "gain: in columns="
                )


def _fast(text: str, skipped: int, separator: str, comma: bool, width: int) -> np.ndarray | None:
    """All numbers (n, width) by NumPy's reader; None where it does not understand a cell."""
    given = io.StringIO(text.replace(",", ".") if comma else text)
    try:
        mark = None if separator == " " else separator
        values = np.loadtxt(given, delimiter=mark, comments=list(COMMENTS), skiprows=skipped, ndmin=2)
    except ValueError:
        return None
    return values if values.shape[1] == width else None


def _slow(path: Path, text: str, skipped: int, separator: str, comma: bool, names: list[str]) -> np.ndarray:
    """The same cell by cell: empty ones are NaN, others that are no numbers are named, all at once."""
    rows, wrong = array("d"), []
    for k, line in enumerate(io.StringIO(text), 1):
        if k <= skipped or not line.strip() or _comment(line):
            continue
        cells = _cells(line.rstrip("\n"), separator)
        if len(cells) != len(names):
            hint = DECIMAL_COMMAS if separator == "," and len(cells) > len(names) else ""
            wrong.append(f"{path}:{k}: {len(cells)} cells for {len(names)} columns{hint}")
        else:
            for name, cell in zip(names, cells, strict=True):
                try:
                    rows.append(
                        number(f"{path}:{k}: {name}", cell.replace(",", ".") if comma else cell)
                        if cell and cell.lower() not in MISSING
                        else np.nan
                    )
                except UsageError as problem:
                    wrong.append(str(problem))
        if len(wrong) > 20:
            break
    if wrong:
        raise UsageError("\n".join([f"{path}: cells that cannot be read; correct or remove these lines", *wrong]))
    return np.frombuffer(rows).reshape(-1, len(names))
