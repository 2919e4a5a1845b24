"""Logs become records: CSV, Parquet, MAT, ROS bags, and files of simulated runs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import Kind, a_model, checked, flag, number, path, word, words
from gough.errors import UsageError
from gough.identification.data._checking import find_problems
from gough.identification.data._columns import WRENCH, ColumnUse, read_columns
from gough.identification.data._matching import match_columns
from gough.identification.data._problems import DataProblem, check_accepted, demand_none
from gough.identification.data.formats.bags import read_bag_log
from gough.identification.data.formats.csv import read_csv_log
from gough.identification.data.formats.mat import read_mat_log
from gough.identification.data.formats.parquet import read_parquet_log
from gough.identification.data.formats.table import LogTable
from gough.identification.data.record import Record
from gough.robot.item import nearest
from gough.structure.layout import POSE_NAMES

if TYPE_CHECKING:
    from gough.model import Model

TEXTS = (".csv", ".tsv", ".txt", ".dat", ".log", ".asc")
BAGS = (".bag", ".db3", ".mcap")
ALL = ".csv .tsv .txt .parquet .mat .npz (a run), .bag .db3 .mcap or a folder (ROS)"
ALIKE = 0.02
"""Relative difference of sampling rates that are one."""


def _take_map(value: Any) -> dict[str, Any]:
    """Columns of a file without a header may be numbers: {0: "time"}."""
    if not isinstance(value, Mapping) or not all(isinstance(k, str | int) and not isinstance(k, bool) for k in value):
        raise TypeError(value)
    return {str(key): entry for key, entry in value.items()}


a_column_map = Kind("a mapping {name: …}", _take_map)


@checked(
    path=path, model=a_model, columns=a_column_map | path, rate_hz=number(above=0), accept=words, name=word, check=flag
)
def read_record(
    path: str | Path,
    model: "Model",
    columns: Mapping[str, Any] | Mapping[int, Any] | str | Path | None = None,
    *,
    rate_hz: float | None = None,
    accept: Any = (),
    name: str = "",
    check: bool = True,
) -> Record:
    """A log of this robot as a record, in SI units.

    columns: a column map, {column: meaning} or the path of a YAML file; columns that it does not name are left out. Without one,
    columns are matched by their names where these mean one thing alone, and `record.notes` says what was taken for what. rate_hz:
    of sampling, for logs without a column of time. accept: kinds of problems that are known and meant ("gap", "constant", …).
    check: False reads a log whatever its numbers are. Everything that is wrong is told in one BadDataError.
    """
    check_accepted(accept)
    file = Path(path)
    if file.suffix == ".npz" or (file.suffix.lower() == ".parquet" and columns is None and _is_run(file)):
        from gough.simulation.results.run import Run

        record = Record.from_run(Run.load(file, model), name or str(file))
        demand_none(str(file), list(_of_rate(str(file), record.time, rate_hz)))
    else:
        uses = None if columns is None else read_columns(model, columns)
        record = _record(_table(file, uses), model, uses, rate_hz, name or str(file))
    if check:
        demand_none(str(file), [p for p in find_problems(model, record) if p.kind not in accept])
    return record


def _is_run(file: Path) -> bool:
    try:
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]

        return b"gough" in (pyarrow.parquet.read_schema(file).metadata or {})
    except Exception:  # the reader of logs says what is wrong
        return False


def _table(file: Path, uses: Mapping[str, ColumnUse] | None) -> LogTable:
    suffix = file.suffix.lower()
    if file.is_dir() and not (file / "metadata.yaml").exists():
        inside = sorted(p.name for p in file.iterdir())
        there = ", ".join(inside[:6]) + (" …" if len(inside) > 6 else "") if inside else "nothing"
        raise UsageError(
            f"{file} is a folder, and no ROS 2 bag (metadata.yaml is missing); name one file; in it: {there}"
        )
    if file.is_dir():
        return read_bag_log(file, tuple(uses or ()))
    if suffix in TEXTS:
        return read_csv_log(file)
    if suffix == ".parquet":
        return read_parquet_log(file)
    if suffix == ".mat":
        return read_mat_log(file)
    if suffix in BAGS:
        return read_bag_log(file, tuple(uses or ()))
    raise UsageError(f"{file}: a log is a file in {ALL}")


def _record(
    table: LogTable, model: "Model", uses: Mapping[str, ColumnUse] | None, rate_hz: float | None, name: str
) -> Record:
    problems: list[DataProblem] = []
    notes = list(table.notes)
    if uses is None:
        chosen, told = match_columns(model, table, table.columns)
        notes += told
        _demand_enough(table, model, chosen, told, problems)
    else:
        chosen = {}
        for column, use in uses.items():
            own = table.also.get(column, column)
            if own in table.columns:
                chosen[own] = use
            else:
                why = table.left_out.get(column)
                hint = f"it was left out: {why}" if why else f"expected {nearest(column, list(table.columns))}"
                problems.append(DataProblem("missing", table.file, "", f"no column {column!r} for {use.meaning}", hint))
    values: dict[str, np.ndarray] = {}
    stated = set()
    for column, use in chosen.items():
        header = table.units.get(column, "")
        try:
            values[use.meaning] = use.values(np.asarray(table.columns[column], dtype=float), header)
        except UsageError as problem:
            problems.append(
                DataProblem("units", table.file, f"column {column} as {use.meaning}", str(problem), "see columns=")
            )
        if use.unit or (header and use.gain is None):
            stated.add(use.meaning)
    time = values.pop("time", None)
    if time is not None:
        problems += _of_rate(table.file, time, rate_hz)
    if time is None and rate_hz is not None and table.columns:
        time = np.arange(len(next(iter(table.columns.values())))) / rate_hz
        notes.append(f"times from rate_hz = {rate_hz:g}")
        stated.add("time")
    if time is None:
        left = f"; {table.say_left_out()}" if table.left_out else ""
        remedy = f"name it in columns= ({{'t': 'time'}}), or give rate_hz={left}"
        problems.append(DataProblem("missing", table.file, "time", "no column of time", remedy))
    whole = {}
    for key, parts in (("pose", POSE_NAMES), ("wrench", WRENCH)):
        given = [p for p in parts if f"{key}.{p}" in values]
        lost = [p for p in parts if p not in given]
        if given and lost:
            what = f"columns of {', '.join(lost)} are missing beside {', '.join(given)}"
            problems.append(DataProblem("missing", table.file, key, what, f"a {key} has all of {' '.join(parts)}"))
        elif given:
            whole[key] = np.stack([values[f"{key}.{p}"] for p in parts], axis=1)
    demand_none(table.file, problems)
    assert time is not None
    group = {
        r: {m.split(" ", 1)[1]: x for m, x in values.items() if m.startswith(r + " ")}
        for r in ("position", "rate", "force", "reference")
    }
    return Record(
        name,
        time,
        positions=group["position"],
        forces=group["force"],
        rates=group["rate"],
        reference=group["reference"],
        **whole,
        notes=tuple(notes),
        stated=frozenset(stated),
    )


def _of_rate(file: str, time: np.ndarray, rate_hz: float | None) -> Iterator[DataProblem]:
    """A rate that was told and is not that of the times."""
    steps = np.diff(time)
    steps = steps[np.isfinite(steps) & (steps > 0)]
    if rate_hz is None or not len(steps):
        return
    own = 1.0 / float(np.median(steps))
    if max(own / rate_hz, rate_hz / own) > 1 + ALIKE:
        what = f"its steps are {1 / own:.6g} s, {own:.6g} Hz, and rate_hz={rate_hz:g} says something else"
        remedy = "leave rate_hz= out, state the unit of time ('time [ms]'), or leave time out of columns= to have it by the rate"
        yield DataProblem("units", file, "time", what, remedy)


def _demand_enough(
    table: LogTable, model: "Model", chosen: Mapping[str, ColumnUse], told: list[str], problems: list[DataProblem]
) -> None:
    """Name what a log without a map lacks: a force of each drive, and what tells where the robot is."""
    have = {use.meaning for use in chosen.values()}
    drives = model.layout.drive_names
    lost = [f"force {d}" for d in drives if f"force {d}" not in have]
    if not {f"pose.{n}" for n in POSE_NAMES} <= have and not any(m.startswith("position ") for m in have):
        lost += [f"position {d}" for d in drives]
    if not lost:
        return
    known = ", ".join(list(table.columns)[:16])
    hints = [t for t in told if "gain" in t or "several" in t]
    hints += [table.say_left_out()] if table.left_out else []
    remedy = f"say which in columns= ({{column: {lost[0]!r}}}); the log has {known}" + "".join(f"; {h}" for h in hints)
    problems.append(DataProblem("missing", table.file, "", f"no column means {', '.join(lost[:8])}", remedy))
