"""MAT files of MATLAB up to v7; those of v7.3 are HDF5 and are refused with the remedy."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.identification.data.formats.table import LogTable, headed_table
from gough.text import demand_file


def read_mat_log(path: Path) -> LogTable:
    """Every numeric variable as a column, matrices as NAME[0] …, structures as NAME.FIELD; of the length most of them have."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    demand_file(path)
    with open(path, "rb") as file:
        start = file.read(128)
    if start[:19] == b"MATLAB 7.3 MAT-file" or start[1:4] == b"HDF":
        raise UsageError(
            f"{path} is a MAT file of v7.3, which is HDF5; save it again by save('{path.name}', '-v7'), or read it with h5py and "
            "make a gough.Record of its arrays"
        )
    try:
        found = loadmat(path, squeeze_me=True, struct_as_record=True, chars_as_strings=True)
    except (MatReadError, ValueError, TypeError, NotImplementedError, OSError, EOFError) as problem:
        raise UsageError(f"{path} is not a MAT file, or it is damaged: {problem}") from None
    columns: dict[str, np.ndarray] = {}
    left: dict[str, str] = {}
    for name, value in found.items():
        if not name.startswith("__"):
            for part, x in _flat(name, value):
                columns |= {} if isinstance(x, str) else {part: x}
                left |= {part: x} if isinstance(x, str) else {}
    if not columns:
        raise UsageError(
            f"{path}: no numeric arrays; there are {', '.join(n for n in found if not n.startswith('__'))}"
        )
    lengths = [len(x) for x in columns.values()]
    n = max(set(lengths), key=lambda k: (lengths.count(k), k))
    left |= {name: f"{len(x)} rows, others have {n}" for name, x in columns.items() if len(x) != n}
    made = headed_table(str(path), {name: x for name, x in columns.items() if len(x) == n})
    made = replace(made, left_out=left)
    return replace(made, notes=(made.say_left_out(),)) if left else made


def _flat(name: str, value: Any) -> Iterator[tuple[str, np.ndarray | str]]:
    """Columns of one variable, or why it is none."""
    x = np.asarray(value)
    if x.dtype.names:
        for field in x.dtype.names if x.ndim == 0 else ():
            yield from _flat(f"{name}.{field}", x[field].item() if x[field].dtype == object else x[field])
    elif x.dtype.kind in "fiub" and x.ndim == 1 and len(x) > 1:
        yield name, x.astype(float)
    elif x.dtype.kind in "fiub" and x.ndim == 2:
        rows = x if x.shape[0] >= x.shape[1] else x.T
        for k in range(rows.shape[1]):
            yield f"{name}[{k}]", rows[:, k].astype(float)
    elif x.dtype.kind == "c":
        yield name, "complex numbers"
    elif x.dtype.kind in "US":
        yield name, "text"
    elif x.dtype.kind in "fiub":
        yield name, "a single number" if x.size == 1 else f"an array of shape {x.shape}"
    else:
        yield name, "no array of numbers"
