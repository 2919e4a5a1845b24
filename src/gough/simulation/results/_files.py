"""Runs in files: what is in them whatever the format, and writing that never leaves half a file.

Every format holds the stored arrays, and one JSON text: format version, the robot's description and hash, names and units of
all columns, and what is known about the run. No pickle. Files are written aside and renamed when they are complete.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.files import write_file
from gough.model import Model, build
from gough.simulation.coordinates import units_of
from gough.simulation.results._info import RunInfo
from gough.simulation.results._recorded import (
    WRENCH,
    WRENCH_UNITS,
    Recorded,
    acceleration_columns,
    force_columns,
    lock_array,
    rate_columns,
)
from gough.simulation.results._states import run_from_states
from gough.simulation.results.formats import FORMAT, FORMATS, KIND, SUFFIXES, Contents, damage_told, demand_whole
from gough.simulation.results.robot import RobotRecord, robot_hash
from gough.structure import Layout
from gough.text import demand_file

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray


def save(run: "Run", path: Path, channels: tuple[str, ...]) -> Path:
    """See `Run.save`."""
    write, _ = _format(path)
    contents = contents_of(run, channels, path.parent)
    return write_file(path, lambda file: write(file, contents))


def load(make: "type[Run]", path: Path, model: Any, other_robot: bool) -> "Run":
    """See `Run.load`. make: the class itself."""
    _, read = _format(path)
    demand_file(path)
    with damage_told(path):
        contents = read(path)
        if contents.about:
            demand_whole(contents, path)
    if not contents.about:
        return run_of_columns(make, {name: x[:, 0] for name, (x, _, _) in contents.groups.items()}, path, _model(model))
    given = _model(model)
    with damage_told(path):
        return run_of(make, contents, path, given, other_robot)


def contents_of(run: "Run", channels: tuple[str, ...], folder: Path) -> Contents:
    """Stored arrays first, then further channels."""
    layout, told = run.layout, units_of(run.model)
    found = Contents({})
    add = found.groups
    add["t"] = (run.time[:, None], ("t",), ("s",))
    add["q"] = (run.q, layout.q_names, told.q)
    add["v"] = (run.v, rate_columns(layout, layout.v_names), told.v)
    if layout.drive_names:
        add["tau"] = (run.tau, force_columns(layout), layout.drive_units)
    if run.given_acceleration is not None:
        add["acceleration"] = (run.given_acceleration, acceleration_columns(layout), told.acceleration)
    if run.given_status is not None:
        add["status"] = (run.given_status[:, None], ("status",), ("1",))
    for frame, wrench in run.wrench.items():
        name = f"{frame}.wrench" if frame else "wrench"
        columns = tuple(f"{name}.{w}" for w in WRENCH) if frame else WRENCH
        add[name] = (wrench, columns, WRENCH_UNITS)
    kept = dict(run.recorded)
    for name in channels:
        channel = run.channel(name)
        if channel.name not in add and channel.name not in kept:
            kept[channel.name] = Recorded(run[channel.name], channel.entries, channel.units, derived=True)
    taken = {c for _, columns, _ in add.values() for c in columns}
    flags = {}
    for name, r in kept.items():
        columns = tuple(e if e not in taken else f"{name}.{e}" for e in r.entries)
        taken |= set(columns)
        add[name] = (r.values.reshape(len(run), -1), columns, r.units)
        flags[name] = {"entries": list(r.entries), "single": r.values.ndim == 1, "derived": r.derived}
    found.about = {
        "kind": KIND,
        "format": FORMAT,
        "robot": run.robot.json_document(folder),
        "states": len(run),
        "layout": asdict(layout),
        "columns": {name: list(columns) for name, (_, columns, _) in add.items()},
        "units": {name: list(units) for name, (_, _, units) in add.items()},
        "recorded": flags,
        "wrenches": list(run.wrench),
        "tau_held": run.tau_held,
        "parameters": None if run.parameters is None else run.parameters.tolist(),
        "info": run.info.plain(),
    }
    return found


def run_of(make: "type[Run]", contents: Contents, path: Path, model: Model | None, other_robot: bool) -> "Run":
    """The run that a file holds."""
    about, groups = contents.about, {name: x for name, (x, _, _) in contents.groups.items()}
    n = len(groups["t"])
    record = RobotRecord.read_json_document(about["robot"], path.parent)
    layout = _layout(about["layout"])
    parameters = None if about["parameters"] is None else lock_array(np.array(about["parameters"]))
    if model is not None:
        if not other_robot:
            record.demand_same(model, str(path))
        _demand_layout(layout, model, path)
        if parameters is not None:
            parameters = _design(record, parameters, model)
        record = RobotRecord.of(model)
    recorded = {}
    for name, flags in about["recorded"].items():
        x = groups[name][:, 0] if flags["single"] else groups[name]
        recorded[name] = Recorded(lock_array(x), tuple(flags["entries"]), tuple(about["units"][name]), flags["derived"])
    status = groups.get("status")
    given = groups.get("acceleration")
    return make(
        lock_array(groups["t"][:, 0]),
        lock_array(groups["q"]),
        lock_array(groups["v"]),
        lock_array(groups.get("tau", np.zeros((n, 0)))),
        layout,
        record,
        RunInfo.of_plain(about["info"]),
        None if given is None else lock_array(given),
        None if status is None else lock_array(status[:, 0].astype(np.uint8)),
        {frame: lock_array(groups[f"{frame}.wrench" if frame else "wrench"]) for frame in about["wrenches"]},
        parameters,
        about["tau_held"],
        recorded,
    )


def run_of_columns(make: "type[Run]", columns: dict[str, Array], path: Path, model: Model | None) -> "Run":
    """A run from a plain table without a word on what it is: t, all coordinates, velocities and drive forces by name."""
    if model is None:
        raise UsageError(f"{path}: a table that says nothing about its robot; name it: Run.load(path, model=…)")
    layout = model.layout
    wanted = {
        "q": layout.q_names,
        "v": rate_columns(layout, layout.v_names),
        "tau": force_columns(layout),
    }
    missing = [c for c in ("t", *wanted["q"], *wanted["v"], *wanted["tau"]) if c not in columns]
    if missing:
        shown = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise UsageError(f"{path}: a run of {model.robot.name} needs the columns {shown}")
    arrays = {key: np.stack([columns[c] for c in group], axis=1) for key, group in wanted.items() if group}
    used = {"t", "status", *(c for group in wanted.values() for c in group)}
    rest = {name: (x, "1") for name, x in columns.items() if name not in used}
    return run_from_states(
        make, model, columns["t"], arrays["q"], arrays["v"], arrays.get("tau"),
        status=columns.get("status"), recorded=rest, info={},
    )  # fmt: skip


def _format(path: Path) -> tuple[Any, Any]:
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: the name of a run's file ends in {', '.join(SUFFIXES)}")
    return FORMATS[path.suffix]


def _model(given: Any) -> Model | None:
    return given if given is None or isinstance(given, Model) else build(given)


def _layout(data: dict[str, Any]) -> Layout:
    told: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in data.items()}
    return Layout(**told)


def _design(record: RobotRecord, stored: Array, model: Model) -> Array:
    """The parameters of a stored design for a given model: of another robot only what the design changed is taken."""
    if robot_hash(model) == record.digest:
        return stored
    own = record.model
    changes = {own.parameter_names[i]: stored[i] for i in np.flatnonzero(stored != own.parameters)}
    return lock_array(model.parameters_with(changes))


def _demand_layout(stored: Layout, model: Model, path: Path) -> None:
    for what in ("q_names", "v_names", "drive_names"):
        a, b = getattr(stored, what), getattr(model.layout, what)
        if a != b:
            pairs = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
            first = (
                f"{pairs[0][0]} in the file, {pairs[0][1]} in the model" if pairs else f"{len(a)} and {len(b)} entries"
            )
            raise UsageError(f"{path}: {what} differ from those of the given model: {first}")
