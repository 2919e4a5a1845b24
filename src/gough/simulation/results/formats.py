"""Files of runs: what they hold whatever their format, how each format is written and read, and what is wrong with files that
were cut, changed or written by something else, instead of a crash later.

NPZ      an array for each group, and the JSON text `about`. Numbers come back bit by bit.
Parquet  a column for each entry, its unit in the field's metadata, the JSON text in the file's metadata. Bit by bit.
CSV      a header of names, a line of units, the JSON text, then a state a row. Lines after the header that start with # are
         comments to `gough eval` and to most readers. Numbers read back the same. A table without these lines can be read where
         a model is named: see `run_of_columns`.
"""

import csv
import io
import json
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.errors import GoughError, UsageError
from gough.files import npz, read_npz
from gough.text import cells, check_columns, number, read_lines, unprintable_in, wrong_count

Array = np.ndarray
KIND, FORMAT = "gough run", 1
KEY = b"gough"
UNITS, ABOUT = "# units: ", "# about: "
REMEDY = "simulate again, or take another copy of it"


@dataclass
class Contents:
    """What a file holds: groups {name: (array (n, k), columns, units)} in order, and the JSON document."""

    about: dict[str, Any]
    groups: dict[str, tuple[Array, tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)


def about_of(text: str | None, path: Path) -> dict[str, Any]:
    """The JSON document of a file; other files and newer formats are refused."""
    try:
        about = json.loads(text) if text is not None else {}
    except (ValueError, RecursionError):
        about = {}
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise UsageError(f"{path} is not the file of a run (written by Run.save)")
    bad = unprintable_in(about)
    if bad is not None:
        raise UsageError(f"{path} is damaged: a text in it has the character {bad}, which cannot be shown")
    if not isinstance(about.get("format"), int) or about["format"] > FORMAT:
        raise UsageError(f"{path} was written by a newer gough (format {about.get('format')}); this one reads {FORMAT}")
    return about


def _of_columns(about: dict[str, Any], columns: Mapping[str, Array], n: int, path: Path) -> Contents:
    """Contents from single columns (n,) by name."""
    groups = {}
    for name, entries in about["columns"].items():
        lost = [c for c in entries if c not in columns]
        if lost:
            raise UsageError(f"{path}: the columns {', '.join(lost[:6])} are missing")
        x = np.stack([columns[c] for c in entries], axis=1) if entries else np.zeros((n, 0))
        groups[name] = (x, tuple(entries), tuple(about["units"][name]))
    return Contents(about, groups)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Whatever a file's document lacks or has of a wrong kind is told as damage of the file."""
    try:
        yield
    except GoughError as error:
        if str(path) in str(error):
            raise
        raise UsageError(f"{path} is damaged: {error}; {REMEDY}") from error
    except KeyError as error:
        raise UsageError(f"{path} is damaged: it says nothing of {error}; {REMEDY}") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise UsageError(f"{path} is damaged: what it says of itself cannot be read ({error}); {REMEDY}") from error


def demand_whole(contents: Contents, path: Path) -> None:
    """Refuse arrays that do not go with each other or with their names, and times that are none."""
    about, groups = contents.about, contents.groups
    for name in ("t", "q", "v"):
        if name not in groups:
            raise UsageError(f"{path} is damaged: the array {name} is missing; {REMEDY}")
    n = len(groups["t"][0])
    told = about.get("states", n)  # files of before do not say it
    if n != told:
        raise UsageError(f"{path} is damaged: it has {n} states of the {told} it was written with; {REMEDY}")
    widths = _widths(about["layout"])
    for name, (x, columns, units) in groups.items():
        array = np.asarray(x)
        if array.dtype.kind not in "fiub":
            raise UsageError(f"{path} is damaged: {name} holds no numbers ({array.dtype}); {REMEDY}")
        width = widths.get(name, len(columns))
        if array.shape != (n, width) or len(columns) != width or len(units) != width:
            raise UsageError(
                f"{path} is damaged: {name} has shape {array.shape} for {n} states and {width} columns; {REMEDY}"
            )
    time = np.asarray(groups["t"][0])[:, 0]
    bad = np.flatnonzero(~np.isfinite(time))
    if len(bad):
        raise UsageError(f"{path} is damaged: the time of state {bad[0]} is {time[bad[0]]}; {REMEDY}")
    back = np.flatnonzero(np.diff(time) < 0)
    if len(back):
        i = int(back[0])
        raise UsageError(
            f"{path} is damaged: time goes back from {time[i]:g} s (state {i}) to {time[i + 1]:g} s; {REMEDY}"
        )


def _widths(layout: Mapping[str, Any]) -> dict[str, int]:
    """Columns of the groups whose number the robot decides."""
    drives = len(layout["drive_names"])
    return {"t": 1, "q": len(layout["q_names"]), "v": len(layout["v_names"])} | ({"tau": drives} if drives else {})


def write_run_npz(file: BinaryIO, contents: Contents) -> None:
    """All groups, compressed; numbers come back bit by bit."""
    arrays = {name: x for name, (x, _, _) in contents.groups.items()}
    npz({"about": np.array(json.dumps(contents.about)), **arrays})(file)


def read_run_npz(path: Path) -> Contents:
    """What `write_run_npz` wrote."""
    arrays = read_npz(path, "the file of a run (NPZ written by Run.save)")
    about = about_of(str(arrays["about"]) if "about" in arrays else None, path)
    lost = [name for name in about["columns"] if name not in arrays]
    if lost:
        raise UsageError(f"{path}: the arrays {', '.join(lost)} are missing")
    return Contents(about, {n: (arrays[n], tuple(c), tuple(about["units"][n])) for n, c in about["columns"].items()})


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet files need pyarrow: pip install 'gough[parquet]' (or pyarrow); .npz and .csv need nothing"
        ) from None
    return pyarrow, pyarrow.parquet


