"""Chains of four-bar linkages: the N-four-bar benchmark."""

import math
from typing import Any

from gough.arguments import checked, number, whole, word
from gough.errors import UsageError
from gough.robot import Robot
from gough.robots.arguments import make_item, positive

CLOCKWISE = (0.0, 0.0, -1.0)


@checked(n=whole(1, 10**5), angle=number(), name=word, title=word)
def four_bar_chain(
    n: int,
    *,
    length: float = 1.0,
    mass: float = 1.0,
    angle: float = 0.0,
    gravity: Any = (0.0, -9.81, 0.0),
    name: str = "four_bar_chain",
    title: str = "",
    source: Any = None,
) -> Robot:
    """n four-bar linkages side by side: n + 1 cranks on the ground, n couplers between their tips; one freedom.

    The defaults are IFToMM's benchmark A02 (uniform rods of 1 kg and 1 m, gravity along -y). Crank i stands at
    x = i length; its joint "foot<i>" turns clockwise, so its tip is at length (sin q, cos q) from its foot. Coupler i
    hangs on crank i by "tip<i>" and is closed on crank i + 1 by the loop "pin<i>". v is the rate of "foot0"; nothing is
    driven. Where a crank lies along the x axis all rods are on one line and the chain can change its assembly there.

    Args:
        n: number of linkages, 1 or more.
        length: of every rod, m.
        mass: of every rod, kg.
        angle: of all cranks at home, rad, clockwise from the y axis.
        gravity: (3,), m/s2.
        name: name of the robot, lower case.
        title: one line about it.
        source: where the numbers come from.

    Returns:
        The robot.
    """
    length, mass = positive("length", length, "m"), positive("mass", mass, "kg")
    if not math.isfinite(angle) or abs(math.cos(angle)) < 1e-3:
        raise UsageError(
            f"angle = {angle!r}; give the cranks' angle in rad, away from a quarter turn (all rods on a line)"
        )
    thin = mass * length**2 / 12
    crank = {"mass": mass, "center_of_mass": (0.0, length / 2, 0.0)}
    crank |= {"inertia": {"about": "center_of_mass", "xx": thin, "zz": thin}}
    coupler = {"mass": mass, "center_of_mass": (length / 2, 0.0, 0.0)}
    coupler |= {"inertia": {"about": "center_of_mass", "yy": thin, "zz": thin}}
    tip = {"position": (0.0, length, 0.0)}
    feet = [_hinge(f"foot{i}", "world", f"crank{i}", {"position": (i * length, 0.0, 0.0)}) for i in range(n + 1)]
    tips = [_hinge(f"tip{i}", f"crank{i}", f"coupler{i}", tip) for i in range(n)]
    loops = [
        {
            "name": f"pin{i}",
            "type": "revolute",
            "first": {"body": f"coupler{i}", "pose": {"position": (length, 0.0, 0.0)}},
            "second": {"body": f"crank{i + 1}", "pose": tip},
            "axis": CLOCKWISE,
        }
        for i in range(n)
    ]
    bodies = [{"name": f"crank{i}", **crank} for i in range(n + 1)] + [
        {"name": f"coupler{i}", **coupler} for i in range(n)
    ]
    angles = {joint["name"]: (angle,) for joint in feet} | {joint["name"]: (-angle,) for joint in tips}
    data = {"name": name, "title": title, "source": source, "gravity": gravity, "bodies": bodies}
    data |= {"joints": feet + tips, "loops": loops, "velocities": ["foot0"], "home": {"joints": angles}}
    return make_item(Robot, data)


def _hinge(name: str, parent: str, child: str, pose: Any) -> dict[str, Any]:
    return {"name": name, "type": "revolute", "parent": parent, "child": child, "pose": pose, "axis": CLOCKWISE}
