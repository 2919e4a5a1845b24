"""Points that a motion passes, the moves between two of them by a time law, and the units that coordinates are written in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from gough.arguments import numbers, show_value, take
from gough.errors import UsageError
from gough.robot.pose import FORMS, Pose
from gough.robot.units import DIMENSIONS, Quantity, UnitError, WrittenUnit, convert, misfit
from gough.simulation.motion.motion import Motion, coordinate_motion, pose_motion
from gough.simulation.motion.paths import IDENTITY, PolynomialPath, constant, side_by_side
from gough.spatial.charts import CONJUGATE
from gough.spatial.euler import EULER_AXES, euler_angles
from gough.spatial.poses import pose_array, quaternion_product, rotation_vector
from gough.structure.layout import POSE_NAMES, POSE_UNITS

ORIENTATIONS = ("shortest", *EULER_AXES)
HALF_TURN = np.pi - 1e-6
LENGTH, ANGLE = DIMENSIONS["length"][0], DIMENSIONS["angle"][0]


class Where(TypedDict, total=False):
    """What a motion goes through; exactly one of the first four.

    poses: list of (7,) x y z qw qx qy qz, (position, rotation), `gough.robot.Pose`, or mappings as in a description
    ({"position": …, "rpy_zyx": …}); or an array (n, 7). points (n, 3): of the origin of `frame`. drives, joints: {name:
    n values}, or an array (n, k) with `names`.
    orientation: "shortest" turns about one axis from pose to pose; "rpy_zyx" and "bryant_xyz" interpolate the angles.
    offsets_from: a pose that positions are added to and rotations multiplied on (from the left, world axes).
    frame: whose pose it is (default: the platform's). extend: "hold" for rest outside of the motion's time.
    """

    poses: Any
    points: Any
    drives: Any
    joints: Any
    names: Sequence[str] | None
    orientation: str
    offsets_from: Any
    frame: str | None
    extend: str | None


@dataclass(frozen=True, eq=False)
class Points:
    """x (n, k): coordinates, or positions of poses. chart: None where there are no orientations. turns (n, 3): angles in the
    chart; for "rotation_vector" `quaternions` (n, 4) count instead. base (4,): constant rotation on the right."""

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    x: np.ndarray
    frame: str | None = None
    extend: str | None = None
    chart: str | None = None
    turns: np.ndarray | None = None
    quaternions: np.ndarray | None = None
    base: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.x)

    def distances(self, k: int) -> tuple[float, float]:
        """Length of move k and its angle (0 without orientations); of coordinates the largest change."""
        step = self.x[k + 1] - self.x[k]
        length = float(np.linalg.norm(step)) if self.kind in ("pose", "point") else float(np.abs(step).max())
        return length, float(np.linalg.norm(self.turn(k)[1])) if self.chart else 0.0

    def turn(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(start, step, base) of the orientation's coordinates in move k; k = last: no step."""
        last = min(k + 1, len(self) - 1)
        if self.quaternions is not None:
            step = rotation_vector(quaternion_product(self.quaternions[last], self.quaternions[k] * CONJUGATE))
            return np.zeros(3), step, self.quaternions[k]
        assert self.turns is not None and self.base is not None
        return self.turns[k], self.turns[last] - self.turns[k], self.base

    def move(self, k: int, law: PolynomialPath, turn_law: PolynomialPath | None = None) -> Motion:
        """From point k to the next, position and orientation each by its law (by one, if there is no other)."""
        path = law.along(self.x[k], self.x[k + 1] - self.x[k])
        if self.chart is None:
            return self._motion(path)
        start, step, base = self.turn(k)
        return self._motion(side_by_side(path, (law if turn_law is None else turn_law).along(start, step)), base)

    def rest(self, k: int, duration: float) -> Motion:
        """Rest (s) at point k."""
        if self.chart is None:
            return self._motion(constant(self.x[k], duration))
        start, _, base = self.turn(k)
        return self._motion(constant(np.concatenate([self.x[k], start]), duration), base)

    def _motion(self, path: PolynomialPath, base: np.ndarray = IDENTITY) -> Motion:
        if self.chart is None:
            return coordinate_motion(path, self.kind, self.names, self.units, self.frame, self.extend)
        return pose_motion(path, self.chart, base, self.frame, self.extend)


def points_of(where: Where, least: int = 2) -> Points:
    """The points in the arguments of a motion; UsageError with what is wrong with them."""
    unknown = set(where) - set(Where.__annotations__)
    if unknown:
        raise UsageError(f"unknown arguments {', '.join(sorted(unknown))}; use {', '.join(Where.__annotations__)}")
    given = [key for key in ("poses", "points", "drives", "joints") if where.get(key) is not None]
    if len(given) != 1:
        raise UsageError(
            f"give exactly one of poses=, points=, drives= or joints= (given: {', '.join(given) or 'none'})"
        )
    kind = given[0]
    posed = kind == "poses"
    if not posed and (where.get("orientation") is not None or where.get("offsets_from") is not None):
        raise UsageError("orientation= and offsets_from= go with poses=")
    if posed:
        made = _poses(where)
    elif kind == "points":
        x = _rows("points", where.get("points"), 3)
        if where.get("frame") is None:
            raise UsageError("points: name the frame whose origin moves through them (frame=)")
        made = Points("point", ("x", "y", "z"), ("m", "m", "m"), x, where.get("frame"), where.get("extend"))
    else:
        if where.get("frame") is not None:
            raise UsageError("frame= goes with poses= and points=")
        made = _coordinates(kind, where)
    if len(made) < least:
        raise UsageError(f"{kind}: {len(made)} given; a motion needs at least {least}")
    if not np.isfinite(made.x).all():
        raise UsageError(
            f"{kind}: NaN or infinite values at entry {int(np.flatnonzero(~np.isfinite(made.x).all(axis=1))[0])}"
        )
    return made


def _coordinates(kind: str, where: Where) -> Points:
    given, names = where.get(kind), where.get("names")
    if isinstance(given, Mapping):
        if names is not None:
            raise UsageError(f"names= goes with an array; {kind} has names already")
        names = tuple(given)
        read = {n: _read(f"{kind}[{n!r}]", given[n]) for n in names}
        units = tuple(unit_of(f"{kind}[{n!r}]", read[n]) for n in names)
        columns = [np.atleast_1d(take(f"{kind}[{n!r}]", numbers, read[n])) for n in names]
        if len({c.shape for c in columns}) != 1 or columns[0].ndim != 1:
            raise UsageError(f"{kind}: every name needs a list of the same length")
        x = np.stack(columns, axis=1)
    else:
        x = take(kind, numbers, given)
        if x.ndim != 2 or not x.shape[1]:
            raise UsageError(f"{kind} has shape {x.shape}; give (points, coordinates), or {{name: values}}")
        if names is None and kind == "joints":
            raise UsageError("joints: give {name: values}, or names= for the columns")
        names = tuple(names) if names is not None else tuple(f"drive{k}" for k in range(x.shape[1]))
        if len(names) != x.shape[1] or len(set(names)) != len(names):
            raise UsageError(f"names={names!r}; give one name for each of the {x.shape[1]} columns of {kind}")
        units = ("",) * len(names)
    return Points(kind, tuple(names), units, x, extend=where.get("extend"))


def _poses(where: Where) -> Points:
    how = where.get("orientation") or "shortest"
    if how not in ORIENTATIONS:
        raise UsageError(f"orientation={how!r}; use one of {', '.join(ORIENTATIONS)}")
    entries: Any = where.get("poses")
    if not hasattr(entries, "__len__") or isinstance(entries, str | Mapping) or getattr(entries, "ndim", 1) == 0:
        raise UsageError(f"poses={show_value(entries)}; give a list of poses, or an array (n, 7)")
    read = [_pose(f"poses[{k}]", entry) for k, entry in enumerate(entries)]
    x = np.array([array[:3] for array, _ in read]).reshape(-1, 3)
    q = np.array([array[3:] for array, _ in read]).reshape(-1, 4)
    base = IDENTITY
    if where.get("offsets_from") is not None:
        start, _ = _pose("offsets_from", where.get("offsets_from"))
        x, base = x + start[:3], start[3:]
    frame, extend = where.get("frame"), where.get("extend")
    if how == "shortest":
        return Points(
            "pose",
            POSE_NAMES,
            POSE_UNITS,
            x,
            frame,
            extend,
            "rotation_vector",
            None,
            _continued(quaternion_product(q, base)),
        )
    angles = np.unwrap(euler_angles(how, q), axis=0)
    written = [_written(pose, how) for _, pose in read]
    if any(w is not None for w in written):  # more than half a turn may be meant: take the angles as they are written
        if any(w is None for w in written):
            k = next(k for k, w in enumerate(written) if w is None)
            raise UsageError(f"poses[{k}] has no {how} angles, but others have; write all of them as {how}")
        angles = np.array(written, dtype=float)
    return Points("pose", POSE_NAMES, POSE_UNITS, x, frame, extend, how, angles, None, base)


def _written(pose: Pose | None, how: str) -> Any:
    """The angles as they are written; zeros for a pose without any orientation."""
    if pose is None:
        return None
    given = any(getattr(pose, form) is not None for form in FORMS)
    return getattr(pose, how) if given else (0.0, 0.0, 0.0)


def pose_of(name: str, entry: Any) -> np.ndarray:
    """A pose (7,) with a unit quaternion from any accepted form; UsageError that names the place."""
    return _pose(name, entry)[0]


def _pose(name: str, entry: Any) -> tuple[np.ndarray, Pose | None]:
    from pydantic import ValidationError

    pose = None
    if isinstance(entry, str):
        known = "; 'home' is for files, in Python it is model.home_pose" if entry == "home" else ""
        raise UsageError(f"{name}={show_value(entry)}: a text is no pose{known}")
    if isinstance(entry, Mapping):
        try:
            entry = pose = Pose.model_validate(entry)
        except ValidationError as error:
            said = "; ".join(str(e["msg"]) for e in error.errors(include_url=False))
            raise UsageError(f"{name}: {said}") from None
    elif isinstance(entry, Pose):
        pose = entry
    try:
        array = pose_array(entry)
    except (UsageError, ValueError, TypeError, ArithmeticError, IndexError) as error:
        raise UsageError(f"{name}: {error}") from None
    if array.shape != (7,) or not np.isfinite(array).all():
        raise UsageError(f"{name}: shape {array.shape}; give seven finite numbers x y z qw qx qy qz")
    norm = np.linalg.norm(array[3:])
    if abs(norm - 1.0) > 1e-6:
        raise UsageError(f"{name}: a quaternion (qw qx qy qz) of length {norm:.9g}; normalise it")
    return np.concatenate([array[:3], array[3:] / norm]), pose


def _continued(q: np.ndarray) -> np.ndarray:
    """The quaternions with signs such that neighbours are near; half a turn between two has no shortest way."""
    q = q.copy()
    for k in range(1, len(q)):
        if q[k] @ q[k - 1] < 0:
            q[k] = -q[k]
        if 2.0 * np.arccos(np.clip(q[k] @ q[k - 1], -1.0, 1.0)) > HALF_TURN:
            raise UsageError(
                f"poses[{k - 1}] and poses[{k}] are half a turn apart: which way is not clear; put a pose between them, or "
                f"interpolate angles (orientation='rpy_zyx')"
            )
    return q


def _read(name: str, value: Any) -> Any:
    """A list whose texts with units of lengths and angles are read; anything else as it is."""
    try:
        if isinstance(value, list | tuple) and any(isinstance(x, str) for x in value):
            return [convert(x, ("length", "angle")) if isinstance(x, str) else x for x in value]
        return value
    except UnitError as error:
        raise UsageError(f"{name}={show_value(value)}: not numbers ({error})") from None


def _rows(name: str, value: Any, size: int) -> np.ndarray:
    x = take(name, numbers, value)
    if x.ndim != 2 or x.shape[1] != size:
        raise UsageError(f"{name} has shape {x.shape}; give (n, {size})")
    return x


def unit_of(name: str, values: Any) -> str:
    """The SI unit in which the values of a channel are written; "" where they are plain numbers."""
    unit = ""
    for value in values if isinstance(values, list | tuple) else (values,):
        if isinstance(value, Quantity):
            problem = misfit(value, unit, "the number before it") if unit else ""
            if problem:
                raise UsageError(f"{name}: {problem}")
            unit = unit or value.unit
    return unit


def with_units(motion: Motion, names: Iterable[str], given: Any, where: str) -> Motion:
    """The motion whose channels called `names` have the unit that a coordinate, or a rate of it, is written in; UsageError where
    they have another already. Plain numbers say nothing."""
    units = dict(zip(motion.names, motion.units, strict=True))
    for one in given if isinstance(given, list | tuple) else (given,):
        if not isinstance(one, Quantity | WrittenUnit):
            continue
        rate = -one.dimension[2]  # how often it is differentiated
        unit = one.unit if isinstance(one, Quantity) else one
        if rate:
            unit = WrittenUnit(one.written, LENGTH if one.dimension[0] else ANGLE)
        for name in names:
            of = f"{units[name]}/s{rate if rate > 1 else ''}" if rate else units[name]
            what = f"the {('speed', 'acceleration', 'jerk', 'snap')[rate - 1]} of {name}" if rate else name
            problem = misfit(one, of, what) if units[name] else ""
            if problem:
                raise UsageError(f"{where}: {problem}")
            units[name] = units[name] or unit
    return replace(motion, units=tuple(units.values()))
