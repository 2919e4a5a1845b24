"""Files of states of any robot: names of their columns and what is said about names that are none, the configurations they
state, and the inputs of functions made of them.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GOOD, UsageError
from gough.spatial.euler import quaternion_of_euler

if TYPE_CHECKING:
    from gough.model import Model

POSITION, QUATERNION, ANGLES = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
PASSED_ON = ("t", "status")
"""t is copied to the result; the status of an earlier result is not read."""


def velocity_columns(model: "Model") -> tuple[str, ...]:
    """Column of each entry of v: vx … wz of the platform's twist, "v.NAME" for the rate of a joint coordinate."""
    names = zip(model.mechanism.selection.independent, model.layout.v_names, strict=True)
    return tuple(n if model.mechanism.has_platform and u < 6 else f"v.{n}" for u, n in names)


def acceleration_columns(model: "Model") -> tuple[str, ...]:
    """Column of each entry of v̇ that is given, not found: ax … alphaz of the platform, "a.NAME" for a joint coordinate."""
    names = zip(model.mechanism.selection.independent, model.layout.v_names, strict=True)
    columns = [ACCELERATION[u] if model.mechanism.has_platform and u < 6 else f"a.{n}" for u, n in names]
    return tuple(columns[: model.layout.mobility])


def groups_of(model: "Model", prescribed: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Columns that make up each array; no wrench without a platform, no elastic coordinates without flexible bodies. prescribed:
    velocities whose accelerations a function is given."""
    layout = model.layout
    rigid = acceleration_columns(model)
    groups = {"q": layout.q_names, "v": velocity_columns(model), "acceleration": rigid}
    groups["vdot"] = (*rigid, *(f"a.{n}" for n in layout.v_names[layout.mobility :]))
    if model.mechanism.has_platform:
        groups["wrench"] = WRENCH
    if layout.n_elastic:
        groups["elastic"] = layout.q_names[layout.elastic]
    tau = tuple(f"tau.{name}" for name in layout.drive_names)
    if prescribed:
        of_platform = dict(zip(layout.u_names[:6], ACCELERATION, strict=False)) if model.mechanism.has_platform else {}
        groups["prescribed"] = tuple(of_platform.get(name, f"a.{name}") for name in prescribed)
    return groups | {"tau": tau, "drives": layout.drive_names}


def coordinate_names(model: "Model") -> tuple[str, ...]:
    """Coordinates that can be columns of their own: x y z yaw pitch roll of a platform, and every joint's."""
    from gough.kinematics.leading import coordinate_units

    return tuple(coordinate_units(model))


def known_names(model: "Model", prescribed: Sequence[str] = ()) -> list[str]:
    """Columns and arrays that a file of states of this robot may have."""
    groups = groups_of(model, prescribed)
    pose = ("pose", *QUATERNION) if model.mechanism.has_platform else ()
    columns = [c for group in groups.values() for c in group]
    return [*groups, *columns, *pose, *coordinate_names(model), *PASSED_ON]


def refuse_unknown(model: "Model", names: list[str], prescribed: Sequence[str] = ()) -> None:
    """UsageError for the first name that is no column or array of this robot."""
    known = known_names(model, prescribed)
    for name in names:
        if name not in known:
            raise UsageError(f"unknown column or array {name!r}{_hint(model, name, known)}")


def _hint(model: "Model", name: str, known: list[str]) -> str:
    robot, platform = model.robot.name, model.mechanism.has_platform
    plain, bracket, unit = (part.strip() for part in name.partition("["))
    if bracket and plain in known:
        return f": files of states have no units; write {plain!r} and its numbers in SI units, not {unit.rstrip(']')}"
    if not platform and name in ("pose", *POSITION, *QUATERNION, *ANGLES):
        return f": {robot} has no platform; {ways(model)}"
    if not platform and name in ("wrench", *WRENCH):
        return f": {robot} has no platform to put a wrench on"
    if name in TWIST or name.startswith("v."):
        return f": the independent velocities of {robot} are {' '.join(velocity_columns(model))}"
    if name in ACCELERATION or name.startswith("a."):
        return f": the accelerations of {robot} are {' '.join(acceleration_columns(model))}"
    if name.startswith("tau."):
        drives = " ".join(groups_of(model)["tau"])
        return f": the drive forces of {robot} are {drives}" if drives else f": {robot} has no drives"
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else "; `gough eval --help` lists the names"


def ways(model: "Model") -> str:
    """How a configuration of this robot is given."""
    nq = model.layout.nq
    if model.geometry.by_legs:
        return (
            "give the columns x y z with qw qx qy qz or with yaw pitch roll (rad), or an array pose (n, 7) "
            f"or q (n, {nq}), or all columns of q"
        )
    return f"give the columns {' '.join(own_coordinates(model))}, or all columns of q, or an array q (n, {nq})"


def own_coordinates(model: "Model") -> list[str]:
    """The coordinates that belong to v; leading them leads the robot."""
    from gough.kinematics.leading import natural_coordinates

    return natural_coordinates(model)


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

    own, freedoms, robot = own_coordinates(model), model.layout.rigid, model.robot.name
    if not names:
        raise UsageError(f"no configuration: {ways(model)}")
    said = f"{len(names)} coordinate{'s' * (len(names) != 1)} ({' '.join(names)}) for {freedoms} freedoms of {robot}"
    idle = len({*turn_coordinates(model), *model.layout.idle_names} - set(names))  # these may stay as they are
    if len(names) > freedoms or (len(names) not in (freedoms, freedoms - idle) and not set(names) <= set(own)):
        raise UsageError(f"{said}; {ways(model)}")
    kept = tuple(name for name in own if name not in names) if set(names) <= set(own) else ()
    return Given("coordinates", group(table, "coordinates", names), names, names, kept)


def assemble_states(model: "Model", given: Given, n: int, elastic: np.ndarray | None = None) -> Found:
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


# From named columns or arrays to the inputs of a robot's functions: q, v, acceleration, vdot, wrench, tau, drives.

AT_REST = ("v", "acceleration", "vdot", "wrench")
"""What is taken as 0 where a file does not give it."""


@dataclass(frozen=True)
class Inputs:
    """Inputs by slot, each (n, size); `failed` (n,): why a state has no configuration ("" where it has one).

    assumed: what was not given, and what it was taken as, in words; unused: columns and arrays that were not read.
    """

    slots: dict[str, np.ndarray]
    failed: np.ndarray
    t: np.ndarray | None
    assumed: tuple[str, ...]
    unused: tuple[str, ...]


def gather(
    model: "Model", table: dict[str, np.ndarray], needed: tuple[str, ...], prescribed: Sequence[str] = ()
) -> Inputs:
    """Inputs `needed` by a function from a table of arrays or columns; unknown names are refused. prescribed: as `groups_of`."""
    refuse_unknown(model, list(table), prescribed)
    groups = groups_of(model, prescribed)
    table = {name: x for name, x in table.items() if name != "status"}
    slots, assumed = {}, []
    if "vdot" in needed and "acceleration" in table and "vdot" not in table:
        table["vdot"] = table.pop("acceleration")
        assumed.append("acceleration is taken as vdot, as this input is called now")
    for name in needed:
        if name == "q":
            continue
        if name not in groups:
            raise UsageError(f"this function needs {name!r}, which a file of states cannot give")
        if name in AT_REST and name not in table:
            missing = [c for c in groups[name] if c not in table]
            if 0 < len(missing) < len(groups[name]):
                table |= dict.fromkeys(missing, np.zeros(1))
                assumed.append(f"{' '.join(missing)}: not given, taken as 0")
        found = group_or_none(table, name, groups[name])
        if found is None and (name in AT_REST or not groups[name]):
            found = np.zeros((1, len(groups[name])))
            if groups[name]:
                assumed.append(f"{name} is not given and taken as 0")
        if found is None:
            raise UsageError(f"{name} is missing: give the array {name!r} or the columns {' '.join(groups[name])}")
        slots[name] = found
    given = given_configurations(model, table) if "q" in needed else None
    if given is not None and given.kept:
        assumed.append(f"{' '.join(given.kept)}: not given, as at home")
    elastic = None
    if given is not None and given.kind != "q" and "elastic" in groups:
        elastic = group_or_none(table, "elastic", groups["elastic"])
        if elastic is None:
            elastic = np.zeros((1, len(groups["elastic"])))
            assumed.append("elastic coordinates are not given and taken as 0")
    sized = [*slots.values(), table.get("t"), None if given is None else given.values, elastic]
    rows = {len(x) for x in sized if x is not None and np.ndim(x)} - {1}
    if len(rows) > 1:
        raise UsageError(f"arrays of different lengths: {sorted(rows)}; one row a state (or one row for all)")
    n = rows.pop() if rows else 1
    failed = np.full(n, GOOD, dtype=object)
    if given is not None:
        slots["q"], failed = assemble_states(model, given, n, elastic)
    from_ = () if given is None else given.read if elastic is None else (*given.read, "elastic", *groups["elastic"])
    used = {c for name in needed if name != "q" for c in (name, *groups[name])} | {*from_, "t"}
    unused = tuple(name for name in table if name not in used)
    full = {name: np.broadcast_to(x, (n, x.shape[-1])) for name, x in slots.items()}
    t = None if "t" not in table else np.broadcast_to(table["t"].reshape(-1), (n,))
    return Inputs(full, failed, t, tuple(assumed), unused)
