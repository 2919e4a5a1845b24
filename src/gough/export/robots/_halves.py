"""Bodies without mass that a fixed joint ties to others: halves of bodies that a loop is cut in, as readers make them.

Programs move nothing without mass. What two bodies that are tied rigidly have together may stand on either: such a half is
written with half of the mass and inertia of the whole, which keeps the rest. The mechanism is the same.
"""

from dataclasses import replace

import numpy as np

from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import PlainBody, PlainRobot, three


def share_mass(robot: PlainRobot, omissions: Omissions) -> PlainRobot:
    """The robot whose halves without mass have a share of what they are tied to."""
    bodies = {body.name: body for body in robot.bodies}
    carrying = {joint.parent for joint in robot.joints}
    moving = {joint.child for joint in robot.joints if joint.freedoms}
    for loop in robot.loops if any(body.is_massless for body in robot.bodies) else ():
        ends = [(loop.first, loop.on_first), (loop.second, loop.on_second)]
        for (half, on_half), (whole, on_whole) in (ends, ends[::-1]):
            if loop.type != "fixed" or half in carrying or half not in moving or whole not in bodies:
                continue
            if not bodies[half].is_massless or bodies[whole].is_massless or bodies[whole].turns_about is not None:
                continue
            seen = on_whole.inverse().after(on_half)
            rest = bodies[whole]
            rest = replace(rest, mass=0.5 * rest.mass, inertia=0.5 * rest.inertia)
            bodies[half], bodies[whole] = _moved(rest, bodies[half], seen.position, seen.rotation), rest
            told = f"{bodies[half].told}: tied to {rest.told}, it is written with half of its mass"
            omissions.note(f"{told}: programs move no body without one")
    return replace(robot, bodies=tuple(bodies[body.name] for body in robot.bodies))


def _moved(rest: PlainBody, half: PlainBody, position: tuple[float, float, float], R: np.ndarray) -> PlainBody:
    """A half with the mass of the rest, whose frame stands at a position with axes R (columns) in the half's."""
    center = np.asarray(position) + R @ np.asarray(rest.center)
    same = {"unphysical": rest.unphysical, "weight_share": rest.weight_share}
    return replace(half, mass=rest.mass, center=three(center), inertia=R @ rest.inertia @ R.T, **same)
