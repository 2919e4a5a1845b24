"""The plane of a circle or square: its centre and two perpendicular directions, of a frame in space or among coordinates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arguments import number, numbers, take
from gough.errors import UsageError
from gough.simulation.motion.coordinate_motion import unit_of
from gough.simulation.motion.points import pose_of
from gough.simulation.motion.pose_motion import IDENTITY


@dataclass(frozen=True, eq=False)
class Plane:
    """center (n,); along, across (n,): unit directions; normal (3,) of a plane in space; base (4,): orientation wxyz."""

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    center: np.ndarray
    along: np.ndarray
    across: np.ndarray
    normal: np.ndarray
    base: np.ndarray
    frame: str | None


def plane_of(
    pose: Any,
    point: Any,
    drives: Any,
    joints: Any,
    normal: Any,
    towards: Any,
    plane: Sequence[str] | None,
    frame: str | None,
) -> Plane:
    """Centre: a pose, a point of `frame`, or coordinates {name: value} of which `plane` names the two that move.

    normal (3,): of the plane in space, default z. towards (3,): the first direction, default x (y where the normal is x).
    """
    given = [n for n, x in (("pose", pose), ("point", point), ("drives", drives), ("joints", joints)) if x is not None]
    if len(given) != 1:
        raise UsageError(
            f"give the centre as exactly one of pose=, point=, drives= or joints= (given: {', '.join(given) or 'none'})"
        )
    kind = given[0]
    if kind in ("drives", "joints"):
        if normal is not None or towards is not None or frame is not None:
            raise UsageError(f"normal=, towards= and frame= do not go with {kind}=; plane= names the two that move")
        return _among(kind, drives if drives is not None else joints, plane)
    if plane is not None:
        raise UsageError("plane= goes with drives= and joints=; in space give normal= and towards=")
    if kind == "point":
        if frame is None:
            raise UsageError("point: name the frame whose origin moves (frame=)")
        center = _vector("point", point)
        names, units, base = ("x", "y", "z"), ("m",) * 3, IDENTITY
    else:
        whole = pose_of("pose", pose)
        center, base = whole[:3], whole[3:]
        names, units = ("x", "y", "z", "qw", "qx", "qy", "qz"), ("m",) * 3 + ("1",) * 4
    n = _unit("normal", (0.0, 0.0, 1.0) if normal is None else normal)
    first = _vector("towards", towards) if towards is not None else np.eye(3)[1 if abs(n[0]) > 0.9 else 0]
    u = first - (first @ n) * n
    if np.linalg.norm(u) < 1e-9 * max(1.0, float(np.linalg.norm(first))):
        raise UsageError("towards= is along the normal; give a direction in the plane")
    u = u / np.linalg.norm(u)
    return Plane(kind, names, units, center, u, np.cross(n, u), n, base, frame)


def _among(kind: str, center: Any, plane: Sequence[str] | None) -> Plane:
    if not isinstance(center, Mapping):
        raise UsageError(f"{kind}: give the centre as {{name: value}}")
    names = tuple(center)
    pair = tuple(names if plane is None else plane)
    if len(pair) != 2 or pair[0] == pair[1] or not set(pair) <= set(names):
        raise UsageError(f"plane={plane!r}; name two of {', '.join(names)}")
    values = np.array([take(f"{kind}[{n!r}]", number(), center[n]) for n in names])
    unit = np.eye(len(names))
    along, across = (unit[names.index(n)] for n in pair)
    units = tuple(unit_of(f"{kind}[{n!r}]", center[n]) for n in names)
    return Plane(kind, names, units, values, along, across, np.zeros(3), IDENTITY, None)


def _vector(name: str, value: Any) -> np.ndarray:
    x = take(name, numbers, value)
    if x.shape != (3,) or not np.isfinite(x).all():
        raise UsageError(f"{name}={value!r}; give three finite numbers")
    return x


def _unit(name: str, value: Any) -> np.ndarray:
    x = _vector(name, value)
    length = np.linalg.norm(x)
    if length < 1e-12:
        raise UsageError(f"{name}: a direction of length zero")
    return x / length


def positive(name: str, value: Any) -> float:
    """A positive number, or a UsageError."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name}={value!r}; give a positive number") from None
    if not (np.isfinite(number) and number > 0):
        raise UsageError(f"{name}={value!r}; give a positive number")
    return number
