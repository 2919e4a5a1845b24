"""A run as CSV: a header of names, a line of units, the JSON text, then a state a row.

Lines after the header that start with # are comments to `gough eval` and to most readers. Numbers read back the same.
A table without these lines can be read where a model is named: see `run_of_columns`.
"""

import csv
import io
import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.contents import Contents, about_of
from gough.text import cells, check_columns, number, read_lines, wrong_count

UNITS, ABOUT = "# units: ", "# about: "


def write(file: BinaryIO, contents: Contents) -> None:
    """Columns of all groups."""
    groups = contents.groups.values()
    file.write(_line([c for _, columns, _ in groups for c in columns]))
    file.write(UNITS.encode() + _line([u for _, _, units in groups for u in units]))
    file.write(f"{ABOUT}{json.dumps(contents.about)}\n".encode())
    whole = np.concatenate([np.asarray(x, dtype=float) for x, _, _ in groups], axis=1)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in whole.tolist():
        writer.writerow([repr(x) for x in row])
    file.write(text.getvalue().encode())


def _line(cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def read(path: Path) -> Contents:
    """What `write` wrote; a plain table gives groups of its columns and no word about them."""
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    header = [name.strip() for name in cells(f"{path}:1", first[1].lstrip("# "))]
    check_columns(f"{path}:1", header)
    about, table = _rest(path, lines, header)
    columns = dict(zip(header, table.T, strict=True))
    if about is None:
        return Contents({}, {name: (x[:, None], (name,), ("",)) for name, x in columns.items()})
    told = about_of(about, path)
    groups: dict[str, Any] = {}
    for name, entries in told["columns"].items():
        lost = [c for c in entries if c not in columns]
        if lost:
            raise UsageError(f"{path}: the columns {', '.join(lost[:6])} are missing")
        x = np.stack([columns[c] for c in entries], axis=1) if entries else np.zeros((len(table), 0))
        groups[name] = (x, tuple(entries), tuple(told["units"][name]))
    return Contents(told, groups)


def _rest(path: Path, lines: Iterator[tuple[int, str]], header: list[str]) -> tuple[str | None, np.ndarray]:
    """(the JSON text, numbers (n, columns)) of the lines after the first."""
    about, rows = None, array("d")
    for k, line in lines:
        if about is None and k <= 4 and line.startswith(ABOUT):
            about = line.removeprefix(ABOUT)
        if not line.strip() or line.startswith("#"):
            continue
        found = cells(f"{path}:{k}", line)
        if len(found) != len(header):
            raise wrong_count(f"{path}:{k}", len(found), header, line)
        rows.extend(number(f"{path}:{k}", cell) if cell.strip() else np.nan for cell in found)
    if not rows:
        raise UsageError(f"{path}: no states")
    return about, np.frombuffer(rows).reshape(-1, len(header))
