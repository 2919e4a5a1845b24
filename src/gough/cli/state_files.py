"""Files of states: NPZ with arrays, CSV with one state a row; in and out."""

import csv
import io
from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.files import npz, read_npz, write_file

Table = dict[str, np.ndarray]
TEXT = "problem"
"""The one column of texts in a result; it is not read."""


def read_table(path: Path) -> Table:
    """Named arrays of an .npz file, or named columns (n,) of a .csv file."""
    if path.suffix == ".npz":
        return _read_npz(path)
    if path.suffix == ".csv":
        return _read_csv(path)
    raise UsageError(f"{path}: the name of a file of states ends in .npz or .csv")


def _read_npz(path: Path) -> Table:
    arrays = read_npz(path, "an .npz file of numbers")
    try:
        return {name: np.asarray(x, dtype=float) for name, x in arrays.items() if name != TEXT}
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: not an .npz file of numbers ({error})") from None


def _read_csv(path: Path) -> Table:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    kept = [(i + 1, line) for i, line in enumerate(lines) if line.strip() and (i == 0 or not line.startswith("#"))]
    if not kept:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    header = [name.strip() for name in next(csv.reader([kept[0][1].lstrip("# ")]))]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise UsageError(f"{path}:{kept[0][0]}: columns named twice: {', '.join(repeated)}")
    body = kept[1:]
    try:
        text = io.StringIO("\n".join(line for _, line in body))
        rows = np.loadtxt(text, delimiter=",", ndmin=2) if body else np.zeros((0, len(header)))
        fits = rows.shape == (len(body), len(header))
    except ValueError:
        fits, rows = False, np.zeros((0, 0))
    if not fits:
        rows = np.array([_numbers(path, number, line, header) for number, line in body])
    return {name: rows[:, i] for i, name in enumerate(header) if name != TEXT}


def _numbers(path: Path, number: int, line: str, header: list[str]) -> list[float]:
    cells = next(csv.reader([line]))
    if len(cells) != len(header):
        raise UsageError(f"{path}:{number}: {len(cells)} cells for {len(header)} columns")
    values = []
    for name, cell in zip(header, cells, strict=True):
        try:
            known = cell.strip() and name != TEXT
            values.append(float(cell) if known else np.nan)  # an empty cell is a number nobody knows
        except ValueError:
            raise UsageError(f"{path}:{number}: column {name}: {cell!r} is not a number") from None
    return values


def write_table(path: Path, arrays: Table, columns: dict[str, list[str]]) -> None:
    """Write arrays (n, …) as they are (.npz) or as columns (.csv); `columns` names the entries of each array."""
    if path.suffix == ".npz":
        write_file(path, npz(arrays, compressed=False))
    elif path.suffix == ".csv":
        write_file(path, csv_text(arrays, columns))
    else:
        raise UsageError(f"{path}: the name of a result file ends in .npz or .csv")


def csv_text(arrays: Table, columns: dict[str, list[str]]) -> str:
    """Arrays (n, …) as CSV; numbers are written so that they read back the same."""
    n = len(next(iter(arrays.values())))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for key in arrays for name in columns[key]])
    cells = [arrays[key].reshape(n, len(columns[key])).tolist() for key in arrays]
    for row in zip(*cells, strict=True):
        writer.writerow([entry for part in row for entry in part])
    return out.getvalue()
