"""A platform that has fewer than six freedoms by agreement: the guide that leaves it those, as massless joints of the tree.

`freedoms: [x, y, z]` of a platform stands for slides along x, y and z of the world and turns yaw, pitch and roll (R = Rz Ry Rx),
those that are named, in this order; the others stay as `home.pose` has them. It replaces what holds the platform in truth
(second rods of parallelograms, a plane that all pins share): motion and drive forces are the same, forces in these parts are not.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gough.robot.body import Body
from gough.robot.item import Fault
from gough.robot.joint import TreeJoint
from gough.robot.pose import Pose, about
from gough.scalar import array_of
from gough.spatial import rpy_zyx_angles

FREEDOMS: tuple[str, ...] = ("x", "y", "z", "yaw", "pitch", "roll")
GUIDED = "guided"
"""What such a joint calls the body it carries; its full name is the tree's (`robot.tree`)."""
AXES = {"x": 0, "y": 1, "z": 2, "yaw": 2, "pitch": 1, "roll": 0}


def guide_name(freedom: str) -> str:
    """Of the guide's joint that leaves a freedom: along_x, about_z."""
    return f"{'along' if freedom in 'xyz' else 'about'}_{'xyz'[AXES[freedom]]}"


def guide_values(pose: Pose) -> dict[str, float]:
    """The six coordinates at a pose by name: m and rad."""
    return dict(zip(FREEDOMS, (*pose.position, *rpy_zyx_angles(pose.rotation())), strict=True))


def guide_joints(platform: str, body: Body, freedoms: tuple[str, ...], home: Pose) -> Iterator[tuple[TreeJoint, Body]]:
    """The guide's joints from the world to the platform with the bodies they carry, the platform's own last."""
    still = guide_values(home)
    left = [name for name in FREEDOMS if name in freedoms]
    position = array_of([0.0 if name in freedoms else still[name] for name in "xyz"])
    turns, parent = list(FREEDOMS[3:]), "world"

    def held(names: list[str]) -> np.ndarray:
        return np.linalg.multi_dot([np.eye(3), np.eye(3), *(about(AXES[name], still[name]) for name in names)])

    for name in left:
        before = turns[: turns.index(name)] if name in turns else []
        turns = turns[len(before) + 1 :] if name in turns else turns
        last = name == left[-1]
        after = held(turns) if last else np.eye(3)  # before · Rot(e, q) · after = before · after · Rot(afterᵀ e, q)
        yield (
            TreeJoint(
                name=guide_name(name),
                type="prismatic" if name in "xyz" else "revolute",
                parent=parent,
                child=GUIDED,
                pose=Pose.from_matrix(held(before) @ after + 0.0, position),
                axis=tuple((after.T @ np.eye(3)[AXES[name]] + 0.0).tolist()),
            ),
            body if last else Body(name=guide_name(name)),
        )
        parent, position = f"{platform}.{guide_name(name)}", np.zeros(3)


def freedom_faults(freedoms: Any) -> Iterator[Fault]:
    """What is wrong with a platform's freedoms as they are written."""
    if not isinstance(freedoms, list | tuple):
        return
    known = [name for name in freedoms if isinstance(name, str)]
    twice = next((k for k, name in enumerate(known) if name in known[:k]), None)
    if twice is not None:
        yield Fault((twice,), known[twice], "named twice", "each freedom once")
    if not freedoms:
        yield Fault((), freedoms, "no freedoms", f"some of {', '.join(FREEDOMS)}")
    elif set(known) == set(FREEDOMS):
        yield Fault((), freedoms, "all six freedoms: a free platform needs no guide", "no key 'freedoms'")