def write_parquet(file: BinaryIO, contents: Contents) -> None:
    """Columns of all groups; numbers come back bit by bit."""
    arrow, parquet = _pyarrow()
    arrays, fields = [], []
    for x, columns, units in contents.groups.values():
        for i, (name, unit) in enumerate(zip(columns, units, strict=True)):
            arrays.append(arrow.array(np.ascontiguousarray(x[:, i])))
            fields.append(arrow.field(name, arrays[-1].type, nullable=False, metadata={"unit": unit}))
    schema = arrow.schema(fields, metadata={KEY: json.dumps(contents.about).encode()})
    table = arrow.Table.from_arrays(arrays, schema=schema)
    parquet.write_table(table, file, write_page_checksum=True, use_dictionary=False)  # dictionaries have no checksum


def read_parquet(path: Path) -> Contents:
    """What `write_parquet` wrote."""
    arrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(path, page_checksum_verification=True)
    except (arrow.ArrowException, OSError, ValueError, MemoryError) as problem:
        words = str(problem).split("\n")[0][:200]
        raise UsageError(f"{path} is not a Parquet file, or it is damaged: {words}") from problem
    text = (table.schema.metadata or {}).get(KEY)
    about = about_of(None if text is None else text.decode(), path)
    wanted = [c for columns in about["columns"].values() for c in columns if c in table.column_names]
    return _of_columns(about, {c: table.column(c).to_numpy() for c in wanted}, table.num_rows, path)


def write_csv(file: BinaryIO, contents: Contents) -> None:
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


def read_csv(path: Path) -> Contents:
    """What `write_csv` wrote; a plain table gives groups of its columns and no word about them."""
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
    return _of_columns(about_of(about, path), columns, len(table), path)


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


FORMATS: dict[str, tuple[Callable[[BinaryIO, Contents], None], Callable[[Path], Contents]]] = {
    ".npz": (write_run_npz, read_run_npz),
    ".parquet": (write_parquet, read_parquet),
    ".csv": (write_csv, read_csv),
}
"""(writer, reader) by the end of a file's name."""
SUFFIXES = tuple(FORMATS)
