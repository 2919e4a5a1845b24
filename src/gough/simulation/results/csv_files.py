"""A run as CSV: a header of names, a line of units, the JSON text, then a state a row.

Lines after the header that start with # are comments to `gough eval` and to most readers. Numbers read back the same.
A table without these lines can be read where a model is named: see `run_of_columns`.
"""

import csv
import io
import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.files import Contents, about_of

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
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a CSV file") from None
    if not lines:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    header = [name.strip() for name in next(csv.reader([lines[0].lstrip("# ")]))]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise UsageError(f"{path}:1: columns named twice: {', '.join(twice)}")
    about = next((line.removeprefix(ABOUT) for line in lines[1:4] if line.startswith(ABOUT)), None)
    columns = dict(zip(header, _numbers(path, lines, len(header)).T, strict=True))
    if about is None:
        return Contents({}, {name: (x[:, None], (name,), ("",)) for name, x in columns.items()})
    told = about_of(about, path)
    groups: dict[str, Any] = {}
    for name, entries in told["columns"].items():
        lost = [c for c in entries if c not in columns]
        if lost:
            raise UsageError(f"{path}: the columns {', '.join(lost[:6])} are missing")
        x = np.stack([columns[c] for c in entries], axis=1) if entries else np.zeros((len(lines), 0))
        groups[name] = (x, tuple(entries), tuple(told["units"][name]))
    return Contents(told, groups)


def _numbers(path: Path, lines: list[str], width: int) -> np.ndarray:
    body = [(i + 1, line) for i, line in enumerate(lines) if i and line.strip() and not line.startswith("#")]
    rows = []
    for number, line in body:
        cells = next(csv.reader([line]))
        if len(cells) != width:
            raise UsageError(f"{path}:{number}: {len(cells)} cells for {width} columns")
        try:
            rows.append([float(cell) if cell.strip() else np.nan for cell in cells])
        except ValueError as error:
            raise UsageError(f"{path}:{number}: {error}") from None
    if not rows:
        raise UsageError(f"{path}: no states")
    return np.array(rows)
