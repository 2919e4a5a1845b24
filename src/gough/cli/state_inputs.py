"""From named columns or arrays to the inputs of a robot's functions: q, v, acceleration, wrench, tau, drives."""

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.compilation import Model

POSITION, QUATERNION, ANGLES = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("yaw", "pitch", "roll")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
PASSED_ON = ("t", "status")
"""t is copied to the result; the status of an earlier result is not read."""


@dataclass(frozen=True)
class Inputs:
    """Inputs by slot, each (n, size); `failed` (n,): why a state has no configuration ("" where it has one)."""

    slots: dict[str, np.ndarray]
    failed: np.ndarray
    t: np.ndarray | None
    assumed: tuple[str, ...]
    unused: tuple[str, ...]


def groups_of(model: "Model") -> dict[str, tuple[str, ...]]:
    """Columns that make up each array."""
    layout = model.layout
    return {
        "q": layout.q_names,
        "v": layout.v_names,
        "acceleration": ACCELERATION[: layout.nv],
        "wrench": WRENCH,
        "tau": tuple(f"tau.{name}" for name in layout.drive_names),
        "drives": layout.drive_names,
    }


def gather(model: "Model", table: dict[str, np.ndarray], needed: tuple[str, ...]) -> Inputs:
    """Inputs `needed` by a function from a table of arrays or columns; unknown names are refused."""
    groups = groups_of(model)
    _refuse_unknown(table, groups)
    table = {name: x for name, x in table.items() if name != "status"}
    slots, assumed = {}, []
    for name in needed:
        if name == "q":
            continue
        if name not in groups:
            raise UsageError(f"this function needs {name!r}, which a file of states cannot give")
        found = _group(table, name, groups[name])
        if found is None and name in ("v", "acceleration", "wrench"):
            found = np.zeros((1, len(groups[name])))
            assumed.append(name)
        if found is None:
            raise UsageError(f"{name} is missing: give the array {name!r} or the columns {' '.join(groups[name])}")
        slots[name] = found
    pose, q, from_ = _pose_or_q(table, groups["q"]) if "q" in needed else (None, None, ())
    rows = {len(x) for x in (*slots.values(), pose, q, table.get("t")) if x is not None and np.ndim(x)} - {1}
    if len(rows) > 1:
        raise UsageError(f"arrays of different lengths: {sorted(rows)}; one row a state (or one row for all)")
    n = rows.pop() if rows else 1
    failed = np.full(n, "", dtype=object)
    if pose is not None:
        q, failed = configurations(model, np.broadcast_to(pose, (n, 7)))
    if q is not None:
        slots["q"] = q
    used = {c for name in needed if name != "q" for c in (name, *groups[name])} | {*from_, "t"}
    unused = tuple(name for name in table if name not in used)
    full = {name: np.broadcast_to(x, (n, x.shape[-1])) for name, x in slots.items()}
    t = None if "t" not in table else np.broadcast_to(table["t"].reshape(-1), (n,))
    return Inputs(full, failed, t, tuple(assumed), unused)


def configurations(model: "Model", pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq), failed check (n,)) of poses (n, 7) in home's assembly; NaN joints where it failed."""
    failed = np.full(len(pose), "", dtype=object)
    failed[~np.isfinite(pose).all(axis=1)] = "not_finite:input"
    failed[(failed == "") & (np.abs(np.linalg.norm(pose[:, 3:], axis=1) - 1) > 1e-6)] = "bad_quaternion:platform"
    good = failed == ""
    q = np.full((len(pose), model.layout.nq), np.nan)
    q[:, :7] = pose
    if good.any():
        q[good], failed[good] = model.geometry.from_pose(pose[good], model.parameters[None])
    return q, failed


def _pose_or_q(
    table: dict[str, np.ndarray], q_names: tuple[str, ...]
) -> tuple[np.ndarray | None, np.ndarray | None, tuple[str, ...]]:
    """(pose (n, 7), None, names read) or (None, q (n, nq), names read)."""
    orientations = [names for names in (QUATERNION, ANGLES) if any(c in table for c in names)]
    ways = [
        name
        for name, there in {
            "q": "q" in table,
            "pose": "pose" in table,
            "columns": any(c in table for c in POSITION) or bool(orientations),
        }.items()
        if there
    ]
    if len(ways) > 1 or len(orientations) > 1:
        raise UsageError("the pose is given twice; give one of q, pose, or columns with either qw… or yaw pitch roll")
    if ways == ["q"] or all(name in table for name in q_names):
        return None, _group(table, "q", q_names), ("q", *q_names)
    if ways == ["pose"]:
        return _group(table, "pose", (*POSITION, *QUATERNION)), None, ("pose",)
    if not orientations or not any(c in table for c in POSITION):
        raise UsageError(
            "no pose: give the columns x y z with qw qx qy qz or with yaw pitch roll (rad), or an array pose (n, 7) "
            f"or q (n, {len(q_names)}), or all columns of q"
        )
    found = _group(table, "pose", (*POSITION, *orientations[0]))
    assert found is not None
    turned = found[:, 3:] if orientations[0] is QUATERNION else _quaternion(found[:, 3:])
    return np.concatenate([found[:, :3], turned], axis=1), None, (*POSITION, *orientations[0])


def _quaternion(angles: np.ndarray) -> np.ndarray:
    """wxyz of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (cy, cp, cr), (sy, sp, sr) = np.cos(0.5 * angles).T, np.sin(0.5 * angles).T
    parts = (
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    )
    return np.stack(parts, axis=-1)


def _group(table: dict[str, np.ndarray], name: str, columns: tuple[str, ...]) -> np.ndarray | None:
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


def _refuse_unknown(table: dict[str, np.ndarray], groups: dict[str, tuple[str, ...]]) -> None:
    known = [*groups, "pose", *(c for columns in groups.values() for c in columns), *ANGLES, *PASSED_ON]
    for name in table:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; `gough eval --help` lists the names"
            raise UsageError(f"unknown column or array {name!r}{hint}")
