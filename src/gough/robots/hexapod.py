"""Hexapods: UPS or PUS legs between base and platform points."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from gough.arguments import checked, word
from gough.errors import UsageError
from gough.robot import Drive, Friction, Pose, Robot
from gough.robots.arguments import BodyLike, body, directions, make_item, points, pose

UNIVERSAL_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@checked(leg=word, carriage=word, name=word, title=word)
def hexapod(
    base_points: Any,
    platform_points: Any,
    *,
    platform: BodyLike,
    home: Pose | Mapping[str, Any] | Sequence[float],
    leg: Literal["ups", "pus"] = "ups",
    length: Any = None,
    lower: BodyLike | None = None,
    upper: BodyLike | None = None,
    first_axis: Any = (1.0, 0.0, 0.0),
    zero_direction: Any = (0.0, 0.0, 1.0),
    rail: Any = (0.0, 0.0, 1.0),
    carriage: Literal["behind", "ahead"] = "behind",
    drive: Drive | Mapping[str, Any] | None = None,
    universal_friction: Friction | Mapping[str, Any] | None = None,
    ball_friction: Friction | Mapping[str, Any] | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
    name: str = "hexapod",
    title: str = "",
    source: Any = None,
) -> Robot:
    """A parallel robot with n legs of one type between base and platform points (a hexapod has n = 6).

    Legs "ups": universal joint "hip" at the base point, driven prismatic joint "slide", spherical cut at the platform
    point. Body frames have z along the leg, from base to platform: `lower` has its origin at the base point, `upper`
    at the platform point (its mass centre has a negative z).

    Legs "pus": driven prismatic joint "slide" along `rail` whose coordinate is 0 at the base point, universal joint
    "elbow" on the carriage, link of fixed `length` to the spherical cut. `lower` is the carriage, its frame parallel
    to the world, `upper` the link, its frame at the elbow with z along the link.

    Args:
        base_points: (n, 3), m, in the world frame.
        platform_points: (n, 3), m, in the platform frame.
        platform: the platform's body (Body or a mapping of its fields; mass is required).
        home: pose of the platform in the world; a list of three is a position.
        leg: "ups" or "pus".
        length: link length, m, one or (n,); "pus" only.
        lower: body next to the base, the same in each leg; default massless.
        upper: body next to the platform, the same in each leg; default massless.
        first_axis: universal joints' axis on the base side, world direction, (3,) or (n, 3). The second axis is
            perpendicular to it and to the leg. Keep it away from the direction of the legs.
        zero_direction: where the leg ("ups") or link ("pus") points at zero angles, (3,) or (n, 3), in the world; its
            part perpendicular to first_axis is taken.
        rail: direction of the prismatic joints, (3,) or (n, 3); "pus" only.
        carriage: at home the carriage is "behind" or "ahead" of the platform point along the rail; "pus" only.
        drive: the drives' data; default ideal drives.
        universal_friction: friction of the universal joints.
        ball_friction: friction of the spherical joints.
        gravity: (3,), m/s2.
        name: name of the robot, lower case.
        title: one line about it.
        source: where the numbers come from.

    Returns:
        The robot, with the home joint coordinates filled in.
    """
    base, tops = points("base_points", base_points), points("platform_points", platform_points)
    if len(base) != len(tops):
        raise UsageError(f"{len(base)} base points and {len(tops)} platform points; give one of each per leg")
    if leg not in ("ups", "pus"):
        raise UsageError(f"leg {leg!r} is not known; use 'ups' or 'pus'")
    if (length is None) == (leg == "pus"):
        raise UsageError("length, the links' length in m, belongs to 'pus' legs and only to them")
    placed = pose(home)
    spans = tops @ placed.rotation().T + np.array(placed.position) - base
    axes = directions("first_axis", first_axis, len(base))
    zeros = directions("zero_direction", zero_direction, len(base))
    rails = directions("rail", rail, len(base))
    lengths = np.broadcast_to(np.asarray(0.0 if length is None else length, dtype=float), (len(base),)).tolist()
    slide = {"name": "slide", "type": "prismatic", "drive": Drive() if drive is None else drive}
    legs, joints = [], {}
    for i, span in enumerate(spans):
        frame = _universal_frame(axes[i], zeros[i], i)
        universal = {"type": "universal", "axes": UNIVERSAL_AXES, "pose": Pose.from_matrix(frame)}
        universal |= {} if universal_friction is None else {"friction": universal_friction}
        if leg == "ups":
            coordinate, direction, turning = float(np.linalg.norm(span)), span, "hip"
            chain = [
                {**universal, "name": "hip", "body": body(lower, "lower")},
                {**slide, "body": body(upper, "upper")},
            ]
        else:
            coordinate = _carriage(span, rails[i], lengths[i], carriage, i)
            direction, turning = span - coordinate * rails[i], "elbow"
            chain = [
                {**slide, "axis": rails[i], "body": body(lower, "carriage")},
                {**universal, "name": "elbow", "body": body(upper, "link")},
            ]
        joints[f"leg{i}.slide"] = (coordinate,)
        joints[f"leg{i}.{turning}"] = _angles(frame.T @ direction, i)
        cut: dict[str, Any] = {"name": "ball", "type": "spherical", "on_leg": {"position": (0.0, 0.0, lengths[i])}}
        cut |= {} if ball_friction is None else {"friction": ball_friction}
        ends = {"base": {"position": base[i]}, "on_platform": {"position": tops[i]}}
        legs.append({"name": f"leg{i}", **ends, "chain": chain, "cut": cut})
    data = {"name": name, "title": title, "source": source, "gravity": gravity, "platform": {"body": platform}}
    return make_item(Robot, {**data, "legs": legs, "home": {"pose": placed, "joints": joints}})


def _universal_frame(first: np.ndarray, zero: np.ndarray, index: int) -> np.ndarray:
    """Columns x = the first axis, z = the leg at zero angles, perpendicular to x."""
    z = zero - np.dot(zero, first) * first
    if np.linalg.norm(z) < 1e-6:
        raise UsageError(f"leg {index}: first_axis and zero_direction are parallel; choose another first_axis")
    z = z / np.linalg.norm(z)
    return np.column_stack([first, np.cross(z, first), z])


def _angles(direction: np.ndarray, index: int) -> tuple[float, float]:
    """(a, b) of a direction Rx(a) Ry(b) z = (sin b, -sin a cos b, cos a cos b), with cos b > 0."""
    x, y, z = direction
    if math.hypot(y, z) < 1e-9 * np.linalg.norm(direction):
        raise UsageError(f"leg {index} lies along its first_axis at home; choose another first_axis")
    return math.atan2(-y, z), math.atan2(x, math.hypot(y, z))


def _carriage(span: np.ndarray, rail: np.ndarray, length: float, side: str, index: int) -> float:
    """The slide coordinate that puts the elbow at a link's length from the platform point."""
    along = float(np.dot(span, rail))
    distance = float(np.linalg.norm(span - along * rail))
    if distance > length:
        raise UsageError(
            f"leg {index}: the platform point is {distance:.6g} m from its rail, the link has {length:.6g} m"
        )
    reach = math.sqrt(length**2 - distance**2)
    return along - reach if side == "behind" else along + reach
