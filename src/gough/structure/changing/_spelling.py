"""A description in which every number that parameters follow from is stated once, as plainly as can be.

Nothing moves: turns are matrices, inertias the ten parameters of the body without its payload, armatures one for each freedom of
a joint, gears are ratios or radii, what follows from home is a number.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pydantic import BaseModel

from gough.joints import ALL
from gough.robot import Body, Coupling, Leg, Pose, Robot
from gough.robot.checks.couplings import placed_couplings
from gough.robot.closures import ClosingJoint
from gough.robot.effects import JointSpring, each
from gough.robot.inertia import Parameters
from gough.robot.item import Item, Place
from gough.robot.joint import MovingJoint
from gough.robot.platform.home_axes import frame_on_platform
from gough.robot.tree import WORLD
from gough.scalar import array_of
from gough.structure.build import TEN

FORMS = ("rpy_zyx", "bryant_xyz", "quaternion_wxyz", "axes")


def copy_item(item: Any, **update: Any) -> Any:
    """A copy with some fields changed, which nothing checks."""
    return BaseModel.model_copy(item, update=update) if update else item


def change_parts(data: Any, change: Callable[[Any, Place], Any], place: Place = ()) -> Any:
    """A part of a description with `change(item, place)` in the place of every item in it, inner ones first."""
    if isinstance(data, Item):
        parts = {
            name: change_parts(getattr(data, name), change, (*place, name))
            for name in type(data).model_fields
            if isinstance(getattr(data, name), Item | Mapping | tuple)
        }
        return change(copy_item(data, **parts), place)
    if isinstance(data, Mapping):
        return {key: change_parts(x, change, (*place, key)) for key, x in data.items()}
    if isinstance(data, tuple):
        return tuple(change_parts(x, change, (*place, k)) for k, x in enumerate(data))
    return data


def spell_out(robot: Robot) -> Robot:
    """The same robot with all its numbers stated."""
    offsets = {placed.place: float(placed.offset) for placed in placed_couplings(robot)}
    frames: dict[Place, Pose] = {
        ("legs", k, "on_platform"): frame_on_platform(leg, robot.home) for k, leg in enumerate(robot.legs)
    }

    def spell(item: Any, place: Place) -> Any:
        if place[:1] not in (("platform",), ("legs",), ("bodies",), ("joints",), ("loops",), ("couplings",)):
            return item
        if isinstance(item, Pose):
            return _spell_pose(item, frames.get(place, item))
        if isinstance(item, Body):
            return _spell_body(item)
        if isinstance(item, MovingJoint):
            return _spell_joint(item)
        return _spell_coupling(item, offsets[place]) if isinstance(item, Coupling) else item

    return change_parts(robot, spell)


def _spell_pose(pose: Pose, frame: Pose) -> Pose:
    """frame: with its axes as numbers."""
    rows = tuple(tuple(row) for row in frame.rotation().tolist())
    home = {"orientation": None} if hasattr(pose, "orientation") else {}
    return copy_item(pose, matrix=rows, **dict.fromkeys(FORMS), **home)


def _spell_body(body: Body) -> Body:
    if body.flexible is not None:
        return body
    ten = copy_item(body, payload=None).ten_parameters().tolist()
    stated = body.parameters or Parameters(source=None if body.inertia is None else body.inertia.source)
    return copy_item(body, parameters=copy_item(stated, **dict(zip(TEN, ten, strict=True))), inertia=None, shape=())


def _spell_joint(joint: Any) -> Any:
    moving, spring, armature = ALL[joint.type].moving, joint.spring, joint.armature
    if len(moving) > 1:
        armature = tuple(each(armature, len(moving)))
    if any(motion.quaternion is not None for motion in moving):
        spring = tuple(map(_at_rest, spring)) if isinstance(spring, tuple) else _at_rest(spring)
    return copy_item(joint, spring=spring, armature=armature, mdh=None)


def _at_rest(spring: JointSpring | None) -> JointSpring | None:
    if spring is None or spring.rest_quaternion_wxyz is not None:
        return spring
    return copy_item(spring, rest_quaternion_wxyz=(1.0, 0.0, 0.0, 0.0))


def _spell_coupling(coupling: Coupling, offset: float) -> Coupling:
    sizes: dict[str, Any] = {}
    if coupling.type == "mimic" and coupling.ratio is None:
        sizes = {"ratio": 1.0}
    elif coupling.teeth is not None and coupling.module is None:
        sizes = {"ratio": coupling.gear_ratio, "teeth": None}
    elif coupling.teeth is not None and coupling.module is not None:
        first, second = (0.5 * coupling.module * number for number in coupling.teeth)
        sizes = {"radii": (first, second), "teeth": None, "module": None}
    return copy_item(coupling, offset=offset, **sizes)


def still_parts(index: int, leg: Leg) -> set[Place]:
    """Places of the numbers of a leg that stay, because others say the same: where one joint alone stands on the base, the base
    says where it is and how it is turned, unless the joint's own pose does."""
    own: Place = ("legs", index)
    still = set() if leg.cut is not None else {(*own, "on_platform")}  # its loops have poses of their own in that frame
    on_base = [k for k, joint in enumerate(leg.chain) if (k == 0 and joint.on is None) or joint.on == "base"]
    if len(on_base) != 1 or any(WORLD in (loop.first.body, loop.second.body) for loop in leg.loops):
        return {*still, (*own, "base")}
    pose = leg.chain[on_base[0]].placement
    here, plain = not np.any(array_of(pose.position).astype(float)), np.array_equal(pose.rotation(), np.eye(3))
    base, joint = (*own, "base"), (*own, "chain", on_base[0], "placement")
    return {*still, (*(joint if here else base), "position"), (*(joint if here and plain else base), "matrix")}


def rubs(joint: Any) -> bool:
    """Whether friction is modelled in a joint, cut or loop."""
    kind = ALL[joint.type]
    closes = isinstance(joint, ClosingJoint) and not kind.carried_when_cut
    return bool(kind.moving) and (kind.friction_when_cut or not closes)
