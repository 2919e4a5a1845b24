"""Delta robots: driven arms, parallelograms of two rods, a platform that only translates."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from gough.arguments import checked, number, numbers, take, word
from gough.errors import UsageError
from gough.robot import Drive, Friction, Pose, Robot
from gough.robots.arguments import BodyLike, body, finite, make_item, multiply_body, positive, rename_body

ARM_AXIS = (0.0, 1.0, 0.0)
ROD_AXES = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
SIDES = {"left": 0.5, "right": -0.5}
THIRDS = (0.0, 2 * math.pi / 3, 4 * math.pi / 3)


@checked(rods=word, name=word, title=word)
def delta(
    base_radius: float,
    platform_radius: float,
    arm_length: float,
    rod_length: float,
    *,
    width: float,
    platform: BodyLike,
    home: Any,
    arm: BodyLike | None = None,
    rod: BodyLike | None = None,
    rods: Literal["pair", "single"] = "pair",
    angles: Any = THIRDS,
    drive: Drive | Mapping[str, Any] | None = None,
    rod_friction: Friction | Mapping[str, Any] | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
    name: str = "delta",
    title: str = "",
    source: Any = None,
) -> Robot:
    """A Delta robot: each leg a driven arm and a parallelogram of two rods; the platform moves along x, y and z.

    Leg i stands in the vertical plane at angles[i] about z. Its motor's axis is horizontal and normal to that plane; a
    positive angle turns the arm, which points outwards at 0, downwards. Rods hang on the arm by universal joints and on
    the platform by spherical ones, width / 2 to both sides of the plane.

    rods "pair": the real mechanism, every rod a body, so every force in rods and joints is right. rods "single": the
    same motion and drive forces from fewer operations: one rod of twice the mass and inertia in the plane of the leg,
    and a platform whose `freedoms` are x, y and z: a guide without mass takes the moments. There the friction of the rods'
    joints counts twice, as of two rods.

    Args:
        base_radius: distance of the motors' axes from the z axis, m.
        platform_radius: the same of the joints on the platform, in its frame, m.
        arm_length: from the motor to the rods, m.
        rod_length: m.
        width: distance between the two rods of a leg, m.
        platform: the platform's body (Body or a mapping of its fields; mass is required); its frame is parallel to the
            world and lies in the plane of its joints; it is called "platform".
        home: position (3,) of the platform in the world, m, below or above the base.
        arm: body of an arm, frame at the motor, x along the arm, y along the motor's axis; default massless.
        rod: body of one rod, frame at the arm, the rod along -z; default massless.
        rods: "pair" or "single".
        angles: (n,), rad, one leg each; three or more.
        drive: the drives' data; default ideal drives.
        rod_friction: friction of the universal joints at the arms, of one rod.
        gravity: (3,), m/s2.
        name: name of the robot, lower case.
        title: one line about it.
        source: where the numbers come from.

    Returns:
        The robot; at home the elbows are outside and the rods of a leg parallel.
    """
    base_radius, platform_radius = _radius("base_radius", base_radius), _radius("platform_radius", platform_radius)
    arm_length, rod_length = positive("arm_length", arm_length, "m"), positive("rod_length", rod_length, "m")
    width, position = positive("width", width, "m"), finite("home", home, 3, "m")
    if rods not in ("pair", "single"):
        raise UsageError(f"rods {rods!r} is not known; use 'pair' or 'single'")
    turns = take("angles", numbers, angles)
    if turns.ndim != 1 or len(turns) < 3 or not np.isfinite(turns).all():
        raise UsageError(f"angles has shape {turns.shape}; give three or more finite angles in rad, one per leg")
    if isinstance(rod_friction, Mapping):
        rod_friction = make_item(Friction, rod_friction)
    pair = rods == "pair"
    arm_joint = {"name": "arm", "type": "revolute", "axis": ARM_AXIS, "drive": Drive() if drive is None else drive}
    arm_joint["body"] = body(arm, "arm")
    chain, closing = _pair(arm_length, rod_length, width, rod) if pair else _single(arm_length, rod_length, rod)
    if rod_friction is not None:
        friction = rod_friction if pair else _twice(rod_friction)
        chain = [{**joint, "friction": friction} for joint in chain]
    legs, joints = [], {}
    for i, turn in enumerate(turns.tolist()):
        outwards = np.array([math.cos(turn), math.sin(turn), 0.0])
        yaw = {"rpy_zyx": (turn, 0.0, 0.0)}
        ends = {
            "base": make_item(Pose, {"position": base_radius * outwards, **yaw}),
            "on_platform": make_item(Pose, {"position": platform_radius * outwards, **yaw}),
        }
        legs.append({"name": f"leg{i}", **ends, "chain": [arm_joint, *chain], **closing})
        sideways = np.array([-outwards[1], outwards[0], 0.0])
        span = np.array([outwards @ position + platform_radius - base_radius, sideways @ position, position[2]])
        lowered = _arm_angle(span, arm_length, rod_length, i)
        joints[f"leg{i}.arm"] = (lowered,)
        joints |= {f"leg{i}.{joint['name']}": _rod_angles(span, lowered, arm_length) for joint in chain}
    data = {"name": name, "title": title, "source": source, "gravity": gravity, "legs": legs}
    guide = {} if pair else {"freedoms": ("x", "y", "z")}
    data |= {"platform": {"body": rename_body(platform, "platform"), **guide}}
    return make_item(Robot, {**data, "home": {"pose": {"position": position}, "joints": joints}})


def _radius(name: str, value: Any) -> float:
    return take(name, number(0.0), value)


def _rod(name: str, at: tuple[float, float, float], rod_body: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": "universal",
        "on": "arm",
        "pose": {"position": at},
        "axes": ROD_AXES,
        "body": rod_body,
    }


def _pair(arm: float, length: float, width: float, rod: BodyLike | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Two rods and their loops on the platform."""
    chain = [_rod(side, (arm, half * width, 0.0), rename_body(rod, f"{side}_rod")) for side, half in SIDES.items()]
    loops = [
        {
            "name": f"{side}_ball",
            "type": "spherical",
            "first": {"body": f"{side}_rod", "pose": {"position": (0.0, 0.0, -length)}},
            "second": {"body": "platform", "pose": {"position": (0.0, half * width, 0.0)}},
        }
        for side, half in SIDES.items()
    ]
    return chain, {"loops": loops}


