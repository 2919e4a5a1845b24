"""Files of states: NPZ with arrays, CSV with one state a row; in and out."""

import csv
import io
import itertools
from array import array
from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.files import npz, read_npz, write_file
from gough.text import cells, check_columns, demand_file, number, printable, read_lines, wrong_count, wrong_label

OF_RUN = '# about: {"kind": "gough run"'
"""How the third line of a run's .csv file begins."""
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
    demand_file(path)
    arrays = read_npz(path, "an .npz file of numbers")
    arrays.pop(TEXT, None)
    wrong = [name for name, x in arrays.items() if x.dtype.kind not in "fiub" or wrong_label(name) is not None]
    if wrong:
        raise UsageError(f"{path}: {printable(wrong[0])!r} is no array of real numbers with a name that can be shown")
    return {name: x.astype(float) for name, x in arrays.items()}


def _read_csv(path: Path) -> Table:
    lines = ((k, line) for k, line in read_lines(path) if line.strip() and (k == 1 or not line.startswith("#")))
    first, head = next(lines, (0, ""))
    if not first:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    header = [name.strip() for name in cells(f"{path}:{first}", head.lstrip("# "))]
    check_columns(f"{path}:{first}", header)
    rows = array("d")
    for k, line in lines:
        found = cells(f"{path}:{k}", line)
        if len(found) != len(header):
            raise wrong_count(f"{path}:{k}", len(found), header, line)
        for name, cell in zip(header, found, strict=True):
            known = cell.strip() and name != TEXT  # an empty cell is a number nobody knows
            rows.append(number(f"{path}:{k}: column {name}", cell) if known else np.nan)
    table = np.frombuffer(rows).reshape(-1, len(header)) if rows else np.zeros((0, len(header)))
    return {name: table[:, i] for i, name in enumerate(header) if name != TEXT}


def is_run(path: Path) -> bool:
    """Whether a .csv file is one that a run was written to: it says so below its header."""
    if path.suffix != ".csv":
        return False
    return any(line.startswith(OF_RUN) for _, line in itertools.islice(read_lines(path), 3))


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
