"""The configurations of a file of states: a whole q, a pose, drive positions, or named coordinates."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.state_columns import (
    ANGLES,
    POSITION,
    QUATERNION,
    coordinate_names,
    own_coordinates,
    ways,
)
from gough.errors import GOOD, UsageError
from gough.spatial.euler import quaternion_of_euler

if TYPE_CHECKING:
    from gough.model import Model

Table = dict[str, np.ndarray]
Found = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Given:
    """What a file says of the configurations: `kind` is "q", "pose", "drives" or "coordinates"; values (n, size).

    names: of the coordinates; read: columns and arrays it was made from; kept: coordinates that stay as at home.
    """

    kind: str
    values: np.ndarray
    read: tuple[str, ...]
    names: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def given_configurations(model: "Model", table: Table) -> Given:
    """The one way in which `table` states configurations; UsageError where there is none, or several."""
    layout, platform = model.layout, model.mechanism.has_platform
    columns = [
        name for name in (*QUATERNION, *coordinate_names(model)) if name in table and name not in layout.drive_names
    ]
    turned = [names for names in (QUATERNION, ANGLES) if platform and any(c in table for c in names)]
    arrays = [name for name in ("q", "pose") if name in table]
    on_platform = platform and (bool(turned) or any(c in table for c in POSITION))
    if len(arrays) + on_platform > 1 or len(turned) > 1:
        raise UsageError("the pose is given twice; give one of q, pose, or columns with either qw… or yaw pitch roll")
    if arrays == ["q"] or all(name in table for name in layout.q_names):
        return Given("q", group(table, "q", layout.q_names), ("q", *layout.q_names))
    if arrays == ["pose"]:
        return Given("pose", group(table, "pose", (*POSITION, *QUATERNION)), ("pose",), kept=_other_freedoms(model))
    if not columns and _has_drives(table, layout.drive_names):
        return Given("drives", group(table, "drives", layout.drive_names), ("drives", *layout.drive_names))
    whole = [(*POSITION, *names) for names in turned if all(c in table for c in (*POSITION, *names))]
    joints = [name for name in layout.q_names[layout.joints] if name in table]
    if model.geometry.by_legs or (not joints and (whole or QUATERNION in turned)):
        if not turned or not any(c in table for c in POSITION):
            raise UsageError(f"no pose: {ways(model)}")
        return _pose(table, turned[0], _other_freedoms(model))
    if QUATERNION in turned:
        raise UsageError(f"a quaternion together with joint coordinates: {ways(model)}")
    return _coordinates(model, table)


def _other_freedoms(model: "Model") -> tuple[str, ...]:
    """Coordinates that belong to v and are not the platform's."""
    from gough.kinematics.leading import led_by_platform

    led = led_by_platform(model) if model.mechanism.has_platform else model
    return tuple(name for name in own_coordinates(led) if name not in (*POSITION, *ANGLES))


def _has_drives(table: Table, names: tuple[str, ...]) -> bool:
    return bool(names) and ("drives" in table or all(name in table for name in names))


def _pose(table: Table, orientation: tuple[str, ...], kept: tuple[str, ...]) -> Given:
    names = (*POSITION, *orientation)
    found = group(table, "pose", names)
    turned = found[:, 3:] if orientation is QUATERNION else quaternion_of_euler("rpy_zyx", found[:, 3:])
    return Given("pose", np.concatenate([found[:, :3], turned], axis=1), names, kept=kept)


def _coordinates(model: "Model", table: Table) -> Given:
    names = tuple(name for name in coordinate_names(model) if name in table)
    from gough.kinematics.leading import turn_coordinates

    own, freedoms, robot = own_coordinates(model), model.layout.mobility, model.robot.name
    if not names:
        raise UsageError(f"no configuration: {ways(model)}")
    said = f"{len(names)} coordinate{'s' * (len(names) != 1)} ({' '.join(names)}) for {freedoms} freedoms of {robot}"
    idle = len(set(turn_coordinates(model)) - set(names))  # ball joints may stay as they are
    if len(names) > freedoms or (len(names) not in (freedoms, freedoms - idle) and not set(names) <= set(own)):
        raise UsageError(f"{said}; {ways(model)}")
    kept = tuple(name for name in own if name not in names) if set(names) <= set(own) else ()
    return Given("coordinates", group(table, "coordinates", names), names, names, kept)


def assembled(model: "Model", given: Given, n: int, elastic: np.ndarray | None = None) -> Found:
    """(q (n, nq), failed check (n,)) in home's assembly, bent as `elastic` (n or 1, m) says; NaN where it failed."""
    from gough.errors import Status

    values = np.broadcast_to(given.values, (n, given.values.shape[1]))
    failed = np.full(n, GOOD, dtype=object)
    if given.kind == "q":
        return values, failed
    finite = np.isfinite(values).all(axis=1)
    bent = None
    if elastic is not None:
        elastic = np.broadcast_to(elastic, (n, elastic.shape[1]))
        finite &= np.isfinite(elastic).all(axis=1)
        bent = elastic[finite]
    failed[~finite] = Status.NOT_FINITE.at("input")
    q = np.full((n, model.layout.nq), np.nan)
    if given.kind == "pose":
        q[:, :7] = values
    if finite.any():
        rows = values[finite]
        if given.kind == "coordinates":
            named = {name: rows[:, i] for i, name in enumerate(given.names)}
            made = model.assemble(coordinates=named, on_bad_state="mark", elastic=bent)
        elif given.kind == "drives":
            made = model.assemble(drives=rows, on_bad_state="mark", elastic=bent)
        else:
            made = model.assemble(rows, on_bad_state="mark", elastic=bent)
        q[finite] = made.q
        failed[finite] = made.failures
    return q, failed


def group(table: Table, name: str, columns: tuple[str, ...]) -> np.ndarray:
    """As `group_or_none`, where it is known that there is something of it."""
    found = group_or_none(table, name, columns)
    assert found is not None
    return found


def group_or_none(table: Table, name: str, columns: tuple[str, ...]) -> np.ndarray | None:
    """The array (n, size) called `name`, or stacked from its columns; None where there is nothing of it."""
    if name in table:
        x = table[name]
        if x.ndim not in (1, 2) or x.shape[-1] != len(columns):
            raise UsageError(f"{name} has shape {x.shape}; expected (n, {len(columns)}): {' '.join(columns)}")
        return np.atleast_2d(x)
    missing = [c for c in columns if c not in table]
    if len(missing) == len(columns):
        return None
    if missing:
        raise UsageError(f"{name} is not complete: columns {' '.join(missing)} are missing")
    return np.stack(np.broadcast_arrays(*[np.atleast_1d(table[c]) for c in columns]), axis=-1)
