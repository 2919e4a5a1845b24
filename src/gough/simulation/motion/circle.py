"""Circles and squares about a centre: of a frame's origin in space, or of two drives or joints.

A circle is center + radius (cos θ along + sin θ across) with the angle θ(t) by a time law.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arguments import checked, flag, number, numbers, take, word, words
from gough.errors import UsageError
from gough.simulation.motion._points import pose_of, unit_of, with_units
from gough.simulation.motion.motion import Motion, check_duration, coordinate_motion, pose_motion
from gough.simulation.motion.moves import polygon
from gough.simulation.motion.paths import IDENTITY, PolynomialPath, law_named
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product
from gough.structure.layout import POSE_NAMES, POSE_UNITS


@checked(
    radius=number(above=0),
    duration=number(above=0),
    speed=number(above=0),
    turns=number(),
    law=word,
    ramp=number(0),
    start_angle=number(),
    turning=flag,
    normal=numbers,
    towards=numbers,
    plane=words,
    frame=word,
    extend=word,
)
def circle(
    *,
    radius: float,
    pose: Any = None,
    point: Any = None,
    drives: Any = None,
    joints: Any = None,
    duration: float | None = None,
    speed: float | None = None,
    turns: float = 1.0,
    law: str = "quintic",
    ramp: float | None = None,
    start_angle: float = 0.0,
    turning: bool = False,
    normal: Any = None,
    towards: Any = None,
    plane: Sequence[str] | None = None,
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """`turns` turns (negative: backwards) about a centre, from center + radius towards (turned by start_angle, rad) on.

    The centre: pose= (the orientation stays, or turns along with `turning`), point= of `frame`, or drives= or joints=
    {name: value} with `plane` naming the two that move. duration (s), or speed (m/s) with law "constant".
    law: "quintic", "septic", "trigonometric", "trapezoid" with its ramp (s), all from rest to rest; "constant" speed.
    """
    where = plane_of(pose, point, drives, joints, normal, towards, plane, frame)
    if turns == 0:
        raise UsageError(f"turns={turns!r}, start_angle={start_angle!r}; give finite numbers, and turns other than 0")
    if (duration is None) == (speed is None):
        raise UsageError("circle: give duration=, or speed= with law='constant'")
    if speed is not None and law != "constant":
        raise UsageError(f"circle: speed= goes with law='constant', not {law!r}")
    angle = 2.0 * np.pi * turns
    seconds = check_duration("duration", duration) if speed is None else abs(angle) * radius / speed
    if turning and where.kind != "pose":
        raise UsageError("turning= goes with pose=")
    theta = law_named(law, seconds, ramp).along(np.array([start_angle]), np.array([angle]))
    rows, arms = where.center[:, None], radius * np.stack([where.along, where.across])
    if where.kind != "pose":
        path = PolynomialPath(theta.breaks, rows[None], (np.ones(1), arms[:1], arms[1:]), theta)
        return coordinate_motion(path, where.kind, where.names, where.units, where.frame, extend)
    axis = where.normal if turning else np.zeros(3)
    begun = quaternion_of_rotation_vector(-start_angle * axis)  # about one axis: rotation vectors are θ axis
    rows = np.concatenate([np.pad(rows, ((0, 0), (0, 1))), np.stack([np.zeros(3), axis], axis=1)])
    arms = np.concatenate([arms, np.zeros((2, 3))], axis=1)
    path = PolynomialPath(theta.breaks, rows[None], (np.ones(1), arms[:1], arms[1:]), theta)
    return pose_motion(path, base=quaternion_product(begun, where.base), frame=frame, extend=extend)


@checked(side=number(above=0), normal=numbers, towards=numbers, plane=words, frame=word, extend=word)
def square(
    *,
    side: float,
    pose: Any = None,
    point: Any = None,
    drives: Any = None,
    joints: Any = None,
    normal: Any = None,
    towards: Any = None,
    plane: Sequence[str] | None = None,
    frame: str | None = None,
    extend: str | None = None,
    **edges: Any,
) -> Motion:
    """Around a centre (as for `circle`): the first edge runs `towards`, the second across; edges as for `polygon`."""
    where = plane_of(pose, point, drives, joints, normal, towards, plane, frame)
    half = 0.5 * side
    corners = np.array(
        [where.center + half * (a * where.along + b * where.across) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    if where.kind == "pose":
        poses = np.concatenate([corners, np.tile(where.base, (4, 1))], axis=1)
        return polygon(poses=poses, frame=frame, extend=extend, **edges)
    if where.kind == "point":
        return polygon(points=corners, frame=frame, extend=extend, **edges)
    named = dict(zip(where.names, corners.T, strict=True))
    made = polygon(**{where.kind: named}, extend=extend, **edges)
    for name, unit in zip(where.names, where.units, strict=True):
        made = with_units(made, [name], unit, "square")
    return made


@dataclass(frozen=True, eq=False)
class CentrePlane:
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
) -> CentrePlane:
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
        names, units = POSE_NAMES, POSE_UNITS
    n = _unit("normal", (0.0, 0.0, 1.0) if normal is None else normal)
    first = _vector("towards", towards) if towards is not None else np.eye(3)[1 if abs(n[0]) > 0.9 else 0]
    u = first - (first @ n) * n
    if np.linalg.norm(u) < 1e-9 * max(1.0, float(np.linalg.norm(first))):
        raise UsageError("towards= is along the normal; give a direction in the plane")
    u = u / np.linalg.norm(u)
    return CentrePlane(kind, names, units, center, u, np.cross(n, u), n, base, frame)


def _among(kind: str, center: Any, plane: Sequence[str] | None) -> CentrePlane:
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
    return CentrePlane(kind, names, units, values, along, across, np.zeros(3), IDENTITY, None)


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
