"""Robots of any size for the growth of cost: legs on a platform, links in one loop."""

import numpy as np

from gough.robot import Robot
from gough.robots import hexapod

CENTRAL = {"about": "center_of_mass"}
LOWER = {"mass": 2.0, "center_of_mass": (0.01, -0.02, 0.2)}
LOWER |= {"inertia": {**CENTRAL, "xx": 0.03, "yy": 0.04, "zz": 0.02, "xy": 0.001}}
UPPER = {"mass": 1.0, "center_of_mass": (0.02, 0.01, -0.2)}
UPPER |= {"inertia": {**CENTRAL, "xx": 0.02, "yy": 0.03, "zz": 0.02, "yz": 0.002}}
TOP = {"mass": 20.0, "center_of_mass": (0.02, 0.01, 0.05)}
TOP |= {"inertia": {**CENTRAL, "xx": 0.8, "yy": 0.9, "zz": 1.1, "xz": 0.02}}


def legs_on_platform(n: int) -> Robot:
    """A platform on n driven UPS legs, all with six freedoms: fewer than six leave some undriven, more share the load."""
    k = np.arange(n)
    base = 2 * np.pi * (k + 0.2 * (-1.0) ** k) / n
    top = 2 * np.pi * (k + 0.5 - 0.2 * (-1.0) ** k) / n
    rings = [
        np.stack([r * np.cos(a), r * np.sin(a), h + 0 * a], 1) for r, a, h in ((1.0, base, 0.0), (0.6, top, -0.05))
    ]
    robot = hexapod(*rings, platform=TOP, home=(0.05, 0.02, 1.0), lower=LOWER, upper=UPPER, name=f"legs{n}")
    return robot.model_copy(update={"velocities": "platform", "drive_sharing": "least_norm" if n > 6 else None})


def closed_chain(n: int) -> Robot:
    """One loop of n revolute links, axes in turn z and y, its tip held by a ball in the world; n - 3 freedoms, driven."""
    length = 2.0 / n
    X, p, angles = np.eye(3), np.zeros(3), []
    bodies, joints = [], []
    for i in range(n):
        axis, angle = (
            ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[i % 2],
            (0.5 + 0.3 * np.sin(1.0 + i)) * (1.0 if i % 4 < 2 else -0.7),
        )
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if i % 2 == 0 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])
        start = (0.0, 0.0, 0.0) if i == 0 else (length, 0.0, 0.0)
        X, p = X @ turn, p + X @ np.array(start)
        inertia = {**CENTRAL, "xx": 0.004 / n, "yy": length**2 / (12 * n), "zz": length**2 / (11 * n)}
        middle = {"mass": 1.0 / n, "center_of_mass": (length / 2, 0.01 * length, 0.02 * length), "inertia": inertia}
        bodies.append({"name": f"link{i}", **middle})
        joint = {
            "name": f"turn{i}",
            "type": "revolute",
            "parent": f"link{i - 1}" if i else "world",
            "child": f"link{i}",
        }
        joint |= {"pose": {"position": start}, "axis": axis} | ({"drive": {}} if i < n - 3 else {})
        joints.append(joint)
        angles.append(float(angle))
    tip = {"body": f"link{n - 1}", "pose": {"position": (length, 0.0, 0.0)}}
    held = {"body": "world", "pose": {"position": tuple(p + X @ np.array((length, 0.0, 0.0)))}}
    loop = {"name": "tip", "type": "spherical", "first": tip, "second": held}
    home = {"joints": {f"turn{i}": (a,) for i, a in enumerate(angles)}}
    data = {"name": f"chain{n}", "bodies": bodies, "joints": joints, "loops": [loop], "home": home}
    return Robot.model_validate(data | {"velocities": "drives"})
