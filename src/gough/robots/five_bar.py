"""Five-bar mechanisms: two driven cranks, two rods that meet in a pin."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from gough.arguments import checked, word
from gough.errors import UsageError
from gough.robot import Drive, Friction, Robot
from gough.robots.arguments import BodyLike, finite, make_item, pair, positive, rename_body

SIDES = ("left", "right")


@checked(elbows=word, name=word, title=word)
def five_bar(
    distance: float,
    crank_length: Any,
    rod_length: Any,
    *,
    home: Any,
    crank: BodyLike | Sequence[BodyLike],
    rod: BodyLike | Sequence[BodyLike],
    elbows: Literal["outside", "inside"] = "outside",
    drive: Drive | Mapping[str, Any] | None = None,
    elbow_friction: Friction | Mapping[str, Any] | None = None,
    pin_friction: Friction | Mapping[str, Any] | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
    name: str = "five_bar",
    title: str = "",
    source: Any = None,
) -> Robot:
    """A five-bar mechanism in the plane z = 0: motors at (-distance/2, 0) and (distance/2, 0), all axes along z.

    The rods meet in the loop "pin". The independent velocities are the rates of the drives "left_motor" and
    "right_motor". Body frames have their origin at the joint on the motor's side and x along the bar.

    Args:
        distance: between the motors, m.
        crank_length: m, one number or (left, right).
        rod_length: m, one number or (left, right).
        home: (x, y) of the pin, m.
        crank: body of a crank (Body or a mapping of its fields), one or (left, right).
        rod: body of a rod, one or (left, right).
        elbows: "outside": seen from the motors towards the pin, the left elbow on the left, the right on the right.
        drive: the drives' data; default ideal drives.
        elbow_friction: friction of the joints between cranks and rods.
        pin_friction: friction of the pin.
        gravity: (3,), m/s2.
        name: name of the robot, lower case.
        title: one line about it.
        source: where the numbers come from.

    Returns:
        The robot, with the home joint coordinates filled in.
    """
    distance = positive("distance", distance, "m")
    cranks, rods = pair("crank_length", crank_length, "m"), pair("rod_length", rod_length, "m")
    pin = finite("home", home, 2, "m")
    if elbows not in ("outside", "inside"):
        raise UsageError(f"elbows {elbows!r} is not known; use 'outside' or 'inside'")
    crank_bodies, rod_bodies = _two("crank", crank), _two("rod", rod)
    bodies, joints, coordinates = [], [], {}
    for k, side in enumerate(SIDES):
        motor_x = (k - 0.5) * distance
        bodies += [rename_body(crank_bodies[k], f"{side}_crank"), rename_body(rod_bodies[k], f"{side}_rod")]
        motor: dict[str, Any] = {"name": f"{side}_motor", "parent": "world", "child": f"{side}_crank"}
        motor |= {"pose": {"position": (motor_x, 0.0, 0.0)}, "drive": Drive() if drive is None else drive}
        elbow: dict[str, Any] = {"name": f"{side}_elbow", "parent": f"{side}_crank", "child": f"{side}_rod"}
        elbow |= {"pose": {"position": (cranks[k], 0.0, 0.0)}}
        elbow |= {} if elbow_friction is None else {"friction": elbow_friction}
        joints += [{**motor, "type": "revolute"}, {**elbow, "type": "revolute"}]
        bend = (1 if k == 0 else -1) * (1 if elbows == "outside" else -1)
        found = _angles(pin[0] - motor_x, pin[1], cranks[k], rods[k], bend, side)
        coordinates |= {f"{side}_motor": (found[0],), f"{side}_elbow": (found[1],)}
    ends = [
        {"body": f"{s}_rod", "pose": {"position": (length, 0.0, 0.0)}} for s, length in zip(SIDES, rods, strict=True)
    ]
    loop: dict[str, Any] = {"name": "pin", "type": "revolute", "first": ends[0], "second": ends[1]}
    loop |= {} if pin_friction is None else {"friction": pin_friction}
    data = {"name": name, "title": title, "source": source, "gravity": gravity, "bodies": bodies, "joints": joints}
    data |= {"loops": [loop], "velocities": "drives"}
    return make_item(Robot, {**data, "home": {"joints": coordinates}})


def _two(name: str, value: Any) -> tuple[Any, Any]:
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise UsageError(f"{name}: {len(value)} bodies; give one, or two: left and right")
        return value[0], value[1]
    return value, value


def _angles(x: float, y: float, crank: float, rod: float, bend: int, side: str) -> tuple[float, float]:
    """Angles (motor, elbow) that take the rod's end to (x, y) from the motor; bend 1: elbow left of the way there."""
    reach = math.hypot(x, y)
    if not abs(crank - rod) < reach < crank + rod:
        raise UsageError(
            f"{side} side: home is {reach:.6g} m from the motor; a crank of {crank:.6g} m and a rod of {rod:.6g} m reach "
            f"from {abs(crank - rod):.6g} to {crank + rod:.6g} m, ends not included"
        )
    inner = math.acos((reach**2 + crank**2 - rod**2) / (2 * reach * crank))
    outer = math.acos((reach**2 - crank**2 - rod**2) / (2 * crank * rod))
    return math.remainder(math.atan2(y, x) + bend * inner, 2 * math.pi), -bend * outer
