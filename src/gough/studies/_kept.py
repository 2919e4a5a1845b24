"""Designs that a run kept: in its folder where it has one, part after part, else in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.distribution import PartFolder
from gough.files import write_file
from gough.studies.study.evaluation import Evaluated

KEPT = ("x", "values", "constraints", "violation")
"""Arrays of a part."""
ROWS = 2**13
"""Of a group of a table that is written."""
Columns = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class KeptDesigns:
    """numbers: of the parts of a folder; held: designs in memory, where there is none."""

    store: PartFolder | None
    numbers: tuple[int, ...] = ()
    held: tuple[Evaluated, ...] = ()

    def parts(self) -> Iterator[Evaluated]:
        """One after the other; of a folder no more than one is in memory."""
        if self.store is None:
            yield from self.held
            return
        for k in self.numbers:
            found = self.store.arrays(k, KEPT)
            yield Evaluated(*(found[name] for name in KEPT))

    def join(self) -> Evaluated:
        """All of them in memory."""
        return Evaluated.join(list(self.parts()))


def write_tables(target: Path, name: str, parts: Iterator[Columns]) -> list[Path]:
    """NAME.csv, and NAME.parquet where pyarrow is installed, of columns by name that come part after part (one at least); no
    more than some of them are in memory."""
    groups = _grouped(parts)
    try:
        import pyarrow  # pyright: ignore[reportMissingImports]
        import pyarrow.parquet as parquet  # pyright: ignore[reportMissingImports]
    except ImportError:
        return [write_file(target / f"{name}.csv", lambda file: _write_csv(file, groups, None))]
    made: list[Path] = []

    def write_both(file: BinaryIO) -> None:
        first = next(groups)
        schema = pyarrow.schema([(key, pyarrow.float64()) for key in first])

        def content(second: BinaryIO) -> None:
            with parquet.ParquetWriter(second, schema) as table:

                def add(columns: Columns) -> None:
                    table.write_table(pyarrow.table({key: pyarrow.array(x) for key, x in columns.items()}, schema))

                add(first)
                _write_csv(file, groups, add, first)

        made.append(write_file(target / f"{name}.parquet", content))

    return [write_file(target / f"{name}.csv", write_both), *made]


def _grouped(parts: Iterator[Columns]) -> Iterator[Columns]:
    """The same rows, ROWS and more at a time but for the last; one group at least."""
    waiting: list[Columns] = []
    for part in parts:
        waiting.append(part)
        if sum(len(x["violation"]) for x in waiting) >= ROWS:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Columns]) -> Columns:
    return {key: np.concatenate([x[key] for x in parts]) for key in parts[0]}


def _write_csv(file: BinaryIO, groups: Iterator[Columns], also: Any, first: Columns | None = None) -> None:
    first = next(groups) if first is None else first
    file.write((",".join(_quoted(key) for key in first) + "\n").encode())
    _write_rows(file, first)
    for columns in groups:
        _write_rows(file, columns)
        if also is not None:
            also(columns)


def _write_rows(file: BinaryIO, columns: Columns) -> None:
    for row in zip(*(x.tolist() for x in columns.values()), strict=True):
        file.write((",".join(map(repr, row)) + "\n").encode())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if {*name} & {",", '"'} else name
