"""Parquet files, through pyarrow; the unit of a column from its field's metadata, else from its name."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from gough.errors import UsageError
from gough.identification.data.formats.table import LogTable, headed_table
from gough.text import demand_file


def read_parquet_log(path: Path) -> LogTable:
    """Every numeric column; times with a date in seconds since the first."""
    try:
        import pyarrow  # pyright: ignore[reportMissingImports]
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]
        import pyarrow.types as kinds  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError("Parquet files need pyarrow: pip install 'gough[identify]' (or pyarrow)") from None
    demand_file(path)
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as problem:
        raise UsageError(
            f"{path} is not a Parquet file, or it is damaged: {str(problem).splitlines()[0][:200]}"
        ) from None
    columns, told, left, notes = {}, {}, {}, []
    for field in table.schema:
        column = table.column(field.name)
        if kinds.is_timestamp(field.type) or kinds.is_duration(field.type):
            ticks = column.to_numpy().astype(np.int64)
            per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[field.type.unit]
            columns[field.name], told[field.name] = (ticks - ticks[:1]) / per_second, "s"
            notes.append(f"{field.name}: a date, read as seconds since the first")
        elif kinds.is_integer(field.type) or kinds.is_floating(field.type):
            columns[field.name] = column.to_numpy().astype(float)
            unit = (field.metadata or {}).get(b"unit", b"").decode()
            told |= {field.name: unit} if unit else {}
        else:
            left[field.name] = (
                "text" if kinds.is_string(field.type) or kinds.is_large_string(field.type) else str(field.type)
            )
    made = headed_table(str(path), columns, tuple(notes))
    units = {name: unit or told.get(name, "") for name, unit in made.units.items()}
    out = replace(made, units=units, left_out=left)
    return replace(out, notes=(*out.notes, out.say_left_out())) if left else out
