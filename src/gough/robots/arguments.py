"""Arguments of the builders: arrays of a known shape, positive numbers, poses and bodies."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from gough.arguments import numbers, show_value, take
from gough.errors import UsageError
from gough.robot import Body, Pose
from gough.robot.inertia import ENTRIES

BodyLike = Body | Mapping[str, Any]
Item = TypeVar("Item", bound=BaseModel)

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


def make_item(kind: type[Item], data: Any) -> Item:
    """A part of a description, or a UsageError that says what is wrong with what place of it."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc']))}: {e['msg']} (got {show_value(e['input'])})" for e in error.errors()]
        raise UsageError("\n".join(faults)) from None


def points(name: str, value: Any) -> np.ndarray:
    """(n, 3) points, one per leg."""
    found = take(name, numbers, value)
    if found.ndim != 2 or found.shape[1] != 3 or not len(found):
        raise UsageError(f"{name} has shape {found.shape}; give (n, 3), one row per leg")
    return found


def directions(name: str, value: Any, count: int) -> np.ndarray:
    """(count, 3) unit vectors, from one direction or one per leg."""
    given = take(name, numbers, value)
    if given.shape not in ((3,), (count, 3)) or not np.isfinite(given).all():
        raise UsageError(f"{name} = {show_value(value)}; give a finite direction (3,) or one per leg ({count}, 3)")
    vectors = np.array(np.broadcast_to(given, (count, 3)))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(norms > 0):
        raise UsageError(f"{name} has length zero; give a direction (3,) or one per leg (n, 3)")
    return vectors / norms


def positive(name: str, value: Any, unit: str) -> float:
    """One finite number above 0."""
    number = take(name, numbers, value)
    if number.ndim or not math.isfinite(number) or number <= 0:
        raise UsageError(f"{name} = {show_value(value)}; give one positive number in {unit}")
    return float(number)


def pair(name: str, value: Any, unit: str) -> tuple[float, float]:
    """Two positive numbers (left, right) from one or two."""
    given = take(name, numbers, value)
    if given.shape not in ((), (2,)):
        raise UsageError(f"{name} has shape {given.shape}; give one number in {unit}, or two: left and right")
    left, right = np.broadcast_to(given, (2,)).tolist()
    return positive(name, left, unit), positive(name, right, unit)


def finite(name: str, value: Any, count: int, unit: str) -> np.ndarray:
    """(count,) finite numbers."""
    given = take(name, numbers, value)
    if given.shape != (count,) or not np.isfinite(given).all():
        raise UsageError(f"{name} = {show_value(value)}; give {count} finite numbers in {unit}")
    return given


def pose(home: Any) -> Pose:
    """A pose from a Pose, a mapping of its fields, or a position (3,)."""
    if isinstance(home, Pose):
        return home
    return make_item(Pose, home if isinstance(home, Mapping) else {"position": home})


def body(value: BodyLike | None, name: str) -> Any:
    """The body with `name` where it has none of its own; massless where there is none."""
    if value is None:
        return {"name": name}
    return value if isinstance(value, Body) else {"name": name, **_fields(name, value)}


def _fields(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise UsageError(f"body {name} = {show_value(value)}; give a gough.robot.Body or a mapping of its keys")
    return dict(value)


def rename_body(value: BodyLike | None, name: str) -> Any:
    """The body under another name, whatever its own is."""
    if isinstance(value, Body):
        return value.model_copy(update={"name": name})
    return {**({} if value is None else _fields(name, value)), "name": name}


def multiply_body(value: BodyLike | None, factor: float, name: str) -> dict[str, Any]:
    """`factor` equal bodies in one: all ten inertial parameters times it; frames stay."""
    if value is None:
        return {"name": name}
    one = value if isinstance(value, Body) else make_item(Body, {"name": name, **_fields(name, value)})
    if one.telescopic is not None:
        raise UsageError(f"{name}: telescopic inertia cannot be merged; give plain bodies")
    if one.payload is None and one.parameters is None and (one.inertia is None or one.inertia.about != "origin"):
        merged: dict[str, Any] = {"mass": factor * one.mass, "center_of_mass": one.center_of_mass}
        if one.inertia is not None:
            entries = {entry: factor * getattr(one.inertia, entry) for entry in ENTRIES}
            merged["inertia"] = {"about": "center_of_mass", **entries}
    else:
        merged = {"parameters": dict(zip(TEN, (factor * one.ten_parameters()).tolist(), strict=True))}
    return {"name": name, **merged, "weight_share": one.weight_share, "frames": one.frames, "source": one.source}