def _single(arm: float, length: float, rod: BodyLike | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One rod for two and its cut."""
    cut = {"name": "ball", "type": "spherical", "on_leg": {"position": (0.0, 0.0, -length)}}
    return [_rod("elbow", (arm, 0.0, 0.0), multiply_body(rod, 2.0, "rods"))], {"cut": cut}


def _twice(friction: Friction) -> Friction:
    return friction.model_copy(update={"viscous": 2 * friction.viscous, "coulomb": 2 * friction.coulomb})


def _arm_angle(span: np.ndarray, arm: float, rod: float, index: int) -> float:
    """The angle that puts the elbow, (arm cos q, 0, -arm sin q), a rod's length from span; of two the outer elbow."""
    x, _, z = span
    reach = (span @ span + arm**2 - rod**2) / (2 * arm)  # = x cos q - z sin q
    radius = math.hypot(x, z)
    if abs(reach) > radius:
        raise UsageError(f"leg {index} does not reach home; move home or change arm_length and rod_length")
    middle, half = math.atan2(-z, x), math.acos(reach / radius)
    best = max((middle - half, middle + half), key=math.cos)
    return math.remainder(best, 2 * math.pi)


def _rod_angles(span: np.ndarray, lowered: float, arm: float) -> tuple[float, float]:
    """(a, b) of the rod's direction Ry(lowered + a) Rx(b) (0, 0, -1)."""
    dx, dy, dz = span - arm * np.array([math.cos(lowered), 0.0, -math.sin(lowered)])
    return math.remainder(math.atan2(-dx, -dz) - lowered, 2 * math.pi), math.atan2(dy, math.hypot(dx, dz))
