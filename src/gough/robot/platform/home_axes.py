"""`on_platform: {position: …, orientation: home}`: the joint frame on the platform has the axes that the cut's frame on the leg
has at the stated home, so that a pin need not be placed twice.

From `home.joints` the leg's rotations are multiplied out to its last body: R_WL of the cut's frame there. In the platform it is
R_WPᵀ R_WL, with R_WP of `home.pose`. Where the joints stated are rounded, the frame is as far off as they are.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gough.joints import ALL
from gough.robot._leg import BASE, Leg
from gough.robot.checks.references import stated_joints
from gough.robot.item import Fault, is_given, look
from gough.robot.joint import ChainJoint
from gough.robot.pose import Pose
from gough.scalar import VariedNumber, array_of, cos, sin
from gough.spatial.poses import quaternion_of_rotation_vector, rotation_of_quaternion

HOME = "home"


def frame_on_platform(leg: Leg, home: Any) -> Pose:
    """A leg's `on_platform` with its axes as numbers. home: the robot's, whose joints and pose are stated."""
    if getattr(leg.on_platform, "orientation", None) is None:  # a copy of a leg may have been given a plain pose
        return leg.on_platform
    R = leg.base.varied_rotation()
    for joint in _path(leg.chain):
        R = R @ joint.placement.varied_rotation() @ _turn(joint, home.joints.get(f"{leg.name}.{joint.name}", ()))
    on_leg = leg.cut.on_leg.varied_rotation() if leg.cut is not None else np.eye(3)
    rotation = array_of(home.pose.varied_rotation().T @ R @ on_leg)
    rounded = array_of([[_rounded(x) for x in row] for row in rotation])
    return Pose.from_matrix(rounded, leg.on_platform.position, leg.on_platform.source)


def _rounded(x: Any) -> Any:
    """Whole where it is nearly so; a number that follows variables as it is."""
    return x if isinstance(x, VariedNumber) or abs(x - round(x)) >= 1e-15 else float(round(x))


def home_axes_faults(data: dict[str, Any]) -> Iterator[Fault]:
    """What is missing for a leg that takes its frame's axes from home."""
    legs = look(data, "legs")
    known = stated_joints(data)
    for k, leg in enumerate(legs if isinstance(legs, list | tuple) else ()):
        place = ("legs", k, "on_platform", "orientation")
        if not is_given(leg, "on_platform", "orientation"):
            continue
        value = look(leg, "on_platform", "orientation")
        if not is_given(leg, "cut") or not is_given(data, "home", "pose"):
            yield Fault(place, value, "needs the leg's cut and a home.pose", "both, or the frame's axes (rpy_zyx, …)")
            continue
        chain = look(leg, "chain")
        chain = [j for j in chain if is_given(j, "name")] if isinstance(chain, list | tuple) else []
        moving = [joint for joint in _path(chain) if look(joint, "type") in ALL and ALL[look(joint, "type")].motions]
        names = [f"{look(leg, 'name')}.{look(joint, 'name')}" for joint in moving]
        missing = [name for name in names if name not in known]
        if missing:
            yield Fault(
                place, value, f"home.joints does not state {', '.join(missing)}", "these joints under home.joints"
            )


def _path(chain: Any) -> list[Any]:
    """Joints from the base to the last body."""
    by_name = {look(joint, "name"): k for k, joint in enumerate(chain)}
    path, k = [], len(chain) - 1
    while k >= 0:
        path.append(chain[k])
        on = look(chain[k], "on") if is_given(chain[k], "on") else None
        before = k - 1 if on is None else -1 if on == BASE else by_name.get(on, -1)
        k = before if before < k else -1
    return path[::-1]


def _turn(joint: ChainJoint, values: tuple[float, ...]) -> np.ndarray:
    """Rotation (3, 3) of a joint at its coordinates, in its frame."""
    stated, R, first = [joint.axis] if joint.axis is not None else list(joint.axes or ()), np.eye(3), 0
    for motion in ALL[joint.type].motions or ():
        given = values[first : first + motion.nq]
        own = np.asarray(given, dtype=float)
        first += motion.nq
        if motion.quaternion is not None:
            size = np.linalg.norm(own)  # what is no quaternion is told where home is checked
            R = R @ (rotation_of_quaternion(own / size) if 0.0 < size < np.inf else np.eye(3))
        elif motion.turns and isinstance(given[0], VariedNumber):
            R = R @ _varied_turn(array_of(stated[motion.axis]), given[0])
        elif motion.turns:
            angle = math.remainder(own[0], 2.0 * math.pi)
            turned = quaternion_of_rotation_vector(np.asarray(stated[motion.axis], dtype=float) * angle)
            R = R @ rotation_of_quaternion(turned)
    return R


def _varied_turn(axis: np.ndarray, angle: VariedNumber) -> np.ndarray:
    """Rotation (3, 3) about a unit axis by an angle that follows variables: cos I + sin [n]× + (1 - cos) n nᵀ."""
    (x, y, z), c, s = axis, cos(angle), sin(angle)
    across = array_of([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return array_of(np.eye(3) * c + across * s + np.outer(axis, axis) * (1.0 - c))
