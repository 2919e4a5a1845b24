"""A run as Parquet: a column for each entry, its unit in the field's metadata, the JSON text in the file's metadata."""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.contents import Contents, about_of

KEY = b"gough"


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet files need pyarrow: pip install 'gough[parquet]' (or pyarrow); .npz and .csv need nothing"
        ) from None
    return pyarrow, pyarrow.parquet


def write(file: BinaryIO, contents: Contents) -> None:
    """Columns of all groups; numbers come back bit by bit."""
    arrow, parquet = _pyarrow()
    arrays, fields = [], []
    for x, columns, units in contents.groups.values():
        for i, (name, unit) in enumerate(zip(columns, units, strict=True)):
            arrays.append(arrow.array(np.ascontiguousarray(x[:, i])))
            fields.append(arrow.field(name, arrays[-1].type, nullable=False, metadata={"unit": unit}))
    schema = arrow.schema(fields, metadata={KEY: json.dumps(contents.about).encode()})
    table = arrow.Table.from_arrays(arrays, schema=schema)
    parquet.write_table(table, file, write_page_checksum=True)


def read(path: Path) -> Contents:
    """What `write` wrote."""
    arrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(path, page_checksum_verification=True)
    except (arrow.ArrowException, OSError, ValueError, MemoryError) as problem:
        words = str(problem).split("\n")[0][:200]
        raise UsageError(f"{path} is not a Parquet file, or it is damaged: {words}") from problem
    text = (table.schema.metadata or {}).get(KEY)
    about = about_of(None if text is None else text.decode(), path)
    groups = {}
    for name, columns in about["columns"].items():
        lost = [c for c in columns if c not in table.column_names]
        if lost:
            raise UsageError(f"{path}: the columns {', '.join(lost[:6])} are missing")
        parts = [table.column(c).to_numpy() for c in columns]
        x = np.stack(parts, axis=1) if parts else np.zeros((table.num_rows, 0))
        groups[name] = (x, tuple(columns), tuple(about["units"][name]))
    return Contents(about, groups)
